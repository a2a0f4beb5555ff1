"""Domains of softmax: arrays of scores z. Ordinary scores are normals times three scales."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, constant, domain, normal

_WIDTH = 3.0
"""Ordinary scores are standard normals times the scale times this."""

_HUGE = (0.0, 1000.0, 999.0, 1e4, 9999.0)
_VERY_NEGATIVE = (-1000.0, -999.0, -1e4, -9999.0)
_FAR_APART = (0.0, 1.0, 1000.0, -1000.0)
_WITH_BLOCKED = (0.0, -np.inf, 1.0, -1.0)
_SHIFTS = (1.0, -1.0, 10.0, 1000.0, -1000.0)
_GRID = 1024
"""Multiples of 1/1024 up to 1e4 are exact in float32 too, and so are their sums: work in 32 bits is
a right answer, and far from 0 it would otherwise lose digits of the scores themselves."""


def _ordinary(rng: np.random.Generator, shape: tuple[int, ...], scale: float) -> FloatArray:
    return normal(rng, *shape, scale=_WIDTH * scale)


def _exact(z: FloatArray) -> FloatArray:
    return np.round(z * _GRID) / _GRID


def _small_rows(small: Small, values: tuple[float, ...] | None = None) -> FloatArray:
    shape = small.size(), small.size()
    return small.array(*shape) if values is None else small.array(*shape, values=values)


def scores() -> Domain:
    """z with two or three axes of distinct sizes."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(z=_ordinary(rng, sizes[: rng.integers(2, 4)], scale))

    def small_case(small: Small) -> Case:
        axes = small.choice((2, 3))
        return Case(z=small.array(*(small.size() for _ in range(axes))))

    return domain(ordinary, small_case)


def bounded_scores(*, limit: float, small_too: bool = True) -> Domain:
    """z with every absolute value below `limit`.

    `small_too=False` leaves the small branch out, for laws about logarithms.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        inside = 0.99 * limit
        return Case(z=np.clip(_ordinary(rng, sizes[:2], scale), -inside, inside))

    return domain(ordinary, (lambda small: Case(z=_small_rows(small))) if small_too else None)


def scores_with_three_axes() -> Domain:
    """z of shape (3, 4, 5)."""
    return domain(
        lambda rng, _, scale: Case(z=_ordinary(rng, (3, 4, 5), scale)),
        lambda small: Case(z=small.array(small.size(1, 2), small.size(1, 2), small.size(1, 2))),
    )


def square_scores() -> Domain:
    """z of shape (4, 4) and cube of shape (4, 4, 4), which do not tell the axes apart by size.

    The last axis is the only one that is last in both. The small branch holds either, as z.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(z=_ordinary(rng, (4, 4), scale), cube=_ordinary(rng, (4, 4, 4), scale))

    def square(small: Small) -> Case:
        axes, n = small.choice((2, 3)), small.size()
        return Case(z=small.array(*[n] * axes))

    return domain(ordinary, square)


def every_rank() -> Domain:
    """One array with one axis and one with four; the small branch holds either."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(
            vector=_ordinary(rng, (7,), scale), four_axes=_ordinary(rng, (2, 3, 4, 5), scale)
        )

    def either(small: Small) -> Case:
        axes = small.choice((1, 4))
        return Case(z=small.array(*(small.size(1, 2) for _ in range(axes))))

    return domain(ordinary, either)


def every_shape() -> Domain:
    """Arrays of many shapes, one of them a constant slice; the small branch holds one array."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(
            vector=_ordinary(rng, (5,), scale),
            single=_ordinary(rng, (1,), scale),
            wide=_ordinary(rng, (3, 4), scale),
            tall=_ordinary(rng, (4, 3), scale),
            three_axes=_ordinary(rng, (2, 3, 4), scale),
            constant_row=np.full((1, 5), _ordinary(rng, (1,), scale)[0]),
            column=_ordinary(rng, (5, 1), scale),
        )

    return domain(ordinary, lambda small: Case(z=_small_rows(small)))


