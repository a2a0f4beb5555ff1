"""Laws of one head of self-attention, in the loop form and in the matrix form alike.

`reference` is the form's own reference and `weight` what the law is worth there. X and the
matrices are given by position, `mask=` and `scale=` by keyword. Masks have a module of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from autograder.comparison import (
    FULL_PRECISION,
    HULL_SLACK,
    SINGLE,
    T,
    Tolerance,
    agree,
    agree_averages,
    agree_pairs,
    pair,
    within,
)
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws import arrays
from autograder.laws.arrays import Calls, FloatArray, Reference, answers, first, real
from autograder.strategies import huge_sequences as huge
from autograder.strategies import sequences, token_counts

# -- parts -----------------------------------------------------------------------------------------


def attend(case: Case, *, mask: Any = None, scale: bool | None = None, **replaced: Any) -> Call:
    """The call on the case's X and matrices, some of them replaced by name."""
    given = [replaced.get(name, case[name]) for name in ("X", "W_Q", "W_K", "W_V")]
    options = {"mask": mask, "scale": scale}
    return Call(*given, **{name: value for name, value in options.items() if value is not None})


class Results(NamedTuple):
    """Output (n, d_v) and weights (n, n) of one call."""

    output: FloatArray
    weights: FloatArray


def results(answer: Any, X: FloatArray, W_V: FloatArray, *, of: str = "") -> Results:
    """The two results as float64; raises `Disagrees` where they are not a pair of that shape."""
    output, weights = pair(answer)
    n, d_v = X.shape[0], W_V.shape[1]
    return Results(
        real(output, (n, d_v), name=f"{of}output"), real(weights, (n, n), name=f"{of}weights")
    )


def own_results(case: Case, answer: Any) -> Results:
    """The results of a call on the case's own X and W_V."""
    return results(answer, case.X, case.W_V)


def agree_with_answer(got: Any, other: Any) -> Disagreement | None:
    """None if two answers of the student's are the same pair."""
    return agree_pairs(got, pair(other))


def _once(case: Case) -> Sequence[Call]:
    return (attend(case),)


def equals_reference(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    weight: int,
    hint: str,
    calls: Calls = _once,
    labels: Sequence[str] | Callable[[Case], Sequence[str]] = (),
    tolerance: Tolerance = T,
    peer: str | None = None,
) -> Property:
    """A law that both results of every call equal the reference's, or the peer's.

    `labels` stand before `weights` and `output` in messages, one per call.
    """

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        texts = (labels(case) if callable(labels) else labels) or repeat("")
        return first(
            agree_pairs(got, pair(right), of=text, tolerance=tolerance)
            for got, right, text in zip(found, expected, texts, strict=False)
        )

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint=hint,
        kind="metamorphic" if peer else "reference",
        peer=peer,
    )


def _one_run(
    *,
    name: str,
    law: str,
    inputs: Domain,
    judge: Callable[[Case, Results], Disagreement | None],
    weight: int,
    hint: str,
) -> Property:
    """A law about the two results of one call without a mask."""
    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=_once,
        verdict=lambda case, answer: judge(case, own_results(case, answer)),
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


def _same_weights(
    *, name: str, law: str, inputs: Domain, second: Callable[[Case], Call], weight: int, hint: str
) -> Property:
    """A law that the weights of a second call equal those of the first."""

    def verdict(case: Case, answer: Any, other: Any) -> Disagreement | None:
        _, weights = pair(other)
        return agree(weights, own_results(case, answer).weights, name="weights of the second call")

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=lambda case: (attend(case), second(case)),
        verdict=verdict,
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


# -- equal to the reference ------------------------------------------------------------------------


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """Both results are what the formula says."""
    return equals_reference(
        reference,
        name="matches_reference",
        law="weights = softmax(X W_Q (X W_K)^T / sqrt(d_k)), output = weights X W_V",
        inputs=sequences.sequences(),
        weight=weight,
        hint="Scores, division by sqrt(d_k), softmax over the keys, weighted sum: check each step.",
    )


