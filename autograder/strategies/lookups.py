"""Domains of the soft dictionary: query (d,), keys (n, d) and values (n,), n and d distinct."""

from __future__ import annotations

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal

_LARGEST_SCORE = 20.0
"""Ordinary scores stay below: work in 32 bits is a right answer, and loses digits above."""

_DEMO_KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
_DEMO_VALUES = np.array([10.0, 20.0, 30.0])
_DEMO_QUERIES = ([10.0, 0.0], [1.0, 0.0], [0.5, 0.5])


def _entries(rng: np.random.Generator, n: int, d: int, scale: float) -> dict[str, FloatArray]:
    keys, query = normal(rng, n, d, scale=scale), normal(rng, d)
    largest = np.abs(keys @ query).max()
    return {
        "query": query * min(1.0, _LARGEST_SCORE / largest),
        "keys": keys,
        "values": normal(rng, n, scale=3.0),
    }


def _small_entries(small: Small, *, least: int = 1) -> dict[str, FloatArray]:
    n, d = small.size(least), small.size()
    return {"query": small.array(d), "keys": small.matrix(n, d), "values": small.array(n)}


def lookups() -> Domain:
    """A query, keys and values."""
    return domain(
        lambda rng, sizes, scale: Case(**_entries(rng, sizes[0], sizes[1], scale)),
        lambda small: Case(**_small_entries(small)),
    )


def lookups_and_the_lecture() -> Domain:
    """A query, keys and values, and one of the lecture's three queries to its own dictionary.

    A small case holds one dictionary alone.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(
            **_entries(rng, sizes[0], sizes[1], scale),
            lecture_query=np.array(_DEMO_QUERIES[rng.integers(3)]),
            lecture_keys=_DEMO_KEYS,
            lecture_values=_DEMO_VALUES,
        )

    return domain(ordinary, lambda small: Case(**_small_entries(small)))


def lookups_and_orders() -> Domain:
    """A query, keys and values, and an order of the entries."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        entries = _entries(rng, sizes[0], sizes[1], scale)
        return Case(**entries, order=rng.permutation(sizes[0]).tolist())

    def reversed_order(small: Small) -> Case:
        entries = _small_entries(small)
        return Case(**entries, order=list(range(len(entries["values"])))[::-1])

    return domain(ordinary, reversed_order)


def gentle_lookups() -> Domain:
    """Entries whose scores lie below 2, so that a query three times as long is clearly sharper."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        entries = _entries(rng, sizes[0], sizes[1], 1.0)
        largest = np.abs(entries["keys"] @ entries["query"]).max()
        return Case(**{**entries, "query": entries["query"] / max(1.0, largest / 2)})

    return domain(ordinary, lambda small: Case(**_small_entries(small, least=2)))


def huge_lookups() -> Domain:
    """Whole numbers with scores of order 1e4, exact in 32 bits too; exponentials overflow.

    In about half of the cases all scores lie about -1e4. All values are positive, so that no
    average of them is near 0.
    """

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        n, d = sizes[:2]
        sign = int(rng.choice([1, -1]))
        keys = rng.integers(-2, 3, (n, d)).astype(np.float64)
        keys[:, 0] = 1.0
        query = rng.integers(-1, 2, d).astype(np.float64)
        query[0] = sign * float(rng.integers(5_000, 10_000))
        return Case(query=query, keys=keys, values=rng.uniform(1.0, 9.0, n))

    def huge(small: Small) -> Case:
        entries = _small_entries(small)
        query, values = 1000.0 * entries["query"], np.abs(entries["values"])
        return Case(query=query, keys=entries["keys"], values=values)

    return domain(ordinary, huge)


def lookups_of_vectors() -> Domain:
    """A query and keys with values (n, d_v): outside the contract, shown only."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        n, d, d_v = sizes[:3]
        return Case(**{**_entries(rng, n, d, scale), "values": normal(rng, n, d_v)})

    return domain(ordinary)
