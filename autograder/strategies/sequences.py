"""Domains of self-attention with any number of tokens.

Tokens are X (n, d), the matrices W_Q and W_K (d, d_k) and W_V (d, d_v).
"""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import Small, constant, domain, normal
from autograder.strategies.sequence_parts import (
    LARGEST_SCORE,
    Parts,
    Sizes,
    limited,
    parts_of,
    random_mask,
    small_parts_of,
)


def sequences() -> Domain:
    """X and the three matrices, all sizes distinct."""
    return domain(
        lambda rng, sizes, scale: Case(**parts_of(rng, sizes[0], sizes[1:], scale)),
        lambda small: Case(**small_parts_of(small)),
    )


def masked_sequences() -> Domain:
    """Sequences with a random mask that leaves a visible key in every row."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        n, *widths = sizes
        return Case(**parts_of(rng, n, tuple(widths), scale), mask=random_mask(rng, n))

    def masked(small: Small) -> Case:
        parts = small_parts_of(small)
        return Case(**parts, mask=small.mask(len(parts["X"])))

    return domain(ordinary, masked)


def two_value_matrices() -> Domain:
    """Sequences with a second value matrix, U."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = parts_of(rng, sizes[0], sizes[1:], scale)
        return Case(**parts, U=normal(rng, *parts["W_V"].shape))

    def with_second(small: Small) -> Case:
        parts = small_parts_of(small)
        return Case(**parts, U=small.matrix(*parts["W_V"].shape))

    return domain(ordinary, with_second)


def orthogonal_matrices() -> Domain:
    """Sequences with an orthogonal matrix R (d_k, d_k); a small one swaps and negates."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = parts_of(rng, sizes[0], sizes[1:], scale)
        d_k = parts["W_Q"].shape[1]
        return Case(**parts, R=np.linalg.qr(normal(rng, d_k, d_k))[0])

    def rotated(small: Small) -> Case:
        parts = small_parts_of(small)
        return Case(**parts, R=np.negative(np.eye(parts["W_Q"].shape[1])[::-1]))

    return domain(ordinary, rotated)


def constant_first_columns() -> Domain:
    """Sequences whose first input is always 1, and a vector c (d_k,) to add to every key."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = parts_of(rng, sizes[0], sizes[1:], scale)
        parts["X"][:, 0] = 1.0
        return Case(**limited(parts, LARGEST_SCORE), c=normal(rng, parts["W_K"].shape[1]))

    def shifted(small: Small) -> Case:
        parts = small_parts_of(small)
        parts["X"][:, 0] = 1.0
        return Case(**parts, c=small.array(parts["W_K"].shape[1]))

    return domain(ordinary, shifted)


# -- outside the contract: shown, never scored -----------------------------------------------------


def integer_sequences() -> Domain:
    """Sequences of int64."""

    def integers(values: Parts) -> Case:
        return Case(**{name: np.rint(value).astype(np.int64) for name, value in values.items()})

    return domain(
        lambda rng, sizes, scale: integers(parts_of(rng, sizes[0], sizes[1:], scale)),
        lambda small: integers(small_parts_of(small)),
    )


def single_precision_sequences() -> Domain:
    """Sequences of float32 with undivided scores below 50."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = limited(parts_of(rng, sizes[0], sizes[1:], scale), 45.0)
        return Case(**{name: value.astype(np.float32) for name, value in parts.items()})

    return domain(ordinary)


def empty_sequences() -> Domain:
    """No token at all."""
    ones = np.ones((3, 4))
    return constant(Case(X=np.zeros((0, 3)), W_Q=ones, W_K=ones, W_V=np.ones((3, 2))))
