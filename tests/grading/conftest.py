"""A small course of its own for the engine's tests: it knows nothing of attention."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from autograder.comparison import agree, fail
from autograder.exercise import Call, Case, Domain, Exercise, Mistake, Property


def _numbers(entropy):
    from hypothesis import strategies as st

    def build(size, drawn):
        return Case(x=np.random.default_rng([*entropy, drawn]).standard_normal(size))

    return st.builds(build, st.integers(2, 7), st.integers(0, 2**32 - 1))


def _small_numbers():
    from hypothesis import strategies as st

    entries = st.lists(st.integers(-3, 3), min_size=1, max_size=3)
    return entries.map(lambda values: Case(x=np.array(values, dtype=float)))


NUMBERS = Domain(_numbers, _small_numbers)


def double(x):
    return 2 * np.asarray(x)


def halves(x):
    return np.asarray(x) / 2


def shifts(x):
    return 2 * np.asarray(x) + 1


def a_law(name: str = "doubles", **changes) -> Property:
    values = {
        "name": name,
        "law": "f(x) = 2 x",
        "inputs": NUMBERS,
        "calls": lambda case: (Call(case.x),),
        "expected": lambda case: double(case.x),
        "verdict": lambda case, expected, got: agree(got, expected),
        "weight": 60,
        "hint": "Multiply by two.",
    }
    return Property(**(values | changes))


def additive(case, double_of_sum, of_x):
    whole = agree(np.sum(np.asarray(of_x)), double_of_sum, name="the sum")
    return whole and fail("f is not additive.", got=of_x)


def an_exercise(**changes) -> Exercise:
    values = {
        "name": "twice",
        "signature": "(x)",
        "convention": "Every entry is doubled.",
        "reference": double,
        "gate": "doubles",
        "properties": (
            a_law(),
            a_law(
                "keeps_zero",
                law="f(0) = 0",
                calls=lambda case: (Call(0 * case.x),),
                expected=lambda case: 0 * case.x,
                weight=40,
                kind="metamorphic",
            ),
        ),
        "mistakes": (
            Mistake(
                name="halves",
                answer=halves,
                hint="You divide.",
                share=Fraction(1, 2),
                caught_by=("doubles",),
            ),
        ),
    }
    return Exercise(**(values | changes))


@pytest.fixture
def exercise() -> Exercise:
    return an_exercise()


@pytest.fixture
def make_exercise() -> Callable[..., Exercise]:
    return an_exercise


@pytest.fixture
def make_law() -> Callable[..., Property]:
    return a_law
