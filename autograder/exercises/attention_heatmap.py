"""Exercise `attention_heatmap`: a picture of who looks at whom."""

from __future__ import annotations

import reference
from autograder.exercise import Exercise
from autograder.exercises import equivalent_mutants
from autograder.exercises.answers import attention_heatmap as answers
from autograder.exercises.answers.slips import attention_heatmap as slips
from autograder.laws import heatmap

EXERCISE = Exercise(
    name="attention_heatmap",
    signature="(weights, tokens)",
    convention=(
        "Rows are queries (y), columns are keys (x); "
        "weights of blocked positions are drawn as given."
    ),
    reference=reference.attention_heatmap,
    gate="matches_reference",
    properties=(
        heatmap.heatmap_matches_reference(weight=40),
        heatmap.returns_axes(weight=10),
        heatmap.tick_labels_are_tokens(weight=20),
        heatmap.axis_labels_name_key_and_query(weight=20),
        heatmap.works_for_every_length(weight=5),
        heatmap.heatmap_inputs_unchanged(weight=5),
        heatmap.repeated_tokens(),
    ),
    mistakes=answers.MISTAKES,
    combinations=slips.combinations,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=equivalent_mutants.ATTENTION_HEATMAP,
)
