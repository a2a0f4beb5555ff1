"""Exercise `scaled_dot_product_attention`: a whole batch at once, mask 1 = blocked."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import scaled_dot_product_attention as answers
from autograder.exercises.answers.slips import scaled_dot_product_attention as slips
from autograder.laws import batched

_reference = reference.scaled_dot_product_attention

EXERCISE = Exercise(
    name="scaled_dot_product_attention",
    signature="(query, key, value, mask=None)",
    convention=(
        "mask 1 means blocked, 0 means visible: the opposite of assignment `self_attention`."
    ),
    reference=_reference,
    gate="matches_reference",
    properties=(
        batched.matches_reference(_reference, weight=15),
        batched.returns_output_and_weights(weight=5),
        batched.rows_sum_to_one(weight=5),
        batched.scale_is_sqrt_key_width(_reference, weight=15),
        batched.batch_independent(weight=10),
        batched.matches_reference_with_mask(_reference, weight=12),
        batched.mask_per_batch_item(_reference, weight=8),
        batched.accepts_boolean_mask(_reference, weight=5),
        batched.survives_huge_scores(_reference, weight=10),
        batched.blocked_huge_key_is_harmless(_reference, weight=10),
        batched.inputs_unchanged(weight=5),
        *batched.shown_only(_reference),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.SCALED_DOT_PRODUCT_ATTENTION,
)
