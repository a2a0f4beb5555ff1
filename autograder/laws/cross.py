"""Laws of cross-attention: queries from X, keys and values from the context.

X, the context and the matrices are given by position; the results are output and weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison import HALF, agree, agree_pairs, pair
from autograder.exercise import Call, Case, Disagreement, Property
from autograder.laws import arrays
from autograder.laws.arrays import FloatArray, Reference, real
from autograder.laws.attention import Results, agree_with_answer, equals_reference
from autograder.strategies import contexts


def attend(case: Case, **replaced: Any) -> Call:
    """The call on the case's arguments, some of them replaced by name."""
    names = ("X", "context", "W_Q", "W_K", "W_V")
    return Call(*(replaced.get(name, case[name]) for name in names))


def _once(case: Case) -> Sequence[Call]:
    return (attend(case),)


def _results(answer: Any, case: Case, *, of: str = "") -> Results:
    """The two results as float64; raises `Disagrees` where they are not a pair of that shape."""
    output, weights = pair(answer)
    n_q, n_c, d_v = len(case.X), len(case.context), case.W_V.shape[1]
    return Results(
        real(output, (n_q, d_v), name=f"{of}output"), real(weights, (n_q, n_c), name=f"{of}weights")
    )


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """Both results are what the formula says."""
    return equals_reference(
        reference,
        name="matches_reference",
        law="weights = softmax(X W_Q (context W_K)^T / sqrt(d_k)), output = weights context W_V",
        inputs=contexts.contexts(),
        calls=_once,
        weight=weight,
        hint="Queries come from X, keys and values from the context: check each product.",
    )


def output_depends_on_own_query_only(*, weight: int) -> Property:
    """Another token at t changes row t alone."""

    def changed(case: Case) -> FloatArray:
        X: FloatArray = case.X.copy()
        X[case.t] = case.token
        return X

    def calls(case: Case) -> Sequence[Call]:
        return attend(case), attend(case, X=changed(case)), attend(case, X=case.X[[case.t]])

    def verdict(case: Case, answer: Any, other: Any, alone: Any) -> Disagreement | None:
        before, after = _results(answer, case), _results(other, case)
        rest = (np.arange(len(case.X)) != case.t)[:, np.newaxis]
        kept = [np.where(rest, old, new) for old, new in zip(before, after, strict=True)]
        own_row = [rows[[case.t]] for rows in before]
        return agree_pairs(after, kept, of=f"with another token {case.t}, ") or agree_pairs(
            alone, own_row, of=f"with token {case.t} alone, "
        )

    return Property(
        name="output_depends_on_own_query_only",
        law="changing token t of X leaves every row but t of output and weights alone",
        inputs=contexts.changed_queries(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="A query sees the context alone, and nothing of the other queries.",
        kind="metamorphic",
    )


def context_order_does_not_matter(*, weight: int) -> Property:
    """Reordering the context reorders the columns of the weights and nothing else."""

    def verdict(case: Case, answer: Any, reordered: Any) -> Disagreement | None:
        found = _results(answer, case)
        expected = found.output, found.weights[:, case.order]
        return agree_pairs(reordered, expected, of="with a reordered context, ")

    return Property(
        name="context_order_does_not_matter",
        law="f(X, context[order]): the same output, and weights[:, order]",
        inputs=contexts.context_orders(),
        calls=lambda case: (attend(case), attend(case, context=case.context[case.order])),
        verdict=verdict,
        weight=weight,
        hint="Keys and values both come from the context, and key j belongs to value j.",
        kind="metamorphic",
    )


def survives_huge_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of order 1e4 give finite results."""
    return equals_reference(
        reference,
        name="survives_huge_scores",
        law="output and weights stay finite and exact for scores of order 1e4",
        inputs=contexts.huge_contexts(),
        calls=_once,
        weight=weight,
        hint="Subtract the row maximum before the exponential.",
    )


def inputs_unchanged(*, weight: int) -> Property:
    """Both sequences and the matrices stay as they are."""
    return arrays.inputs_unchanged(
        _once, agree_with_answer, inputs=contexts.contexts(), weight=weight
    )


# -- shown, never scored ---------------------------------------------------------------------------


def own_context_is_self_attention(reference: Reference) -> Property:
    """Shown only: a sequence that is its own context attends to itself."""
    return equals_reference(
        reference,
        name="own_context_is_self_attention",
        law="f(X, X, W_Q, W_K, W_V) = self_attention(X, W_Q, W_K, W_V)",
        inputs=contexts.contexts(),
        calls=lambda case: (attend(case, context=case.X),),
        weight=0,
        hint="With X as its own context, cross-attention is self-attention.",
    )


def half_precision_rows_sum_to_one() -> Property:
    """Shown only: rows of float16 work still sum to one, within 5e-3."""

    def calls(case: Case) -> Sequence[Call]:
        return (Call(*(value.astype(np.float16) for value in case.values())),)

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        weights = _results(answer, case).weights
        return agree(
            weights.sum(axis=1), np.ones(len(case.X)), name="weights.sum(axis=1)", tolerance=HALF
        )

    return Property(
        name="half_precision_rows_sum_to_one",
        law="float16 sequences and matrices: sum_j weights[i, j] = 1 within 5e-3",
        inputs=contexts.gentle_contexts(),
        calls=calls,
        verdict=verdict,
        weight=0,
        hint="Sixteen bits keep three digits; the rows should still sum to one.",
        kind="metamorphic",
    )
