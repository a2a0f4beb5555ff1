"""Domains of Q (n_q, d_k), K (n_k, d_k) and V (n_k, d_v): attention without projections.

Entries are standard normals times a scale, all sizes distinct.
"""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal
from autograder.strategies.sequence_parts import LARGEST_SCORE, Parts, Sizes

CHUNK = 32
"""The default chunk size. Laws that are not about chunks ask for it, and for whole chunks."""

_LEAST_NORMALISER = 0.5
"""Linear attention divides by at least this, so that a tiny constant beside it shows nowhere."""

_CLEAR_WIN = 50.0
"""By how much the largest of huge scores leads: work in 32 bits must not decide a near tie."""


def parts_of(
    rng: np.random.Generator, n_q: int, n_k: int, widths: Sizes, scale: float = 1.0
) -> Parts:
    """Q, K and V for the widths d_k, d_v, ..., with undivided scores below 200."""
    d_k, d_v = widths[:2]
    Q, K = normal(rng, n_q, d_k, scale=scale), normal(rng, n_k, d_k, scale=scale)
    shrink = min(1.0, np.sqrt(LARGEST_SCORE / np.abs(Q @ K.T).max()))
    return {"Q": Q * shrink, "K": K * shrink, "V": normal(rng, n_k, d_v)}


def small_parts_of(small: Small, n_q: int, n_k: int) -> Parts:
    """Small parts for that many queries and keys."""
    d_k = small.size()
    return {
        "Q": small.matrix(n_q, d_k),
        "K": small.matrix(n_k, d_k),
        "V": small.matrix(n_k, small.size()),
    }


def _small_tokens(small: Small, least: int = 1) -> Parts:
    n = small.size(least, 3)
    return small_parts_of(small, n, n)


def tokens(n: int) -> Domain:
    """As many queries as keys: n."""
    return domain(
        lambda rng, sizes, scale: Case(**parts_of(rng, n, n, sizes, scale)),
        lambda small: Case(**_small_tokens(small)),
        apart_from=(n,),
    )


# -- by chunks -------------------------------------------------------------------------------------


def chunk_sizes() -> Domain:
    """Seven queries and keys, and the chunk sizes to cut them by; a small case has one.

    Those that leave a short chunk come first: a row that np.empty left unset must not hold what an
    earlier call put there.
    """

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 7, 7, sizes, scale), chunk_sizes=[2, 3, 6, 1, 8, 100])

    def small_case(small: Small) -> Case:
        return Case(**_small_tokens(small), chunk_sizes=[small.size()])

    return domain(ordinary, small_case, apart_from=(7,))


