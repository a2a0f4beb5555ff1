"""`grade("softmax", softmax)`: check a function from an instructor's own notebook.

This runs in the instructor's process, without a sandbox: it is for code that one trusts. When a
submission is graded, the hidden cell that holds this call is not run at all.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.course import PRACTICE_SEED, Course
from autograder.exercise import CASES_PER_LAW
from autograder.exercises import load_assignments, load_exercises
from autograder.grading import corpus
from autograder.grading.checker import Checker
from autograder.grading.diagnosis import Diagnoser
from autograder.grading.submission import exercise_result, score_exercises
from autograder.reporting.text import exercise_report
from autograder.worker.plain import PlainRunner


def grade(name: str, function: Callable[..., Any]) -> float:
    """Check a function against every law of an exercise, show the report, return the points.

    Args:
        name: the exercise's name.
        function: the implementation, or for a class exercise the class.

    Returns:
        The points it earns, out of those of the exercise's test cell.

    Raises:
        KeyError: there is no exercise of that name; the message lists those there are.
    """
    exercises = load_exercises()
    if name not in exercises:
        raise KeyError(f"no exercise {name!r}; there are {', '.join(sorted(exercises))}")
    exercise = exercises[name]
    drawn = _corpus(name, _seed())
    checker = Checker(drawn, PlainRunner({name: function}))
    diagnoser = Diagnoser(drawn)
    outcome = checker.check(exercise)
    known = diagnoser.recognise(outcome)
    scored = score_exercises({name: outcome}, {name: known}, {name: _points(name)}, diagnoser)
    result = exercise_result(checker.shrink(outcome), scored[name], known, Fraction(1, 100))
    print(exercise_report(result))  # noqa: T201 - the report belongs into the cell's output
    return result.score


@lru_cache(maxsize=8)
def _corpus(name: str, seed: int) -> corpus.Corpus:
    return corpus.draw([load_exercises()[name]], seed, cases=CASES_PER_LAW)


def _seed() -> int:
    course = Course.find(Path.cwd())
    return PRACTICE_SEED if course is None else course.seed(create=False)


def _points(name: str) -> Fraction:
    for assignment in load_assignments().values():
        if name in assignment.exercises:
            return assignment.exercises[name]
    return Fraction(100)
