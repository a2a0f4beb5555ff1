"""Exercise `local_attention`: every token sees its neighbours alone."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import local_attention as answers
from autograder.exercises.answers.slips import local_attention as slips
from autograder.laws import efficient as laws
from autograder.strategies import queries_keys_values as qkv

_reference = reference.local_attention
_one_beside = laws.in_window(1)

EXERCISE = Exercise(
    name="local_attention",
    signature="(Q, K, V, window)",
    convention="Key j is visible to query i exactly when abs(i - j) <= window.",
    reference=_reference,
    gate="matches_reference",
    properties=(
        laws.local_matches_reference(_reference, weight=35),
        laws.wide_window_is_full_attention(_reference, weight=20),
        laws.zero_window_returns_values(weight=20),
        laws.far_keys_do_not_matter(weight=15),
        laws.survives_huge_scores(
            _reference,
            _one_beside,
            inputs=qkv.huge_scores(6, window=1),
            weight=5,
            hint="Hide scores by -inf, then subtract the row maximum before the exponential.",
        ),
        laws.inputs_unchanged(_one_beside, laws.in_window(2), inputs=qkv.tokens(6), weight=5),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.LOCAL_ATTENTION,
)
