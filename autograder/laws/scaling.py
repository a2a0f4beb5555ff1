"""Laws of the division by sqrt(d_k), which `scale=False` leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.comparison import CLEAR_CHANGE, agree_pairs, differ
from autograder.exercise import Call, Case, Disagreement, Property, Step
from autograder.laws.arrays import FloatArray, Reference, answers, first
from autograder.laws.attention import attend, equals_reference, own_results, results
from autograder.strategies import huge_sequences as huge
from autograder.strategies import sequences, token_counts


def scale_stated(*laws: Property) -> tuple[Property, ...]:
    """The laws with `scale=True` in every call that says nothing about it.

    So a wrong default costs what the law about the default weighs, and nothing else.
    """
    return tuple(_scale_stated(law) for law in laws)


def _scale_stated(law: Property) -> Property:
    def calls(case: Case) -> Sequence[Step]:
        return [
            Call(*step.args, to=step.to, echo=step.echo, **{**step.kwargs, "scale": True})
            if isinstance(step, Call) and "scale" not in step.kwargs
            else step
            for step in law.calls(case)
        ]

    return replace(law, calls=calls)


def scale_is_sqrt_key_width(*, weight: int) -> Property:
    """Scaling by hand and leaving the division out gives the same as scaling."""

    def tokens(case: Case) -> list[FloatArray]:
        return [case[name] for name in ("X", "Y") if name in case]

    def calls(case: Case) -> Sequence[Call]:
        by_hand = case.W_Q / np.sqrt(case.W_Q.shape[1])
        return [
            call
            for X in tokens(case)
            for call in (
                attend(case, X=X, scale=True),
                attend(case, X=X, W_Q=by_hand, scale=False),
            )
        ]

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(
            agree_pairs(scaled, results(by_hand, X, case.W_V), of="with scale=True, ")
            for X, scaled, by_hand in zip(tokens(case), found[::2], found[1::2], strict=True)
        )

    return Property(
        name="scale_is_sqrt_key_width",
        law="f(W_Q, scale=True) = f(W_Q / sqrt(d_k), scale=False)",
        inputs=huge.key_widths(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Divide the scores by the square root of d_k, the number of columns of W_Q.",
        kind="metamorphic",
    )


def scale_false_is_unscaled(reference: Reference, *, weight: int) -> Property:
    """Without scaling the scores are plain dot products."""
    return equals_reference(
        reference,
        name="scale_false_is_unscaled",
        law="scale=False: weights = softmax(Q K^T), with and without a mask",
        inputs=sequences.masked_sequences(),
        calls=lambda case: (
            attend(case, scale=False),
            attend(case, mask=case.mask, scale=False),
        ),
        labels=("with scale=False, ", "with scale=False and the mask, "),
        weight=weight,
        hint="scale=False must leave the scores unscaled.",
    )


def scale_defaults_to_true(reference: Reference, *, weight: int) -> Property:
    """The default scales; `scale=False` differs where it must."""

    def calls(case: Case) -> Sequence[Call]:
        return attend(case), attend(case, scale=True), attend(case, scale=False)

    def must_differ(case: Case) -> bool:
        default, _, unscaled = answers(reference, calls)(case)
        return bool(np.abs(default[1] - unscaled[1]).max() > CLEAR_CHANGE)

    def verdict(
        case: Case, differs: bool, default: Any, scaled: Any, unscaled: Any
    ) -> Disagreement | None:
        wrong = agree_pairs(default, own_results(case, scaled), of="without a scale, ")
        if wrong is not None or not differs:
            return wrong
        return differ(
            own_results(case, unscaled).weights,
            own_results(case, default).weights,
            message="The weights are the same with scale=False as without it.",
        )

    return Property(
        name="scale_defaults_to_true",
        law="f(...) = f(..., scale=True), and f(..., scale=False) differs",
        inputs=token_counts.half_sized_sequences(),
        calls=calls,
        verdict=verdict,
        expected=must_differ,
        weight=weight,
        hint="The default of scale is True, and the flag must have an effect.",
        # as one that compares with the reference: a form that fails it is no peer of the loop
        kind="reference",
    )
