"""Laws of attention on Q, K and V that saves memory: by chunks of queries, or in a band of keys.

Arrays and the window are given by position. So is the chunk size in the law about it; every other
law names the default, 32, and has whole chunks of queries: a slip in cutting costs one law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.comparison import T, Tolerance, agree, agree_averages, as_array
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws import arrays
from autograder.laws.arrays import Calls, FloatArray, Reference, answers, first, real
from autograder.strategies import queries_keys_values as qkv

# -- parts -----------------------------------------------------------------------------------------


def attend(case: Case, *extra: Any, **options: Any) -> Call:
    """The call on the case's Q, K and V."""
    return Call(case.Q, case.K, case.V, *extra, **options)


def by_default_chunks(case: Case) -> Call:
    """The call with the default chunk size named, for who has no default or no such argument."""
    return attend(case, chunk_size=qkv.CHUNK)


def outputs_equal_reference(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    calls: Calls,
    weight: int,
    hint: str,
    labels: Callable[[Case], Sequence[str]] = lambda case: ("output",),
    tolerance: Tolerance = T,
) -> Property:
    """A law that the output of every call equals the reference's; `labels` name the outputs."""

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(
            agree_averages(got, right, name=label, tolerance=tolerance)
            for got, right, label in zip(found, expected, labels(case), strict=True)
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
        kind="reference",
    )


def survives_huge_scores(
    reference: Reference, call: Callable[[Case], Call], *, inputs: Domain, weight: int, hint: str
) -> Property:
    """Scores of order 1e4 give finite outputs."""
    return outputs_equal_reference(
        reference,
        name="survives_huge_scores",
        law="the output stays finite and exact for scores of order 1e4",
        inputs=inputs,
        calls=lambda case: (call(case),),
        weight=weight,
        hint=hint,
    )


def inputs_unchanged(*calls: Callable[[Case], Call], inputs: Domain, weight: int) -> Property:
    """Q, K and V stay as they are in every call."""
    return arrays.inputs_unchanged(
        lambda case: [call(case) for call in calls], agree_with_output, inputs=inputs, weight=weight
    )


def agree_with_output(got: Any, other: Any) -> Disagreement | None:
    """None if two answers of the student's are the same output."""
    return agree_averages(got, as_array(other, name="output"))


def own_output(answer: Any, Q: FloatArray, V: FloatArray, *, of: str = "output") -> FloatArray:
    """The output (n_q, d_v) as float64; raises `Disagrees` where it has another shape."""
    return real(answer, (len(Q), V.shape[1]), name=of)


# -- by chunks -------------------------------------------------------------------------------------


def chunked_matches_reference(reference: Reference, *, weight: int) -> Property:
    """One chunk of all queries is full attention."""
    return outputs_equal_reference(
        reference,
        name="matches_reference",
        law="output = softmax(Q K^T / sqrt(d_k)) V where one chunk holds all queries",
        inputs=qkv.tokens(qkv.CHUNK),
        calls=lambda case: (by_default_chunks(case),),
        weight=weight,
        hint="Scores, division by sqrt(d_k), softmax over the keys, weighted sum: check each step.",
    )


def chunk_size_does_not_matter(reference: Reference, *, weight: int) -> Property:
    """Every chunk size gives full attention, and so does the default; one token is a chunk too."""

    def calls(case: Case) -> Sequence[Call]:
        sized = [attend(case, size) for size in case.chunk_sizes]
        one_token = Call(case.Q[:1], case.K[:1], case.V[:1], case.chunk_sizes[0])
        return *sized, attend(case), one_token

    def labels(case: Case) -> Sequence[str]:
        sized = [f"with chunk_size = {size}, output" for size in case.chunk_sizes]
        one_token = f"with chunk_size = {case.chunk_sizes[0]} and n_q = n_k = 1, output"
        return *sized, "with the default chunk size, output", one_token

    return outputs_equal_reference(
        reference,
        name="chunk_size_does_not_matter",
        law="every chunk size gives the output of full attention, also one that does not divide n",
        inputs=qkv.chunk_sizes(),
        calls=calls,
        labels=labels,
        weight=weight,
        hint="Cut the queries alone, from start to start + chunk_size; the last chunk may be less.",
    )


