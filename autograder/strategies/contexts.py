"""Domains of cross-attention: X (n_q, d), context (n_c, d), W_Q and W_K (d, d_k), W_V (d, d_v).

Entries are standard normals, those of both sequences times a scale; all sizes are distinct.
"""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal
from autograder.strategies.sequence_parts import LARGEST_SCORE, Parts, Sizes

_CLEAR_WIN = 50.0
"""By how much the largest of huge scores leads: work in 32 bits must not decide a near tie."""


def _scores(parts: Parts) -> FloatArray:
    """The scores of every query with every key of the context, not divided."""
    S: FloatArray = (parts["X"] @ parts["W_Q"]) @ (parts["context"] @ parts["W_K"]).T
    return S


def _parts_of(rng: np.random.Generator, sizes: Sizes, scale: float) -> Parts:
    n_q, n_c, d, d_k, d_v = sizes[:5]
    parts = {
        "X": normal(rng, n_q, d, scale=scale),
        "context": normal(rng, n_c, d, scale=scale),
        "W_Q": normal(rng, d, d_k),
        "W_K": normal(rng, d, d_k),
        "W_V": normal(rng, d, d_v),
    }
    shrink = min(1.0, np.sqrt(LARGEST_SCORE / np.abs(_scores(parts)).max()))
    return {**parts, "X": parts["X"] * shrink, "context": parts["context"] * shrink}


def _small_parts_of(small: Small, n_c: int | None = None) -> Parts:
    d, d_k = small.size(), small.size()
    return {
        "X": small.matrix(small.size(), d),
        "context": small.matrix(n_c or small.size(), d),
        "W_Q": small.matrix(d, d_k),
        "W_K": small.matrix(d, d_k),
        "W_V": small.matrix(d, small.size()),
    }


def contexts() -> Domain:
    """Two sequences and the three matrices."""
    return domain(
        lambda rng, sizes, scale: Case(**_parts_of(rng, sizes, scale)),
        lambda small: Case(**_small_parts_of(small)),
    )


def changed_queries() -> Domain:
    """With a longer X, a position t of it and another token to put there."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        n_q, n_c, *widths = sizes
        parts = _parts_of(rng, (n_q + 10, n_c, *widths), scale)
        n_q, d = parts["X"].shape
        return Case(**parts, t=int(rng.integers(n_q)), token=normal(rng, d, scale=scale))

    def small_case(small: Small) -> Case:
        parts = _small_parts_of(small)
        n_q, d = parts["X"].shape
        return Case(**parts, t=small.choice(range(n_q)), token=small.array(d))

    return domain(ordinary, small_case)


def context_orders() -> Domain:
    """With another order of the context."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**_parts_of(rng, sizes, scale), order=rng.permutation(sizes[1]).tolist())

    def small_case(small: Small) -> Case:
        n_c = small.size(2, 3)
        return Case(**_small_parts_of(small, n_c), order=list(range(n_c))[::-1])

    return domain(ordinary, small_case)


def huge_contexts() -> Domain:
    """Sequences times 80: scores of order 1e4, none of them near a tie."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        while True:
            parts = _parts_of(rng, sizes, 1.0)
            parts = {**parts, "X": parts["X"] * 80, "context": parts["context"] * 80}
            ranked = np.sort(_scores(parts) / np.sqrt(parts["W_Q"].shape[1]), axis=1)
            if (ranked[:, -1] - ranked[:, -2]).min() > _CLEAR_WIN:
                return Case(**parts)

    def small_case(small: Small) -> Case:
        parts = _small_parts_of(small)
        return Case(**{**parts, "context": parts["context"] * 1e4})

    return domain(ordinary, small_case)


def gentle_contexts() -> Domain:
    """With scores that sixteen bits hold: below 10."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = _parts_of(rng, sizes, 1.0)
        shrink = min(1.0, np.sqrt(10.0 / np.abs(_scores(parts)).max()))
        return Case(**{**parts, "X": parts["X"] * shrink, "context": parts["context"] * shrink})

    return domain(ordinary)
