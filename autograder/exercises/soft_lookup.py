"""Exercise `soft_lookup`: a dictionary that answers with a mixture."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import soft_lookup as answers
from autograder.laws import lookup

_soft_lookup = reference.soft_lookup

EXERCISE = Exercise(
    name="soft_lookup",
    signature="(query, keys, values)",
    convention="No mask and no scaling: every key is visible.",
    reference=_soft_lookup,
    gate="matches_reference",
    properties=(
        lookup.lookup_matches_reference(_soft_lookup, weight=40),
        lookup.lookup_rows_sum_to_one(weight=10),
        lookup.lookup_output_is_weights_times_values(weight=15),
        lookup.entry_order_does_not_matter(weight=10),
        lookup.longer_query_is_sharper(_soft_lookup, weight=10),
        lookup.lookup_survives_huge_scores(_soft_lookup, weight=10),
        lookup.lookup_inputs_unchanged(weight=5),
        lookup.matrix_of_values(_soft_lookup),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.SOFT_LOOKUP,
)