def unequal_counts() -> Domain:
    """96 queries and 75 keys, and the number of keys, few, to cut the keys down to."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 3 * CHUNK, 75, sizes[1:], scale), few=sizes[0])

    def small_case(small: Small) -> Case:
        parts = small_parts_of(small, small.size(), small.size())
        return Case(**parts, few=small.size(1, len(parts["K"])))

    return domain(ordinary, small_case)


def integer_values() -> Domain:
    """One chunk of queries and keys, with whole numbers as values, as int64."""

    def whole(parts: Parts) -> Case:
        return Case(**{**parts, "V": np.rint(3 * parts["V"]).astype(np.int64)})

    return domain(
        lambda rng, sizes, scale: whole(parts_of(rng, CHUNK, CHUNK, sizes, scale)),
        lambda small: whole(_small_tokens(small)),
    )


# -- in a band -------------------------------------------------------------------------------------


def windows(n: int, *sizes: int) -> Domain:
    """n queries and keys, and windows; a small case has one, which sees all where theirs do."""

    def ordinary(rng: np.random.Generator, widths: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, n, n, widths, scale), windows=list(sizes))

    def small_case(small: Small) -> Case:
        parts = _small_tokens(small)
        sees_all = min(sizes) >= n - 1
        return Case(**parts, windows=[len(parts["Q"]) if sees_all else small.size(0, 2)])

    return domain(ordinary, small_case, apart_from=(n,))


def changed_keys() -> Domain:
    """Seven tokens, a position j, and another key and value to put there.

    Scores are small, but the new value is large: what little weight leaks to it shows.
    """

    def ordinary(rng: np.random.Generator, widths: Sizes, scale: float) -> Case:
        parts = parts_of(rng, 7, 7, widths, 0.5)
        d_k, d_v = parts["Q"].shape[1], parts["V"].shape[1]
        key, value = normal(rng, d_k, scale=0.5), normal(rng, d_v, scale=100.0)
        return Case(**parts, window=2, j=int(rng.integers(7)), key=key, value=value)

    def small_case(small: Small) -> Case:
        parts = _small_tokens(small, least=2)
        n, d_k = parts["Q"].shape
        return Case(
            **parts,
            window=small.size(0, n - 2),
            j=small.choice((0, n - 1)),
            key=small.array(d_k),
            value=small.array(parts["V"].shape[1]),
        )

    return domain(ordinary, small_case, apart_from=(7,))


# -- huge scores -----------------------------------------------------------------------------------


def _lead(S: FloatArray) -> float:
    """By how much the largest score leads the next one, in the row where it does least."""
    ranked = np.sort(S, axis=1)
    return float((ranked[:, -1] - ranked[:, -2]).min())


def huge_scores(n: int, window: int | None = None) -> Domain:
    """n tokens with scores of order 1e4, none near a tie with another that is seen.

    All scores of one query lie below -2e4, so that no number in place of the maximum of its row,
    or of -inf, will do. With a window, keys further away are blocked, many with the largest score
    of their row.
    """
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    blocked = distance > (n if window is None else window)

    def ordinary(rng: np.random.Generator, widths: Sizes, scale: float) -> Case:
        while True:
            Q, K = normal(rng, n, widths[0], scale=80.0), normal(rng, n, widths[0], scale=80.0)
            t = rng.integers(n)
            K[:, 0] = rng.uniform(100.0, 200.0, size=n)
            Q[t] = 0.0
            Q[t, 0] = -200.0 * np.sqrt(widths[0])
            S = np.where(blocked, -np.inf, Q @ K.T / np.sqrt(widths[0]))
            if _lead(S) > _CLEAR_WIN:
                return Case(Q=Q, K=K, V=normal(rng, n, widths[1]))

    def small_case(small: Small) -> Case:
        parts = _small_tokens(small, least=2)
        return Case(**{**parts, "K": parts["K"] * 1e4})

    return domain(ordinary, small_case, apart_from=(n,))


# -- positive features -----------------------------------------------------------------------------


def _normaliser(Q: FloatArray, K: FloatArray) -> float:
    """The least sum of weights phi(q) . phi(k) of a query."""
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return float((phi_Q @ phi_K.sum(axis=0)).min())


def features(*, ordered: bool = False, more: int = 0) -> Domain:
    """Distinct numbers of queries and keys, with an order of the keys if asked for.

    There are so many `more` queries, and twice as many more keys.

    A normaliser is never near 0, and Q and K have entries of either sign, and one that is 0.
    """

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        n_q, n_k, *widths = sizes
        while True:
            parts = parts_of(rng, n_q + more, n_k + 2 * more, tuple(widths), scale)
            Q, K = parts["Q"], parts["K"]
            for x in (Q, K):
                x.flat[rng.integers(x.size)] = 0.0
            mixed = all(x.min() < 0 < x.max() for x in (Q, K))
            if mixed and _normaliser(Q, K) > _LEAST_NORMALISER:
                order = {"order": rng.permutation(n_k).tolist()} if ordered else {}
                return Case(**parts, **order)

    def small_case(small: Small) -> Case:
        n_k = small.size()
        order = {"order": list(range(n_k))[::-1]} if ordered else {}
        return Case(**small_parts_of(small, small.size(), n_k), **order)

    return domain(ordinary, small_case)
