"""Domains of self-attention whose law fixes how many tokens there are, or how wide they are."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import Small, domain, normal
from autograder.strategies.sequence_parts import (
    Parts,
    Sizes,
    causal,
    parts_of,
    random_mask,
    small_parts_of,
    tokens_domain,
)


def sequences_and_orders(*, masked: bool = False) -> Domain:
    """Six tokens and an order of them, with a random mask if asked for."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        order = {"order": rng.permutation(6).tolist()}
        return {"mask": random_mask(rng, 6), **order} if masked else order

    def small_extra(small: Small, parts: Parts) -> Parts:
        n = len(parts["X"])
        order = {"order": list(range(n))[::-1]}
        return {"mask": small.mask(n), **order} if masked else order

    return tokens_domain(6, extra, small_extra)


def causal_sequences(n: int, *, gentle: bool = False, small: bool = True) -> Domain:
    """n tokens under the causal mask; `gentle` keeps every visible weight well above 0."""
    return tokens_domain(
        n,
        lambda rng, parts: {"mask": causal(n)},
        lambda draws, parts: {"mask": causal(len(parts["X"]))},
        gentle=gentle,
        small=small,
    )


def replaced_tails() -> Domain:
    """Six tokens under the causal mask, and other tokens, tail, for those from t on."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        n, d = parts["X"].shape
        t = int(rng.integers(1, n))
        return {"mask": causal(n), "t": t, "tail": normal(rng, n - t, d, scale=0.3)}

    def small_extra(small: Small, parts: Parts) -> Parts:
        n, d = parts["X"].shape
        t = small.size(1, n - 1)
        return {"mask": causal(n), "t": t, "tail": small.matrix(n - t, d)}

    return tokens_domain(6, extra, small_extra, gentle=True, small_lengths=(2, 3))


def prefixes() -> Domain:
    """Seven tokens under the causal mask, and the length t of a prefix."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return {"mask": causal(7), "t": int(rng.integers(1, 7))}

    def small_extra(small: Small, parts: Parts) -> Parts:
        n = len(parts["X"])
        return {"mask": causal(n), "t": small.size(1, n)}

    return tokens_domain(7, extra, small_extra)


def one_visible_key() -> Domain:
    """Five tokens under a mask with one True in every row."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        return {"mask": np.eye(5, dtype=np.bool_)[rng.integers(5, size=5)]}

    def small_extra(small: Small, parts: Parts) -> Parts:
        n = len(parts["X"])
        keys = [small.choice(range(n)) for _ in range(n)]
        return {"mask": np.eye(n, dtype=np.bool_)[keys]}

    return tokens_domain(5, extra, small_extra)


def blind_rows() -> Domain:
    """Five tokens under two masks with rows that have no True: one in `mask`, more in `blind`.

    In `blind` that is two rows or all. A small case holds `mask` alone, with any number of them.
    """

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        mask, blind = random_mask(rng, 5), random_mask(rng, 5)
        mask[rng.integers(5)] = False
        blind[rng.permutation(5)[: 2 if rng.integers(2) else 5]] = False
        return {"mask": mask, "blind": blind}

    def small_extra(small: Small, parts: Parts) -> Parts:
        n = len(parts["X"])
        mask = small.mask(n)
        mask[small.choice(range(n)) :: small.choice((n, 1, 2))] = False
        return {"mask": mask}

    return tokens_domain(5, extra, small_extra)


def zero_queries() -> Domain:
    """Five tokens whose W_Q is zero."""
    return tokens_domain(
        5,
        lambda rng, parts: {"W_Q": np.zeros_like(parts["W_Q"])},
        lambda small, parts: {"W_Q": np.zeros_like(parts["W_Q"])},
    )


def gentle_sequences(n: int) -> Domain:
    """n tokens with small scores, for laws about logarithms: no small branch."""
    return tokens_domain(n, gentle=True, small=False)


def single_tokens() -> Domain:
    """One token, with the mask that lets it see itself."""
    return tokens_domain(
        1,
        lambda rng, parts: {"mask": np.ones((1, 1), dtype=np.bool_)},
        lambda small, parts: {"mask": np.ones((1, 1), dtype=np.bool_)},
        small_lengths=(1, 1),
    )


def every_length() -> Domain:
    """33 tokens and the lengths to cut them to, one call after the other."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 33, sizes, scale), lengths=[2, 3, 33, 1, 5])

    def small_case(small: Small) -> Case:
        parts = small_parts_of(small)
        return Case(**parts, lengths=[small.size(1, len(parts["X"])) for _ in range(2)])

    return domain(ordinary, small_case, sizes=(4, 6, 7))


def half_sized_sequences() -> Domain:
    """Five tokens of half the size with d = 3, d_k = 4: scaling then shows clearly."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 5, (3, 4, sizes[0]), 0.5))

    return domain(ordinary, lambda small: Case(**small_parts_of(small)), sizes=(2, 6, 7))