def survives_huge_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of order 1e4 give finite results."""
    return equals_reference(
        reference,
        name="survives_huge_scores",
        law="output and weights stay finite and exact for scores of order 1e4",
        inputs=huge.huge_sequences(),
        weight=weight,
        hint="Subtract the row maximum before the exponential.",
    )


def works_for_every_length(reference: Reference, *, weight: int) -> Property:
    """Any number of tokens, one call after the other."""

    def calls(case: Case) -> Sequence[Call]:
        return [attend(case, X=case.X[:n]) for n in case.lengths]

    return equals_reference(
        reference,
        name="works_for_every_length",
        law="the formula holds for n = 2, 3, 33, 1, 5 tokens, one call after the other",
        inputs=token_counts.every_length(),
        calls=calls,
        labels=lambda case: [f"for n = {n}, " for n in case.lengths],
        weight=weight,
        hint="Read n from the shape of X in every call, and keep nothing between calls.",
    )


def loop_equals_matrix(reference: Reference, *, weight: int) -> Property:
    """The loop gives what the student's matrix form gives, or the reference where that is wrong."""
    return equals_reference(
        reference,
        name="loop_equals_matrix",
        law="self_attention_loop(...) = self_attention(...), with and without a mask",
        inputs=sequences.masked_sequences(),
        calls=lambda case: (attend(case), attend(case, mask=case.mask)),
        labels=("without a mask, ", "with the mask, "),
        weight=weight,
        hint="Both forms compute the same numbers: compare them token by token.",
        peer="self_attention",
    )


# -- shapes, bounds, values ------------------------------------------------------------------------


def returns_output_and_weights(*, weight: int) -> Property:
    """Two results: output first, then weights."""
    return _one_run(
        name="returns_output_and_weights",
        law="the result is a pair: output (n, d_v), weights (n, n)",
        inputs=sequences.sequences(),
        judge=lambda case, found: None,
        weight=weight,
        hint="Return the output first, with d_v columns, then the weights, n by n.",
    )


def rows_sum_to_one(*, weight: int) -> Property:
    """Every row of the weights is a distribution over the keys."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        negative = within(found.weights, 0.0, np.inf, name="weights", slack=T.atol)
        with np.errstate(all="ignore"):
            sums = found.weights.sum(axis=1)
        return negative or agree(sums, np.ones_like(sums), name="weights.sum(axis=1)")

    return _one_run(
        name="rows_sum_to_one",
        law="weights[i, j] >= 0 and sum_j weights[i, j] = 1",
        inputs=sequences.sequences(),
        judge=judge,
        weight=weight,
        hint="Each row is one query: normalise over the keys, after scaling and masking.",
    )


def output_is_weights_times_values(*, weight: int) -> Property:
    """The output is the weighted sum that the returned weights say."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        with np.errstate(all="ignore"):
            averaged = found.weights @ (case.X @ case.W_V)
        return agree_averages(found.output, averaged)

    return _one_run(
        name="output_is_weights_times_values",
        law="output = weights X W_V, with the weights that are returned",
        inputs=sequences.sequences(),
        judge=judge,
        weight=weight,
        hint="The output averages the values X W_V with exactly the weights you return.",
    )


def output_in_convex_hull(*, weight: int) -> Property:
    """An average stays between the least and the greatest of what it averages."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        V = case.X @ case.W_V
        slack = HULL_SLACK * float(np.abs(V).max())
        return within(found.output, V.min(axis=0), V.max(axis=0), name="output", slack=slack)

    return _one_run(
        name="output_in_convex_hull",
        law="min_j V[j, c] <= output[i, c] <= max_j V[j, c] for V = X W_V",
        inputs=sequences.sequences(),
        judge=judge,
        weight=weight,
        hint="The output is an average of the values, so it cannot leave their range.",
    )


def single_token(*, weight: int) -> Property:
    """One token sees itself alone."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        alone = case.X @ case.W_V, np.ones((1, 1))
        labels = ("without a mask, ", "with mask [[True]], ")
        return first(
            agree_pairs(answer, alone, of=of) for answer, of in zip(found, labels, strict=True)
        )

    return Property(
        name="single_token",
        law="for n = 1: weights = [[1]] and output = X W_V, with and without a mask",
        inputs=token_counts.single_tokens(),
        calls=lambda case: (attend(case), attend(case, mask=case.mask)),
        verdict=verdict,
        weight=weight,
        hint="A token may see itself; read every size from the shape it belongs to.",
        kind="metamorphic",
    )


