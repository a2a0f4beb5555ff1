"""Domains of softmax: arrays of scores z. Ordinary scores are normals times three scales."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import WHOLE, FloatArray, Small, constant, domain, normal

_WIDTH = 3.0
"""Ordinary scores are standard normals times the scale times this."""

_HUGE = (0.0, 1000.0, 999.0, 1e4, 9999.0)
_VERY_NEGATIVE = (-1000.0, -999.0, -1e4, -9999.0)
_FAR_APART = (0.0, 1.0, 1000.0, -1000.0)
_WITH_BLOCKED = (0.0, -np.inf, 1.0, -1.0)
_FAR = np.array([[-1e4], [1e4], [0.0]])
_SHIFTS = (1.0, -1.0, 10.0, 1000.0, -1000.0)
_GRID = 1024
"""Multiples of 1/1024 up to 1e4 are exact in float32 too, and so are their sums: work in 32 bits is
a right answer, and far from 0 it would otherwise lose digits of the scores themselves."""


def _ordinary(rng: np.random.Generator, shape: tuple[int, ...], scale: float) -> FloatArray:
    return _raised(normal(rng, *shape, scale=_WIDTH * scale))


def _raised(z: FloatArray) -> FloatArray:
    """z, raised as a whole until every slice along every axis has a visible score of 0 or more.

    So no sum of exponentials is tiny: exp(z) / (exp(z).sum() + 1e-8) is wrong for other reasons,
    and must not earn more or less with the draw.
    """
    largest = np.concatenate([z.max(axis=axis).ravel() for axis in range(z.ndim)])
    raised: FloatArray = z - min(0.0, *largest[np.isfinite(largest)])
    return raised


def _exact(z: FloatArray) -> FloatArray:
    return np.round(z * _GRID) / _GRID


def _some_blocked(rng: np.random.Generator, z: FloatArray) -> FloatArray:
    """z with -inf in every slice of the last axis, beside at least one finite score."""
    blocked = z.copy()
    for scores_of_slice in blocked.reshape(-1, z.shape[-1]):
        n = len(scores_of_slice)
        scores_of_slice[rng.permutation(n)[: rng.integers(1, n)]] = -np.inf
    return blocked


def _small_scores(small: Small, values: tuple[float, ...] = WHOLE) -> FloatArray:
    """Scores with two axes, or with one or three."""
    axes = small.choice((2, 1, 3))
    return small.array(*(small.size() for _ in range(axes)), values=values)


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


def scores_with_and_without_blocked_ones() -> Domain:
    """z with two or three axes, in about half of the cases with -inf among the scores."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _ordinary(rng, sizes[: rng.integers(2, 4)], scale)
        return Case(z=_raised(_some_blocked(rng, z)) if rng.integers(2) else z)

    def small_case(small: Small) -> Case:
        return Case(z=_visible(_small_rows(small, small.choice((WHOLE, _WITH_BLOCKED)))))

    return domain(ordinary, small_case)


