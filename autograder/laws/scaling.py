"""Laws of the division by sqrt(d_k), which `scale=False` leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison import CLEAR_CHANGE, agree_pairs, differ
from autograder.exercise import Call, Case, Disagreement, Property
from autograder.laws.arrays import Reference, answers
from autograder.laws.attention import attend, equals_reference, own_results
from autograder.strategies import sequences, token_counts


def scale_is_sqrt_key_width(*, weight: int) -> Property:
    """Scaling by hand and leaving the division out gives the same as scaling."""

    def calls(case: Case) -> Sequence[Call]:
        by_hand = case.W_Q / np.sqrt(case.W_Q.shape[1])
        return attend(case, scale=True), attend(case, W_Q=by_hand, scale=False)

    return Property(
        name="scale_is_sqrt_key_width",
        law="f(W_Q, scale=True) = f(W_Q / sqrt(d_k), scale=False)",
        inputs=token_counts.key_widths(),
        calls=calls,
        verdict=lambda case, answer, by_hand: agree_pairs(
            answer, own_results(case, by_hand), of="with scale=True, "
        ),
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
        kind="metamorphic",
    )
