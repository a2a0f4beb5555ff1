"""Mistakes of `self_attention_loop` about what is multiplied with what, and what is read."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Row i compares query i with every key; you compare key i with every query.",
    share="0.4",
    caught_by=("common_key_shift_changes_nothing", "matches_reference"),
)
def queries_and_keys_swapped(X, W_Q, W_K, W_V, mask=None):
    Q, V = X @ W_Q, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = Q @ (X[i] @ W_K) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Keys need W_K.",
    share="0.4",
    caught_by=("swapping_projections_transposes_scores", "matches_reference"),
)
def keys_use_query_matrix(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_Q, X @ W_V
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
    hint="Queries need W_Q.",
    share="0.4",
    caught_by=("swapping_projections_transposes_scores", "matches_reference"),
)
def queries_use_key_matrix(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_K) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The score is the plain dot product, not the cosine.",
    share="0.3",
    caught_by=("common_key_shift_changes_nothing",),
)
def cosine_similarity(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        q = X[i] @ W_Q
        S = K @ q / np.linalg.norm(q) / np.linalg.norm(K, axis=1)
        S = S / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The output averages the values, not the inputs.",
    share="0.4",
    caught_by=("returns_output_and_weights", "output_is_weights_times_values"),
)
def values_not_projected(X, W_Q, W_K, W_V, mask=None):
    K = X @ W_K
    n = len(X)
    output, A = np.zeros(X.shape), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ X
    return output, A


@mistake(
    hint="Your function changes X; work on a copy.",
    share="0.5",
    caught_by=("inputs_unchanged",),
)
def input_centred_in_place(X, W_Q, W_K, W_V, mask=None):
    centre = X.mean(axis=0)
    X -= centre
    K, V = X @ W_K, (X + centre) @ W_V
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
    hint="Use the matrices you are given.",
    share="0.1",
    caught_by=("linear_in_values", "matches_reference"),
    recognised_by="laws",
)
def own_random_matrices(X, W_Q, W_K, W_V, mask=None):
    W_Q = np.random.randn(*W_Q.shape)
    W_K = np.random.randn(*W_K.shape)
    W_V = np.random.randn(*W_V.shape)
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


MISTAKES = answers.mistakes
