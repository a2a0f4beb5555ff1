"""One submission through a real worker, with a small course that knows nothing of attention."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from autograder.comparison import agree
from autograder.exercise import Assignment, Exercise
from autograder.grading import corpus
from autograder.grading.submission import (
    Checked,
    Plan,
    check,
    notes_of,
    rebuilt,
    score_exercises,
    sha256,
)
from autograder.notebook import Cell, Notebook, Skeleton, read
from autograder.results import Status, Versions
from autograder.settings import Settings
from autograder.worker.isolation import choose
from tests.grading.conftest import a_law, an_exercise, double
from tests.notebook.builders import data, release, solved

RIGHT = "import numpy as np\ndef twice(x):\n    return 2 * np.asarray(x)"
HALF = "def twice(x):\n    return x / 2"


def a_plan(*exercises: Exercise, points: Fraction = Fraction(10), **settings: Any) -> Plan:
    chosen = exercises or (an_exercise(),)
    backend = choose("rlimit")
    return Plan(
        assignment=Assignment(name="doubling", exercises={e.name: points for e in chosen}),
        belongs_to="doubling",
        exercises=chosen,
        corpus=corpus.draw(chosen, 1, cases=12),
        seed_id=corpus.seed_id(1),
        settings=Settings(sandbox="rlimit", time_limit=0.5, cell_time_limit=0.5, **settings),
        launcher=backend.launcher(),
        sandbox=backend.record(),
        versions=Versions(autograder="1", python="3", numpy="2", hypothesis="6"),
    )


@pytest.fixture(scope="module")
def plan() -> Plan:
    return a_plan()


def notebook(*sources: str) -> Notebook:
    return Notebook(
        cells=[Cell(cell_type="code", source=s, id=f"c{i}") for i, s in enumerate(sources)]
    )


def run(plan: Plan, *sources: str) -> Checked:
    return check(rebuilt(notebook(*sources), None), plan, student="ada", submission_sha256="0" * 64)


# -- what a result says ----------------------------------------------------------------------------


def test_a_right_answer_gets_every_point(plan):
    result = run(plan, RIGHT).result
    assert (result.score, result.max_score) == (10.0, 10.0)
    assert [law.points for law in result.exercises[0].properties] == [6.0, 4.0]
    assert result.exercises[0].status is Status.PASSED
    assert result.calls == 24
    assert (result.assignment, result.student, result.seed_id) == ("doubling", "ada", plan.seed_id)
    assert result.sandbox.backend == "rlimit"


def test_a_known_mistake_earns_its_share_and_shows_its_own_small_input(plan):
    exercise = run(plan, HALF).result.exercises[0]
    assert exercise.diagnosis is not None
    assert exercise.diagnosis.mistake == "halves"
    assert exercise.score == 5.0
    law = exercise.properties[0]
    assert (law.status, law.points) == (Status.FAILED, 0.0)
    assert law.counterexample == "x = np.array([1.0])\ntwice(x)"
    assert law.hint == "Multiply by two."
    passed = exercise.properties[1]
    assert (passed.status, passed.message, passed.hint) == (Status.PASSED, "", "")


def test_an_unknown_mistake_is_shrunk_in_the_worker(plan):
    exercise = run(plan, "def twice(x):\n    return 2 * x + (len(x) > 1)").result.exercises[0]
    assert exercise.diagnosis is None
    assert exercise.properties[0].counterexample == "x = np.zeros((2,))\ntwice(x)"
    assert exercise.score == 0.0


def test_shrinking_can_be_switched_off():
    exercise = run(a_plan(shrink_evaluations=0), "def twice(x):\n    return 2 * x + 1").result
    assert "np.array([" in exercise.exercises[0].properties[0].counterexample


def test_a_known_exception_is_searched_for_in_the_students_own_function(plan):
    source = "\n\n\ndef twice(x):\n    return x.no_such_attribute"
    law = run(plan, source).result.exercises[0].properties[0]
    assert law.status is Status.EXCEPTION
    assert "(cell 1, line 5)" in law.message
    assert law.counterexample.startswith("x = np.")


def test_the_same_notebook_gives_the_same_result_but_for_its_timing(plan):
    first, again = (
        run(plan, RIGHT, "def twice(x):\n    return 2 * x + 1").result for _ in range(2)
    )
    assert first.timing.keys() == {
        "load",
        "plain_tests",
        "check",
        "diagnose",
        "carry_forward",
        "shrink",
    }
    assert msgspec.structs.replace(first, timing={}) == msgspec.structs.replace(again, timing={})


def test_a_total_of_rounded_scores_has_no_noise():
    exercises = [an_exercise(name=name) for name in ("one", "two", "three")]
    plan = a_plan(*exercises, points=Fraction(1, 10))
    sources = [RIGHT.replace("twice", exercise.name) for exercise in exercises]
    result = run(plan, *sources).result
    assert [exercise.score for exercise in result.exercises] == [0.1, 0.1, 0.1]
    assert result.score == 0.3


def test_the_rounding_step_of_the_course_counts():
    twelfth = Fraction(10, 12)
    result = run(a_plan(points=twelfth, round_to=0.25), HALF).result
    assert result.score == 0.5  # 5/12, rounded up to quarters


# -- what goes wrong -------------------------------------------------------------------------------


def test_a_missing_function_says_which_cell_should_have_defined_it(plan):
    checked = run(plan, "x = 1", RIGHT + "\nwhile True: pass")
    exercise = checked.result.exercises[0]
    assert (exercise.status, exercise.score) == (Status.MISSING, 0.0)
    assert exercise.properties[0].message == (
        "twice is missing: cell 2, which should define it, did not run to its end. "
        "Every entry is doubled."
    )
    assert checked.grades["twice"].score == 0.0


def test_a_missing_function_says_where_its_cell_is_no_python(plan):
    checked = run(plan, "x = 1", "def twice(X)\n    return 2 * X")
    assert checked.result.exercises[0].properties[0].message == (
        "twice is missing: cell 2, which should define it, is not valid Python (line 1). "
        "Every entry is doubled."
    )


@pytest.mark.parametrize("name", ["Twice", "twice_", "twise", "TWICE"])
def test_a_function_under_another_name_is_told_how_to_be_called(plan, name):
    checked = run(plan, "x = 1", RIGHT.replace("twice", name))
    assert checked.result.exercises[0].properties[0].message == (
        f"twice is missing: no cell that ran defines it. There is {name}: rename it to twice. "
        "Every entry is doubled."
    )


def test_another_exercise_is_no_misspelling():
    exercises = [an_exercise(name=name) for name in ("twice_again", "twice_again_2")]
    plan = a_plan(*exercises, points=Fraction(1))
    result = run(plan, RIGHT.replace("twice", "twice_again_2")).result
    assert [exercise.status for exercise in result.exercises] == [Status.MISSING, Status.PASSED]
    assert "There is" not in result.exercises[0].properties[0].message


def test_outputs_are_kept_by_the_index_of_their_cell(plan):
    outputs = run(plan, "x = 1", "print('hi')\n2", RIGHT).outputs
    assert [output["output_type"] for output in outputs[1]] == ["stream", "execute_result"]
    assert outputs[0] == outputs[2] == []


def test_a_fault_of_ours_costs_nothing_and_calls_a_person():
    def broken_verdict(case, got):
        raise ZeroDivisionError("our own fault")

    laws = (
        a_law(),
        a_law("faulty", verdict=broken_verdict, expected=None, weight=40, kind="metamorphic"),
    )
    checked = run(a_plan(an_exercise(properties=laws)), RIGHT)
    exercise = checked.result.exercises[0]
    assert exercise.status is Status.INTERNAL_ERROR
    assert exercise.score == 10.0
    assert checked.result.needs_person
    grade = checked.grades["twice"]
    assert (grade.score, grade.max_score, grade.needs_person) == (None, 10.0, True)
    law = exercise.properties[1]
    assert law.message.startswith("This law could not be checked: a fault of the grader")
    assert "ZeroDivisionError" not in law.message
    assert law.counterexample == ""


def test_a_fault_of_ours_does_not_hide_what_a_student_did_wrong():
    def broken_verdict(case, got):
        raise ZeroDivisionError("our own fault")

    laws = (
        a_law(),
        a_law("faulty", verdict=broken_verdict, expected=None, weight=40, kind="metamorphic"),
    )
    result = run(
        a_plan(an_exercise(properties=laws, mistakes=())), "def twice(x):\n    return x"
    ).result
    assert result.exercises[0].properties[0].status is Status.FAILED


# -- peers, rules charged once ---------------------------------------------------------------------


def test_peers_are_checked_before_those_that_compare_with_them():
    law = a_law(
        peer="leader",
        weight=100,
        expected=lambda case: (double(case.x),),
        verdict=lambda case, expected, got: agree(got, expected[0]),
    )
    follower = an_exercise(name="follower", properties=(law,), mistakes=())
    plan = a_plan(follower, an_exercise(name="leader"))
    assert [exercise.name for exercise in plan.in_checking_order] == ["leader", "follower"]
    result = run(plan, RIGHT.replace("twice", "leader"), RIGHT.replace("twice", "follower")).result
    assert [exercise.name for exercise in result.exercises] == ["follower", "leader"]
    assert result.score == 20.0


def test_two_exercises_may_be_each_others_peers():
    one = an_exercise(name="one", properties=(a_law(peer="two", weight=100),), mistakes=())
    two = an_exercise(name="two", properties=(a_law(peer="one", weight=100),), mistakes=())
    assert sorted(e.name for e in a_plan(one, two).in_checking_order) == ["one", "two"]


def test_a_rule_that_is_charged_once_costs_its_dearest_law_only():
    laws = (
        a_law(),
        a_law(
            "keeps_zero",
            calls=a_law().calls,
            verdict=lambda case, expected, got: a_law().verdict(case, expected + 1, got),
            weight=40,
            charge_once="zero",
        ),
    )
    exercises = [an_exercise(name=n, properties=laws, mistakes=()) for n in ("one", "two")]
    plan = a_plan(*exercises)
    result = run(plan, *(RIGHT.replace("twice", n) for n in ("one", "two"))).result
    assert sorted(exercise.score for exercise in result.exercises) == [6.0, 10.0]
    assert score_exercises({}, {}, {}, plan.diagnoser) == {}


# -- rebuilding ------------------------------------------------------------------------------------


def test_repairs_are_noted_in_the_metadata_in_place_of_what_a_student_put_there():
    document = solved()
    document["metadata"]["autograder"] = {"notes": ["All is well."], "score": 100}
    del document["cells"][4]  # the test cell of softmax
    skeleton = Skeleton.from_release(data(release()))
    notebook = rebuilt(read(data(document)), skeleton)
    assert any("was missing" in note for note in notes_of(notebook))
    assert "All is well." not in notes_of(notebook)
    assert set(notebook.metadata["autograder"]) == {"notes", "numbers"}
    assert notes_of(Notebook(cells=[])) == ()


def test_a_submission_is_named_by_its_bytes():
    assert sha256(b"") != sha256(b" ")
    assert len(sha256(b"")) == 64