def scores_and_orders() -> Domain:
    """z (m, n) and an order of its columns."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _ordinary(rng, sizes[:2], scale)
        return Case(z=z, order=rng.permutation(z.shape[1]).tolist())

    def reversed_order(small: Small) -> Case:
        z = _small_rows(small)
        return Case(z=z, order=list(range(z.shape[1]))[::-1])

    return domain(ordinary, reversed_order)


def scores_and_row_shifts() -> Domain:
    """z (m, n) and one constant per row, c (m, 1) up to about 1000; z + c is exact."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _exact(_ordinary(rng, sizes[:2], scale))
        reach = 1000 * _GRID
        return Case(z=z, c=rng.integers(-reach, reach, (z.shape[0], 1)) / _GRID)

    def shifted(small: Small) -> Case:
        z = _small_rows(small)
        return Case(z=z, c=small.array(z.shape[0], 1, values=_SHIFTS))

    return domain(ordinary, shifted)


def scores_and_replaced_slices() -> Domain:
    """z (m, n), the number i of one row, and other scores for it, row (n,)."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        m, n = sizes[:2]
        return Case(
            z=_ordinary(rng, (m, n), scale),
            i=int(rng.integers(m)),
            row=_ordinary(rng, (n,), scale),
        )

    def replaced(small: Small) -> Case:
        m, n = small.size(2), small.size()
        return Case(z=small.array(m, n), i=small.choice(range(m)), row=small.array(n))

    return domain(ordinary, replaced)


def huge_scores() -> Domain:
    """Scores whose exponentials overflow, in two rows of different size."""
    case = Case(z=np.array([[1e4, 1e4 - 1, 0.0], [800.0, 801.0, 799.0]]))
    return constant(case, lambda small: Case(z=_small_rows(small, _HUGE)))


def very_negative_scores() -> Domain:
    """Scores about -1e4, whose exponentials all underflow."""
    return domain(
        lambda rng, sizes, scale: Case(z=_exact(_ordinary(rng, sizes[:2], scale)) - 1e4),
        lambda small: Case(z=_small_rows(small, _VERY_NEGATIVE)),
    )


def different_scales() -> Domain:
    """Three rows about 0, 1e4 and -1e4 in one array."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _exact(_ordinary(rng, (3, sizes[0]), scale))
        return Case(z=z + np.array([[0.0], [1e4], [-1e4]]))

    return domain(ordinary, lambda small: Case(z=_small_rows(small, _FAR_APART)), apart_from=(3,))


def minus_infinities() -> Domain:
    """Scores of -inf among finite ones, at least one of either in every row."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        m, n = sizes[:2]
        z = _ordinary(rng, (m, n), scale)
        for row in z:
            row[rng.permutation(n)[: rng.integers(1, n)]] = -np.inf
        return Case(z=z)

    def blocked(small: Small) -> Case:
        z = _small_rows(small, _WITH_BLOCKED)
        z[np.isneginf(z).all(axis=1), 0] = 0.0
        return Case(z=z)

    return domain(ordinary, blocked)


def fully_blocked_slices() -> Domain:
    """Three rows, row i of them only -inf."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z, i = _ordinary(rng, (3, sizes[0]), scale), int(rng.integers(3))
        z[i] = -np.inf
        return Case(z=z, i=i)

    def blocked(small: Small) -> Case:
        z = _small_rows(small)
        i = small.choice(range(z.shape[0]))
        z[i] = -np.inf
        return Case(z=z, i=i)

    return domain(ordinary, blocked, apart_from=(3,))


def integer_scores() -> Domain:
    """Scores as int64."""
    return domain(
        lambda rng, sizes, _: Case(z=rng.integers(-5, 6, sizes[:2])),
        lambda small: Case(z=_small_rows(small).astype(np.int64)),
    )


def low_precision_scores(dtype: str) -> Domain:
    """Scores as `float32` or `float16`, all below 30 in size."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(z=np.clip(_ordinary(rng, sizes[:2], scale), -29, 29).astype(dtype))

    return domain(ordinary)


def tiny_scores() -> Domain:
    """Zeros of both signs and numbers below the normal range."""
    return constant(Case(z=np.array([[0.0, -0.0, 5e-324], [1e-310, -1e-310, 1.0]])))


def empty_scores() -> Domain:
    """z of shape (0, 3): no slices at all."""
    return constant(Case(z=np.zeros((0, 3))))
