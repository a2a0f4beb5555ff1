"""Domains of batched attention with scores of order 1e4, seen and blocked."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.batches import (
    batches_domain,
    parts_of,
    scores_of,
    small_parts_of,
    small_sizes,
)
from autograder.strategies.drawing import FloatArray, Small, domain, normal
from autograder.strategies.huge_sequences import CLEAR_WIN, HUGE_ENTRIES
from autograder.strategies.sequence_parts import Parts, Sizes

_BLOCKED_SCORE = 2e4
_LOW_SCORES = (-2e4, -3e4)


def lead(S: FloatArray) -> FloatArray:
    """By how much the largest score of each row leads the next one."""
    ranked = np.sort(S, axis=-1)
    leads: FloatArray = ranked[..., -1] - ranked[..., -2]
    return leads


def huge_batches() -> Domain:
    """Query and key times 100: scores of order 1e4, none of them near a tie."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        shapes = {name: parts[name].shape for name in ("query", "key")}
        while True:
            huge = {name: normal(rng, *shape, scale=100.0) for name, shape in shapes.items()}
            if lead(scores_of(huge)).min() > CLEAR_WIN * np.sqrt(huge["key"].shape[-1]):
                return huge

    def small_extra(small: Small, parts: Parts) -> Parts:
        return {
            name: small.array(*parts[name].shape, values=HUGE_ENTRIES) for name in ("query", "key")
        }

    return batches_domain(extra, small_extra)


def blocked_huge_keys() -> Domain:
    """Two queries and three keys, the last one blocked, of which `key` and `low` hold two kinds.

    In `key` the blocked one has scores of order 2e4, in `low` the visible ones have scores of
    about -2e4 and -3e4.
    """

    def ordinary(rng: np.random.Generator, drawn: Sizes, scale: float) -> Case:
        B, d_k, d_v = drawn[:3]
        parts = parts_of(rng, (B, 2, 3, d_k, d_v), 1.0)
        high, low = parts["key"].copy(), parts["key"].copy()
        for b, query in enumerate(parts["query"]):
            high[b, 2] = _key_with_scores(query, _BLOCKED_SCORE * rng.uniform(1, 2, size=2))
            for j, score in enumerate(_LOW_SCORES):
                low[b, j] = _key_with_scores(query, np.full(2, score))
        return Case(**{**parts, "key": high}, low=low, mask=_last_key_blocked(2, 3))

    def small_case(small: Small) -> Case:
        B, n_q, _, _, d_v = small_sizes(small)
        n_k = small.size(2, 3)
        parts = small_parts_of(small, (B, n_q, n_k, 1, d_v))
        parts["query"] = np.ones((B, n_q, 1))
        high, low = np.ones((B, n_k, 1)), np.zeros((B, n_k, 1))
        high[:, -1], low[:, :-1] = _BLOCKED_SCORE, _LOW_SCORES[0]
        return Case(**{**parts, "key": high}, low=low, mask=_last_key_blocked(n_q, n_k))

    return domain(ordinary, small_case, sizes=range(4, 8))


def _key_with_scores(query: FloatArray, scores: FloatArray) -> FloatArray:
    """The shortest key that has these divided scores with the queries (n_q, d_k), n_q <= d_k."""
    products = scores * np.sqrt(query.shape[1])
    key: FloatArray = np.linalg.lstsq(query, products, rcond=None)[0]
    return key


def _last_key_blocked(n_q: int, n_k: int) -> FloatArray:
    mask = np.zeros((n_q, n_k))
    mask[:, -1] = 1.0
    return mask
