"""Laws of softmax. Every law but the one on the default gives `axis=-1` by name.

Where a case holds several arrays, each of them is one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.comparison import (
    FULL_PRECISION,
    HALF,
    HUGE_SCORES,
    LOG_DOMAIN,
    SINGLE_SOFTMAX,
    T,
    Tolerance,
    agree,
    as_array,
    equal,
    within,
)
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws import arrays
from autograder.laws.arrays import (
    FloatArray,
    Reference,
    above,
    answers,
    blocked_row_is_nan,
    first,
    real,
)
from autograder.strategies import scores

_AXES = (0, 2, -2, -3)
"""The axes of a cube given by name; 1 is given by position, and -1 in every other law."""


def _last_axis(z: Any) -> Call:
    return Call(z, axis=-1)


def _every_array(case: Case) -> Sequence[Call]:
    return [_last_axis(z) for z in case.values()]


def _named(name: str) -> str:
    return f"softmax({name}, axis=-1)"


def _equals_reference(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    weight: int,
    hint: str,
    tolerance: Tolerance = T,
) -> Property:
    """A law that softmax of every array of the case equals the reference."""

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(
            agree(got, right, name=_named(name), tolerance=tolerance)
            for name, got, right in zip(case, found, expected, strict=True)
        )

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=_every_array,
        verdict=verdict,
        expected=answers(reference, _every_array),
        weight=weight,
        hint=hint,
    )


# -- equal to the reference ------------------------------------------------------------------------


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """Softmax is what its formula says."""
    return _equals_reference(
        reference,
        name="matches_reference",
        law="p_i = exp(z_i) / sum_j exp(z_j) along the last axis",
        inputs=scores.scores(),
        weight=weight,
        hint="Take the exponential of every score, then divide by the sum along the asked axis.",
    )


def matches_reference_on_every_axis(reference: Reference, *, weight: int) -> Property:
    """The axis argument decides, by name and as second positional argument.

    Where scores are huge, far apart or -inf, softmax along an axis is only compared with the
    student's own answer along the last one: who does not shift loses other laws, but not this.
    """

    def calls(case: Case) -> Sequence[Call]:
        asked = [call for _, call in _along_axes(case)]
        if "far" in case:
            asked.append(_last_axis(np.moveaxis(case.far, case.a, -1)))
        return asked

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        wanted = list(expected)
        if "far" in case:
            last = real(found[-1], expected[-1].shape, name="softmax(far moved, axis=-1)")
            wanted[-2] = np.moveaxis(last, -1, case.a)
        names = [name for name, _ in _along_axes(case)]
        return first(
            agree(got, right, name=name, tolerance=HUGE_SCORES if "far" in name else T)
            for name, got, right in zip(names, found, wanted, strict=False)
        )

    return Property(
        name="matches_reference_on_every_axis",
        law="softmax(z, axis=a) sums along axis a, for every axis a of matrices and cubes",
        inputs=scores.scores_for_every_axis(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="Use the axis argument in both the maximum and the sum.",
    )


def _along_axes(case: Case) -> list[tuple[str, Call]]:
    """The calls along the axes of every array of the case, each with its name."""
    asked = []
    if "z" in case:
        asked += [(f"softmax(z, axis={axis})", Call(case.z, axis=axis)) for axis in _AXES]
        asked.append(("softmax(z, 1)", Call(case.z, 1)))
    if "matrix" in case:
        asked.append(("softmax(matrix, 0)", Call(case.matrix, 0)))
        asked.append(("softmax(matrix, axis=-2)", Call(case.matrix, axis=-2)))
    if "far" in case:
        asked.append((f"softmax(far, axis={case.a})", Call(case.far, axis=case.a)))
    return asked


def default_axis_is_last(reference: Reference, *, weight: int) -> Property:
    """Without an axis, the last one counts; all sizes are equal, so that shapes cannot tell."""

    def calls(case: Case) -> Sequence[Call]:
        return [Call(z) for z in case.values()]

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(
            agree(got, right, name=f"softmax({name})")
            for name, got, right in zip(case, found, expected, strict=True)
        )

    return Property(
        name="default_axis_is_last",
        law="softmax(z) = softmax(z, axis=-1)",
        inputs=scores.square_scores(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="Which axis do you use when none is given? The default is the last one.",
    )


def works_for_any_rank(reference: Reference, *, weight: int) -> Property:
    """One axis or four make no difference."""
    return _equals_reference(
        reference,
        name="works_for_any_rank",
        law="the formula holds for 1-D and 4-D scores too",
        inputs=scores.every_rank(),
        weight=weight,
        hint="Do not write an axis number into the code: use the argument, and keep dimensions.",
    )


def survives_huge_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of 1e4 give finite weights."""
    return _equals_reference(
        reference,
        name="survives_huge_scores",
        law="softmax stays finite and exact for scores up to 1e4",
        inputs=scores.huge_scores(),
        weight=weight,
        hint="exp overflows above about 709: subtract the largest score of each slice first.",
        tolerance=HUGE_SCORES,
    )


