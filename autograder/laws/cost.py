"""Laws of the cost of one layer. Every call is `f(n, d)` and gives (linear, attention)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison import equal, fail, show
from autograder.exercise import Call, Case, Disagreement, Disagrees, Echo, Property
from autograder.laws.arrays import FloatArray, Reference, equals_reference, first, real
from autograder.strategies import layer_sizes


def _both(answer: Any, *, of: str) -> tuple[FloatArray, FloatArray]:
    """The two counts; raises `Disagrees` where the answer is no pair of numbers.

    An array of two is a pair as well.
    """
    if isinstance(answer, Echo):
        answer = answer.result
    if isinstance(answer, np.ndarray) and answer.shape == (2,):
        answer = tuple(answer)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Disagrees(
            fail(
                f"{of} is {show(answer)}, but should be a pair: linear, attention.",
                expected="a tuple of two numbers",
                got=show(answer),
            )
        )
    return real(answer[0], (), name=f"{of}[0]"), real(answer[1], (), name=f"{of}[1]")


def _named(call: Call) -> str:
    return f"attention_cost{call.args}"


def cost_matches_reference(reference: Reference, *, weight: int) -> Property:
    """Both counts are exact, for few tokens and for many."""

    def calls(case: Case) -> Sequence[Call]:
        many = [Call(case[n], case.d_model) for n in ("n_few", "n_many") if n in case]
        return [Call(case.n, case.d), *many]

    return equals_reference(
        reference,
        lambda call, got, right: _counts_agree(got, right, of=_named(call)),
        name="matches_reference",
        law="f(n, d) = (12 n d^2, 2 n^2 d) multiply-adds",
        inputs=layer_sizes.layer_sizes(),
        calls=calls,
        weight=weight,
        hint="Four projections of n d^2, a feed-forward part of 8 n d^2; two products of n^2 d.",
        kind="exact",
    )


def _counts_agree(got: Any, right: Any, *, of: str) -> Disagreement | None:
    linear, attention = _both(got, of=of)
    return equal(linear, right[0], name=f"the linear part of {of}") or equal(
        attention, right[1], name=f"the attention part of {of}"
    )


def crossover_at_six_d(*, weight: int) -> Property:
    """Six times as many tokens as the width: both parts cost the same."""

    def calls(case: Case) -> Sequence[Call]:
        return [Call(6 * d, d) for d in case.values()]

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(
            _parts_are_equal(got, of=_named(call))
            for got, call in zip(found, calls(case), strict=True)
        )

    return Property(
        name="crossover_at_six_d",
        law="both parts of f(6 d, d) are equal",
        inputs=layer_sizes.widths(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="12 n d^2 = 2 n^2 d at n = 6 d: look for a part that is forgotten or counted twice.",
        kind="exact",
    )


def _parts_are_equal(got: Any, *, of: str) -> Disagreement | None:
    linear, attention = _both(got, of=of)
    return equal(attention, linear, name=f"the attention part of {of}")