def zero_queries_give_uniform_weights(*, weight: int) -> Property:
    """Where all scores are equal, every key counts the same."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        n = len(case.X)
        mean = (case.X @ case.W_V).mean(axis=0)
        uniform = np.tile(mean, (n, 1)), np.full((n, n), 1 / n)
        return agree_pairs(found, uniform)

    return _one_run(
        name="zero_queries_give_uniform_weights",
        law="W_Q = 0 gives weights 1/n, and the mean of the values as output",
        inputs=token_counts.zero_queries(),
        judge=judge,
        weight=weight,
        hint="The score is the plain dot product, and each row is divided by its own sum.",
    )


# -- runs against each other -----------------------------------------------------------------------


def permutation_equivariant(*, weight: int) -> Property:
    """Without a mask the order of the tokens carries no information."""
    return _permuting(
        "permutation_equivariant",
        law="f(X[order]): output[order] and weights[order][:, order]",
        masked=False,
        weight=weight,
        hint="Without a mask every token sees every token: its place must not matter.",
    )


def permutation_equivariant_with_mask(*, weight: int) -> Property:
    """The same, with the mask permuted on both axes."""
    return _permuting(
        "permutation_equivariant_with_mask",
        law="f(X[order], mask[order][:, order]): output[order] and weights[order][:, order]",
        masked=True,
        weight=weight,
        hint="Use the mask exactly as given: mask[i, j] speaks about query i and key j.",
    )


def _permuting(name: str, *, law: str, masked: bool, weight: int, hint: str) -> Property:
    def calls(case: Case) -> Sequence[Call]:
        X = case.X[case.order]
        if not masked:
            return attend(case), attend(case, X=X)
        mask = case.mask[np.ix_(case.order, case.order)]
        return attend(case, mask=case.mask), attend(case, X=X, mask=mask)

    def verdict(case: Case, answer: Any, permuted: Any) -> Disagreement | None:
        found, order = own_results(case, answer), case.order
        expected = found.output[order], found.weights[np.ix_(order, order)]
        return agree_pairs(permuted, expected, of="after reordering the tokens, ")

    return Property(
        name=name,
        law=law,
        inputs=token_counts.sequences_and_orders(masked=masked),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


def linear_in_values(*, weight: int) -> Property:
    """The output is linear in W_V."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        with_V, with_U, with_both = (own_results(case, answer).output for answer in found)
        with np.errstate(all="ignore"):
            combined = 2 * with_V - 3 * with_U
        return agree_averages(with_both, combined, name="output for 2 W_V - 3 U")

    return Property(
        name="linear_in_values",
        law="output(2 W_V - 3 U) = 2 output(W_V) - 3 output(U)",
        inputs=sequences.two_value_matrices(),
        calls=lambda case: (
            attend(case),
            attend(case, W_V=case.U),
            attend(case, W_V=2 * case.W_V - 3 * case.U),
        ),
        verdict=verdict,
        weight=weight,
        hint="Values come from X W_V and from nothing else.",
        kind="metamorphic",
    )


def rotation_of_queries_and_keys_changes_nothing(*, weight: int) -> Property:
    """Dot products do not change when queries and keys turn together."""
    return _same_weights(
        name="rotation_of_queries_and_keys_changes_nothing",
        law="W_Q R and W_K R with R orthogonal give the same weights",
        inputs=sequences.orthogonal_matrices(),
        second=lambda case: attend(case, W_Q=case.W_Q @ case.R, W_K=case.W_K @ case.R),
        weight=weight,
        hint="A score is the dot product of a whole query with a whole key, in full precision.",
    )


