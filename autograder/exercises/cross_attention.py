"""Exercise `cross_attention`: one sequence looks at another."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import cross_attention as answers
from autograder.exercises.answers.slips import cross_attention as slips
from autograder.laws import cross as laws

_reference = reference.cross_attention

EXERCISE = Exercise(
    name="cross_attention",
    signature="(X, context, W_Q, W_K, W_V)",
    convention="No mask: every query sees the whole context and nothing of X.",
    reference=_reference,
    gate="matches_reference",
    properties=(
        laws.matches_reference(_reference, weight=40),
        laws.output_depends_on_own_query_only(weight=25),
        laws.context_order_does_not_matter(weight=25),
        laws.survives_huge_scores(_reference, weight=5),
        laws.inputs_unchanged(weight=5),
        laws.own_context_is_self_attention(_reference),
        laws.half_precision_rows_sum_to_one(),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.CROSS_ATTENTION,
)
