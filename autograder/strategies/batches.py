"""Domains of batched attention: query (B, n_q, d_k), key (B, n_k, d_k), value (B, n_k, d_v).

Entries of ordinary cases are standard normals times a scale, of values without it. Masks hold 1.0
for a blocked key and 0.0 for a visible one; every row has a visible key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal
from autograder.strategies.sequence_parts import LARGEST_SCORE, Parts, Sizes, causal, random_mask

Extra: TypeAlias = Callable[[np.random.Generator, Parts], Parts]
SmallExtra: TypeAlias = Callable[[Small, Parts], Parts]


def parts_of(rng: np.random.Generator, sizes: Sizes, scale: float) -> Parts:
    """Query, key and value for the sizes B, n_q, n_k, d_k, d_v."""
    B, n_q, n_k, d_k, d_v = sizes[:5]
    parts = {
        "query": normal(rng, B, n_q, d_k, scale=scale),
        "key": normal(rng, B, n_k, d_k, scale=scale),
        "value": normal(rng, B, n_k, d_v),
    }
    peak = float(np.abs(scores_of(parts)).max())
    if peak > LARGEST_SCORE:
        parts["query"] *= LARGEST_SCORE / peak
    return parts


def scores_of(parts: Parts) -> FloatArray:
    """The scores (B, n_q, n_k) of every query with every key, not divided."""
    S: FloatArray = parts["query"] @ np.swapaxes(parts["key"], 1, 2)
    return S


def _small_array(small: Small, *shape: int) -> FloatArray:
    """A stack of matrices that cost little to read."""
    B, rows, columns = shape
    return np.stack([small.matrix(rows, columns) for _ in range(B)])


def small_parts_of(small: Small, sizes: Sizes) -> Parts:
    """Few whole numbers in the sizes B, n_q, n_k, d_k, d_v."""
    B, n_q, n_k, d_k, d_v = sizes
    return {
        "query": _small_array(small, B, n_q, d_k),
        "key": _small_array(small, B, n_k, d_k),
        "value": _small_array(small, B, n_k, d_v),
    }


def small_sizes(small: Small, *, B: int | None = None, n: int | None = None) -> Sizes:
    """Sizes of a small case: one or two of everything, the batch or both lengths given or not."""
    n_q, n_k = (n, n) if n else (small.size(1, 2), small.size(1, 2))
    return B or small.size(1, 2), n_q, n_k, small.size(1, 2), small.size(1, 2)


def batches_domain(
    extra: Extra | None = None,
    small_extra: SmallExtra | None = None,
    *,
    B: int | None = None,
    n: int | None = None,
) -> Domain:
    """The domain in which `extra` adds to query, key and value, or replaces them.

    Args:
        extra: for ordinary cases.
        small_extra: for small cases.
        B: the number of sequences, drawn where it is not given.
        n: the number of queries and of keys, drawn apart where it is not given.
    """

    def sizes_of(drawn: Sizes) -> Sizes:
        left = iter(drawn)
        batch = B or next(left)
        n_q, n_k = (n, n) if n else (next(left), next(left))
        return batch, n_q, n_k, next(left), next(left)

    def ordinary(rng: np.random.Generator, drawn: Sizes, scale: float) -> Case:
        parts = parts_of(rng, sizes_of(drawn), scale)
        return Case(**{**parts, **(extra(rng, parts) if extra else {})})

    def small_case(small: Small) -> Case:
        sizes = small_sizes(small, B=B and 2, n=n and small.size(1, 3))
        parts = small_parts_of(small, sizes)
        return Case(**{**parts, **(small_extra(small, parts) if small_extra else {})})

    return domain(ordinary, small_case, apart_from=[size for size in (B, n) if size])


def batches() -> Domain:
    """Query, key and value, all sizes distinct."""
    return batches_domain()


def three_sequences() -> Domain:
    """Three sequences; two in a small case."""
    return batches_domain(B=3)


def key_widths() -> Domain:
    """Query and key of width 16, and the widths to cut them to; a small case has one of 1 to 3."""

    def ordinary(rng: np.random.Generator, drawn: Sizes, scale: float) -> Case:
        B, n_q, n_k, d_v = drawn[:4]
        return Case(**parts_of(rng, (B, n_q, n_k, 16, d_v), scale), widths=[16, 1, 2, 9])

    def small_case(small: Small) -> Case:
        B, n_q, n_k, _, d_v = small_sizes(small)
        d_k = small.choice((2, 3, 1))
        return Case(**small_parts_of(small, (B, n_q, n_k, d_k, d_v)), widths=[d_k])

    return domain(ordinary, small_case, sizes=range(3, 8))


# -- under a mask ----------------------------------------------------------------------------------


def blocking(visible: np.ndarray) -> FloatArray:
    """The mask with 1.0 where a key is blocked."""
    blocked: FloatArray = np.logical_not(visible).astype(np.float64)
    return blocked


def causal_batches() -> Domain:
    """Four tokens under the causal mask."""
    return batches_domain(
        lambda rng, parts: {"mask": blocking(causal(4))},
        lambda small, parts: {"mask": blocking(causal(parts["query"].shape[1]))},
        n=4,
    )


def masked_batches() -> Domain:
    """A random mask (n_q, n_k) for all sequences."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return {"mask": blocking(random_mask(rng, *_lengths(parts)))}

    def small_extra(small: Small, parts: Parts) -> Parts:
        return {"mask": blocking(small.mask(*_lengths(parts)))}

    return batches_domain(extra, small_extra)


def boolean_masks() -> Domain:
    """Four tokens under a random boolean mask, True = blocked."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return {"mask": ~random_mask(rng, *_lengths(parts))}

    def small_extra(small: Small, parts: Parts) -> Parts:
        return {"mask": ~small.mask(*_lengths(parts))}

    return batches_domain(extra, small_extra, n=4)


def masks_per_sequence() -> Domain:
    """A random mask (B, n_q, n_k), another one for every sequence."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return _stacked(len(parts["query"]), lambda: random_mask(rng, *_lengths(parts)))

    def small_extra(small: Small, parts: Parts) -> Parts:
        return _stacked(len(parts["query"]), lambda: small.mask(*_lengths(parts)))

    return batches_domain(extra, small_extra)


def _stacked(B: int, mask: Callable[[], np.ndarray]) -> Parts:
    return {"mask": blocking(np.stack([mask() for _ in range(B)]))}


def _lengths(parts: Parts) -> tuple[int, int]:
    """n_q and n_k."""
    return parts["query"].shape[1], parts["key"].shape[1]
