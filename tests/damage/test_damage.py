"""A damaged notebook is read or refused in words, and what can still be found keeps its marks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, note, settings

from autograder.course import PlanSpec, build_plan
from autograder.grading.submission import Plan, check, rebuilt, sha256
from autograder.notebook import NotebookError, Skeleton, read, write
from tests.damage.damages import BYTES, CELLS, Damage, damages
from tests.damage.oracle import functions_found
from tests.submissions import FULL_MARKS, RELEASE, json_of, make_course, scores, submission

GOOD = json_of(submission())
SKELETON = Skeleton.from_release(RELEASE)


@pytest.fixture(scope="module")
def plan(tmp_path_factory) -> Plan:
    """Few cases and no search for small ones: it is the rebuilding that is tried here."""
    few = "c.PropertyGrader.cases = 2\nc.PropertyGrader.shrink_evaluations = 0\n"
    course = make_course(tmp_path_factory.mktemp("damage") / "course", config=few)
    spec = PlanSpec(assignment="self_attention", settings=course.settings, seed=3, release=RELEASE)
    return build_plan(spec)


def checked(data: bytes, plan: Plan) -> dict[str, float] | None:
    """The scores of a damaged file; None where it is refused."""
    try:
        notebook = read(data)
    except NotebookError:
        return None
    again = rebuilt(notebook, plan.skeleton)
    result = check(again, plan, student=None, submission_sha256=sha256(data)).result
    assert not result.needs_person
    return scores(result)


def assert_found_functions_keep_their_marks(damage: Damage, plan: Plan) -> None:
    data = damage.of(GOOD)
    right = functions_found(data)
    if not right:
        return  # that it is rebuilt at all is shown below
    got = checked(data, plan)
    assert got is not None, f"{damage} can be read by plain tools, but was refused"
    lost = {name: got[name] for name in right if got[name] < FULL_MARKS[name]}
    assert not lost, f"{damage} leaves {sorted(right)} right, but {lost} were given"


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(damages())
def test_a_function_that_can_still_be_found_keeps_its_marks(plan, damage):
    note(repr(damage))
    assert_found_functions_keep_their_marks(damage, plan)


@pytest.mark.parametrize("kind", [*CELLS, *BYTES])
def test_every_kind_of_damage_is_repaired_or_refused(kind):
    outcomes = {_structure(Damage((kind,), seed)) for seed in range(6)}
    allowed = {"repaired", "refused"} if kind in BYTES else {"repaired"}
    assert outcomes <= allowed


def _structure(damage: Damage) -> str:
    """Read, rebuild and write one; it says what came of it."""
    try:
        notebook = read(damage.of(GOOD))
    except NotebookError as error:
        return "refused" if str(error).endswith(".") else f"no sentence: {error}"
    again = read(write(rebuilt(notebook, SKELETON)), verbatim=True)
    ids = [c.metadata["nbgrader"]["grade_id"] for c in again.cells if "nbgrader" in c.metadata]
    assert ids == [slot.grade_id for slot in SKELETON.cells if slot.grade_id]
    return "repaired"


def test_the_undamaged_notebook_is_all_right_for_the_oracle_and_for_us(plan):
    data = Damage((), 0).of(GOOD)
    assert functions_found(data) == set(FULL_MARKS)
    assert checked(data, plan) == FULL_MARKS


def test_the_oracle_sees_what_is_lost_and_what_is_wrong():
    document = json_of(submission(causal_mask="def causal_mask(n):\n    return n"))
    for cell in document["cells"]:
        if "def softmax" in "".join(cell["source"]):
            cell["cell_type"] = "markdown"
    found = functions_found(Damage((), 0).of(document))
    assert found == {"self_attention", "self_attention_loop"}
    assert functions_found(b"{") is None


def test_damage_repeats_itself():
    damage = Damage((*CELLS, "flipped_bits"), 7)
    assert damage.of(GOOD) == damage.of(GOOD)
    assert damage.of(GOOD) != Damage(damage.kinds, 8).of(GOOD)
