"""Laws of batched attention on query, key and value, where mask 1 means blocked.

The arrays are given by position, `mask=` by keyword. No law has a row with every key blocked: its
value depends on how a key is blocked, and on the precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.comparison import SINGLE, T, Tolerance, agree, agree_pairs, equal, pair, within
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws import arrays
from autograder.laws.arrays import FloatArray, Reference, answers, first, real
from autograder.laws.attention import Results, agree_with_answer, equals_reference
from autograder.strategies import batches
from autograder.strategies import huge_batches as huge

# -- parts -----------------------------------------------------------------------------------------


def attend(case: Case, *, mask: Any = None, **replaced: Any) -> Call:
    """The call on the case's query, key and value, some of them replaced by name."""
    given = [replaced.get(name, case[name]) for name in ("query", "key", "value")]
    return Call(*given) if mask is None else Call(*given, mask=mask)


def _once(case: Case) -> Sequence[Call]:
    return (attend(case),)


def _under_mask(case: Case) -> Sequence[Call]:
    return (attend(case, mask=case.mask),)


def results(answer: Any, call: Call, *, of: str = "") -> Results:
    """Output (B, n_q, d_v) and weights (B, n_q, n_k) of a call as float64.

    Raises `Disagrees` where they are not a pair of that shape.
    """
    output, weights = pair(answer)
    query, key, value = call.args
    rows = query.shape[:2]
    return Results(
        real(output, (*rows, value.shape[2]), name=f"{of}output"),
        real(weights, (*rows, key.shape[1]), name=f"{of}weights"),
    )


def _blocked_are_zero(
    weights: FloatArray, mask: FloatArray, *, of: str = ""
) -> Disagreement | None:
    """None if the weights of blocked keys are exactly 0."""
    return equal(weights, np.where(mask, 0.0, weights), name=f"{of}weights")


# -- equal to the reference ------------------------------------------------------------------------


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """Both results are what the formula says."""
    return equals_reference(
        reference,
        name="matches_reference",
        law="weights = softmax(query key^T / sqrt(d_k)), output = weights value, in every sequence",
        inputs=batches.batches(),
        weight=weight,
        hint="Scores, division by sqrt(d_k), softmax over the keys, weighted sum: check each step.",
        calls=_once,
    )


def scale_is_sqrt_key_width(reference: Reference, *, weight: int) -> Property:
    """Any key width, one call after the other."""

    def calls(case: Case) -> Sequence[Call]:
        return [
            attend(case, query=case.query[..., :d_k], key=case.key[..., :d_k])
            for d_k in case.widths
        ]

    return equals_reference(
        reference,
        name="scale_is_sqrt_key_width",
        law="the scores are divided by the square root of d_k, for d_k = 16, 1, 2, 9",
        inputs=batches.key_widths(),
        weight=weight,
        hint="Divide the scores by the square root of d_k, the last axis of query and key.",
        calls=calls,
        labels=lambda case: [f"for d_k = {d_k}, " for d_k in case.widths],
    )


