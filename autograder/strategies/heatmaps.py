"""Domains of heat maps: attention weights (n, n) and n distinct tokens.

The tokens do not stand in alphabetical order, and weights are far from symmetric, so that neither
rows and columns nor first and last can be confused. Drawing is slow: a case holds all its sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal

_WORDS = (
    "the", "cat", "sat", "down", "on", "a", "mat", "while", "dogs", "bite", "men", "and", "Über",
    "x_1", "$5", "50%", "'s", "123", "Key", "two words",
)  # fmt: skip
"""Some are written in ways that Matplotlib or Python might read as something else."""


def _tokens(rng: np.random.Generator, n: int) -> list[str]:
    """n distinct words, neither in alphabetical order nor in its reverse."""
    chosen = [str(word) for word in rng.choice(_WORDS, n, replace=False)]
    while n > 2 and chosen in (sorted(chosen), sorted(chosen)[::-1]):
        chosen = [chosen[int(place)] for place in rng.permutation(n)]
    return chosen


def _weights(rng: np.random.Generator, n: int) -> FloatArray:
    """Rows that sum to one, each with a largest weight off the diagonal where there is room."""
    scores = normal(rng, n, n)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return weights


def _causal(weights: FloatArray) -> FloatArray:
    """The weights under a causal mask: blocked ones are exactly 0."""
    visible = np.tril(weights)
    causal: FloatArray = visible / visible.sum(axis=1, keepdims=True)
    return causal


def _small_picture(small: Small, least: int = 1) -> dict[str, Any]:
    """Whole numbers of tenths, so that they are quickly read."""
    n = small.size(least)
    tenths = small.array(n, n, values=(0.0, 1.0, 2.0, 3.0))
    return {"weights": tenths / 10, "tokens": list("cabd"[:n])}


def heatmaps() -> Domain:
    """Weights for 3 tokens and, under a causal mask, for 5."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(
            weights=_weights(rng, 3),
            tokens=_tokens(rng, 3),
            causal_weights=_causal(_weights(rng, 5)),
            causal_tokens=_tokens(rng, 5),
        )

    return domain(ordinary, lambda small: Case(**_small_picture(small, least=2)))


def four_token_heatmaps() -> Domain:
    """Weights for 4 tokens."""
    return domain(
        lambda rng, sizes, scale: Case(weights=_weights(rng, 4), tokens=_tokens(rng, 4)),
        lambda small: Case(**_small_picture(small, least=2)),
    )


def heatmaps_of_every_length() -> Domain:
    """Weights for 4 tokens, and for 1, 2 and 7; a small case holds 1 to 3 tokens besides 2."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        pictures: dict[str, Any] = {}
        for n in (4, 1, 2, 7):
            pictures |= {f"weights{n}": _weights(rng, n), f"tokens{n}": _tokens(rng, n)}
        return Case(**pictures)

    def two_lengths(small: Small) -> Case:
        two = {"weights2": np.array([[0.1, 0.9], [0.3, 0.7]]), "tokens2": ["b", "a"]}
        other = _small_picture(small)
        return Case(**two, weights=other["weights"], tokens=other["tokens"])

    return domain(ordinary, two_lengths)


def repeated_tokens() -> Domain:
    """A sentence with a word that comes twice: shown only."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(weights=_weights(rng, 5), tokens=["the", "cat", "the", "mat", "cat"])

    return domain(ordinary)
