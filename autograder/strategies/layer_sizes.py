"""Domains of two sizes: n tokens (or positions) of width d."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import Small, constant, domain

_EVEN = range(2, 21, 2)


def positions_and_even_widths() -> Domain:
    """n from 10 to 60 and an even d of another size, besides 20 positions of width 8."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(n=_other_than(sizes[0], int(rng.integers(10, 61))), d=sizes[0], n20=20, d8=8)

    return domain(ordinary, _small_sizes, sizes=_EVEN)


def even_widths() -> Domain:
    """Five positions and an even d; a small case holds any n of at least 1."""
    return domain(lambda rng, sizes, scale: Case(n=5, d=sizes[0]), _small_sizes, sizes=_EVEN)


def far_positions() -> Domain:
    """Forty positions of an even width, two of them, a and b, and a distance k from both."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        k = int(rng.integers(1, 12))
        a, b = (int(place) for place in rng.permutation(40 - k)[:2])
        return Case(n=40, d=sizes[0], a=a, b=b, k=k)

    def small_case(small: Small) -> Case:
        return Case(n=4, d=small.choice((2, 4)), a=0, b=small.size(1, 2), k=1)

    return domain(ordinary, small_case, sizes=_EVEN)


def two_hundred_positions() -> Domain:
    """200 positions of an even width: shown only."""
    return constant(Case(n=200, d=8))


def odd_widths() -> Domain:
    """An odd width, for which the last sine has no cosine: shown only."""
    return constant(Case(n=6, d=5))


def _small_sizes(small: Small) -> Case:
    return Case(n=small.size(), d=small.choice((2, 4)))


def _other_than(taken: int, drawn: int) -> int:
    return drawn + 1 if drawn == taken else drawn


def layer_sizes() -> Domain:
    """n tokens of width d, and a real model's width for few and for many tokens.

    The two parts always differ. All counts are exact in 32 bits too: a number type never costs
    points.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        n, d = (int(size) for size in rng.permutation(np.arange(7, 40))[:2])
        return Case(n=n, d=d, n_few=128, n_many=65536, d_model=768)

    return domain(ordinary, lambda small: Case(n=small.size(), d=small.size()))


def widths() -> Domain:
    """A real model's width and a small one; a small case holds one, d."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(d=int(rng.integers(2, 64)), d_model=768)

    return domain(ordinary, lambda small: Case(d=small.size()))
