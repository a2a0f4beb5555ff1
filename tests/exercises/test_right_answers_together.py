"""Right answers to several exercises stand in one notebook, whatever their styles."""

import contextlib
import io
import warnings

import numpy as np
import pytest

from autograder.exercises import load_assignments, load_exercises
from autograder.exercises.answers import source_for_cell
from tests.exercises.driver import judged, ordinary_cases

EXERCISES = load_exercises()
BUILT = [
    pytest.param(exercise, foundation, answer, id=f"{exercise.name}-{answer.name}-{foundation}")
    for exercise in EXERCISES.values()
    for foundation in exercise.builds_on
    for answer in exercise.right_answers
]
TRIED = ("matches_reference", "matches_reference_with_mask")


@pytest.mark.parametrize(("exercise", "foundation", "answer"), BUILT)
def test_a_right_answer_works_on_top_of_every_right_answer_that_it_builds_on(
    exercise, foundation, answer
):
    beside = next(a.exercises for a in load_assignments().values() if exercise.name in a.exercises)
    laws = [law for law in exercise.properties if law.name in TRIED]
    for below in EXERCISES[foundation].right_answers:
        cells = {name: EXERCISES[name].right_answers[0].answer for name in beside}
        cells |= {foundation: below.answer, exercise.name: answer.answer}
        notebook = {"np": np, "__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, function in cells.items():
                exec(source_for_cell(function, name), notebook)
            for law in laws:
                case = ordinary_cases(law, 1)[0]
                assert judged(exercise, law, notebook[exercise.name], case) is None, below.name
