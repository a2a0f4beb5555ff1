"""Mistakes of `chunked_attention` about which rows make a chunk and where its output goes."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The end of a slice is a position: start + chunk_size.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def slice_stop_is_the_chunk_size(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start:chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="The end of a slice is exclusive: start + chunk_size, without minus one.",
    share="0.1",
    caught_by=("matches_reference", "chunk_size_does_not_matter"),
)
def slice_stop_one_too_early(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size - 1] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="Cut the queries only; every query sees all keys.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def keys_cut_as_well(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        rows = slice(start, start + chunk_size)
        S = Q[rows] @ K[rows].T / np.sqrt(K.shape[1])
        output[rows] = softmax(S) @ V[rows]
    return output


@mistake(
    hint="Softmax needs the scores of all keys at once: cut the queries, not the keys.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def keys_cut_and_outputs_added(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(K), chunk_size):
        rows = slice(start, start + chunk_size)
        output += softmax(Q @ K[rows].T / np.sqrt(K.shape[1])) @ V[rows]
    return output


@mistake(
    hint="Softmax needs the scores of all keys at once: averaging over chunks of keys is not it.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def keys_cut_and_outputs_averaged(Q, K, V, chunk_size=32):
    outputs = []
    for start in range(0, len(K), chunk_size):
        rows = slice(start, start + chunk_size)
        outputs.append(softmax(Q @ K[rows].T / np.sqrt(K.shape[1])) @ V[rows])
    return np.mean(outputs, axis=0)


@mistake(
    hint="The output has one row per query.",
    share="0.65",
    caught_by=("query_and_key_counts_may_differ",),
)
def output_shaped_like_values(Q, K, V, chunk_size=32):
    output = np.zeros(V.shape)
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="The output has d_v columns, the width of V, not of Q.",
    share="0.4",
    caught_by=("matches_reference",),
)
def output_shaped_like_queries(Q, K, V, chunk_size=32):
    output = np.zeros_like(Q)
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="The loop runs over the queries: its end is their number, not that of the keys.",
    share="0.65",
    caught_by=("query_and_key_counts_may_differ",),
)
def loop_ends_with_the_keys(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(K), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="The last chunk may be shorter than the others, but its queries count too.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def last_short_chunk_left_out(Q, K, V, chunk_size=32):
    chunks = []
    for c in range(len(Q) // chunk_size):
        S = Q[c * chunk_size : (c + 1) * chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="The last chunk may be shorter than the others; its rows stay zero in your output.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def last_short_chunk_left_zero(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q) - chunk_size + 1, chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="The chunk size need not divide the number of queries: the last chunk may be shorter.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def chunks_must_divide(Q, K, V, chunk_size=32):
    chunks = np.split(Q, len(Q) // chunk_size)
    return np.concatenate([softmax(q @ K.T / np.sqrt(K.shape[1])) @ V for q in chunks])


@mistake(
    hint="The chunks need not be of one size: let the last one be shorter.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def reshaped_into_chunks(Q, K, V, chunk_size=32):
    chunks = Q.reshape(-1, chunk_size, Q.shape[1])
    output = softmax(chunks @ K.T / np.sqrt(K.shape[1])) @ V
    return output.reshape(len(Q), V.shape[1])


@mistake(
    hint="Fill up the last chunk if you like, but cut the added rows off again at the end.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def filled_up_rows_returned(Q, K, V, chunk_size=32):
    missing = -len(Q) % chunk_size
    Q = np.concatenate([Q, np.zeros((missing, Q.shape[1]))])
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="Each chunk of queries gives rows of its own: join them, do not keep the last one alone.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def last_chunk_alone_returned(Q, K, V, chunk_size=32):
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output = softmax(S) @ V
    return output


@mistake(
    hint="Return after the loop: yours ends with the first chunk.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def first_chunk_alone_returned(Q, K, V, chunk_size=32):
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        return softmax(S) @ V


@mistake(
    hint="Start each chunk where the last one ended: the step of the loop is chunk_size.",
    share="0.3",
    caught_by=("matches_reference",),
)
def steps_by_one(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(len(Q)):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@mistake(
    hint="chunk_size is the number of queries in a chunk, not the number of chunks.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def chunk_size_taken_as_number_of_chunks(Q, K, V, chunk_size=32):
    size = len(Q) // chunk_size
    output = np.zeros((len(Q), V.shape[1]))
    for c in range(chunk_size):
        S = Q[c * size : (c + 1) * size] @ K.T / np.sqrt(K.shape[1])
        output[c * size : (c + 1) * size] = softmax(S) @ V
    return output


@mistake(
    hint="Join the chunks along the rows, as np.concatenate does: the output has two axes.",
    share="0.5",
    caught_by=("matches_reference",),
)
def chunks_not_joined(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return chunks


@mistake(
    hint="Join the chunks one below the other: the output has n_q rows.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def chunks_joined_side_by_side(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        chunks.append(softmax(S) @ V)
    return np.hstack(chunks)


@mistake(
    hint="Keep the order of the queries: the first chunk's rows come first.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def chunks_in_reverse_order(Q, K, V, chunk_size=32):
    output = np.zeros((0, V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output = np.concatenate([softmax(S) @ V, output])
    return output


@mistake(
    hint="Your function takes no chunk_size; the exercise's fourth argument says how many queries "
    "to take at a time.",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def no_chunk_size_argument(Q, K, V):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), 32):
        S = Q[start : start + 32] @ K.T / np.sqrt(K.shape[1])
        output[start : start + 32] = softmax(S) @ V
    return output


@mistake(
    hint="Give chunk_size its default: def chunked_attention(Q, K, V, chunk_size=32).",
    share="0.65",
    caught_by=("chunk_size_does_not_matter",),
)
def chunk_size_without_default(Q, K, V, chunk_size):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
    return output


@mistake(
    hint="Return after the loop: yours ends with the first chunk, and the other rows stay zero.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def first_chunk_alone_filled(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        output[start : start + chunk_size] = softmax(S) @ V
        return output


@mistake(
    hint="The end of a slice is exclusive: start + chunk_size, or len(Q), without minus one.",
    share="0.3",
    caught_by=("matches_reference",),
)
def last_row_of_each_chunk_left_zero(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        stop = start + chunk_size - 1
        output[start:stop] = softmax(Q[start:stop] @ K.T / np.sqrt(K.shape[1])) @ V
    return output


@mistake(
    hint="The end of a slice is exclusive: cut it off at len(Q), not at len(Q) - 1.",
    share="0.3",
    caught_by=("matches_reference",),
)
def last_query_left_zero(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        stop = min(start + chunk_size, len(Q) - 1)
        output[start:stop] = softmax(Q[start:stop] @ K.T / np.sqrt(K.shape[1])) @ V
    return output


@mistake(
    hint="Where the maximum of a row grows from chunk to chunk of keys, shrink the earlier sums: "
    "times exp(old maximum - new maximum).",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def sums_of_key_chunks_not_rescaled(Q, K, V, chunk_size=32):
    n_q = len(Q)
    largest, total = np.full((n_q, 1), -np.inf), np.zeros((n_q, 1))
    output = np.zeros((n_q, V.shape[1]))
    for start in range(0, len(K), chunk_size):
        S = Q @ K[start : start + chunk_size].T / np.sqrt(K.shape[1])
        grown = np.maximum(largest, S.max(axis=1, keepdims=True))
        E = np.exp(S - grown)
        total = total + E.sum(axis=1, keepdims=True)
        output = output + E @ V[start : start + chunk_size]
        largest = grown
    return output / total


@mistake(
    hint="Where the maximum of a row grows, shrink the output so far as well as the sum.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def output_of_key_chunks_not_rescaled(Q, K, V, chunk_size=32):
    n_q = len(Q)
    largest, total = np.full((n_q, 1), -np.inf), np.zeros((n_q, 1))
    output = np.zeros((n_q, V.shape[1]))
    for start in range(0, len(K), chunk_size):
        S = Q @ K[start : start + chunk_size].T / np.sqrt(K.shape[1])
        grown = np.maximum(largest, S.max(axis=1, keepdims=True))
        shrink, E = np.exp(largest - grown), np.exp(S - grown)
        total = total * shrink + E.sum(axis=1, keepdims=True)
        output = output + E @ V[start : start + chunk_size]
        largest = grown
    return output / total


@mistake(
    hint="Where the maximum of a row grows, shrink the sum so far as well as the output.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def total_of_key_chunks_not_rescaled(Q, K, V, chunk_size=32):
    n_q = len(Q)
    largest, total = np.full((n_q, 1), -np.inf), np.zeros((n_q, 1))
    output = np.zeros((n_q, V.shape[1]))
    for start in range(0, len(K), chunk_size):
        S = Q @ K[start : start + chunk_size].T / np.sqrt(K.shape[1])
        grown = np.maximum(largest, S.max(axis=1, keepdims=True))
        shrink, E = np.exp(largest - grown), np.exp(S - grown)
        total = total + E.sum(axis=1, keepdims=True)
        output = output * shrink + E @ V[start : start + chunk_size]
        largest = grown
    return output / total


@mistake(
    hint="Sums over chunks of keys can only be added where all subtract the same maximum.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def each_key_chunk_has_its_own_maximum(Q, K, V, chunk_size=32):
    total, output = 0, 0
    for start in range(0, len(K), chunk_size):
        S = Q @ K[start : start + chunk_size].T / np.sqrt(K.shape[1])
        E = np.exp(S - S.max(axis=1, keepdims=True))
        total = total + E.sum(axis=1, keepdims=True)
        output = output + E @ V[start : start + chunk_size]
    return output / total


@mistake(
    hint="The last chunk of keys may be shorter than the others, but its keys count too.",
    share="0.3",
    caught_by=("chunk_size_does_not_matter",),
)
def last_short_chunk_of_keys_left_out(Q, K, V, chunk_size=32):
    whole = len(K) // chunk_size * chunk_size or len(K)
    return softmax(Q @ K[:whole].T / np.sqrt(K.shape[1])) @ V[:whole]


MISTAKES = answers.mistakes