def survives_huge_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of order 1e4 give finite results."""
    return equals_reference(
        reference,
        name="survives_huge_scores",
        law="output and weights stay finite and exact for scores of order 1e4",
        inputs=huge.huge_batches(),
        weight=weight,
        hint="Subtract the maximum of each row before the exponential.",
        calls=_once,
    )


def matches_reference_with_mask(reference: Reference, *, weight: int) -> Property:
    """Under the causal mask, and under parts of it, both results are what the formula says."""

    def calls(case: Case) -> Sequence[Call]:
        n = case.query.shape[1]
        fewer = max(1, n - 1)
        # a causal mask without its last row or column is one for n_q != n_k
        lengths = dict.fromkeys([(n, n), (fewer, n), (n, fewer)])
        return [_cut(case, n_q, n_k) for n_q, n_k in lengths]

    return _under_masks(
        reference,
        name="matches_reference_with_mask",
        law="weights = softmax(scores, blocked where the mask (n_q, n_k) is 1)",
        inputs=batches.causal_batches(),
        calls=calls,
        weight=weight,
        hint="Make the scores where the mask is 1 hugely negative, before softmax.",
    )


def _cut(case: Case, n_q: int, n_k: int) -> Call:
    """The masked call on the first n_q queries and n_k keys."""
    key, value = case.key[:, :n_k], case.value[:, :n_k]
    return attend(case, query=case.query[:, :n_q], key=key, value=value, mask=case.mask[:n_q, :n_k])


def mask_per_batch_item(reference: Reference, *, weight: int) -> Property:
    """Every sequence of the batch may have a mask of its own, a single one too."""

    def calls(case: Case) -> Sequence[Call]:
        alone = {name: case[name][:1] for name in ("query", "key", "value", "mask")}
        return attend(case, mask=case.mask), attend(case, **alone)

    return _under_masks(
        reference,
        name="mask_per_batch_item",
        law="mask (B, n_q, n_k): sequence b is blocked where mask[b] is 1",
        inputs=batches.masks_per_sequence(),
        calls=calls,
        weight=weight,
        hint="A mask with three axes has one matrix for each sequence: mask[b] goes with query[b].",
    )


def accepts_boolean_mask(reference: Reference, *, weight: int) -> Property:
    """True blocks as 1 does."""
    return _under_masks(
        reference,
        name="accepts_boolean_mask",
        law="a boolean mask blocks where it is True",
        inputs=batches.boolean_masks(),
        calls=_under_mask,
        weight=weight,
        hint="A boolean array has no minus sign: mask * -1e9 and np.where take any mask.",
    )


def _under_masks(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    calls: arrays.Calls,
    weight: int,
    hint: str,
) -> Property:
    """A law that both results equal the reference's, and that blocked weights are exactly 0."""

    def compare(call: Call, answer: Any, right: Any) -> Disagreement | None:
        return agree_pairs(answer, pair(right), of=_sizes_of(call)) or _blocked_are_zero(
            results(answer, call).weights, call.kwargs["mask"]
        )

    return arrays.equals_reference(
        reference,
        compare,
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        weight=weight,
        hint=hint,
    )


def _sizes_of(call: Call) -> str:
    (B, n_q, _), n_k = call.args[0].shape, call.args[1].shape[1]
    return f"under the mask, for B = {B}, n_q = {n_q}, n_k = {n_k}, "


