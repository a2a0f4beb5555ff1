"""Exercise `create_causal_mask`: the causal mask in which 1 means blocked."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import create_causal_mask as answers
from autograder.exercises.answers.slips import create_causal_mask as slips
from autograder.laws import masking

EXERCISE = Exercise(
    name="create_causal_mask",
    signature="(seq_len)",
    convention="1 means blocked: token i sees tokens 0..i.",
    reference=reference.create_causal_mask,
    gate="matches_reference",
    properties=(masking.create_causal_mask_matches_reference(weight=100),),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.CREATE_CAUSAL_MASK,
)
