"""Exercise `causal_mask`: which tokens may be seen when the future must not be."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import causal_mask as answers
from autograder.exercises.answers.slips import causal_mask as slips
from autograder.laws import masking

EXERCISE = Exercise(
    name="causal_mask",
    signature="(n)",
    convention="True means may attend: token i sees tokens 0..i.",
    reference=reference.causal_mask,
    gate="matches_reference",
    properties=(
        masking.causal_mask_matches_reference(weight=60),
        masking.nested_prefix(weight=20),
        masking.counts_visible_pairs(weight=20),
        *masking.causal_mask_shown_only(),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.CAUSAL_MASK,
)
