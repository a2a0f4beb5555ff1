"""Exercise `self_attention`: the matrix form, all tokens at once."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import self_attention as answers
from autograder.exercises.answers.slips import self_attention as slips
from autograder.laws import attention, masking, scaling

_reference = reference.self_attention

EXERCISE = Exercise(
    name="self_attention",
    signature="(X, W_Q, W_K, W_V, mask=None, scale=True)",
    convention=(
        "mask[i, j] = True means token i may attend to token j; a row without True is nan."
    ),
    reference=_reference,
    gate="matches_reference",
    properties=(
        *scaling.scale_stated(
            attention.matches_reference(_reference, weight=10),
            attention.returns_output_and_weights(weight=6),
            attention.rows_sum_to_one(weight=5),
            attention.output_is_weights_times_values(weight=4),
            attention.output_in_convex_hull(weight=1),
            attention.permutation_equivariant(weight=4),
            attention.permutation_equivariant_with_mask(weight=3),
            masking.future_weights_are_zero(weight=6),
            masking.future_does_not_leak(_reference, weight=5),
            masking.prefix_consistent(weight=4),
            masking.matches_reference_with_mask(_reference, weight=5),
            masking.blocked_weights_are_zero(weight=4),
            masking.all_true_mask_is_no_mask(weight=3),
            masking.single_visible_key_copies_its_value(weight=3),
            masking.fully_blocked_row_is_nan(_reference, weight=4),
            masking.blocked_huge_key_is_harmless(_reference, weight=4),
            attention.survives_huge_scores(_reference, weight=4),
            attention.single_token(weight=2),
            attention.works_for_every_length(_reference, weight=2),
            masking.inputs_unchanged(weight=3),
            attention.deterministic(weight=2),
            attention.zero_queries_give_uniform_weights(weight=1),
            attention.linear_in_values(weight=1),
            attention.rotation_of_queries_and_keys_changes_nothing(weight=1),
            attention.common_key_shift_changes_nothing(weight=1),
            attention.swapping_projections_transposes_scores(weight=1),
            masking.causal_mask_breaks_equivariance(weight=1),
            masking.accepts_any_memory_layout(_reference, weight=1),
            masking.mask_is_fifth_positional_argument(_reference, weight=1),
            scaling.scale_is_sqrt_key_width(weight=5),
            scaling.scale_false_is_unscaled(_reference, weight=2),
        ),
        scaling.scale_defaults_to_true(_reference, weight=1),
        *scaling.scale_stated(
            *attention.shown_only(_reference),
            masking.integer_or_float_mask(_reference),
            attention.keeps_single_precision(),
        ),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    builds_on=("softmax",),
    equivalent_mutants=equivalent_mutants.SELF_ATTENTION,
)
