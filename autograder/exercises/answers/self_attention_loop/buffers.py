"""Mistakes of `self_attention_loop` about the arrays that are filled in and returned."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The output has d_v columns, not d.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def output_buffer_like_input(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros(X.shape), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        for column in range(W_V.shape[1]):
            output[i, column] = A[i] @ V[:, column]
    return output, A


@mistake(
    hint="[[0.0] * n] * n holds the same row n times: make each row anew, or use np.zeros((n, n)).",
    share="0.5",
    caught_by=("output_is_weights_times_values",),
)
def rows_share_one_list(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), [[0.0] * n] * n
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        weights = softmax(S)
        for j in range(n):
            A[i][j] = weights[j]
            output[i] += weights[j] * V[j]
    return output, np.array(A)


@mistake(
    hint="An integer array cuts the weights off to 0: create it without dtype=int.",
    share="0.5",
    caught_by=("rows_sum_to_one",),
)
def weights_in_integers(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n), dtype=int)
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        weights = softmax(S)
        for j in range(n):
            A[i, j] = weights[j]
            output[i] += weights[j] * V[j]
    return output, A


@mistake(
    hint="An integer array cuts the decimals off the output: create it without dtype=int.",
    share="0.5",
    caught_by=("output_is_weights_times_values",),
)
def output_in_integers(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1]), dtype=int), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        total = A[i] @ V
        for column in range(len(total)):
            output[i, column] = total[column]
    return output, A


@mistake(
    hint="Return the output first, then the weights.",
    share="0.7",
    caught_by=("returns_output_and_weights",),
)
def results_swapped(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return A, output


@mistake(
    hint="Return two results: output and weights.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def output_only(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output


MISTAKES = answers.mistakes
