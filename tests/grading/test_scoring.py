"""Points: gates, shares, rounding, and rules that are charged once."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.scoring import Share, charged_once, score
from autograder.results import Status

TEN = Fraction(10)


def statuses(doubles=Status.PASSED, keeps_zero=Status.PASSED):
    return {"doubles": doubles, "keeps_zero": keeps_zero}


def test_all_laws_passed_is_full_marks(exercise):
    assert score(exercise, statuses(), TEN).points == 10


def test_a_failed_law_costs_its_weight(exercise):
    scored = score(exercise, statuses(keeps_zero=Status.FAILED), TEN)
    assert scored.points == 6
    assert scored.laws == {"doubles": 6, "keeps_zero": 0}


@pytest.mark.parametrize(
    "status",
    [s for s in Status if s not in (Status.PASSED, Status.INTERNAL_ERROR)],
)
def test_without_the_gate_no_law_earns_a_point(exercise, status):
    assert score(exercise, statuses(doubles=status), TEN).points == 0


def test_a_law_that_needs_nothing_earns_without_the_gate(make_exercise, make_law):
    free = make_law("keeps_zero", weight=40, needs=None)
    exercise = make_exercise(properties=(make_law(), free))
    assert score(exercise, statuses(doubles=Status.FAILED), TEN).points == 4


def test_our_own_fault_costs_no_point(exercise):
    both = statuses(Status.INTERNAL_ERROR, Status.INTERNAL_ERROR)
    assert score(exercise, both, TEN).points == 10


def test_a_recognised_mistake_earns_its_share_less_further_slips(exercise):
    share = Share(Fraction(3, 5), frozenset({"keeps_zero"}))
    alone = score(exercise, statuses(doubles=Status.FAILED), TEN, shares=[share])
    with_slip = score(exercise, statuses(Status.FAILED, Status.FAILED), TEN, shares=[share])
    assert (alone.points, with_slip.points) == (6, 2)


def test_a_slip_the_mistake_makes_itself_is_not_charged_again(exercise):
    share = Share(Fraction(3, 5), frozenset())
    assert score(exercise, statuses(Status.FAILED, Status.FAILED), TEN, shares=[share]).points == 6


def test_the_best_of_several_shares_counts(exercise):
    shares = [Share(Fraction(1, 5), frozenset()), Share(Fraction(2, 5), frozenset())]
    assert score(exercise, statuses(doubles=Status.FAILED), TEN, shares=shares).points == 4


def test_a_share_is_worth_nothing_where_the_gate_holds(exercise):
    share = Share(Fraction(9, 10), frozenset())
    failed = statuses(keeps_zero=Status.FAILED)
    assert score(exercise, failed, TEN, shares=[share]).points == 6


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 50), st.sampled_from(["0.01", "0.05", "0.5", "1"]))
def test_rounding_favours_the_student_and_never_passes_the_maximum(exercise_points, maximum, step):
    from autograder.grading.scoring import Score

    points = min(Fraction(exercise_points, 997), Fraction(maximum))
    rounded = Fraction(str(Score(points, Fraction(maximum), {}).rounded(Fraction(step))))
    assert points <= rounded <= maximum
    assert rounded - points < Fraction(step)


def _three(make_exercise, make_law, weights, failed):
    outcomes = {}
    for name, weight in weights.items():
        nan_rule = make_law("nan_rule", weight=weight, charge_once="nan_rule")
        exercise = make_exercise(
            name=name, properties=(make_law(weight=100 - weight), nan_rule), mistakes=()
        )
        status = Status.FAILED if name in failed else Status.PASSED
        outcomes[name] = (exercise, {"doubles": Status.PASSED, "nan_rule": status}, TEN)
    return outcomes


def test_a_rule_charged_once_costs_only_its_dearest_failure(make_exercise, make_law):
    outcomes = _three(make_exercise, make_law, {"a": 5, "b": 4, "c": 3}, {"b", "c"})
    assert charged_once(outcomes) == {"a": set(), "b": set(), "c": {"nan_rule"}}


def test_mending_one_of_several_failures_never_lowers_the_total(make_exercise, make_law):
    def total(failed):
        outcomes = _three(make_exercise, make_law, {"a": 5, "b": 4, "c": 3}, failed)
        forgiven = charged_once(outcomes)
        return sum(
            score(exercise, states, points, forgiven=forgiven[name]).points
            for name, (exercise, states, points) in outcomes.items()
        )

    for failed in ({"a", "b", "c"}, {"a", "b"}, {"b", "c"}, {"a"}):
        for mended in failed:
            assert total(failed - {mended}) >= total(failed)