def survives_very_negative_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of -1e4 give finite weights."""
    return _equals_reference(
        reference,
        name="survives_very_negative_scores",
        law="softmax stays finite and exact for scores about -1e4",
        inputs=scores.very_negative_scores(),
        weight=weight,
        hint="exp of a very negative score is 0: subtract the largest score of each slice first.",
        tolerance=HUGE_SCORES,
    )


def survives_rows_of_different_scale(reference: Reference, *, weight: int) -> Property:
    """Each slice has a maximum of its own."""
    return _equals_reference(
        reference,
        name="survives_rows_of_different_scale",
        law="slices about 0, 1e4 and -1e4 in one array are each exact",
        inputs=scores.different_scales(),
        weight=weight,
        hint="Each slice needs its own maximum: reduce over the axis and keep the dimension.",
        tolerance=HUGE_SCORES,
    )


# -- values and bounds -----------------------------------------------------------------------------


def rows_sum_to_one(*, weight: int) -> Property:
    """Every slice is a distribution of the shape of its scores; equal scores share equally."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(
            _sums_to_one(z, got, _named(name))
            for (name, z), got in zip(case.items(), found, strict=True)
        )

    return Property(
        name="rows_sum_to_one",
        law="softmax(z) has the shape of z, and sum_i p_i = 1 in every slice",
        inputs=scores.every_shape(),
        calls=_every_array,
        verdict=verdict,
        weight=weight,
        hint="Divide by the sum along the asked axis, and keep that dimension when you sum.",
        kind="metamorphic",
    )


def _sums_to_one(z: Any, got: Any, name: str) -> Disagreement | None:
    p = real(got, z.shape, name=name)
    with np.errstate(all="ignore"):
        sums = p.sum(axis=-1)
    shared = np.where(np.ptp(z, axis=-1, keepdims=True) == 0, 1 / z.shape[-1], p)
    return agree(sums, np.ones_like(sums), name=f"{name}.sum(axis=-1)") or agree(
        p, shared, name=name
    )


def weights_are_positive(*, weight: int) -> Property:
    """Weights lie above 0 and do not exceed 1."""

    def verdict(case: Case, got: Any) -> Disagreement | None:
        p = real(got, case.z.shape, name=_named("z"))
        return above(p, 0.0, name=_named("z")) or within(
            p, 0.0, 1.0, name=_named("z"), slack=T.rtol + T.atol
        )

    return Property(
        name="weights_are_positive",
        law="0 < p_i <= 1",
        # Scores lie within 15 of each other, so that no rounding turns a weight into 0.
        inputs=scores.bounded_scores(limit=7.5),
        calls=_every_array,
        verdict=verdict,
        weight=weight,
        hint="Take the exponential before normalising: it is never negative and never 0.",
        kind="exact",
    )


def log_ratios_equal_score_differences(*, weight: int) -> Property:
    """Logarithms of weights differ as the scores do."""

    def verdict(case: Case, got: Any) -> Disagreement | None:
        p = real(got, case.z.shape, name=_named("z"))
        without_logarithm = above(p, LOG_DOMAIN, name=_named("z"))
        if without_logarithm is not None:
            return without_logarithm
        with np.errstate(all="ignore"):
            ratios = np.log(p) - np.log(p[:, :1])
        return agree(ratios, case.z - case.z[:, :1], name="(log p - log p[:, :1])")

    return Property(
        name="log_ratios_equal_score_differences",
        law="log p_i - log p_j = z_i - z_j for p = softmax(z)",
        inputs=scores.bounded_scores(limit=15, small_too=False),
        calls=_every_array,
        verdict=verdict,
        weight=weight,
        hint="The base is e, and nothing is rounded: use np.exp and return full precision.",
        kind="metamorphic",
    )


