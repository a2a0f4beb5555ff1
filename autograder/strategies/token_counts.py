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


def one_blocked_row() -> Domain:
    """Five tokens under a random mask in which row i (the third) has no True."""

    def extra(rng: np.random.Generator, parts: Parts) -> Parts:
        mask = random_mask(rng, 5)
        mask[2] = False
        return {"mask": mask, "i": 2}

    def small_extra(small: Small, parts: Parts) -> Parts:
        n = len(parts["X"])
        mask, i = small.mask(n), small.choice(range(n))
        mask[i] = False
        return {"mask": mask, "i": i}

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
    """Nine tokens and the lengths to cut them to, one call after the other."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 9, sizes, scale), lengths=[2, 3, 9, 1, 5])

    def small_case(small: Small) -> Case:
        parts = small_parts_of(small)
        return Case(**parts, lengths=[small.size(1, len(parts["X"])) for _ in range(2)])

    return domain(ordinary, small_case, sizes=(4, 6, 7))


def key_widths() -> Domain:
    """Four tokens with d = 3, d_v = 5 and a key width of 1, 2, 9 or 16."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 4, (3, sizes[0], 5), scale))

    return domain(
        ordinary,
        lambda small: Case(**small_parts_of(small, d_k=small.choice((2, 3, 1)))),
        sizes=(9, 16, 2, 1),
    )


def half_sized_sequences() -> Domain:
    """Five tokens of half the size with d = 3, d_k = 4: scaling then shows clearly."""

    def ordinary(rng: np.random.Generator, sizes: Sizes, scale: float) -> Case:
        return Case(**parts_of(rng, 5, (3, 4, sizes[0]), 0.5))

    return domain(ordinary, lambda small: Case(**small_parts_of(small)), sizes=(2, 6, 7))
