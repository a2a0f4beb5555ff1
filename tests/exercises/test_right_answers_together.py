"""Right answers to several exercises stand in one notebook, whatever their styles."""

import contextlib
import io
import warnings

import numpy as np
import pytest

from autograder.comparison import same
from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell

EXERCISES = load_exercises()
BUILT = [
    pytest.param(exercise, foundation, answer, id=f"{exercise.name}-{answer.name}-{foundation}")
    for exercise in EXERCISES.values()
    for foundation in exercise.builds_on
    for answer in exercise.right_answers
]


@pytest.mark.parametrize(("exercise", "foundation", "answer"), BUILT)
def test_a_right_answer_works_on_top_of_every_right_answer_that_it_builds_on(
    exercise, foundation, answer
):
    rng = np.random.default_rng(1)
    X, *weights = (rng.standard_normal(shape) for shape in ((4, 5), (5, 3), (5, 3), (5, 2)))
    mask = np.tri(4, dtype=bool)
    expected = exercise.reference(X, *weights, mask)
    for below in EXERCISES[foundation].right_answers:
        cells = {other.name: other.right_answers[0].answer for other in EXERCISES.values()}
        cells |= {foundation: below.answer, exercise.name: answer.answer}
        notebook = {"np": np}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, function in cells.items():
                exec(source_for_cell(function, name), notebook)
            with np.errstate(all="ignore"):
                got = notebook[exercise.name](X, *weights, mask)
        assert all(map(same, map(np.asarray, got), expected)), below.name
