"""A course folder: its settings, its secret seed, its release, and the plan made of them."""

from __future__ import annotations

import importlib
import json
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from autograder.course import (
    PRACTICE_SEED,
    Course,
    PlanSpec,
    UsageError,
    assignment_named,
    build_plan,
    corpus_key,
    exercises_of,
    points_mismatch,
    read_config,
    versions,
)
from autograder.exercise import Assignment, WrittenQuestion
from autograder.grading import corpus
from autograder.notebook import CellFacts, Skeleton
from autograder.results import from_json
from autograder.settings import Settings
from tests.grading.conftest import an_exercise
from tests.submissions import EXERCISES, RELEASE, make_course
from tests.test_results import RESULT

ASSIGNMENT = assignment_named("self_attention")
ONE_EXERCISE = [EXERCISES["causal_mask"]]


def course_with(root: Path, *lines: str) -> Course:
    (root / "nbgrader_config.py").write_text("\n".join(["c = get_config()", *lines]))
    course = Course.find(root)
    assert course is not None
    return course


# -- the folder ------------------------------------------------------------------------------------


def test_a_course_is_found_from_any_folder_inside(tmp_path):
    course_with(tmp_path, "c.PropertyGrader.cases = 3")
    inside = tmp_path / "submitted" / "ada"
    inside.mkdir(parents=True)
    found = Course.find(inside)
    assert found is not None
    assert found.root == tmp_path
    assert found.settings == Settings(cases=3)
    assert found.is_real


def test_there_is_no_course_outside_of_one(tmp_path):
    assert Course.find(tmp_path) is None
    nowhere = Course.nowhere()
    assert not nowhere.is_real
    assert nowhere.release("self_attention") is None
    assert nowhere.seed(create=False) == PRACTICE_SEED
    assert not nowhere.has_seed


def test_a_configuration_leaves_the_import_path_alone(tmp_path):
    before = list(sys.path)
    course_with(tmp_path, "import sys", "sys.path.insert(0, '/somewhere')")
    assert sys.path == before


def test_a_configuration_may_set_what_is_none_of_ours(tmp_path):
    course_with(tmp_path, "c.CourseDirectory.course_id = 'attention'")
    assert read_config(tmp_path)["CourseDirectory"]["course_id"] == "attention"


def test_a_release_is_read_from_its_folder(tmp_path):
    course = make_course(tmp_path / "course")
    assert course.release("self_attention") == RELEASE
    assert course.release("self_attention", "another_notebook") is None
    assert course.release("attention_insight") is None


# -- the seed --------------------------------------------------------------------------------------


def test_a_seed_is_made_at_first_use_and_kept_for_its_owner_alone(tmp_path):
    course = course_with(tmp_path)
    seed = course.seed(create=True)
    assert course.seed(create=True) == course.seed(create=False) == seed
    assert course.has_seed
    path = course.state / "seeds"
    assert path.read_text() == f"{seed}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(course.state.stat().st_mode) == 0o700


def test_two_courses_have_different_seeds(tmp_path):
    seeds = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        seeds.add(course_with(tmp_path / name).seed(create=True))
    assert len(seeds) == 2


def test_a_check_makes_no_seed(tmp_path):
    course = course_with(tmp_path)
    assert course.seed(create=False) == PRACTICE_SEED
    assert not course.state.exists()


def test_the_newest_kept_seed_counts(tmp_path):
    course = course_with(tmp_path)
    course.state.mkdir()
    (course.state / "seeds").write_text("11\n22\n")
    assert course.seed(create=True) == 22


def test_a_seed_that_was_set_goes_before_the_kept_one(tmp_path):
    course = course_with(tmp_path, "c.PropertyGrader.seed = 5")
    assert course.seed(create=True) == 5
    assert course.with_settings(seed=6, sandbox=None).seed(create=True) == 6
    assert not course.state.exists()


@pytest.mark.parametrize("content", ["", "\n", "a secret\n"])
def test_a_damaged_file_of_seeds_is_no_new_seed(content, tmp_path):
    course = course_with(tmp_path)
    course.state.mkdir()
    (course.state / "seeds").write_text(content)
    with pytest.raises(UsageError, match="holds no seed"):
        course.seed(create=True)


# -- results ---------------------------------------------------------------------------------------


def test_a_result_is_kept_whole_and_for_its_owner_alone(tmp_path):
    course = course_with(tmp_path)
    course.write_result(RESULT)
    path = tmp_path / ".autograder" / "results" / "self_attention" / "ada" / "self_attention.json"
    assert from_json(path.read_bytes()) == RESULT
    assert os.listdir(path.parent) == ["self_attention.json"]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_later_result_takes_the_place_of_the_first(tmp_path):
    course = course_with(tmp_path)
    course.write_result(RESULT)
    course.write_result(msgspec.structs.replace(RESULT, score=8.0))
    path = course.result_path("self_attention", "ada", "self_attention")
    assert from_json(path.read_bytes()).score == 8.0


# -- assignments -----------------------------------------------------------------------------------


def test_an_assignment_lists_its_exercises_in_order():
    names = [exercise.name for exercise in exercises_of(ASSIGNMENT)]
    assert names == ["softmax", "self_attention_loop", "self_attention", "causal_mask"]


def test_an_exercise_that_is_not_installed_is_named():
    assignment = Assignment(name="later", exercises={"layer_norm": Fraction(5)})
    with pytest.raises(UsageError, match="'layer_norm', which is not installed"):
        exercises_of(assignment)


