"""Mistakes of `chunked_attention` on the way from scores to output, the same in every chunk."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Scale the scores in every chunk.",
    share="0.6",
    caught_by=("matches_reference",),
)
def chunks_not_scaled(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="You divide by d_k; divide by its square root.",
    share="0.6",
    caught_by=("matches_reference",),
)
def divides_by_key_width(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / K.shape[1]
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Scale by the square root of d_k, the width of Q and K, not by that of V.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_value_width(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(V.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Scale by the square root of d_k: the size of a chunk must not matter.",
    share="0.6",
    caught_by=("matches_reference", "chunk_size_does_not_matter"),
)
def scales_by_chunk_size(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(chunk_size)
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Scale by the square root of d_k, the number of columns of K, not of its rows.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_number_of_keys(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(len(K))
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Scale before softmax: afterwards the weights no longer sum to one.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scales_after_softmax(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        A = softmax(Q[start : start + chunk_size] @ K.T) / np.sqrt(K.shape[1])
        chunks.append(A @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Each row is one query: normalise over the keys, not over the queries of the chunk.",
    share="0.3",
    caught_by=("matches_reference",),
)
def softmax_over_the_chunk(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S, axis=0) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Each row is a softmax of its own, not the whole chunk.",
    share="0.3",
    caught_by=("matches_reference",),
)
def one_sum_for_the_chunk(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        E = np.exp(S - S.max())
        chunks.append(E / E.sum() @ V)
    return np.concatenate(chunks)


@mistake(
    hint="The scores are not yet weights: each row goes through softmax first.",
    share="0.2",
    caught_by=("matches_reference",),
)
def scores_are_the_weights(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(S @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Subtract the row maximum before the exponential.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def without_shift(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        E = np.exp(Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1]))
        output[start : start + chunk_size] = E / E.sum(axis=1, keepdims=True) @ V
    return output


@mistake(
    hint="Each row needs its own maximum, not one for the chunk.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def one_maximum_for_the_chunk(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        E = np.exp(S - S.max())
        output[start : start + chunk_size] = E / E.sum(axis=1, keepdims=True) @ V
    return output


@mistake(
    hint="Your function changes an array that it was given; a slice is a view, and changes the "
    "array it is cut from. Work on a copy.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def chunk_changed_in_place(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        chunk = Q[start : start + chunk_size]
        chunk /= np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(chunk @ K.T) @ V
    return output


@mistake(
    hint="Row i belongs to query i: multiply queries by transposed keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scores_transposed(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = K @ Q[start : start + chunk_size].T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Return the output alone; this exercise does not ask for the weights.",
    share="0.6",
    caught_by=("matches_reference",),
)
def weights_returned_too(Q, K, V, chunk_size=32):
    chunks, weights = [], []
    for start in range(0, len(Q), chunk_size):
        A = softmax(Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1]))
        chunks.append(A @ V)
        weights.append(A)
    return np.concatenate(chunks), np.concatenate(weights)


@mistake(
    hint="Return the output, the weighted sums of the values, not the weights.",
    share="0.4",
    caught_by=("matches_reference",),
)
def weights_only(Q, K, V, chunk_size=32):
    weights = []
    for start in range(0, len(Q), chunk_size):
        weights.append(softmax(Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])))
    return np.concatenate(weights)


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def output_rounded(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.round(np.concatenate(chunks), 3)


@mistake(
    hint="No query is barred from later keys here: there is no mask.",
    share="0.3",
    caught_by=("matches_reference",),
)
def future_hidden(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        past = np.arange(len(K)) <= start + np.arange(len(S))[:, None]
        chunks.append(softmax(np.where(past, S, -np.inf)) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Divide the scores by the square root of d_k; you multiply by it.",
    share="0.6",
    caught_by=("matches_reference",),
)
def multiplies_by_root_of_key_width(Q, K, V, chunk_size=32):
    return softmax(Q @ K.T * np.sqrt(K.shape[1])) @ V


@mistake(
    hint="Divide each row by its sum: the exponentials are not yet weights.",
    share="0.3",
    caught_by=("matches_reference",),
)
def exponentials_not_normalised(Q, K, V, chunk_size=32):
    S = Q @ K.T / np.sqrt(K.shape[1])
    return np.exp(S - S.max(axis=1, keepdims=True)) @ V


@mistake(
    hint="Start the running maximum at -inf: the scores of a row may all lie below 0.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def maximum_of_at_least_zero(Q, K, V, chunk_size=32):
    S = Q @ K.T / np.sqrt(K.shape[1])
    E = np.exp(S - np.maximum(S.max(axis=1, keepdims=True), 0))
    return E / E.sum(axis=1, keepdims=True) @ V


# -- what computes nothing -------------------------------------------------------------------------


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(Q, K, V, chunk_size=32):
    return np.zeros((len(Q), V.shape[1]))


@mistake(
    hint="You return the queries themselves; nothing looks at the keys.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(Q, K, V, chunk_size=32):
    return Q


@mistake(
    hint="You return the values themselves; no query looks at another key.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_values(Q, K, V, chunk_size=32):
    return V


@mistake(
    hint="Every key gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_the_mean(Q, K, V, chunk_size=32):
    return np.tile(V.mean(axis=0), (len(Q), 1))


MISTAKES = answers.mistakes
