"""Exercise `create_causal_mask`: the causal mask in which 1 means blocked."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.laws import masking

EXERCISE = Exercise(
    name="create_causal_mask",
    signature="(seq_len)",
    convention="1 means blocked: token i sees tokens 0..i.",
    reference=reference.create_causal_mask,
    gate="matches_reference",
    properties=(masking.create_causal_mask_matches_reference(weight=100),),
)