def query_and_key_counts_may_differ(reference: Reference, *, weight: int) -> Property:
    """One output row for every query, however many keys there are."""

    def calls(case: Case) -> Sequence[Call]:
        few, Q = case.few, case.Q[: qkv.CHUNK]
        return (
            Call(case.Q, case.K[:few], case.V[:few], chunk_size=qkv.CHUNK),
            Call(Q, case.K, case.V, chunk_size=qkv.CHUNK),
            Call(case.Q, case.K, case.V[:, :1], chunk_size=qkv.CHUNK),
        )

    def labels(case: Case) -> Sequence[str]:
        n_q, n_k, d_v = len(case.Q), len(case.K), case.V.shape[1]
        sizes = (n_q, case.few, d_v), (min(n_q, qkv.CHUNK), n_k, d_v), (n_q, n_k, 1)
        return ["for n_q = {}, n_k = {}, d_v = {}, output".format(*size) for size in sizes]

    return outputs_equal_reference(
        reference,
        name="query_and_key_counts_may_differ",
        law="n_q queries and n_k keys give an output (n_q, d_v), also for n_q != n_k, d_v != d_k",
        inputs=qkv.unequal_counts(),
        calls=calls,
        labels=labels,
        weight=weight,
        hint="The output has one row per query: take its size from Q, and its width from V.",
    )


def integer_values(reference: Reference) -> Property:
    """Shown only: whole numbers as values are averaged all the same."""
    return outputs_equal_reference(
        reference,
        name="integer_values",
        law="integer V gives the float answer",
        inputs=qkv.integer_values(),
        calls=lambda case: (by_default_chunks(case),),
        weight=0,
        hint="A buffer with the dtype of an integer V cuts every number to a whole one.",
    )


# -- in a band -------------------------------------------------------------------------------------


def _in_windows(case: Case) -> Sequence[Call]:
    return [attend(case, window) for window in case.windows]


def _window_labels(case: Case) -> Sequence[str]:
    return [f"with window = {window}, output" for window in case.windows]


def in_window(window: int) -> Callable[[Case], Call]:
    """The call with that window."""
    return lambda case: attend(case, window)


def local_matches_reference(reference: Reference, *, weight: int) -> Property:
    """Full attention under the band mask."""
    return outputs_equal_reference(
        reference,
        name="matches_reference",
        law="output = softmax(Q K^T / sqrt(d_k), with -inf where abs(i - j) > window) V",
        inputs=qkv.windows(10, 1, 2, 3, 6),
        calls=_in_windows,
        labels=_window_labels,
        weight=weight,
        hint="Query i sees the keys from i - window to i + window, both included.",
    )


def wide_window_is_full_attention(reference: Reference, *, weight: int) -> Property:
    """A window of n - 1 or more hides nothing."""
    return outputs_equal_reference(
        reference,
        name="wide_window_is_full_attention",
        law="window >= n - 1 gives softmax(Q K^T / sqrt(d_k)) V",
        inputs=qkv.windows(6, 5, 50),
        calls=_in_windows,
        labels=_window_labels,
        weight=weight,
        hint="The band ends at the first and last key: keep its borders within 0 and n.",
    )


def zero_window_returns_values(*, weight: int) -> Property:
    """Who sees itself alone takes its own value."""

    def calls(case: Case) -> Sequence[Call]:
        return (
            attend(case, 0),
            Call(case.Q, case.K, case.V[:, :1], 0),
            Call(case.Q[:1], case.K[:1], case.V[:1], 0),
        )

    def verdict(case: Case, answer: Any, one_column: Any, one_token: Any) -> Disagreement | None:
        return first(
            agree(found, V, name=f"with window = 0{where}, output")
            for found, V, where in (
                (answer, case.V, ""),
                (one_column, case.V[:, :1], " and d_v = 1"),
                (one_token, case.V[:1], " and n = 1"),
            )
        )

    return Property(
        name="zero_window_returns_values",
        law="window = 0 gives V",
        inputs=qkv.tokens(5),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="With window 0 a query sees its own position alone, and its weight is 1.",
        kind="exact",
    )


def far_keys_do_not_matter(*, weight: int) -> Property:
    """Another key and value at j leave the rows alone that cannot see j."""

    def calls(case: Case) -> Sequence[Call]:
        K, V = case.K.copy(), case.V.copy()
        K[case.j], V[case.j] = case.key, case.value
        return attend(case, case.window), Call(case.Q, K, V, case.window)

    def verdict(case: Case, answer: Any, other: Any) -> Disagreement | None:
        before, after = (own_output(found, case.Q, case.V) for found in (answer, other))
        far = np.abs(np.arange(len(case.Q)) - case.j) > case.window
        kept = np.where(far[:, np.newaxis], before, after)
        return agree_averages(after, kept, name=f"with another key and value {case.j}, output")

    return Property(
        name="far_keys_do_not_matter",
        law="changing key and value j leaves every row i with abs(i - j) > window alone",
        inputs=qkv.changed_keys(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Keys outside of the window get weight 0: set their scores to -inf before softmax.",
        kind="metamorphic",
    )
