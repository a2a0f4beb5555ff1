"""Known answers to the exercise `expected_throws`, wrong ones and right ones."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from fractions import Fraction

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


@mistake(
    hint="The first throw always shows a new face: it counts as well.",
    share="0.5",
    caught_by=("matches_reference",),
)
def first_throw_forgotten():
    return 13.7


@mistake(
    hint="That is the wait for one certain face; sum over all that are missing.",
    share="0.2",
    caught_by=("matches_reference",),
)
def one_certain_face():
    return 6


@mistake(hint="Return a number, not a text.", share="0.8", caught_by=("matches_reference",))
def a_text():
    return "14.7"


@right_answer
def a_number():
    return 14.7


@right_answer
def a_fraction():
    return float(6 * sum(Fraction(1, k) for k in range(1, 7)))


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
