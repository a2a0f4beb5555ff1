"""Mistakes of `scaled_dot_product_attention` on the way from scores to weights."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Normalise over the keys, the last axis.", share="0.3", caught_by=("rows_sum_to_one",)
)
def softmax_over_queries(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Normalise over the keys, the last axis; axis 0 counts the sequences.",
    share="0.3",
    caught_by=("rows_sum_to_one", "batch_independent"),
)
def softmax_over_the_batch(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=0, keepdims=True))
    A = E / E.sum(axis=0, keepdims=True)
    return A @ value, A


@mistake(
    hint="Each row is a softmax of its own, not the whole sequence.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def softmax_of_each_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=(1, 2), keepdims=True))
    A = E / E.sum(axis=(1, 2), keepdims=True)
    return A @ value, A


@mistake(
    hint="Each row is a softmax of its own, not the whole array.",
    share="0.3",
    caught_by=("rows_sum_to_one", "batch_independent"),
)
def softmax_of_all_scores(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max())
    A = E / E.sum()
    return A @ value, A


@mistake(
    hint="Subtract the row maximum before the exponential.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def batched_without_shift(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S)
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Each row needs its own maximum: reduce over the keys and keep the dimension.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def one_maximum_for_all_rows(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max())
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Each row needs its own maximum, not each sequence: reduce over the last axis alone.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def one_maximum_for_each_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=(1, 2), keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Subtract one constant from a whole row: the maximum over the keys, the last axis.",
    share="0.3",
    caught_by=("scale_is_sqrt_key_width",),
)
def maximum_over_queries(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The rows sum to less than one: drop the constant.",
    share="0.6",
    caught_by=("rows_sum_to_one",),
)
def denominator_constant(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / (E.sum(axis=-1, keepdims=True) + 1e-3)
    return A @ value, A


@mistake(
    hint="The sum of each row lost its dimension: keep it with keepdims=True.",
    share="0.4",
    caught_by=("matches_reference",),
)
def row_sums_lose_their_dimension(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1)
    return A @ value, A


@mistake(
    hint="The maximum of each row lost its dimension: keep it with keepdims=True.",
    share="0.4",
    caught_by=("matches_reference",),
)
def row_maxima_lose_their_dimension(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The scores go through softmax twice; once is enough.",
    share="0.3",
    caught_by=("matches_reference",),
)
def softmax_twice(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    A = np.exp(A) / np.exp(A).sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Divide by the sum of the row, not by the number of keys.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def divides_by_number_of_keys(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / key.shape[1]
    return A @ value, A


@mistake(
    hint="The exponentials are not yet weights: divide each row by its sum.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def never_normalised(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E @ value, E


@mistake(
    hint="The scores are not yet weights: each row goes through softmax first.",
    share="0.2",
    caught_by=("rows_sum_to_one",),
)
def scores_are_the_weights(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    return S @ value, S


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def weights_rounded(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = np.round(E / E.sum(axis=-1, keepdims=True), 4)
    return A @ value, A


@mistake(
    hint="Return the output in full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def output_rounded(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return np.round(A @ value, 4), A


@mistake(
    hint="Return full precision in both results; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def both_results_rounded(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return np.round(A @ value, 4), np.round(A, 4)


@mistake(
    hint="Return the weights in full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def returned_weights_rounded(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, np.round(A, 4)


@mistake(
    hint="The same input must give the same output: no random numbers here.",
    share="0.2",
    caught_by=("matches_reference",),
    recognised_by="laws",
)
def random_dropout(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    A = A * (np.random.rand(*A.shape) > 0.5) / 0.5
    return A @ value, A


MISTAKES = answers.mistakes
