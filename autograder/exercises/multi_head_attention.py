"""Exercise `MultiHeadAttention`: a class whose objects attend in several heads."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import multi_head_attention as answers
from autograder.exercises.answers.slips import multi_head_attention as slips
from autograder.laws import heads

_reference = reference.MultiHeadAttention

EXERCISE = Exercise(
    name="MultiHeadAttention",
    signature="(d_model, num_heads)",
    convention="mask 1 means blocked, in every head.",
    reference=_reference,
    gate="matches_reference",
    properties=(
        heads.matches_reference(_reference, weight=25),
        heads.matches_reference_for_different_lengths(_reference, weight=10),
        heads.matches_reference_with_mask(_reference, weight=12),
        heads.future_does_not_leak(_reference, weight=8),
        heads.one_head_is_scaled_dot_product_attention(
            reference.scaled_dot_product_attention, weight=10
        ),
        heads.permutation_equivariant(weight=10),
        heads.heads_are_isolated(_reference, weight=10),
        heads.split_and_combine_are_inverse(weight=15),
        heads.batch_independent(),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    builds_on=("scaled_dot_product_attention",),
    equivalent_mutants=equivalent_mutants.MULTI_HEAD_ATTENTION,
)
