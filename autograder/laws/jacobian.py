"""Laws of the norm of softmax's Jacobian, diag(p) - p p^T. Every call is `f(p)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison import T, agree, within
from autograder.exercise import Call, Case, Disagreement, Property
from autograder.laws.arrays import FloatArray, Reference, answers, first, real
from autograder.strategies import distributions

_STEP = 1e-5
"""The step of finite differences: halfway between rounding and curvature."""


def _every_array(case: Case) -> Sequence[Call]:
    return [Call(p) for p in case.values()]


def _named(name: str) -> str:
    return f"softmax_jacobian_norm({name})"


def jacobian_norm_matches_reference(reference: Reference, *, weight: int) -> Property:
    """The norm is what the formula says."""

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(
            agree(got, right, name=_named(name))
            for name, got, right in zip(case, found, expected, strict=True)
        )

    return Property(
        name="matches_reference",
        law="f(p) = sqrt(S2 - 2 S3 + S2^2) with S_k = sum_i p_i^k",
        inputs=distributions.weights_of_softmax(),
        calls=_every_array,
        verdict=verdict,
        expected=answers(reference, _every_array),
        weight=weight,
        hint="Square every entry of diag(p) - p p^T, add them up, take the root.",
    )


def uniform_and_one_hot_values(*, weight: int) -> Property:
    """Two values that one can work out by hand."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(
            agree(got, _known_value(p), name=_named(name))
            for (name, p), got in zip(case.items(), found, strict=True)
        )

    return Property(
        name="uniform_and_one_hot_values",
        law="f(1/n, ..., 1/n) = sqrt(n - 1)/n, and f(one-hot) = 0",
        inputs=distributions.uniform_and_one_hot_weights(),
        calls=_every_array,
        verdict=verdict,
        weight=weight,
        hint="Work the matrix out by hand for p = [0.5, 0.5]: its norm is 0.5.",
        kind="exact",
    )


def _known_value(p: FloatArray) -> float:
    n = len(p)
    return float(np.sqrt(n - 1) / n) if np.ptp(p) == 0 else 0.0


def matches_finite_differences(softmax: Reference, *, weight: int) -> Property:
    """The matrix is the derivative of softmax: small steps in the scores show it."""

    def verdict(case: Case, got: Any) -> Disagreement | None:
        steps = _STEP * np.eye(len(case.z))
        columns = [(softmax(case.z + h) - softmax(case.z - h)) / (2 * _STEP) for h in steps]
        return agree(got, np.linalg.norm(columns), name=_named("p"))

    return Property(
        name="matches_finite_differences",
        law="f(softmax(z)) = norm of d softmax(z) / d z, measured with steps of 1e-5",
        inputs=distributions.six_scores(),
        calls=lambda case: (Call(case.p),),
        verdict=verdict,
        weight=weight,
        hint="Entry (i, j) is p_i (1 - p_i) on the diagonal and -p_i p_j off it.",
        kind="metamorphic",
    )


def bounded_and_permutation_invariant(*, weight: int) -> Property:
    """The norm lies between 0 and 1/2, and the order of the entries does not matter."""

    def verdict(case: Case, got: Any, reversed_one: Any) -> Disagreement | None:
        norm = real(got, (), name=_named("p"))
        return within(norm, 0.0, 0.5, name=_named("p"), slack=T.atol) or agree(
            reversed_one, norm, name=_named("p[::-1]")
        )

    return Property(
        name="bounded_and_permutation_invariant",
        law="0 <= f(p) <= 1/2 and f(p[::-1]) = f(p)",
        inputs=distributions.weights_of_any_shape(),
        calls=lambda case: (Call(case.p), Call(np.ascontiguousarray(case.p[::-1]))),
        verdict=verdict,
        weight=weight,
        hint="Two equal weights give the largest value, 1/2: the outer product is subtracted.",
        kind="metamorphic",
    )
