"""Laws of linear attention: positive features in place of the exponential.

All weights phi(q) . phi(k) are positive and every key counts; nothing is scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.comparison import HULL_SLACK, agree_averages, within
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws.arrays import FloatArray, Reference, first
from autograder.laws.efficient import attend, outputs_equal_reference, own_output
from autograder.strategies import queries_keys_values as qkv


def _one_run(
    *,
    name: str,
    law: str,
    judge: Callable[[Case, Any], Disagreement | None],
    weight: int,
    hint: str,
    inputs: Domain | None = None,
    calls: Callable[[Case], Sequence[Call]] = lambda case: (attend(case),),
) -> Property:
    """A law about the output of one call."""
    return Property(
        name=name,
        law=law,
        inputs=inputs or qkv.features(),
        calls=calls,
        verdict=judge,
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """The output is what the formula says, with the feature map that the exercise fixes."""
    return outputs_equal_reference(
        reference,
        name="matches_reference",
        law="output = phi(Q) (phi(K)^T V) / (phi(Q) . sum_j phi(K_j)), phi(x) = elu(x) + 1",
        inputs=qkv.features(),
        calls=lambda case: (attend(case),),
        weight=weight,
        hint="Map queries and keys by elu(x) + 1; divide each row by the sum of its weights.",
    )


def constant_values_stay_constant(*, weight: int) -> Property:
    """An average of ones is one."""

    def judge(case: Case, answer: Any) -> Disagreement | None:
        ones = np.ones((len(case.Q), case.V.shape[1]))
        return agree_averages(answer, ones, name="for values of 1, output")

    return _one_run(
        name="constant_values_stay_constant",
        law="V = 1 gives 1 everywhere",
        inputs=qkv.features(more=20),
        calls=lambda case: (Call(case.Q, case.K, np.ones_like(case.V)),),
        judge=judge,
        weight=weight,
        hint="The normaliser is the sum of the very weights that multiply the values.",
    )


def output_in_convex_hull(*, weight: int) -> Property:
    """An average stays between the least and the greatest of what it averages."""

    def judge(case: Case, answer: Any) -> Disagreement | None:
        V: FloatArray = case.V
        found = own_output(answer, case.Q, V)
        slack = HULL_SLACK * float(np.abs(V).max())
        return within(found, V.min(axis=0), V.max(axis=0), name="output", slack=slack)

    return _one_run(
        name="output_in_convex_hull",
        law="min_j V[j, c] <= output[i, c] <= max_j V[j, c]",
        judge=judge,
        weight=weight,
        hint="The output is an average: its weights are positive and sum to one.",
    )


def key_order_does_not_matter(*, weight: int) -> Property:
    """Keys and values may come in any order, as long as they come together."""

    def verdict(case: Case, answer: Any, reordered: Any) -> Disagreement | None:
        before = own_output(answer, case.Q, case.V)
        return agree_averages(reordered, before, name="with reordered keys and values, output")

    return Property(
        name="key_order_does_not_matter",
        law="f(Q, K[order], V[order]) = f(Q, K, V)",
        inputs=qkv.features(ordered=True),
        calls=lambda case: (attend(case), Call(case.Q, case.K[case.order], case.V[case.order])),
        verdict=verdict,
        weight=weight,
        hint="Key j belongs to value j, and its place in the sequence plays no part.",
        kind="metamorphic",
    )


def equal_keys_average_the_values(*, weight: int) -> Property:
    """Where all keys are equal, every value counts the same."""

    def calls(case: Case) -> Sequence[Call]:
        K = np.tile(case.K[0], (len(case.K), 1))
        return (
            Call(case.Q, K, case.V),
            Call(case.Q, K, case.V[:, :1]),
            Call(case.Q[:1], K, case.V),
        )

    def verdict(case: Case, answer: Any, one_column: Any, one_query: Any) -> Disagreement | None:
        mean = np.tile(case.V.mean(axis=0), (len(case.Q), 1))
        return first(
            agree_averages(found, right, name=f"for equal keys{where}, output")
            for found, right, where in (
                (answer, mean, ""),
                (one_column, mean[:, :1], " and d_v = 1"),
                (one_query, mean[:1], " and n_q = 1"),
            )
        )

    return Property(
        name="equal_keys_average_the_values",
        law="all rows of K equal: every output row is the mean of the values",
        inputs=qkv.features(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Equal keys get equal weights, and the weights of a row sum to one.",
        kind="metamorphic",
    )
