"""Exercise `softmax_jacobian_norm`: how much softmax still answers to its scores."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import softmax_jacobian_norm as answers
from autograder.laws import jacobian

EXERCISE = Exercise(
    name="softmax_jacobian_norm",
    signature="(p)",
    convention="p holds probabilities already; no mask.",
    reference=reference.softmax_jacobian_norm,
    gate="matches_reference",
    properties=(
        jacobian.jacobian_norm_matches_reference(reference.softmax_jacobian_norm, weight=25),
        jacobian.uniform_and_one_hot_values(weight=25),
        jacobian.matches_finite_differences(reference.softmax, weight=25),
        jacobian.bounded_and_permutation_invariant(weight=25),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.SOFTMAX_JACOBIAN_NORM,
)
