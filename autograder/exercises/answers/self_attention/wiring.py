"""Mistakes of `self_attention` about what is multiplied with what, what is read and returned."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Row i belongs to query i: multiply queries by transposed keys.",
    share="0.4",
    caught_by=("common_key_shift_changes_nothing", "matches_reference"),
)
def scores_transposed(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_K) @ (X @ W_Q).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The keys are never used in your scores.",
    share="0.4",
    caught_by=("swapping_projections_transposes_scores", "matches_reference"),
)
def queries_against_queries(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q = X @ W_Q
    S = Q @ Q.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Keys need W_K.",
    share="0.4",
    caught_by=("swapping_projections_transposes_scores", "matches_reference"),
)
def keys_use_query_matrix(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K = X @ W_Q, X @ W_Q
    S = Q @ K.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The score is the plain dot product, not the cosine.",
    share="0.3",
    caught_by=("common_key_shift_changes_nothing",),
)
def cosine_similarity(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K = X @ W_Q, X @ W_K
    Q = Q / np.linalg.norm(Q, axis=1, keepdims=True)
    K = K / np.linalg.norm(K, axis=1, keepdims=True)
    S = Q @ K.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="In NumPy that call does not swap anything on a 2-D array.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def two_axes_transpose_on_two_dimensions(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).transpose(-2, -1)
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The output averages the values, not the inputs.",
    share="0.4",
    caught_by=("returns_output_and_weights", "output_is_weights_times_values"),
)
def values_not_projected(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ X, A


@mistake(
    hint="Return the output first, then the weights.",
    share="0.7",
    caught_by=("returns_output_and_weights",),
)
def results_swapped(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A, A @ (X @ W_V)


@mistake(
    hint="Return two results: output and weights.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def output_only(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return softmax(S) @ (X @ W_V)


@mistake(
    hint="Your function changes X; work on a copy.",
    share="0.5",
    caught_by=("inputs_unchanged",),
)
def input_centred_in_place(X, W_Q, W_K, W_V, mask=None, scale=True):
    centre = X.mean(axis=0)
    X -= centre
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    X = X + centre
    return A @ (X @ W_V), A


sentence = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.0, 2.0]])


@mistake(
    hint="Your function must use only its arguments; it is run in a fresh process.",
    share="0.2",
    caught_by=("matches_reference",),
    recognised_by="laws",
)
def uses_a_notebook_global(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (sentence @ W_Q) @ (sentence @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (sentence @ W_V), A


@mistake(
    hint="Use the matrices you are given.",
    share="0.1",
    caught_by=("linear_in_values", "matches_reference"),
    recognised_by="laws",
)
def own_random_matrices(X, W_Q, W_K, W_V, mask=None, scale=True):
    W_Q = np.random.randn(*W_Q.shape)
    W_K = np.random.randn(*W_K.shape)
    W_V = np.random.randn(*W_V.shape)
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Return two results: output and weights.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def weights_only(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return softmax(S)


@mistake(
    hint="Return two results, output and weights, without the scores.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def scores_returned_too(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A, S


@mistake(
    hint="Return two results, output and weights, without the values.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def values_returned_too(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    V = X @ W_V
    return A @ V, A, V


@mistake(
    hint="Return a pair, output and weights: return output, weights.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def results_in_a_dictionary(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return {"output": A @ (X @ W_V), "weights": A}


@mistake(
    hint="The second result is the weights, after softmax; you return the scores.",
    share="0.5",
    caught_by=("rows_sum_to_one",),
)
def scores_returned_for_weights(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return softmax(S) @ (X @ W_V), S


@mistake(
    hint="Row i of the weights belongs to query i: return them as you use them.",
    share="0.5",
    caught_by=("output_is_weights_times_values",),
)
def returned_weights_transposed(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A.T


@mistake(
    hint="Row i of the weights belongs to output i: multiply A, not A.T, with the values.",
    share="0.4",
    caught_by=("output_is_weights_times_values",),
)
def transposed_weights_average(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A.T @ (X @ W_V), A


@mistake(
    hint="The output averages the values, not the keys.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def keys_averaged(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_K), A


@mistake(
    hint="The output averages the values, not the queries.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def queries_averaged(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_Q), A


@mistake(
    hint="The results have two axes, output (n, d_v) and weights (n, n), without one in front.",
    share="0.6",
    caught_by=("returns_output_and_weights",),
)
def batch_axis_added(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return (A @ (X @ W_V))[None], A[None]


MISTAKES = answers.mistakes
