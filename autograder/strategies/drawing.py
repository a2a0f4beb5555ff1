"""How a case is drawn: a seed and a scale for ordinary cases, few whole numbers for small ones.

Drawing arrays number by number makes the reference itself overflow in half of the cases and is
slower; a seed and a scale catches as much. Hypothesis is imported inside the functions that
need it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from autograder.exercise import Case, Domain

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Entry = TypeVar("Entry")

SCALES = (1.0, 0.3, 3.0)
"""What standard normal entries are multiplied by; the plain one first, for shrinking."""

SIZES = range(2, 8)
"""The sizes of an ordinary case are drawn from here without repetition: equal ones hide errors."""

WHOLE = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0)
"""The entries of small arrays, simplest first."""

Ordinary: TypeAlias = Callable[[np.random.Generator, tuple[int, ...], float], Case]
"""Builds an ordinary case from a generator, distinct sizes and a scale."""


# Numbers are listed more than once to be drawn more often: most laws break on numbers alone.
_KINDS = ("zeros", "ones", "numbers", "numbers")
_SQUARE_KINDS = ("identity", *_KINDS)


@cache
def _one_of(values: tuple[Entry, ...], types: tuple[type, ...]) -> SearchStrategy[Entry]:
    """One of the values; kept, because building a strategy costs more than drawing from it.

    The types tell (0, 1) from (False, True), which are equal.
    """
    from hypothesis import strategies as st

    return st.sampled_from(values)


class Small:
    """Draws the parts of a small case; every choice lists the simplest value first."""

    def __init__(self, draw: Callable[[SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def choice(self, values: Sequence[Entry]) -> Entry:
        """One of the values."""
        chosen: Entry = self._draw(_one_of(tuple(values), tuple(map(type, values))))
        return chosen

    def size(self, low: int = 1, high: int = 3) -> int:
        """A size; several of a case may be equal."""
        return self.choice(range(low, high + 1))

    def array(self, *shape: int, values: Sequence[float] = WHOLE) -> FloatArray:
        """An array of the given entries, each drawn on its own."""
        entries = [self.choice(values) for _ in range(math.prod(shape))]
        return np.array(entries, dtype=np.float64).reshape(shape)

    def matrix(self, rows: int, columns: int) -> FloatArray:
        """A matrix that costs nothing to read (zeros, ones, identity), else whole numbers."""
        kind = self.choice(_SQUARE_KINDS if rows == columns else _KINDS)
        if kind == "numbers":
            return self.array(rows, columns)
        if kind == "identity":
            return np.eye(rows)
        return np.zeros((rows, columns)) if kind == "zeros" else np.ones((rows, columns))

    def mask(self, n: int, n_k: int | None = None) -> BoolArray:
        """A mask (n, n) or (n, n_k) with a visible key in every row."""
        n_k = n_k or n
        mask: BoolArray = self.array(n, n_k, values=(1.0, 0.0)) == 1
        mask[np.arange(n), [self.choice(range(n_k)) for _ in range(n)]] = True
        return mask


def domain(
    ordinary: Ordinary,
    small: Callable[[Small], Case] | None = None,
    *,
    apart_from: Iterable[int] = (),
    sizes: Iterable[int] = SIZES,
) -> Domain:
    """The domain of both branches.

    Args:
        ordinary: builds an ordinary case; it gets all the distinct sizes and uses the first few.
        small: builds a small case, or None where small inputs lie outside the law's domain.
        apart_from: sizes that the law fixes by itself, so that no drawn one equals them.
        sizes: what sizes are drawn from.
    """
    fixed = frozenset(apart_from)
    free = [size for size in sizes if size not in fixed]

    def ordinary_cases(entropy: tuple[int, ...]) -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        def build(shuffled: list[int], scale: float, drawn: int) -> Case:
            return ordinary(np.random.default_rng([*entropy, drawn]), tuple(shuffled), scale)

        return st.builds(
            build, st.permutations(free), st.sampled_from(SCALES), st.integers(0, 2**32 - 1)
        )

    return Domain(ordinary_cases, _small_cases(small))


def constant(case: Case, small: Callable[[Small], Case] | None = None) -> Domain:
    """The domain whose ordinary branch is one fixed case."""

    def ordinary_case(entropy: tuple[int, ...]) -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        return st.just(case)

    return Domain(ordinary_case, _small_cases(small), constant=True)


def _small_cases(
    small: Callable[[Small], Case] | None,
) -> Callable[[], SearchStrategy[Case]] | None:
    if small is None:
        return None

    def small_cases() -> SearchStrategy[Case]:
        from hypothesis import strategies as st

        @st.composite
        def cases(draw: Callable[[SearchStrategy[Any]], Any]) -> Case:
            return small(Small(draw))

        return cases()

    return small_cases


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> FloatArray:
    """Standard normal entries times the scale."""
    return scale * rng.standard_normal(shape)
