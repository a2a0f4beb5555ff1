"""Mistakes of `self_attention_loop` about the division of the scores by the square root of d_k."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The loop must divide by the square root of d_k as the matrix form does.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def loop_not_scaled(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q)
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="You divide by d_k; divide by its square root.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def divides_by_key_width(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / W_Q.shape[1]
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The dot product runs over d_k entries, not over d.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def scales_by_embedding_width(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(X.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The dot product runs over d_k entries; d_v is the width of the values.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def scales_by_value_width(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_V.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Adding a token must not change the scores of the others: scale by d_k.",
    share="0.6",
    caught_by=("prefix_consistent", "matches_reference"),
)
def scales_by_number_of_tokens(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(n)
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Read d_k from the shape of W_Q.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def key_width_written_in(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(3)
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="You multiply by the square root of d_k; divide by it.",
    share="0.6",
    caught_by=("loop_equals_matrix", "matches_reference"),
)
def multiplies_by_root_of_key_width(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) * np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Scale before softmax: afterwards the rows no longer sum to one.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def scales_after_softmax(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q)
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S) / np.sqrt(W_Q.shape[1])
        output[i] = A[i] @ V
    return output, A


MISTAKES = answers.mistakes