def minus_infinity_gets_zero_weight(reference: Reference, *, weight: int) -> Property:
    """A score of -inf has weight 0; the other weights are as if it were not there.

    Scores far from 0 only count for those who get them right without the -inf.
    """

    def calls(case: Case) -> Sequence[Call]:
        asked = _every_array(case)
        if "far" not in case:
            return asked
        return [*asked, _last_axis(case.far[:, np.isfinite(case.far[0])])]

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        rest_is_right = "far" not in case or (
            agree(found[-1], expected[-1], tolerance=HUGE_SCORES) is None
        )
        return first(
            _blocked_scores_count_nothing(name, z, got, right)
            for (name, z), got, right in zip(case.items(), found, expected, strict=False)
            if name == "z" or rest_is_right
        )

    return Property(
        name="minus_infinity_gets_zero_weight",
        law="z_i = -inf gives p_i = 0; the rest is softmax of the rest",
        inputs=scores.minus_infinities(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="exp(-inf) is exactly 0: leave -inf in the scores.",
        kind="exact",
    )


def _blocked_scores_count_nothing(
    name: str, z: FloatArray, got: Any, right: FloatArray
) -> Disagreement | None:
    p = real(got, z.shape, name=_named(name))
    zero_where_blocked = np.where(np.isneginf(z), 0.0, p)
    return equal(p, zero_where_blocked, name=_named(name)) or agree(
        p, right, name=_named(name), tolerance=T if name == "z" else HUGE_SCORES
    )


def fully_blocked_row_is_nan(reference: Reference, *, weight: int) -> Property:
    """A slice of only -inf is nan; the other slices are exact."""

    def calls(case: Case) -> Sequence[Call]:
        return (_last_axis(case.z),)

    def verdict(case: Case, expected: Any, got: Any) -> Disagreement | None:
        p, right = real(got, case.z.shape, name=_named("z")), expected[0]
        i = tuple(int(k) for k in np.argwhere(np.isneginf(case.z).all(axis=-1))[0])
        row = f"row {', '.join(map(str, i))} of {_named('z')}" if i else _named("z")
        return blocked_row_is_nan(p[i], right[i], name=row) or agree(p, right, name=_named("z"))

    return Property(
        name="fully_blocked_row_is_nan",
        law="a slice of only -inf gives nan (0/0), and no other slice changes",
        inputs=scores.fully_blocked_slices(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="Do not replace nan: a slice with nothing to see has no weights.",
        charge_once="nan_rule",
    )


# -- runs against each other -----------------------------------------------------------------------


def _relates_two_runs(
    *,
    name: str,
    law: str,
    inputs: Domain,
    second: Callable[[Case], Any],
    compare: Callable[[Case, Any, Any], Disagreement | None],
    weight: int,
    hint: str,
) -> Property:
    """A law that relates softmax of z to softmax of `second(case)`, which has the same shape."""

    def verdict(case: Case, once: Any, again: Any) -> Disagreement | None:
        return compare(case, real(once, case.z.shape, name=_named("z")), again)

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=lambda case: (_last_axis(case.z), _last_axis(second(case))),
        verdict=verdict,
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


def permutation_equivariant(*, weight: int) -> Property:
    """Permuting the scores permutes the weights."""
    return _relates_two_runs(
        name="permutation_equivariant",
        law="softmax(z[:, order]) = softmax(z)[:, order]",
        inputs=scores.scores_and_orders(),
        second=lambda case: case.z[:, case.order],
        compare=lambda case, p, permuted: agree(
            permuted, p[:, case.order], name=_named("z[:, order]")
        ),
        weight=weight,
        hint="A weight depends on its score, not on its place: check how your arrays broadcast.",
    )


def shift_invariant(*, weight: int) -> Property:
    """A constant added to a slice changes nothing. Worked example: [0, 1] and [1000, 1001]."""
    return _relates_two_runs(
        name="shift_invariant",
        law="softmax(z + c) = softmax(z) for any constant c per row",
        inputs=scores.scores_and_row_shifts(),
        second=lambda case: case.z + case.c,
        compare=lambda case, p, shifted: agree(
            shifted, p, name=_named("z + c"), tolerance=HUGE_SCORES
        ),
        weight=weight,
        hint="Subtract the row maximum before exp.",
    )


def rows_are_independent(*, weight: int) -> Property:
    """Other scores in one slice leave the other slices alone."""

    def replaced(case: Case) -> Any:
        other = case.z.copy()
        other[case.i] = case.row
        return other

    def compare(case: Case, p: Any, again: Any) -> Disagreement | None:
        name = f"softmax(z with z[{case.i}] = row, axis=-1)"
        found = real(again, case.z.shape, name=name)
        kept = np.where(np.arange(len(p))[:, None] == case.i, found, p)
        return agree(found, kept, name=name)

    return _relates_two_runs(
        name="rows_are_independent",
        law="changing row i of z changes row i of softmax(z) alone",
        inputs=scores.scores_and_replaced_slices(),
        second=replaced,
        compare=compare,
        weight=weight,
        hint="Maximum and sum belong to one slice: nothing may be computed across slices.",
    )


# -- arrays as arguments ---------------------------------------------------------------------------


def _agree_with_answer(got: Any, other: Any) -> Disagreement | None:
    return agree(got, as_array(other, name=_named("z")), name=_named("z"))


def inputs_unchanged(*, weight: int) -> Property:
    """The scores stay as they are."""
    return arrays.inputs_unchanged(
        _every_array,
        _agree_with_answer,
        inputs=scores.scores_with_and_without_blocked_ones(),
        weight=weight,
    )


def accepts_any_memory_layout(reference: Reference, *, weight: int) -> Property:
    """Views and read-only arrays are scores too."""
    return arrays.accepts_any_memory_layout(
        lambda case: _last_axis(case.z),
        _agree_with_answer,
        reference,
        inputs=scores.scores(),
        weight=weight,
    )


# -- shown, never scored ---------------------------------------------------------------------------


def shown_only(reference: Reference) -> tuple[Property, ...]:
    """What lies outside the contract: worth knowing, worth no points."""

    def shown(name: str, law: str, inputs: Domain, hint: str, tolerance: Tolerance = T) -> Property:
        return _equals_reference(
            reference,
            name=name,
            law=law,
            inputs=inputs,
            weight=0,
            hint=hint,
            tolerance=tolerance,
        )

    low_precision = "Lower precision in, lower precision out: do not convert back and forth."
    return (
        shown(
            "integer_input",
            "integer scores give the float answer",
            scores.integer_scores(),
            "A buffer with the dtype of integer scores cuts every weight to 0.",
        ),
        shown(
            "float32_input",
            "float32 scores give the answer within 2e-5",
            scores.low_precision_scores("float32"),
            low_precision,
            SINGLE_SOFTMAX,
        ),
        shown(
            "float16_input",
            "float16 scores give the answer within 5e-3",
            scores.low_precision_scores("float16"),
            low_precision,
            HALF,
        ),
        shown(
            "full_precision",
            "float64 scores give the answer within 1e-9",
            scores.bounded_scores(limit=30),
            "Work in 32 bits is allowed, but loses half of the digits.",
            FULL_PRECISION,
        ),
        shown(
            "signed_zero_and_denormals",
            "-0.0 counts as 0.0, and the tiniest numbers count as scores",
            scores.tiny_scores(),
            "Compare and divide by nothing that can be this small.",
        ),
        _list_input(reference),
        shown(
            "empty_input",
            "scores of shape (0, 3) give weights of shape (0, 3)",
            scores.empty_scores(),
            "No slice at all is fine: let the shape carry through.",
        ),
        arrays.keeps_single_precision(
            _every_array, lambda answer: (answer,), inputs=scores.low_precision_scores("float32")
        ),
    )


def _list_input(reference: Reference) -> Property:
    def calls(case: Case) -> Sequence[Call]:
        return (_last_axis(case.z.tolist()),)

    return Property(
        name="list_input",
        law="nested lists of scores are scores",
        inputs=scores.scores(),
        calls=calls,
        verdict=lambda case, expected, got: agree(got, expected[0], name=_named("z.tolist()")),
        expected=answers(reference, calls),
        weight=0,
        hint="np.asarray turns lists into arrays and leaves arrays alone.",
    )
