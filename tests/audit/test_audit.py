"""An audit finds each kind of thing that an author must mend, and nothing where all is well."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from autograder import exercises
from autograder.audit import Audit, exercises_named
from autograder.audit.mutants import mutants_of
from autograder.course import UsageError
from autograder.exercise import Assignment, Catalogue, Mistake, RightAnswer
from autograder.exercises import load_exercises
from tests.grading.conftest import a_law, an_exercise, double, halves, shifts


def adds(x):
    return np.asarray(x) + np.asarray(x)


def a_mistake(name="shifts", answer=shifts, share="0", caught_by=("doubles",), **changes):
    return Mistake(
        name=name,
        answer=answer,
        hint="Look again.",
        share=Fraction(share),
        caught_by=caught_by,
        **changes,
    )


SOUND = an_exercise(
    mistakes=(a_mistake(share="0.25", caught_by=("doubles", "keeps_zero")),),
    right_answers=(RightAnswer(name="adds", answer=adds),),
    equivalent_mutants={
        mutant.name: "x is an array already"
        for mutant in mutants_of(double)
        if "np.asarray(x) -> x " in mutant.name
    },
)


class Offered:
    """Stands in the place of an installed course's entry point."""

    def __init__(self, *offered, assignments=()):
        self.name, self.value = "small", "small:course"
        self._catalogue = Catalogue(exercises=offered, assignments=tuple(assignments))

    def load(self):
        return lambda: self._catalogue


@pytest.fixture
def audit(monkeypatch):
    def run(*offered, assignments=(), names=()):
        entry = Offered(*offered, assignments=assignments)
        monkeypatch.setattr(exercises, "entry_points", lambda group: [entry])
        auditing = Audit(exercises_named(names), seed=3, cases=12, jobs=1)
        done = list(auditing.run())
        assert len(done) == len(auditing.portions)
        return auditing.report

    return run


def told(findings):
    return [(found.exercise, found.reason) for found in findings]


def test_a_sound_exercise_is_clean(audit):
    report = audit(SOUND)
    assert report.clean
    assert (report.survivors, report.lost, report.wrong_records) == ([], [], [])
    matrix = report.matrix["twice"]
    assert matrix.right_answers == 1
    assert matrix.trivial > 5
    assert matrix.killed == matrix.mutants - matrix.equivalent > 0


def test_the_matrix_tells_which_law_catches_which_mistake(audit):
    sound = replace(SOUND, mistakes=(*SOUND.mistakes, a_mistake("halves", halves, "0.5")))
    matrix = audit(sound).matrix["twice"]
    assert matrix.laws == ("doubles", "keeps_zero")
    shifted, halved = matrix.mistakes
    assert (shifted.mistake, shifted.caught, shifted.diagnosed) == (
        "shifts", ("doubles", "keeps_zero"), ("shifts",),
    )  # fmt: skip
    assert (halved.caught, halved.share, halved.paid) == (("doubles",), 0.5, 0.5)


def test_a_mistake_that_no_scored_law_catches_survives(audit):
    right = a_mistake("right_after_all", double, "0.9")
    report = audit(replace(SOUND, mistakes=(*SOUND.mistakes, right)))
    assert not report.clean
    assert [(s.answer, s.kind) for s in report.survivors] == [("right_after_all", "mistake")]


def test_a_mistake_must_be_caught_by_the_law_that_is_named_for_it(audit):
    named = a_mistake("halves", halves, "0.5", ("doubles", "keeps_zero"))
    (survivor,) = audit(replace(SOUND, mistakes=(*SOUND.mistakes, named))).survivors
    assert (survivor.answer, survivor.reason) == ("halves", "not caught by keeps_zero.")


def test_a_right_answer_that_loses_a_law_is_lost(audit):
    wrong = RightAnswer(name="adds", answer=shifts)
    report = audit(replace(SOUND, mistakes=(), right_answers=(wrong,)))
    assert not report.clean
    assert [(lost.answer, lost.law) for lost in report.lost] == [
        ("adds", "doubles"), ("adds", "keeps_zero"),
    ]  # fmt: skip
    assert "expected" in report.lost[0].message or "should be" in report.lost[0].message


def test_a_share_that_no_submission_earns_is_a_wrong_record(audit):
    by_laws = a_mistake("halves", halves, "0.3", ("doubles",), recognised_by="laws")
    twin = a_mistake("halves_too", halves, "0.5")
    report = audit(replace(SOUND, mistakes=(*SOUND.mistakes, by_laws, twin)))
    assert [wrong.record for wrong in report.wrong_records] == ["share of halves"]


def test_a_scored_law_that_catches_nothing_is_a_wrong_record(audit):
    idle = replace(SOUND, mistakes=(a_mistake("halves", halves, "0.5"),))
    assert [wrong.record for wrong in audit(idle).wrong_records] == ["law keeps_zero"]


