"""Exercise `expected_throws`: no argument, and one number as the answer."""

from __future__ import annotations

from autograder.comparison import agree
from autograder.exercise import Call, Case, Exercise
from autograder.laws import arrays
from autograder.strategies.drawing import constant
from other_subjects.answers import expected_throws as answers
from other_subjects.reference import expected_throws

EXERCISE = Exercise(
    name="expected_throws",
    signature="()",
    convention="All six faces are to be seen; the last throw counts.",
    reference=expected_throws,
    gate="matches_reference",
    properties=(
        arrays.matches_reference(
            expected_throws,
            lambda case: Call(),
            agree,
            law="6/6 + 6/5 + 6/4 + 6/3 + 6/2 + 6/1",
            inputs=constant(Case()),
            weight=100,
            hint="With m faces missing, a new one takes 6/m throws on average.",
        ),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
)
