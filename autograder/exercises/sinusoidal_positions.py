"""Exercise `sinusoidal_positions`: rows that tell the positions of tokens."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import sinusoidal_positions as answers
from autograder.exercises.answers.slips import sinusoidal_positions as slips
from autograder.laws import positions

_sinusoidal_positions = reference.sinusoidal_positions

EXERCISE = Exercise(
    name="sinusoidal_positions",
    signature="(n, d)",
    convention="Positions start at 0, sine in even columns; no mask.",
    reference=_sinusoidal_positions,
    gate="matches_reference",
    properties=(
        positions.positions_match_reference(_sinusoidal_positions, weight=45),
        positions.position_zero_alternates_zero_and_one(weight=15),
        positions.pairs_have_unit_norm(weight=15),
        positions.dot_product_depends_on_offset_only(weight=25),
        *positions.positions_shown_only(_sinusoidal_positions),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.SINUSOIDAL_POSITIONS,
)
