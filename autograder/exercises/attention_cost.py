"""Exercise `attention_cost`: what grows with the tokens, and what with their square."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import attention_cost as answers
from autograder.laws import cost

EXERCISE = Exercise(
    name="attention_cost",
    signature="(n, d)",
    convention="Multiply-adds, not floating-point operations; no mask is counted.",
    reference=reference.attention_cost,
    gate="matches_reference",
    properties=(
        cost.cost_matches_reference(reference.attention_cost, weight=70),
        cost.crossover_at_six_d(weight=30),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.ATTENTION_COST,
)
