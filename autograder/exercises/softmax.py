"""Exercise `softmax`: scores into weights, stable for any finite score."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import softmax as answers
from autograder.exercises.answers.slips import softmax as slips
from autograder.laws import softmax as laws

_softmax = reference.softmax

EXERCISE = Exercise(
    name="softmax",
    signature="(z, axis=-1)",
    convention="A score of -inf means weight 0; a slice with only -inf is nan.",
    reference=_softmax,
    gate="matches_reference",
    properties=(
        laws.matches_reference(_softmax, weight=12),
        laws.matches_reference_on_every_axis(_softmax, weight=8),
        laws.default_axis_is_last(_softmax, weight=5),
        laws.works_for_any_rank(_softmax, weight=5),
        laws.rows_sum_to_one(weight=10),
        laws.weights_are_positive(weight=3),
        laws.log_ratios_equal_score_differences(weight=4),
        laws.permutation_equivariant(weight=3),
        laws.shift_invariant(weight=10),
        laws.survives_huge_scores(_softmax, weight=10),
        laws.survives_very_negative_scores(_softmax, weight=5),
        laws.survives_rows_of_different_scale(_softmax, weight=5),
        laws.rows_are_independent(weight=5),
        laws.minus_infinity_gets_zero_weight(_softmax, weight=5),
        laws.fully_blocked_row_is_nan(_softmax, weight=5),
        laws.inputs_unchanged(weight=3),
        laws.accepts_any_memory_layout(_softmax, weight=2),
        *laws.shown_only(_softmax),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.SOFTMAX,
)
