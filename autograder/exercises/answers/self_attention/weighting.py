"""Mistakes of `self_attention` on the way from scores to weights: softmax and what follows it."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Each row is one query: normalise over the keys.",
    share="0.3",
    caught_by=("rows_sum_to_one", "common_key_shift_changes_nothing"),
)
def softmax_over_columns(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S, axis=0)
    return A @ (X @ W_V), A


@mistake(
    hint="Subtract the row maximum before the exponential.",
    share="0.92",
    caught_by=("survives_huge_scores", "blocked_huge_key_is_harmless"),
)
def attention_without_shift(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S)
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A


@mistake(
    hint="The rows sum to less than one: drop the constant.",
    share="0.6",
    caught_by=("rows_sum_to_one",),
)
def attention_denominator_constant(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    A = E / (E.sum(axis=1, keepdims=True) + 1e-3)
    return A @ (X @ W_V), A


@mistake(
    hint="Divide by the sum of the row, not by the number of tokens.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def divides_by_number_of_tokens(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.exp(S - S.max(axis=1, keepdims=True)) / len(X)
    return A @ (X @ W_V), A


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference", "swapping_projections_transposes_scores"),
)
def weights_rounded(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.round(softmax(S), 4)
    return A @ (X @ W_V), A


@mistake(
    hint="The same input must give the same output: no random numbers here.",
    share="0.2",
    caught_by=("deterministic",),
    recognised_by="laws",
)
def random_dropout(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    A = A * (np.random.rand(*A.shape) > 0.5) / 0.5
    return A @ (X @ W_V), A


@mistake(
    hint="Every key gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def uniform_average(X, W_Q, W_K, W_V, mask=None, scale=True):
    n = len(X)
    A = np.full((n, n), 1 / n)
    return A @ (X @ W_V), A


@mistake(
    hint="The sum of each row lost its dimension: keep it with keepdims=True.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def row_sums_lose_their_dimension(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1)
    return A @ (X @ W_V), A


@mistake(
    hint="The maximum of each row lost its dimension: keep it with keepdims=True.",
    share="0.4",
    caught_by=("matches_reference",),
)
def row_maxima_lose_their_dimension(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1))
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A


@mistake(
    hint="Maximum and sum of each row lost their dimension: keep it with keepdims=True.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def both_lose_their_dimension(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1))
    A = E / E.sum(axis=1)
    return A @ (X @ W_V), A


@mistake(
    hint="The scores go through softmax twice; once is enough.",
    share="0.3",
    caught_by=("matches_reference",),
)
def softmax_twice(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(softmax(S))
    return A @ (X @ W_V), A


@mistake(
    hint="Each row is a softmax of its own, not the whole matrix.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def softmax_of_all_scores(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max())
    A = E / E.sum()
    return A @ (X @ W_V), A


@mistake(
    hint="The exponentials are not yet weights: divide each row by its sum.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def never_normalised(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E @ (X @ W_V), E


@mistake(
    hint="The scores are not yet weights: each row goes through softmax first.",
    share="0.2",
    caught_by=("rows_sum_to_one",),
)
def scores_are_the_weights(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return S @ (X @ W_V), S


@mistake(
    hint="Return the output in full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def output_rounded(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return np.round(A @ (X @ W_V), 4), A


@mistake(
    hint="Return full precision in both results; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def both_results_rounded(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return np.round(A @ (X @ W_V), 4), np.round(A, 4)


@mistake(
    hint="Return the weights in full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def returned_weights_rounded(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), np.round(A, 4)


@mistake(
    hint="Each row needs its own maximum: reduce over the keys and keep the dimension.",
    share="0.92",
    caught_by=("survives_huge_scores",),
)
def one_maximum_for_all_rows(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max())
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A


MISTAKES = answers.mistakes
