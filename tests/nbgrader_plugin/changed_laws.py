"""A course whose laws change after it was graded: for `--diff`, `--exercise` and `replay`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import course
from autograder.exercise import Exercise
from autograder.exercises import load_exercises
from tests.nbgrader_plugin.classroom import hand_in, mistake, notebook

DOWN, UP = "nan_slice_becomes_uniform", "no_max_shift"
"""Mistakes in softmax that cost more, and less, with the weights of `OTHER_WEIGHTS`."""
OTHER_WEIGHTS = {"fully_blocked_row_is_nan": 10, "survives_huge_scores": 5}


def hand_in_three(root: Path) -> None:
    """Ada is right, bob and eve have another mistake in softmax each."""
    hand_in(root, "ada", notebook(root))
    hand_in(root, "bob", notebook(root, {"softmax": mistake("softmax", DOWN)}))
    hand_in(root, "eve", notebook(root, {"softmax": mistake("softmax", UP)}))


def change_weights(
    patch: pytest.MonkeyPatch, weights: Mapping[str, int] = OTHER_WEIGHTS, exercise: str = "softmax"
) -> None:
    """From now on the laws of an exercise have other weights, in this process."""
    changed = reweighted(load_exercises()[exercise], weights)
    exercises = {**load_exercises(), exercise: changed}
    patch.setattr(course, "load_exercises", lambda: exercises)


def reweighted(exercise: Exercise, weights: Mapping[str, int]) -> Exercise:
    """The exercise with other weights, which have to sum to 100 again."""
    laws = [replace(law, weight=weights.get(law.name, law.weight)) for law in exercise.properties]
    return replace(exercise, properties=tuple(laws))