def common_key_shift_changes_nothing(*, weight: int) -> Property:
    """A vector added to all keys adds one constant per query, which softmax over keys ignores."""

    def shifted(case: Case) -> Call:
        W_K = case.W_K.copy()
        W_K[0] += case.c  # the first input is 1 for every token, so every key moves by c
        return attend(case, W_K=W_K)

    return _same_weights(
        name="common_key_shift_changes_nothing",
        law="one vector c added to every key leaves the weights alone (X[:, 0] = 1, W_K[0] + c)",
        inputs=sequences.constant_first_columns(),
        second=shifted,
        weight=weight,
        hint="Rows are queries: multiply queries by transposed keys, normalise over the keys.",
    )


def swapping_projections_transposes_scores(*, weight: int) -> Property:
    """Log weights with row and column means taken off are the scores without them."""

    def verdict(case: Case, answer: Any, swapped: Any) -> Disagreement | None:
        found = [own_results(case, given).weights for given in (answer, swapped)]
        impossible = first(arrays.above(weights, 0.0, name="weights") for weights in found)
        if impossible is not None:
            return impossible
        S, S_swapped = map(_doubly_centred_logarithm, found)
        return agree(S_swapped, S.T, name="doubly centred log weights")

    return Property(
        name="swapping_projections_transposes_scores",
        law="swapping W_Q and W_K transposes the doubly centred log weights",
        inputs=token_counts.gentle_sequences(5),
        calls=lambda case: (attend(case), attend(case, W_Q=case.W_K, W_K=case.W_Q)),
        verdict=verdict,
        weight=weight,
        hint="Queries need W_Q and keys need W_K: compare queries with keys, in full precision.",
        kind="metamorphic",
    )


def _doubly_centred_logarithm(weights: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        L = np.log(weights)
        L = L - L.mean(axis=1, keepdims=True)
        centred: FloatArray = L - L.mean(axis=0, keepdims=True)
    return centred


def deterministic(*, weight: int) -> Property:
    """The same call gives the same bits, with a call on other tokens in between."""
    return arrays.deterministic(
        attend,
        lambda case: attend(case, X=case.X[::-1]),
        pair,
        inputs=sequences.sequences(),
        weight=weight,
    )


# -- shown, never scored ---------------------------------------------------------------------------


def shown_only(reference: Reference) -> tuple[Property, ...]:
    """What lies outside the contract: worth knowing, worth no points."""

    def shown(name: str, law: str, inputs: Domain, hint: str, tolerance: Tolerance = T) -> Property:
        return equals_reference(
            reference,
            name=name,
            law=law,
            inputs=inputs,
            weight=0,
            hint=hint,
            tolerance=tolerance,
        )

    return (
        shown(
            "integer_input",
            "integer tokens and matrices give the float answer",
            sequences.integer_sequences(),
            "A buffer with the dtype of an integer X cuts every number to a whole one.",
        ),
        shown(
            "float32_input",
            "float32 tokens and matrices give the answer within 1e-3",
            sequences.single_precision_sequences(),
            "Lower precision in, lower precision out: do not convert back and forth.",
            SINGLE,
        ),
        shown(
            "full_precision",
            "float64 tokens and matrices give the answer within 1e-9",
            sequences.sequences(),
            "Work in 32 bits is allowed, but loses half of the digits.",
            FULL_PRECISION,
        ),
        shown(
            "empty_input",
            "no token gives an output (0, d_v) and weights (0, 0)",
            sequences.empty_sequences(),
            "No token at all is fine where the shapes carry through.",
        ),
    )


def keeps_single_precision() -> Property:
    """Shown only, and of the matrix form alone: the loop's buffers are float64."""
    return arrays.keeps_single_precision(_once, pair, inputs=sequences.single_precision_sequences())
