"""Exercise `linear_attention`: positive features make attention linear in the number of tokens."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import linear_attention as answers
from autograder.exercises.answers.slips import linear_attention as slips
from autograder.laws import efficient, linear
from autograder.strategies import queries_keys_values as qkv

_reference = reference.linear_attention

EXERCISE = Exercise(
    name="linear_attention",
    signature="(Q, K, V)",
    convention="No mask: all keys count, with weights φ(q) · φ(k).",
    reference=_reference,
    gate="matches_reference",
    properties=(
        linear.matches_reference(_reference, weight=30),
        linear.constant_values_stay_constant(weight=25),
        linear.output_in_convex_hull(weight=15),
        linear.key_order_does_not_matter(weight=10),
        linear.equal_keys_average_the_values(weight=15),
        efficient.inputs_unchanged(efficient.attend, inputs=qkv.features(), weight=5),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.LINEAR_ATTENTION,
)
