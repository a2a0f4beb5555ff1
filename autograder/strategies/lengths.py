"""Domains of the causal mask: lengths alone, so every one is a constant with a small branch."""

from __future__ import annotations

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import Small, constant


def lengths() -> Domain:
    """Several lengths in one case, a call for each; the small branch holds one, `n`."""
    return constant(
        Case(n1=1, n2=2, n3=3, n5=5, n33=33, n300=300), lambda small: Case(n=small.size())
    )


def length_pairs() -> Domain:
    """A length n and a shorter one, t."""

    def pairs(small: Small) -> Case:
        n = small.size()
        return Case(n=n, t=small.size(1, n))

    return constant(Case(n=7, t=4), pairs)


def six_tokens() -> Domain:
    """The length n = 6."""
    return constant(Case(n=6), lambda small: Case(n=small.size()))


def no_token() -> Domain:
    """The length n = 0."""
    return constant(Case(n=0))
