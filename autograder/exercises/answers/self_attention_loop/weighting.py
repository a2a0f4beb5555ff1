"""Mistakes of `self_attention_loop` on the way from scores to weights."""

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
def softmax_over_columns(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    S = np.zeros((n, n))
    for i in range(n):
        S[i] = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S[i] = np.where(mask[i], S[i], -np.inf)
    A, output = softmax(S, axis=0), np.zeros((n, W_V.shape[1]))
    for i in range(n):
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Subtract the largest score of the row before the exponential.",
    share="0.92",
    caught_by=("survives_huge_scores",),
)
def attention_without_shift(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        E = np.exp(S)
        A[i] = E / E.sum()
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Divide the exponentials of each row by their sum.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def weights_not_normalised(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = np.exp(S - S.max())
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The output sums exponentials, not weights: divide by their sum first.",
    share="0.5",
    caught_by=("output_is_weights_times_values",),
)
def output_not_normalised(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        E = np.exp(S - S.max())
        A[i] = E / E.sum()
        output[i] = E @ V
    return output, A


@mistake(
    hint="Divide by the sum of the row, not by the number of tokens.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def divides_by_number_of_tokens(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = np.exp(S - S.max()) / n
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The rows sum to less than one: drop the constant.",
    share="0.6",
    caught_by=("rows_sum_to_one",),
)
def attention_denominator_constant(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        E = np.exp(S - S.max())
        A[i] = E / (E.sum() + 1e-3)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def weights_rounded(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = np.round(softmax(S), 4)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The same input must give the same output: no random numbers here.",
    share="0.2",
    caught_by=("deterministic",),
    recognised_by="laws",
)
def random_dropout(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S) * (np.random.rand(n) > 0.5) / 0.5
        output[i] = A[i] @ V
    return output, A


MISTAKES = answers.mistakes
