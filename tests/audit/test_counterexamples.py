"""A known mistake is shown by an input that a person can read, paste and see fail."""

from __future__ import annotations

from functools import cache

import pytest

from autograder.exercises import load_exercises
from autograder.grading import corpus, counterexample
from autograder.grading.checker import Checker
from autograder.results import Status
from autograder.worker.plain import PlainRunner
from tests.submissions import numbers_written_out, reproduces

EXERCISES = load_exercises()
MISTAKES = [
    pytest.param(exercise, mistake, id=f"{exercise.name}-{mistake.name}")
    for exercise in EXERCISES.values()
    for mistake in exercise.mistakes
]
READABLE = 12
"""So many numbers written out are a small counterexample."""


@cache
def cases_of(name):
    return corpus.draw([EXERCISES[name]], 5, cases=12)


@cache
def shown(exercise, mistake):
    """The counterexample of the first scored law that the mistake breaks, shrunk."""
    runner = PlainRunner({exercise.name: mistake.answer})
    checker = Checker(cases_of(exercise.name), runner)
    outcome = checker.shrink(checker.check(exercise))
    first = next(o for o in outcome.laws if o.law.scored and o.status is not Status.PASSED)
    return counterexample.counterexample(exercise, first)


@pytest.mark.extra
@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_the_pasted_counterexample_of_a_known_mistake_fails(exercise, mistake):
    text = shown(exercise, mistake)
    assert exercise.name in text
    assert reproduces(text, exercise.name, mistake.answer), text


@pytest.mark.extra
def test_nine_of_ten_known_mistakes_are_shown_by_at_most_twelve_numbers():
    sizes = [numbers_written_out(shown(*parameters.values)) for parameters in MISTAKES]
    assert sum(size <= READABLE for size in sizes) >= 0.9 * len(sizes)
    assert max(sizes) > 0
