"""The parts of an attention case: tokens, matrices and masks, ordinary, gentle and small.

Ordinary tokens are standard normals times a scale; the matrices are standard normals. Masks are
boolean, True = may attend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import BoolArray, FloatArray, Small, domain, normal

LARGEST_SCORE = 200.0
"""Undivided ordinary scores stay below this: exp overflows only in the laws about it, and work in
32 bits, a right answer, keeps within the tolerance."""

_GENTLE_SCORE = 2.0
"""Undivided scores stay below this where a law needs weights well above 0."""

Parts: TypeAlias = dict[str, Any]
Sizes: TypeAlias = tuple[int, ...]
Extra: TypeAlias = Callable[[np.random.Generator, Parts], Parts]
SmallExtra: TypeAlias = Callable[[Small, Parts], Parts]


def parts_of(rng: np.random.Generator, n: int, widths: Sizes, scale: float) -> Parts:
    """X, W_Q, W_K and W_V for n tokens and the widths d, d_k, d_v, ..."""
    d, d_k, d_v = widths[:3]
    parts = {
        "X": normal(rng, n, d, scale=scale),
        "W_Q": normal(rng, d, d_k),
        "W_K": normal(rng, d, d_k),
        "W_V": normal(rng, d, d_v),
    }
    return limited(parts, LARGEST_SCORE)


def gentle_parts_of(rng: np.random.Generator, n: int, widths: Sizes) -> Parts:
    """The parts with small scores: weights stay well above 0."""
    parts = parts_of(rng, n, widths, 0.3)
    return limited({**parts, "W_Q": parts["W_Q"] / 2}, _GENTLE_SCORE)


def limited(parts: Parts, limit: float) -> Parts:
    """The parts with X made smaller where an undivided score lies above the limit."""
    peak = float(np.abs(scores_of(parts)).max(initial=0.0))
    return {**parts, "X": parts["X"] * np.sqrt(limit / peak)} if peak > limit else parts


def scores_of(parts: Parts) -> FloatArray:
    """The scores of every query with every key, not divided."""
    S: FloatArray = (parts["X"] @ parts["W_Q"]) @ (parts["X"] @ parts["W_K"]).T
    return S


def small_parts_of(small: Small, n: int | None = None, d_k: int | None = None) -> Parts:
    """Small parts; the number of tokens and the key width are drawn where they are not given."""
    n, d = n or small.size(), small.size()
    d_k, d_v = d_k or small.size(), small.size()
    return {
        "X": small.matrix(n, d),
        "W_Q": small.matrix(d, d_k),
        "W_K": small.matrix(d, d_k),
        "W_V": small.matrix(d, d_v),
    }


def random_mask(rng: np.random.Generator, n: int, n_k: int | None = None) -> BoolArray:
    """A mask (n, n) or (n, n_k) with a visible key in every row; one row sees a single key.

    That row is there in every draw, so that no mistake is caught in some runs and missed in others.
    In a square mask that key is the row's own.
    """
    n_k = n_k or n
    mask: BoolArray = rng.random((n, n_k)) < 0.5
    mask[np.arange(n), rng.integers(n_k, size=n)] = True
    alone = rng.integers(n)
    mask[alone] = np.arange(n_k) == alone % n_k
    return mask


def causal(n: int) -> BoolArray:
    """True on and below the diagonal."""
    return np.tri(n, dtype=np.bool_)


def tokens_domain(
    n: int,
    extra: Extra | None = None,
    small_extra: SmallExtra | None = None,
    *,
    gentle: bool = False,
    small: bool = True,
    small_lengths: tuple[int, int] = (1, 3),
) -> Domain:
    """The domain of n tokens in which `extra` adds to X and the matrices, or replaces them."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = gentle_parts_of(rng, n, sizes) if gentle else parts_of(rng, n, sizes, scale)
        return Case(**{**parts, **(extra(rng, parts) if extra else {})})

    def small_case(draws: Small) -> Case:
        parts = small_parts_of(draws, draws.size(*small_lengths))
        return Case(**{**parts, **(small_extra(draws, parts) if small_extra else {})})

    return domain(ordinary, small_case if small else None, apart_from=(n,))
