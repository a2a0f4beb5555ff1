"""Domains of weights p (n,): what softmax gives."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, constant, domain, normal

_LARGEST_SCORE = 1.75
"""Scores lie below: almost one-hot weights have a norm near 0, of which the closed form in 32 bits,
a right answer, keeps no digit."""


def _softmax(z: FloatArray) -> FloatArray:
    e = np.exp(z - z.max())
    weights: FloatArray = e / e.sum()
    return weights


def _small_weights(small: Small) -> FloatArray:
    """Shares of a small whole: quarters, halves, a one."""
    shares = small.array(small.size(), values=(1.0, 0.0, 2.0))
    shares[0] = max(shares[0], 1.0)
    weights: FloatArray = shares / shares.sum()
    return weights


def weights_of_softmax() -> Domain:
    """Softmax of 2, of 5 and of 10 scores of either sign; a small case holds one p."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        scores = {
            n: np.clip(normal(rng, n, scale=2.0), -_LARGEST_SCORE, _LARGEST_SCORE)
            for n in (2, 5, 10)
        }
        return Case(**{f"p{n}": _softmax(z) for n, z in scores.items()})

    return domain(ordinary, lambda small: Case(p=_small_weights(small)))


def uniform_and_one_hot_weights() -> Domain:
    """Uniform weights for 2, 3 and 10 entries, and one-hot ones for 4."""
    uniform = {f"uniform{n}": np.full(n, 1 / n) for n in (2, 3, 10)}

    def small_case(small: Small) -> Case:
        n = small.size()
        if small.choice((True, False)):
            return Case(uniform=np.full(n, 1 / n))
        return Case(one_hot=np.eye(n)[small.choice(range(n))])

    return constant(Case(**uniform, one_hot=np.eye(4)[2]), small_case)


def six_scores() -> Domain:
    """The scores z (6,) and the weights p that softmax makes of them."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        z = normal(rng, 6)
        return Case(z=z, p=_softmax(z))

    def small_case(small: Small) -> Case:
        z = small.array(small.size())
        return Case(z=z, p=_softmax(z))

    return domain(ordinary, small_case)


def weights_of_any_shape() -> Domain:
    """Weights drawn evenly from all that sum to one, p (7,)."""
    return domain(
        lambda rng, sizes, scale: Case(p=rng.dirichlet(np.ones(7))),
        lambda small: Case(p=_small_weights(small)),
    )
