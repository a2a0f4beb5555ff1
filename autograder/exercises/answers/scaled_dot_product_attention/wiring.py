"""Mistakes of `scaled_dot_product_attention` about axes, operands and results."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="On 3-D arrays swap only the last two axes: key.T reverses all three.",
    share="0.4",
    caught_by=("matches_reference",),
)
def all_axes_reversed(query, key, value, mask=None):
    S = query @ key.T / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Name all three axes, or swap the last two.", share="0.4", caught_by=("matches_reference",)
)
def two_axes_transpose_on_three_dimensions(query, key, value, mask=None):
    S = query @ key.transpose(-2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Swap the last two axes of the keys before the product.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_not_transposed(query, key, value, mask=None):
    S = query @ key / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="np.dot pairs every sequence with every other one: use @ on 3-D arrays.",
    share="0.3",
    caught_by=("matches_reference", "returns_output_and_weights"),
)
def dot_product_over_all_sequences(query, key, value, mask=None):
    S = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Each batch item must only see its own keys.",
    share="0.3",
    caught_by=("batch_independent", "matches_reference"),
)
def batches_mixed(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2).sum(axis=0) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Each batch item is a sequence of its own; yours see all tokens of the batch.",
    share="0.3",
    caught_by=("matches_reference", "batch_independent"),
)
def one_sequence_of_all(query, key, value, mask=None):
    d_k = query.shape[-1]
    S = query.reshape(-1, d_k) @ key.reshape(-1, d_k).T / np.sqrt(d_k)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value.reshape(-1, value.shape[-1]), A


@mistake(
    hint="Every sequence of the batch needs its own results; you return those of the first.",
    share="0.3",
    caught_by=("matches_reference",),
)
def first_sequence_alone(query, key, value, mask=None):
    S = query[0] @ key[0].T / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value[0], A


@mistake(
    hint="Keep all three axes: squeeze drops those that happen to have length 1.",
    share="0.77",
    caught_by=("returns_output_and_weights", "batch_independent"),
)
def axes_of_length_one_dropped(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return np.squeeze(A @ value), np.squeeze(A)


@mistake(
    hint="Swap the last two axes of the keys: reshape mixes the numbers of different keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_reshaped(query, key, value, mask=None):
    B, n_k, d_k = key.shape
    S = query @ key.reshape(B, d_k, n_k) / np.sqrt(d_k)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Row i belongs to query i: multiply queries by transposed keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scores_transposed(query, key, value, mask=None):
    S = key @ np.swapaxes(query, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The keys are never used in your scores.", share="0.4", caught_by=("matches_reference",)
)
def queries_against_queries(query, key, value, mask=None):
    S = query @ np.swapaxes(query, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Scores compare queries with keys; the values come in only at the end.",
    share="0.3",
    caught_by=("matches_reference",),
)
def values_in_the_scores(query, key, value, mask=None):
    S = query @ np.swapaxes(value, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The output averages the values, not the keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_averaged(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ key, A


@mistake(
    hint="The score is the plain dot product, not the cosine.",
    share="0.3",
    caught_by=("matches_reference", "scale_is_sqrt_key_width"),
)
def cosine_similarity(query, key, value, mask=None):
    query = query / np.linalg.norm(query, axis=-1, keepdims=True)
    key = key / np.linalg.norm(key, axis=-1, keepdims=True)
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Return the output first, then the weights.",
    share="0.7",
    caught_by=("returns_output_and_weights",),
)
def results_swapped(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A, A @ value


@mistake(
    hint="Return two results: output and weights.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def output_only(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value


@mistake(
    hint="Return two results: output and weights.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def weights_only(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A


@mistake(
    hint="Return two results, output and weights, without the scores.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def scores_returned_too(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A, S


@mistake(
    hint="Return a pair, output and weights: return output, weights.",
    share="0.4",
    caught_by=("returns_output_and_weights",),
)
def results_in_a_dictionary(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return {"output": A @ value, "weights": A}


@mistake(
    hint="The second result is the weights, after softmax; you return the scores.",
    share="0.5",
    caught_by=("rows_sum_to_one",),
)
def scores_returned_for_weights(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, S


@mistake(
    hint="Row i of the weights belongs to query i: return them as you use them.",
    share="0.5",
    caught_by=("returns_output_and_weights",),
)
def returned_weights_transposed(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, np.swapaxes(A, -1, -2)


@mistake(
    hint="Your function changes the query; work on a copy.",
    share="0.5",
    caught_by=("inputs_unchanged", "matches_reference"),
)
def input_centred_in_place(query, key, value, mask=None):
    query -= query.mean(axis=1, keepdims=True)
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


MISTAKES = answers.mistakes
