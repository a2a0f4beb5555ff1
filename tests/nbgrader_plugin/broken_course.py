"""A course with a fault of ours: the verdict of one law raises."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from autograder.comparison import agree
from autograder.exercise import Call, Case, Catalogue, Disagreement, Domain, Exercise, Property


def _numbers(entropy: tuple[int, ...]) -> st.SearchStrategy[Case]:
    def build(size: int, drawn: int) -> Case:
        return Case(x=np.random.default_rng([*entropy, drawn]).standard_normal(size))

    return st.builds(build, st.integers(2, 7), st.integers(0, 2**32 - 1))


def _double(x: Any) -> Any:
    return 2 * np.asarray(x)


def _broken(case: Case, got: Any) -> Disagreement | None:
    raise LookupError("a fault in the course")


def catalogue() -> Catalogue:
    """One exercise: a law that works, and one whose verdict raises on every answer."""
    inputs = Domain(_numbers)
    doubles = Property(
        name="doubles",
        law="f(x) = 2 x",
        inputs=inputs,
        calls=lambda case: (Call(case.x),),
        expected=lambda case: _double(case.x),
        verdict=lambda case, expected, got: agree(got, expected),
        weight=60,
        hint="Multiply by two.",
    )
    broken = Property(
        name="broken",
        law="this law can't be judged",
        inputs=inputs,
        calls=lambda case: (Call(case.x),),
        verdict=_broken,
        weight=40,
        kind="metamorphic",
        hint="There is none.",
    )
    twice = Exercise(
        name="twice",
        signature="(x)",
        convention="Every entry is doubled.",
        reference=_double,
        gate="doubles",
        properties=(doubles, broken),
    )
    return Catalogue(exercises=(twice,))