SKELETON = Skeleton.from_release(RELEASE)


def test_the_release_fits_its_assignment():
    assert points_mismatch(ASSIGNMENT, SKELETON) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"exercises": {**ASSIGNMENT.exercises, "softmax": Fraction(21, 2)}},
            "grade cell 'softmax' has 10 points, the assignment 10.5",
        ),
        (
            {"written": (WrittenQuestion(name="why-scale", points=Fraction(4)),)},
            "grade cell 'why-scale' has 5 points, the assignment 4",
        ),
        (
            {"exercises": {**ASSIGNMENT.exercises, "soft_lookup": Fraction(5)}},
            "the notebook has no grade cell 'soft_lookup'",
        ),
    ],
)
def test_a_release_that_does_not_fit_is_told_apart(changes, said):
    assert points_mismatch(replace(ASSIGNMENT, **changes), SKELETON) == said


# -- plans -----------------------------------------------------------------------------------------


def spec(**changes: object) -> PlanSpec:
    values = {
        "assignment": "self_attention",
        "settings": Settings(sandbox="rlimit", cases=1),
        "seed": 0,
        "release": RELEASE,
    }
    return PlanSpec(**(values | changes))  # type: ignore[arg-type]


def test_a_plan_names_its_seed_without_giving_it_away():
    plan = build_plan(spec(seed=123456789))
    assert plan.seed_id == corpus.seed_id(123456789)
    assert "123456789" not in plan.seed_id
    assert plan.sandbox.backend == "rlimit"
    assert plan.versions == versions()


def test_a_seed_is_found_by_its_id_among_those_set_and_kept(tmp_path):
    course = course_with(tmp_path, "c.PropertyGrader.seed = 5")
    assert course.seed_named(corpus.seed_id(5)) == 5
    assert course.seed_named(corpus.seed_id(6)) is None
    (tmp_path / ".autograder").mkdir()
    (tmp_path / ".autograder" / "seeds").write_bytes(b"6\n\xffspoilt\n7\n")
    assert [course.seed_named(corpus.seed_id(seed)) for seed in (5, 6, 7, 8)] == [5, 6, 7, None]


def test_a_plan_takes_a_kept_corpus(tmp_path):
    kept = tmp_path / "corpus"
    first = build_plan(spec(corpora=kept))
    (stored,) = kept.iterdir()
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    again = build_plan(spec(corpora=kept))
    assert corpus.to_bytes(again.corpus) == corpus.to_bytes(first.corpus) == stored.read_bytes()
    build_plan(spec(corpora=kept, seed=1))
    assert len(list(kept.iterdir())) == 2


def test_a_plan_without_a_release_has_no_skeleton():
    assert build_plan(spec(release=None)).skeleton is None


def facts_of_the_gradebook() -> Iterator[tuple[str, CellFacts]]:
    """What the gradebook of a course with our release holds."""
    fields = ("checksum", "locked", "grade", "solution", "task")
    for cell in json.loads(RELEASE)["cells"]:
        if flags := cell["metadata"].get("nbgrader"):
            yield (
                flags["grade_id"],
                CellFacts(
                    cell_type=cell["cell_type"],
                    source="".join(cell["source"]),
                    points=flags.get("points"),
                    **{name: flags[name] for name in fields},
                ),
            )


def test_a_plan_refuses_a_gradebook_with_other_points():
    facts = tuple(facts_of_the_gradebook())
    assert build_plan(spec(facts=facts)).skeleton is not None
    wrong = tuple(
        (name, replace(fact, points=9.0) if name == "softmax" else fact) for name, fact in facts
    )
    with pytest.raises(UsageError, match="'softmax' is worth 10"):
        build_plan(spec(facts=wrong))


def test_a_plan_takes_the_sandbox_that_the_settings_name():
    plan = build_plan(spec(settings=Settings(sandbox="none", cases=1)))
    assert plan.sandbox.backend == "none"
    assert plan.sandbox.enforced == ()


def test_peers_are_checked_first():
    order = [exercise.name for exercise in build_plan(spec()).in_checking_order]
    assert sorted(order) == sorted(ASSIGNMENT.exercises)
    assert order.index("self_attention") < order.index("self_attention_loop")


def test_a_stored_corpus_is_named_after_all_that_it_depends_on():
    key = corpus_key(ONE_EXERCISE, 1, 12)
    assert corpus_key(ONE_EXERCISE, 1, 12) == key
    others = {
        corpus_key(ONE_EXERCISE, 2, 12),
        corpus_key(ONE_EXERCISE, 1, 11),
        corpus_key([EXERCISES["softmax"]], 1, 12),
    }
    assert len(others | {key}) == 4


def test_a_stored_corpus_depends_on_the_code_around_its_laws(tmp_path, monkeypatch):
    package = tmp_path / "toy_course"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "laws.py").write_text("def double(x):\n    return 2 * x\n")
    (package / "sizes.py").write_text("SIZES = (2, 3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    exercise = an_exercise(reference=importlib.import_module("toy_course.laws").double)
    key = corpus_key([exercise], 1, 12)
    assert corpus_key([exercise], 1, 12) == key
    (package / "sizes.py").write_text("SIZES = (2, 4)\n")
    assert corpus_key([exercise], 1, 12) != key
