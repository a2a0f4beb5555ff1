"""Exercise `chunked_attention`: full attention, a few queries at a time."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import chunked_attention as answers
from autograder.laws import efficient as laws
from autograder.strategies import queries_keys_values as qkv

_reference = reference.chunked_attention

EXERCISE = Exercise(
    name="chunked_attention",
    signature="(Q, K, V, chunk_size=32)",
    convention="No mask: every query sees every key, whatever the chunk.",
    reference=_reference,
    gate="matches_reference",
    properties=(
        laws.chunked_matches_reference(_reference, weight=20),
        laws.chunk_size_does_not_matter(_reference, weight=35),
        laws.query_and_key_counts_may_differ(_reference, weight=35),
        laws.survives_huge_scores(
            _reference,
            laws.by_default_chunks,
            inputs=qkv.huge_scores(qkv.CHUNK),
            weight=5,
            hint="Subtract the row maximum before the exponential.",
        ),
        laws.inputs_unchanged(laws.by_default_chunks, inputs=qkv.tokens(2 * qkv.CHUNK), weight=5),
        laws.integer_values(_reference),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.CHUNKED_ATTENTION,
)
