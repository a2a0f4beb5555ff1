"""One exercise of a result replaced: sums and notes follow, nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from autograder.grading.carried_forward import note
from autograder.grading.regraded import about, charged_twice, merged
from autograder.results import Basis
from tests.grading.conftest import a_law, an_exercise
from tests.reporting.made_results import exercise, held, law, submission_result

BASIS = Basis(
    code="c", release="r", settings={}, corpus="k", cases={"a": "1", "b": "2"},
    exercises={"a": "3", "b": "4"},
)  # fmt: skip


def result(a: float, b: float, **changes):
    made = [exercise(name="a", score=a), exercise(name="b", score=b)]
    return submission_result(*made, **({"basis": BASIS} | changes))


def test_the_named_exercise_is_replaced_and_the_sums_follow():
    stored = result(0.1, 0.2, score=5.3, max_score=25.0, calls=7, timing={"load": 1.0})
    new = merged(stored, result(0.4, 9.0, calls=9), ["a"])
    assert [e.score for e in new.exercises] == [0.4, 0.2]
    assert (new.score, new.max_score, new.calls, new.timing) == (5.6, 25.0, 7, {"load": 1.0})
    assert new.basis == stored.basis
    assert new.regraded["a"].basis == msgspec.structs.replace(
        BASIS, cases={"a": "1"}, exercises={"a": "3"}
    )


def test_another_exercise_later_keeps_what_the_first_rests_on():
    first = merged(result(1.0, 1.0), result(2.0, 2.0), ["b"])
    second = merged(first, result(3.0, 3.0), ["a"])
    assert [e.score for e in second.exercises] == [3.0, 2.0]
    assert list(second.regraded) == ["a", "b"]


def test_notes_on_the_exercise_are_replaced_and_others_kept():
    a, b = (an_exercise(name=name) for name in ("a", "b"))
    ours, theirs = note(a, [b]), note(b, [a])
    stored = result(1.0, 1.0, notes=("Cell 2 looped.", ours, theirs))
    assert about(ours, ["a"])
    assert not about(theirs, ["a"])
    again = result(1.0, 1.0, notes=("Cell 2 looped.", "a, law: shrinking stopped."))
    assert merged(stored, again, ["a"]).notes == (
        "Cell 2 looped.", theirs, "a, law: shrinking stopped.",
    )  # fmt: skip


def test_a_rule_charged_in_an_old_and_a_new_grade_is_found():
    def charged(name):
        rule = replace(a_law("rule", weight=40), charge_once="nan")
        return an_exercise(name=name, properties=(a_law(weight=60), rule), mistakes=())

    exercises = {name: charged(name) for name in ("a", "b")}
    gate = held("doubles", points=6.0, max_points=6.0)
    pays = law("rule", points=0.0, max_points=4.0)
    forgiven = law("rule", points=4.0, max_points=4.0)
    no_gate = law("doubles", points=0.0, max_points=6.0)

    def found(first, second):
        made = exercise(*first, name="a"), exercise(*second, name="b")
        return charged_twice(submission_result(*made), exercises)

    assert found((gate, pays), (gate, pays)) == ("a", "b")
    assert found((gate, pays), (gate, forgiven)) is None
    assert found((gate, pays), (no_gate, pays)) is None
    passed = held("rule", points=4.0, max_points=4.0)
    assert found((gate, passed), (gate, pays)) is None
