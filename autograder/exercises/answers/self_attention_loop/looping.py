"""Mistakes of `self_attention_loop` about where a loop starts, ends and keeps its sums."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The loop stops one token early.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def last_token_skipped(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n - 1):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="range(1, n) leaves out token 0: Python counts from 0.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def first_token_skipped(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(1, n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The return stands inside the loop, so only the first token is computed: move it out.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def return_inside_the_loop(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
        return output, A


@mistake(
    hint="The sum runs over every key, also i itself and those after it.",
    share="0.3",
    caught_by=("output_is_weights_times_values",),
)
def own_position_left_out_of_sum(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(i):
            output[i] += A[i, j] * V[j]
    return output, A


@mistake(
    hint="The sum must run over all keys: range(i + 1) leaves out the tokens after i.",
    share="0.3",
    caught_by=("output_is_weights_times_values",),
)
def sum_stops_at_own_position(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(i + 1):
            output[i] += A[i, j] * V[j]
    return output, A


@mistake(
    hint="The sum over the keys stops one key early: use range(n).",
    share="0.4",
    caught_by=("output_is_weights_times_values",),
)
def last_key_left_out_of_sum(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(n - 1):
            output[i] += A[i, j] * V[j]
    return output, A


@mistake(
    hint="The sum over the keys starts at key 1: Python counts from 0.",
    share="0.4",
    caught_by=("output_is_weights_times_values",),
)
def first_key_left_out_of_sum(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(1, n):
            output[i] += A[i, j] * V[j]
    return output, A


@mistake(
    hint="Each key overwrites the sum of those before it: add with += instead of =.",
    share="0.4",
    caught_by=("output_is_weights_times_values",),
)
def last_key_overwrites_the_sum(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(n):
            output[i] = A[i, j] * V[j]
    return output, A


@mistake(
    hint="Start each token's sum at zero.",
    share="0.5",
    caught_by=("output_in_convex_hull", "output_is_weights_times_values"),
)
def accumulator_not_reset(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    total = np.zeros(W_V.shape[1])
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(n):
            total += A[i, j] * V[j]
        output[i] = total
    return output, A


@mistake(
    hint="Each value j needs its own weight.",
    share="0.4",
    caught_by=("output_is_weights_times_values",),
)
def weight_of_query_used(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for j in range(n):
            output[i] += A[i, i] * V[j]
    return output, A


@mistake(
    hint="The loop over the keys stops at token i, so the later scores stay 0: score every key.",
    share="0.3",
    caught_by=("matches_reference", "permutation_equivariant"),
)
def later_scores_stay_zero(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = np.zeros(n)
        for j in range(i + 1):
            S[j] = X[i] @ W_Q @ K[j] / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The inner loop replaces the query of token i by that of token j: compute it outside.",
    share="0.4",
    caught_by=("matches_reference", "common_key_shift_changes_nothing"),
)
def query_overwritten_by_key_loop(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = np.zeros(n)
        for j in range(n):
            q = X[j] @ W_Q
            S[j] = q @ K[j] / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Every row uses the query of the last token: each token i needs its own.",
    share="0.4",
    caught_by=("matches_reference", "permutation_equivariant"),
)
def last_query_used_for_all(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for x in X:
        q = x @ W_Q
    for i in range(n):
        S = K @ q / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


MISTAKES = answers.mistakes
