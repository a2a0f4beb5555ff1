"""Laws of sinusoidal positions. Every call is `f(n, d)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison import T, agree, differ, within
from autograder.exercise import Call, Case, Disagreement, Property
from autograder.laws.arrays import FloatArray, Reference, equals_reference, first, real
from autograder.strategies import layer_sizes


def _once(case: Case) -> Sequence[Call]:
    return (Call(case.n, case.d),)


def _table(case: Case, answer: Any) -> FloatArray:
    """The rows as float64; raises `Disagrees` where their shape is not (n, d)."""
    return real(answer, (case.n, case.d), name="P")


def positions_match_reference(reference: Reference, *, weight: int) -> Property:
    """Every entry is what the formula says."""

    def calls(case: Case) -> Sequence[Call]:
        return [*_once(case), *([Call(case.n20, case.d8)] if "n20" in case else [])]

    return equals_reference(
        reference,
        _agree,
        name="matches_reference",
        law="P[p, 2i] = sin(p / 10000^(2i/d)) and P[p, 2i+1] = cos(p / 10000^(2i/d))",
        inputs=layer_sizes.positions_and_even_widths(),
        calls=calls,
        weight=weight,
        hint="Columns 2i and 2i + 1 share the frequency 10000^(-2i/d); rows count from 0.",
    )


def _agree(call: Call, got: Any, right: Any) -> Disagreement | None:
    return agree(got, right, name=f"sinusoidal_positions{call.args}")


def position_zero_alternates_zero_and_one(*, weight: int) -> Property:
    """At position 0 all sines are 0 and all cosines 1."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        row = _table(case, answer)[0]
        return agree(row, np.arange(case.d) % 2, name="P[0]")

    return Property(
        name="position_zero_alternates_zero_and_one",
        law="P[0] = 0, 1, 0, 1, ...",
        inputs=layer_sizes.even_widths(),
        calls=_once,
        verdict=verdict,
        weight=weight,
        hint="The first position is 0; even columns hold the sine, odd ones the cosine.",
        kind="exact",
    )


def pairs_have_unit_norm(*, weight: int) -> Property:
    """The two columns of a pair are sine and cosine of one angle."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        P = _table(case, answer)
        with np.errstate(all="ignore"):
            squares = P[:, 0::2] ** 2 + P[:, 1::2] ** 2
        return agree(squares, np.ones_like(squares), name="(P[:, 0::2]**2 + P[:, 1::2]**2)")

    return Property(
        name="pairs_have_unit_norm",
        law="P[p, 2i]^2 + P[p, 2i+1]^2 = 1",
        inputs=layer_sizes.positions_and_even_widths(),
        calls=_once,
        verdict=verdict,
        weight=weight,
        hint="Both columns of a pair share one frequency: use 2i for columns 2i and 2i + 1.",
        kind="metamorphic",
    )


def dot_product_depends_on_offset_only(*, weight: int) -> Property:
    """How alike two positions are depends on their distance alone."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        P, a, b, k = _table(case, answer), case.a, case.b, case.k
        with np.errstate(all="ignore"):
            here, there = P[b] @ P[b + k], P[a] @ P[a + k]
        return agree(here, there, name=f"P[{b}] @ P[{b + k}]")

    return Property(
        name="dot_product_depends_on_offset_only",
        law="P[a] P[a + k] = P[b] P[b + k] for all positions a and b",
        inputs=layer_sizes.far_positions(),
        calls=_once,
        verdict=verdict,
        weight=weight,
        hint="cos x cos y + sin x sin y = cos(x - y): this needs sine and cosine of each angle.",
        kind="metamorphic",
    )


def positions_shown_only(reference: Reference) -> tuple[Property, ...]:
    """What lies outside the contract, or catches nothing: worth knowing, worth no points."""
    odd = equals_reference(
        reference,
        _agree,
        name="odd_width",
        law="with an odd d the last sine has no cosine beside it",
        inputs=layer_sizes.odd_widths(),
        calls=_once,
        weight=0,
        hint="There are (d + 1) // 2 sines and d // 2 cosines.",
    )
    return _rows_are_distinct_and_bounded(), odd


def _rows_are_distinct_and_bounded() -> Property:
    def verdict(case: Case, answer: Any) -> Disagreement | None:
        P = _table(case, answer)
        bounded = within(P, -1.0, 1.0, name="P", slack=T.atol)
        return bounded or first(
            differ(P[p], P[p + 1], message=f"Positions {p} and {p + 1} have equal rows.")
            for p in range(case.n - 1)
        )

    return Property(
        name="rows_are_distinct_and_bounded",
        law="-1 <= P <= 1, and no two neighbours are alike",
        inputs=layer_sizes.two_hundred_positions(),
        calls=_once,
        verdict=verdict,
        weight=0,
        hint="Sine and cosine lie between -1 and 1, and the first pair turns by 1 at each step.",
        kind="metamorphic",
    )