def test_a_law_that_is_shown_only_need_not_catch_anything(audit):
    shown = a_law("shown", weight=0, verdict=lambda case, expected, got: None)
    assert audit(replace(SOUND, properties=(*SOUND.properties, shown))).clean


def test_a_trivial_answer_that_earns_points_survives(audit):
    lenient = a_law(verdict=lambda case, expected, got: None)
    keeps_zero = SOUND.property_named("keeps_zero")
    report = audit(replace(SOUND, properties=(lenient, keeps_zero)))
    assert {"zeros", "first_argument"} <= {
        s.answer for s in report.survivors if s.kind == "trivial"
    }


def test_a_mutant_that_no_law_tells_from_the_reference_survives(audit):
    lenient = a_law(verdict=lambda case, expected, got: None)
    report = audit(replace(SOUND, properties=(lenient, SOUND.property_named("keeps_zero"))))
    mutants = [s for s in report.survivors if s.kind == "mutant"]
    assert mutants
    matrix = report.matrix["twice"]
    assert matrix.killed + len(mutants) + matrix.equivalent == matrix.mutants
    named = {mutant.answer: "the law accepts anything" for mutant in mutants}
    named |= SOUND.equivalent_mutants
    again = audit(
        replace(
            SOUND,
            properties=(lenient, SOUND.property_named("keeps_zero")),
            equivalent_mutants=named,
        )
    )
    assert not [s for s in again.survivors if s.kind == "mutant"]
    assert again.matrix["twice"].equivalent == len(named)


def test_a_recorded_equivalent_that_is_killed_or_gone_is_a_wrong_record(audit):
    killed = mutants_of(double)[0].name
    recorded = {killed: "why", "gone: 1 -> 2 in x": "why", **SOUND.equivalent_mutants}
    report = audit(replace(SOUND, equivalent_mutants=recorded))
    assert sorted(wrong.record for wrong in report.wrong_records) == sorted(
        [f"equivalent mutant {killed}", "equivalent mutant gone: 1 -> 2 in x"]
    )


def test_a_law_that_no_mistake_needs_is_told_and_harms_nothing(audit):
    again = a_law("doubles_again", weight=10)
    sound = replace(
        SOUND, properties=(replace(SOUND.properties[0], weight=50), SOUND.properties[1], again)
    )
    report = audit(replace(sound, mistakes=(a_mistake(share="0.25"),)))
    assert [(u.exercise, u.law) for u in report.unneeded] == [
        ("twice", "keeps_zero"), ("twice", "doubles_again"),
    ]  # fmt: skip
    assert report.clean


def test_costs_are_points_of_the_assignment_and_count_the_exercises_compared_with_it(audit):
    compared = a_law("equals_twice", weight=10, peer="twice", kind="metamorphic")
    other = an_exercise(
        name="again",
        properties=(a_law(weight=50), a_law("keeps_zero", weight=40), compared),
        mistakes=(),
    )
    wrong_elsewhere = a_mistake("halves", halves, "0.5")
    assignment = Assignment(name="small", exercises={"twice": Fraction(6), "again": Fraction(10)})
    exercise = replace(SOUND, mistakes=(wrong_elsewhere,))
    (row,) = (
        audit(exercise, other, assignments=[assignment], names=["twice"]).matrix["twice"].mistakes
    )
    assert row.cost == 3.0  # its gate fails, so the other exercise is compared with the reference
    assert audit(exercise).matrix["twice"].mistakes[0].cost == 50.0  # in no assignment: per cent


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ((), list(load_exercises())),
        (["causal_mask", "softmax"], ["softmax", "causal_mask"]),
        # both an assignment and an exercise have this name: the assignment holds the exercise
        (
            ["self_attention"],
            ["softmax", "self_attention_loop", "self_attention", "causal_mask"],
        ),
    ],
)
def test_names_choose_assignments_and_exercises(names, found):
    assert [exercise.name for exercise in exercises_named(names)] == found


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match=r"no assignment or exercise 'sofmax'.*softmax"):
        exercises_named(["sofmax"])


def test_a_reference_that_has_no_text_to_change_is_a_wrong_record(audit):
    builtin = replace(SOUND, reference=partial(np.multiply, 2), equivalent_mutants={})
    (wrong,) = audit(builtin).wrong_records
    assert (wrong.record, "no mutants can be made" in wrong.reason) == ("reference", True)


def test_a_reference_that_breaks_a_law_is_a_wrong_record(audit):
    report = audit(replace(SOUND, reference=halves, equivalent_mutants={}))
    assert "reference" in [wrong.record for wrong in report.wrong_records]
