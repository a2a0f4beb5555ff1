"""Right answers to `chunked_attention` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905, T201 - a student zips without strict= and prints

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
right_answer = answers.right_answer


@right_answer
def buffer_made_beforehand(Q, K, V, chunk_size=32):
    n_q, d_k = Q.shape
    output = np.zeros((n_q, V.shape[1]))
    for start in range(0, n_q, chunk_size):
        stop = start + chunk_size
        S = Q[start:stop] @ K.T / np.sqrt(d_k)
        output[start:stop] = softmax(S, axis=-1) @ V
    return output


@right_answer
def list_joined_at_the_end(Q, K, V, chunk_size=32):
    chunks = []
    for start in range(0, len(Q), chunk_size):
        q = Q[start : min(start + chunk_size, len(Q))]
        chunks.append(softmax(q @ K.T / math.sqrt(q.shape[-1])) @ V)
    return np.vstack(chunks)


@right_answer
def split_by_numpy(Q, K, V, chunk_size=32):
    cuts = np.arange(chunk_size, len(Q), chunk_size)
    S = [q @ K.T * K.shape[1] ** -0.5 for q in np.split(Q, cuts)]
    return np.concatenate([softmax(s) @ V for s in S], axis=0)


@right_answer
def counted_chunks(Q, K, V, chunk_size=32):
    Q = Q / np.sqrt(Q.shape[1])
    number = -(-len(Q) // chunk_size)
    output = np.empty((len(Q), V.shape[1]))
    for c in range(number):
        rows = slice(c * chunk_size, (c + 1) * chunk_size)
        output[rows] = np.dot(softmax(np.inner(Q[rows], K)), V)
    return output


@right_answer
def while_loop(Q, K, V, chunk_size=32):
    output, start = None, 0
    while start < Q.shape[0]:
        E = np.matmul(Q[start : start + chunk_size], K.T) / np.sqrt(K.shape[1])
        E -= E.max(axis=1, keepdims=True)
        np.exp(E, out=E)
        E /= E.sum(axis=1, keepdims=True)
        part = E @ V
        output = part if output is None else np.append(output, part, axis=0)
        start += chunk_size
    return output


@right_answer
def recursion(Q, K, V, chunk_size=32):
    def from_row(start):
        head = softmax(Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])) @ V
        if start + chunk_size >= len(Q):
            return head
        return np.concatenate([head, from_row(start + chunk_size)])

    return from_row(0)


@right_answer
def all_at_once(Q, K, V, chunk_size=32):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


@right_answer
def one_query_at_a_time(Q, K, V, chunk_size=32):
    return [softmax(K @ q / np.sqrt(len(q))) @ V for q in Q]


@right_answer
def filled_up_and_reshaped(Q, K, V, chunk_size=32):
    n_q, d_k = Q.shape
    missing = -n_q % chunk_size
    chunks = np.pad(Q, ((0, missing), (0, 0))).reshape(-1, chunk_size, d_k)
    S = np.einsum("cqd,kd->cqk", chunks, K) / np.sqrt(d_k)
    output = np.einsum("cqk,kv->cqv", softmax(S), V)
    return output.reshape(-1, V.shape[1])[:n_q]


@right_answer
def keys_in_chunks_too(Q, K, V, chunk_size=32):
    n_q, d_k = Q.shape
    largest, total = np.full((n_q, 1), -np.inf), np.zeros((n_q, 1))
    output = np.zeros((n_q, V.shape[1]))
    for start in range(0, len(K), chunk_size):
        S = Q @ K[start : start + chunk_size].T / np.sqrt(d_k)
        grown = np.maximum(largest, S.max(axis=1, keepdims=True))
        shrink, E = np.exp(largest - grown), np.exp(S - grown)
        total = total * shrink + E.sum(axis=1, keepdims=True)
        output = output * shrink + E @ V[start : start + chunk_size]
        largest = grown
    return output / total


@right_answer
def overlapping_chunks(Q, K, V, chunk_size=32):
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(len(Q)):
        stop = min(start + chunk_size, len(Q))
        output[start:stop] = softmax(Q[start:stop] @ K.T / np.sqrt(K.shape[1])) @ V
    return output


@right_answer
def lists_and_math(Q, K, V, chunk_size=32):
    Q, K, V = Q.tolist(), K.tolist(), V.tolist()
    output = []
    for start in range(0, len(Q), chunk_size):
        for q in Q[start : start + chunk_size]:
            s = [math.fsum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
            e = [math.exp(score - max(s)) for score in s]
            total = math.fsum(e)
            output.append(
                [math.fsum(w * v for w, v in zip(e, column)) / total for column in zip(*V)]
            )
    return output


@right_answer
def matrix_results(Q, K, V, chunk_size=32):
    Q, K, V = np.asmatrix(Q), np.asmatrix(K), np.asmatrix(V)
    chunks = []
    for start in range(0, Q.shape[0], chunk_size):
        S = Q[start : start + chunk_size] * K.T / np.sqrt(K.shape[1])
        chunks.append(np.asmatrix(softmax(np.asarray(S))) * V)
    return np.concatenate(chunks)


@right_answer
def single_precision_inside(Q, K, V, chunk_size=32):
    Q, K, V = (M.astype(np.float32) for M in (Q, K, V))
    chunks = []
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(np.float32(K.shape[1]))
        chunks.append(softmax(S) @ V)
    return np.concatenate(chunks)


@right_answer
def other_parameter_names(queries, keys, values, size=32):
    output = np.zeros((queries.shape[0], values.shape[1]))
    for i in range(0, queries.shape[0], size):
        weights = softmax(queries[i : i + size] @ keys.T / np.sqrt(keys.shape[1]))
        output[i : i + size] = weights @ values
    return output


@right_answer
def star_arguments(*arrays, **options):
    Q, K, V = arrays[:3]
    size = arrays[3] if len(arrays) > 3 else options.get("chunk_size", 32)
    chunks = [Q[i : i + size] for i in range(0, len(Q), size)]
    return np.concatenate([softmax(q @ K.T / np.sqrt(K.shape[1])) @ V for q in chunks])


@right_answer
def divided_after_the_sum(Q, K, V, chunk_size=32):
    with_ones = np.hstack([V, np.ones((len(V), 1))])
    output = np.zeros((len(Q), V.shape[1]))
    for start in range(0, len(Q), chunk_size):
        S = Q[start : start + chunk_size] @ K.T / np.sqrt(K.shape[1])
        sums = np.exp(S - S.max(axis=1, keepdims=True)) @ with_ones
        output[start : start + chunk_size] = sums[:, :-1] / sums[:, -1:]
    return output


@right_answer
def log_sum_exp_of_rows(Q, K, V, chunk_size=32):
    def attend(q):
        S = q @ K.T / np.sqrt(K.shape[1])
        return np.exp(S - np.logaddexp.reduce(S, axis=1, keepdims=True)) @ V

    return np.concatenate([attend(Q[i : i + chunk_size]) for i in range(0, len(Q), chunk_size)])


@right_answer
def generator_of_chunks(Q, K, V, chunk_size=32):
    def outputs():
        for start in range(0, len(Q), chunk_size):
            print("chunk from", start)
            yield softmax((Q[start : start + chunk_size] @ K.T) / K.shape[1] ** 0.5) @ V

    return np.concatenate(list(outputs()))


@right_answer
def keys_in_rows(Q, K, V, chunk_size=32):
    columns = []
    for start in range(0, len(Q), chunk_size):
        S = K @ Q[start : start + chunk_size].T / np.sqrt(K.shape[1])
        columns.append(V.T @ softmax(S, axis=0))
    return np.hstack(columns).T


@right_answer
class ChunkedAttention:
    def __call__(self, Q, K, V, chunk_size=32):
        rows = (self.rows(Q[i : i + chunk_size], K, V) for i in range(0, len(Q), chunk_size))
        return np.array([row for chunk in rows for row in chunk])

    def rows(self, q, K, V):
        return softmax(q @ np.transpose(K) / np.sqrt(np.shape(K)[1])) @ V


RIGHT_ANSWERS = answers.right_answers
