"""Domains of self-attention with scores of order 1e4, seen and blocked."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import BoolArray, FloatArray, Small, domain, normal
from autograder.strategies.sequence_parts import (
    Parts,
    Sizes,
    parts_of,
    scores_of,
    small_parts_of,
    tokens_domain,
)

CLEAR_WIN = 50.0
"""Where scores are huge, the largest of a row leads by at least this: work in 32 bits is a right
answer, and would otherwise decide a near tie by its rounding."""

_BLOCKED_SCORE = 2e4
HUGE_ENTRIES = (0.0, 40.0, -40.0, 30.0)


def _lead(parts: Parts) -> FloatArray:
    """By how much the largest score of each row leads the next one."""
    ranked = np.sort(scores_of(parts) / np.sqrt(parts["W_Q"].shape[1]), axis=1)
    lead: FloatArray = ranked[:, -1] - ranked[:, -2]
    return lead


def _huge_tokens(rng: np.random.Generator, parts: Parts) -> FloatArray:
    """Tokens in the place of X with scores of order 1e4, none of them near a tie."""
    while True:
        X = normal(rng, *parts["X"].shape, scale=60.0)
        if _lead({**parts, "X": X}).min() > CLEAR_WIN:
            return X


def huge_sequences() -> Domain:
    """Five tokens times 60: scores of order 1e4, none of them near a tie."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return {"X": _huge_tokens(rng, parts)}

    def small_extra(small: Small, parts: Parts) -> Parts:
        return {"X": small.array(*parts["X"].shape, values=HUGE_ENTRIES)}

    return tokens_domain(5, extra, small_extra)


def key_widths() -> Domain:
    """Four tokens with d = 3, d_v = 5 and a key width of 1, 2, 9 or 25, and four huge ones, `Y`.

    A small case holds X alone, huge or not.
    """

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        parts = parts_of(rng, 4, (3, sizes[0], 5), scale)
        return Case(**parts, Y=_huge_tokens(rng, parts))

    def small_case(small: Small) -> Case:
        parts = small_parts_of(small, d_k=small.choice((2, 3, 1)))
        if small.choice((False, True)):
            parts["X"] = small.array(*parts["X"].shape, values=HUGE_ENTRIES)
        return Case(**parts)

    return domain(ordinary, small_case, sizes=(9, 25, 2, 1))


def _last_key_blocked(n: int) -> BoolArray:
    """Everything is visible but the last key, which only the last token sees."""
    mask = np.ones((n, n), dtype=np.bool_)
    mask[:-1, -1] = False
    return mask


def blocked_huge_keys() -> Domain:
    """Three tokens; the last key has scores of order 2e4 and is blocked for the first two."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        while True:
            X = normal(rng, *parts["X"].shape)
            s = scores_of({**parts, "X": X})[:2, 2] / np.sqrt(parts["W_Q"].shape[1])
            X[2] *= _BLOCKED_SCORE / s[0]
            huge = {**parts, "X": X, "mask": _last_key_blocked(3)}
            # The blocked scores are huge for both queries, and of one sign.
            if 0.1 < s[1] / s[0] < 10 and _lead(huge)[2] > CLEAR_WIN:
                return huge

    def small_case(small: Small) -> Case:
        n, d = small.size(2, 3), small.size(1, 2)
        X = np.ones((n, d))
        X[-1] = _BLOCKED_SCORE
        W_V = small.matrix(d, small.size())
        return Case(X=X, W_Q=np.eye(d), W_K=np.eye(d), W_V=W_V, mask=_last_key_blocked(n))

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**extra(rng, parts_of(rng, 3, sizes, scale)))

    return domain(ordinary, small_case, apart_from=(3,))