def bounded_scores(*, limit: float, small_too: bool = True) -> Domain:
    """z with every absolute value below `limit`.

    `small_too=False` leaves the small branch out, for laws about logarithms.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        inside = 0.99 * limit
        return Case(z=np.clip(_ordinary(rng, sizes[:2], scale), -inside, inside))

    return domain(ordinary, (lambda small: Case(z=_small_rows(small))) if small_too else None)


def scores_for_every_axis() -> Domain:
    """z (3, 4, 5), a matrix (5, 3), and the array `far` with the number a of one of its axes.

    The slices of `far` along axis a lie about -1e4, 1e4 and 0 and hold -inf; a is never the last
    axis. A small case holds one of the three arrays.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        two_axes = bool(rng.integers(2))
        shape = (3, sizes[0]) if two_axes else (sizes[1], 3, sizes[0])
        slices = _some_blocked(rng, _exact(_ordinary(rng, shape, scale)) + _FAR)
        a = 0 if two_axes else int(rng.integers(2))
        return Case(
            z=_ordinary(rng, (3, 4, 5), scale),
            matrix=_ordinary(rng, (5, 3), scale),
            far=np.moveaxis(slices, -1, a).copy(),
            a=a,
        )

    def one_array(small: Small) -> Case:
        name = small.choice(("z", "matrix", "far"))
        axes = 3 if name == "z" else 2
        values = _FAR_APART if name == "far" else WHOLE
        z = small.array(*(small.size(1, 2) for _ in range(axes)), values=values)
        return Case(far=z, a=0) if name == "far" else Case(**{name: z})

    return domain(ordinary, one_array, apart_from=(3,))


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
    """Scores whose exponentials overflow, with one, two and three axes.

    The largest score is the first, the middle and the last one of a slice.
    """
    z = np.array([[1e4, 1e4 - 1, 0.0], [800.0, 801.0, 799.0], [0.0, 9999.0, 1e4]])
    vector = np.array([0.0, 1.0, 1e4])
    three_axes = np.stack([z[:2], z[1:]])
    return constant(
        Case(z=z, vector=vector, three_axes=three_axes),
        lambda small: Case(z=_small_scores(small, _HUGE)),
    )


def very_negative_scores() -> Domain:
    """Scores about -1e4, whose exponentials all underflow."""
    return domain(
        lambda rng, sizes, scale: Case(z=_exact(_ordinary(rng, sizes[:2], scale)) - 1e4),
        lambda small: Case(z=_small_rows(small, _VERY_NEGATIVE)),
    )


def different_scales() -> Domain:
    """Slices about -1e4, 1e4 and 0 in one array with two or three axes."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        shape = (3, sizes[0]) if rng.integers(2) else (sizes[1], 3, sizes[0])
        return Case(z=_exact(_ordinary(rng, shape, scale)) + _FAR)

    return domain(ordinary, lambda small: Case(z=_small_scores(small, _FAR_APART)), apart_from=(3,))


def minus_infinities() -> Domain:
    """Scores of -inf among finite ones, at least one of either in every slice.

    z has one or three axes. The rows of the matrix `far` lie about -1e4 and 1e4, the second with a
    score of 0 in it; the same columns of both are -inf. A small case holds either.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _ordinary(rng, sizes[: 1 + 2 * rng.integers(2)], scale)
        far = _exact(_ordinary(rng, (2, sizes[0] + 1), scale)) + _FAR[:2]
        far[1, -1] = 0.0
        order = rng.permutation(far.shape[1])
        far[:, : rng.integers(1, sizes[0])] = -np.inf
        return Case(z=_raised(_some_blocked(rng, z)), far=far[:, order])

    def blocked(small: Small) -> Case:
        if small.choice((True, False)):
            return Case(z=_visible(_small_scores(small, _WITH_BLOCKED)))
        far = small.array(small.size(), small.size(1, 2), values=_VERY_NEGATIVE)
        return Case(far=np.pad(far, [(0, 0), (0, 1)], constant_values=-np.inf))

    return domain(ordinary, blocked)


def _visible(z: FloatArray) -> FloatArray:
    """z with a score of 0 in every slice that was only -inf."""
    first = z[..., 0]
    first[np.isneginf(z).all(axis=-1)] = 0.0
    return z


def fully_blocked_slices() -> Domain:
    """z with one, two or three axes; one slice is only -inf."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = _ordinary(rng, sizes[: rng.integers(1, 4)], scale)
        slices = z.reshape(-1, z.shape[-1])
        slices[rng.integers(len(slices))] = -np.inf
        return Case(z=z)

    def blocked(small: Small) -> Case:
        z = _small_scores(small)
        z.reshape(-1, z.shape[-1])[small.choice(range(z[..., 0].size))] = -np.inf
        return Case(z=z)

    return domain(ordinary, blocked)


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
