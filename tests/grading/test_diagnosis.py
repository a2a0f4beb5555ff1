"""A known mistake is named by exactly its outputs, and nothing else is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from autograder.exercise import Mistake
from autograder.grading import corpus
from autograder.grading.checker import Checker, every_law
from autograder.grading.diagnosis import Diagnoser
from autograder.results import Status
from autograder.worker.plain import PlainRunner


@pytest.fixture
def diagnose(exercise):
    def run(function, exercise=exercise):
        drawn = corpus.draw([exercise], 1, cases=12)
        outcome = Checker(drawn, PlainRunner({exercise.name: function})).check(exercise)
        return Diagnoser(drawn).recognise(outcome)

    return run


def mistake(name, answer, **changes):
    values = {
        "name": name,
        "answer": answer,
        "hint": f"This is {name}.",
        "share": Fraction(1, 2),
        "caught_by": ("doubles",),
    }
    return Mistake(**(values | changes))


def test_a_right_answer_is_no_mistake(diagnose):
    assert diagnose(lambda x: 2 * x) is None


def test_a_known_mistake_written_in_another_way_is_named(diagnose):
    found = diagnose(lambda x: [value * 0.5 for value in x])
    assert [m.name for m in found.mistakes] == ["halves"]
    assert found.diagnosis().share == 0.5


def test_an_unknown_mistake_is_not_named(diagnose):
    assert diagnose(lambda x: x / 3) is None


def test_a_function_not_written_yet_is_no_mistake_that_raises(diagnose, make_exercise):
    def raises_too(x):
        raise ValueError("operands could not be broadcast together")

    exercise = make_exercise(mistakes=(mistake("raises_too", raises_too),))

    def stub(x):
        raise NotImplementedError

    assert diagnose(stub, exercise) is None
    assert diagnose(raises_too, exercise) is not None


def test_a_parameter_that_is_not_taken_is_known_under_the_students_name(
    diagnose, make_exercise, make_law
):
    from autograder.exercise import Call

    def takes_one(x):
        return 2 * x

    law = make_law("takes_two", weight=40, calls=lambda case: (Call(case.x, extra=1),))
    exercise = make_exercise(
        properties=(make_law(), law),
        mistakes=(mistake("takes_one", takes_one, caught_by=("takes_two",)),),
    )
    names = {}
    exec("def twice(x):\n    return 2 * x", names)
    found = diagnose(names["twice"], exercise)
    assert [m.name for m in found.mistakes] == ["takes_one"]


def test_the_nan_pattern_tells_mistakes_apart(diagnose, make_exercise):
    def half(x, fill):
        return np.where(x > 0, x / 2, fill)

    exercise = make_exercise(
        mistakes=(
            mistake("zeros", lambda x: half(x, 0.0)),
            mistake("nans", lambda x: half(x, np.nan)),
        )
    )
    found = diagnose(lambda x: np.where(x <= 0, np.nan, x * 0.5), exercise)
    assert [m.name for m in found.mistakes] == ["nans"]


def test_equal_mistakes_are_both_named(diagnose, make_exercise):
    exercise = make_exercise(
        mistakes=(
            mistake("halves", lambda x: x / 2),
            mistake("divides", lambda x: x * 0.5, share=Fraction(3, 4)),
        )
    )
    found = diagnose(lambda x: x / 2, exercise)
    assert [m.name for m in found.mistakes] == ["halves", "divides"]
    assert "may also be divides" in found.diagnosis().message
    assert found.diagnosis().share == 0.75


def test_a_random_mistake_is_known_by_the_laws_it_fails(diagnose, make_exercise):
    rng = np.random.default_rng(0)

    def noisy(x):
        return x * rng.normal(2, 1, size=x.shape)

    exercise = make_exercise(mistakes=(mistake("noisy", noisy, recognised_by="laws"),))
    assert [m.name for m in diagnose(noisy, exercise).mistakes] == ["noisy"]


def test_what_breaks_every_law_is_known_by_its_answers_alone(diagnose, make_exercise):
    rng = np.random.default_rng(0)

    def noisy(x):
        return x + rng.normal(size=x.shape)

    def not_written(x):
        raise NotImplementedError

    exercise = make_exercise(mistakes=(mistake("noisy", noisy, recognised_by="laws"),))
    assert diagnose(not_written, exercise) is None


def test_a_second_slip_still_earns_the_share_of_the_gate(diagnose, make_exercise):
    found = diagnose(lambda x: x / 2 if x.any() else x + 1)
    assert [m.name for m in found.mistakes] == ["halves"]
    assert not found.complete


def test_a_missing_function_is_not_diagnosed(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)
    assert Diagnoser(drawn).recognise(every_law(exercise, Status.MISSING)) is None


def test_a_recognised_mistake_shows_its_own_shrunk_counterexample(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": lambda x: x / 2}))
    outcome = checker.check(exercise)
    diagnoser = Diagnoser(drawn)
    shown = diagnoser.with_known_counterexample(outcome, diagnoser.recognise(outcome))
    assert shown.laws[0].failure.case.x.tolist() == [1.0]
    assert [law.status for law in shown.laws] == [law.status for law in outcome.laws]


# -- mistakes made together ------------------------------------------------------------------------


def halves_and_shifts(x):
    return np.asarray(x) / 2 + 1


def shifts_and_forgets_zero(x):
    return 2 * np.asarray(x) if np.any(x) else np.asarray(x) + 5


@pytest.fixture
def two_at_once(make_exercise):
    """An exercise that knows two mistakes made together: one breaks its gate, one does not."""
    combined = (
        mistake("halves+shifts", halves_and_shifts, share=Fraction(1, 5)),
        mistake("forgets+zero", shifts_and_forgets_zero, share=Fraction(7, 10)),
    )
    return make_exercise(combinations=lambda: combined)


def paid(exercise, function):
    from autograder.grading.submission import score_exercises

    drawn = corpus.draw([exercise], 1, cases=12)
    outcome = Checker(drawn, PlainRunner({exercise.name: function})).check(exercise)
    diagnoser = Diagnoser(drawn)
    known = {exercise.name: diagnoser.recognise(outcome)}
    ten = {exercise.name: Fraction(10)}
    return score_exercises({exercise.name: outcome}, known, ten, diagnoser)[exercise.name].points


def test_two_mistakes_made_together_are_named_and_earn_what_both_leave(diagnose, two_at_once):
    found = diagnose(lambda x: [value * 0.5 + 1 for value in x], two_at_once)
    assert [m.name for m in found.mistakes] == ["halves+shifts"]
    assert paid(two_at_once, halves_and_shifts) == 2


def test_two_mistakes_earn_what_both_leave_where_the_gate_holds_too(two_at_once, make_exercise):
    assert paid(two_at_once, shifts_and_forgets_zero) == 7
    assert paid(make_exercise(), shifts_and_forgets_zero) == 6


def test_a_further_slip_comes_off_what_two_mistakes_leave(make_exercise):
    def thirds(x):
        return np.asarray(x) / 3

    def raises_at_zero(x):
        if not np.any(x):
            raise ValueError("nothing to do")
        return thirds(x)

    both = mistake("a+b", thirds, share=Fraction(7, 10))
    exercise = make_exercise(combinations=lambda: (both,))
    assert (paid(exercise, thirds), paid(exercise, raises_at_zero)) == (7, 3)


def test_a_single_mistake_is_named_before_two_at_once(diagnose, make_exercise):
    exercise = make_exercise(combinations=lambda: (mistake("a+b", lambda x: x / 2),))
    assert [m.name for m in diagnose(lambda x: x / 2, exercise).mistakes] == ["halves"]


def test_combinations_are_not_built_for_a_right_answer_or_a_known_mistake(diagnose, make_exercise):
    def never():
        raise AssertionError("built")

    exercise = make_exercise(combinations=never)
    assert diagnose(lambda x: 2 * x, exercise) is None
    assert diagnose(lambda x: x / 2, exercise) is not None
    with pytest.raises(AssertionError, match="built"):
        diagnose(lambda x: x / 3, exercise)


def test_what_is_worth_nothing_earns_nothing_whatever_else_answers_like_it(make_exercise):
    def nothing(x):
        return 0 * np.asarray(x)

    exercise = make_exercise(
        mistakes=(
            mistake("zeros", nothing, share=Fraction(0)),
            mistake("also_zeros", nothing, share=Fraction(1, 2)),
        ),
        combinations=lambda: (mistake("a+b", nothing, share=Fraction(1, 2)),),
    )
    assert paid(exercise, nothing) == 0


def test_a_known_mistake_runs_only_to_the_first_case_that_tells_it_apart(make_exercise):
    asked = []

    def counted(x):
        asked.append(len(x))
        return np.asarray(x) / 2

    exercise = make_exercise(mistakes=(mistake("halves", counted),))
    drawn = corpus.draw([exercise], 1, cases=12)
    outcome = Checker(drawn, PlainRunner({"twice": lambda x: x / 3})).check(exercise)
    diagnoser = Diagnoser(drawn)
    assert diagnoser.recognise(outcome) is None
    assert diagnoser.recognise(outcome) is None
    assert len(asked) == 1
