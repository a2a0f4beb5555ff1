"""Trivial answers have the right form and look at nothing, in functions and in classes alike."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.audit.trivial import trivial_answers
from autograder.exercises import load_exercises

CLASSES = [e for e in load_exercises().values() if isinstance(e.reference, type)]


class Doubler:
    """What a class exercise may ask for: state that is set, and methods that call each other."""

    def __init__(self, size, factor=2.0):
        self.size, self.factor = size, factor

    def scale(self, x):
        return self.factor * x

    def forward(self, x):
        return self.scale(x), self.scale(x).sum(axis=-1)


def made(name, answers):
    found = next(answer.answer for answer in answers if answer.name == name)
    trivial = found(3, factor=5.0)
    trivial.factor = 7.0
    return trivial


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("name", "entry"), [("zeros", 0.0), ("ones", 1.0), ("constant", 0.5), ("uniform", 1 / 3)]
)
def test_a_trivial_class_fills_what_the_right_methods_would_return(name, entry):
    trivial = made(name, trivial_answers(Doubler))
    np.testing.assert_array_equal(trivial.scale(X), np.full((2, 3), entry))
    first, second = trivial.forward(X)  # the shape is right though `scale` is trivial too
    np.testing.assert_array_equal(first, np.full((2, 3), entry))
    assert second.shape == (2,)


def test_a_trivial_class_may_return_nothing_or_copies_of_its_arguments():
    answers = trivial_answers(Doubler)
    assert made("nothing", answers).forward(X) is None
    copy = made("first_argument", answers).scale(X)
    assert copy is not X
    np.testing.assert_array_equal(copy, X)
    assert made("all_arguments", answers).scale(X) == (X,)


def test_functions_and_classes_have_the_same_trivial_answers():
    functions, classes = trivial_answers(np.tanh), trivial_answers(Doubler)
    assert [answer.name for answer in functions] == [answer.name for answer in classes]


@pytest.mark.parametrize("exercise", CLASSES, ids=lambda exercise: exercise.name)
def test_every_method_of_a_class_exercise_is_made_trivial(exercise):
    methods = {name for name in vars(exercise.reference) if not name.startswith("_")}
    assert methods
    for trivial in trivial_answers(exercise.reference):
        assert methods <= {*vars(trivial.answer)}