def blocked_huge_key_is_harmless(reference: Reference, *, weight: int) -> Property:
    """A blocked key takes no part, however far its score lies above all others."""

    def calls(case: Case) -> Sequence[Call]:
        return attend(case, mask=case.mask), attend(case, key=case.low, mask=case.mask)

    def verdict(case: Case, expected: Any, answer: Any, low: Any) -> Disagreement | None:
        wrong = agree_pairs(answer, pair(expected[0]))
        if wrong is not None:
            return wrong
        weights = results(low, calls(case)[1]).weights
        # nan: without a shift the visible weights are 0/0, which another law charges
        return _blocked_are_zero(
            np.nan_to_num(weights), case.mask, of="where visible scores are about -2e4, "
        )

    return Property(
        name="blocked_huge_key_is_harmless",
        law="a blocked key changes nothing, its score 2e4 above or below the visible ones",
        inputs=huge.blocked_huge_keys(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="Block by -inf or -1e9, before softmax and before the maximum is taken.",
    )


# -- shapes and values -----------------------------------------------------------------------------


def returns_output_and_weights(*, weight: int) -> Property:
    """Two results, output first; also for a single query and for a single key."""

    def calls(case: Case) -> Sequence[Call]:
        return (
            attend(case),
            attend(case, query=case.query[:, :1]),
            attend(case, key=case.key[:, :1], value=case.value[:, :1]),
        )

    labels = ("", "for a single query, ", "for a single key, ")

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        for call, answer, of in zip(calls(case), found, labels, strict=True):
            results(answer, call, of=of)
        return None

    return Property(
        name="returns_output_and_weights",
        law="the result is a pair: output (B, n_q, d_v), weights (B, n_q, n_k)",
        inputs=batches.batches(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Return the output first, with d_v columns, then the weights, n_q by n_k, per item.",
        kind="metamorphic",
    )


def rows_sum_to_one(*, weight: int) -> Property:
    """Every row of the weights is a distribution over the keys."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        weights = results(answer, attend(case)).weights
        negative = within(weights, 0.0, np.inf, name="weights", slack=T.atol)
        with np.errstate(all="ignore"):
            sums = weights.sum(axis=-1)
        return negative or agree(sums, np.ones_like(sums), name="weights.sum(axis=-1)")

    return Property(
        name="rows_sum_to_one",
        law="weights[b, i, j] >= 0 and sum_j weights[b, i, j] = 1",
        inputs=batches.batches(),
        calls=_once,
        verdict=verdict,
        weight=weight,
        hint="Each row is one query: normalise over the keys, the last axis.",
        kind="metamorphic",
    )


def batch_independent(*, weight: int) -> Property:
    """A sequence gives the same results alone as among others."""

    def calls(case: Case) -> Sequence[Call]:
        return attend(case), *(
            attend(case, query=case.query[b], key=case.key[b], value=case.value[b])
            for b in _items(case)
        )

    def verdict(case: Case, answer: Any, *alone: Any) -> Disagreement | None:
        whole = results(answer, attend(case))
        return first(
            agree_pairs(got, (whole.output[b], whole.weights[b]), of=f"for item {b.start} alone, ")
            for b, got in zip(_items(case), alone, strict=True)
        )

    return Property(
        name="batch_independent",
        law="f(query[b:b+1], key[b:b+1], value[b:b+1]) = f(query, key, value)[b:b+1]",
        inputs=batches.three_sequences(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Each sequence sees its own keys alone, and the batch size plays no part.",
        kind="metamorphic",
    )


def _items(case: Case) -> list[slice]:
    return [slice(b, b + 1) for b in range(len(case.query))]


def inputs_unchanged(*, weight: int) -> Property:
    """Query, key, value and the mask stay as they are."""
    return arrays.inputs_unchanged(
        lambda case: (attend(case, mask=case.mask), attend(case)),
        agree_with_answer,
        inputs=batches.masked_batches(),
        weight=weight,
    )


# -- shown, never scored ---------------------------------------------------------------------------


def shown_only(reference: Reference) -> tuple[Property, ...]:
    """What lies outside the contract: worth knowing, worth no points."""

    def shown(
        name: str,
        law: str,
        hint: str,
        convert: Callable[[np.ndarray], np.ndarray] = np.asarray,
        convert_mask: Callable[[np.ndarray], np.ndarray] | None = None,
        tolerance: Tolerance = T,
    ) -> Property:
        def calls(case: Case) -> Sequence[Call]:
            arrays_given = {n: convert(case[n]) for n in ("query", "key", "value")}
            mask = None if convert_mask is None else convert_mask(case.mask)
            return (attend(case, mask=mask, **arrays_given),)

        return equals_reference(
            reference,
            name=name,
            law=law,
            inputs=batches.masked_batches() if convert_mask else batches.batches(),
            weight=0,
            hint=hint,
            calls=calls,
            tolerance=tolerance,
        )

    return (
        shown(
            "integer_mask",
            "a mask of whole numbers blocks where it is 1",
            "An integer mask picks rows by number where it is used as an index.",
            convert_mask=lambda mask: mask.astype(np.int64),
        ),
        shown(
            "integer_input",
            "integer queries, keys and values give the float answer",
            "A buffer with the dtype of an integer array cuts every number to a whole one.",
            convert=lambda array: np.rint(array).astype(np.int64),
        ),
        shown(
            "float32_input",
            "float32 queries, keys and values give the answer within 1e-3",
            "Lower precision in, lower precision out: do not convert back and forth.",
            convert=lambda array: array.astype(np.float32),
            tolerance=SINGLE,
        ),
    )
