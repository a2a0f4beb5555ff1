"""Right answers to `local_attention` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905 - a student zips without strict=

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
right_answer = answers.right_answer


@right_answer
def band_mask(Q, K, V, window):
    n = Q.shape[0]
    positions = np.arange(n)
    visible = np.abs(positions[:, None] - positions[None, :]) <= window
    S = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax(np.where(visible, S, -np.inf)) @ V


@right_answer
def slices_of_neighbours(Q, K, V, window):
    n, d_k = Q.shape
    output = np.zeros((n, V.shape[1]))
    for i in range(n):
        start, stop = max(0, i - window), min(n, i + window + 1)
        A = softmax(K[start:stop] @ Q[i] / np.sqrt(d_k))
        output[i] = A @ V[start:stop]
    return output


@right_answer
def triangles(Q, K, V, window):
    ones = np.ones((len(Q), len(K)), dtype=bool)
    visible = np.tril(ones, window) & np.triu(ones, -window)
    S = Q @ K.T / np.sqrt(K.shape[1])
    S[~visible] = -np.inf
    return softmax(S, axis=1) @ V


@right_answer
def additive_bias(Q, K, V, window):
    i, j = np.ogrid[: len(Q), : len(K)]
    bias = np.where(abs(i - j) > window, -1e9, 0.0)
    return softmax(Q @ K.T * K.shape[1] ** -0.5 + bias) @ V


@right_answer
def scores_filled_pair_by_pair(Q, K, V, window):
    S = np.full((len(Q), len(K)), -np.inf)
    for i in range(len(Q)):
        for j in range(len(K)):
            if abs(i - j) <= window:
                S[i, j] = np.dot(Q[i], K[j]) / math.sqrt(K.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E @ V / E.sum(axis=1, keepdims=True)


@right_answer
def lists_and_math(Q, K, V, window):
    Q, K, V = Q.tolist(), K.tolist(), V.tolist()
    output = []
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if -window <= i - j <= window]
        s = [sum(a * b for a, b in zip(q, K[j])) / math.sqrt(len(q)) for j in seen]
        e = [math.exp(score - max(s)) for score in s]
        sums = [sum(w * V[j][c] for w, j in zip(e, seen)) for c in range(len(V[0]))]
        output.append([value / sum(e) for value in sums])
    return output


@right_answer
def diagonal_after_diagonal(Q, K, V, window):
    n, d_k = Q.shape
    S = np.full((n, n), -np.inf)
    for offset in range(-min(window, n - 1), min(window, n - 1) + 1):
        rows = np.arange(max(0, -offset), min(n, n - offset))
        S[rows, rows + offset] = (Q[rows] * K[rows + offset]).sum(axis=1) / np.sqrt(d_k)
    return softmax(S) @ V


@right_answer
def filled_up_windows(Q, K, V, window):
    n, d_k = Q.shape
    reach = min(window, n - 1)
    seen = np.arange(n)[:, None] + np.arange(-reach, reach + 1)
    inside = (seen >= 0) & (seen < n)
    seen = np.clip(seen, 0, n - 1)
    S = np.einsum("nd,nwd->nw", Q, K[seen]) / np.sqrt(d_k)
    A = softmax(np.where(inside, S, -np.inf))
    return np.einsum("nw,nwv->nv", A, V[seen])


@right_answer
def index_grids(Q, K, V, window):
    S = np.einsum("id,jd->ij", Q, K) / np.linalg.norm(np.ones(K.shape[1]))
    i, j = np.indices(S.shape)
    S = np.select([(j >= i - window) & (j <= i + window)], [S], default=float("-inf"))
    return np.einsum("ij,jv->iv", softmax(S), V)


@right_answer
def masked_array_inside(Q, K, V, window):
    n = len(Q)
    hidden = abs(np.subtract.outer(np.arange(n), np.arange(n))) > window
    S = np.ma.array(Q @ K.T / np.sqrt(K.shape[1]), mask=hidden)
    E = np.ma.exp(S - S.max(axis=1, keepdims=True)).filled(0)
    return E / E.sum(axis=1, keepdims=True) @ V


@right_answer
def matrix_results(Q, K, V, window):
    n = len(Q)
    S = np.asarray(np.asmatrix(Q) * np.asmatrix(K).T) / np.sqrt(K.shape[1])
    for i in range(n):
        S[i, : max(0, i - window)] = -np.inf
        S[i, i + window + 1 :] = -np.inf
    return np.asmatrix(softmax(S)) * np.asmatrix(V)


@right_answer
def single_precision_inside(Q, K, V, window):
    Q, K, V = (M.astype(np.float32) for M in (Q, K, V))
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(np.float32(K.shape[1]))
    return softmax(np.where(abs(i - j) <= window, S, np.float32(-np.inf))) @ V


@right_answer
def other_parameter_names(queries, keys, values, w):
    place = np.arange(len(keys))
    rows = []
    for i, query in enumerate(queries):
        near = abs(place - i) <= w
        rows.append(softmax(keys[near] @ query / np.sqrt(len(query))) @ values[near])
    return np.stack(rows)


@right_answer
def star_arguments(*arguments):
    Q, K, V, window = arguments
    hidden = ~np.array([[abs(i - j) <= window for j in range(len(K))] for i in range(len(Q))])
    S = np.inner(Q, K) / np.sqrt(K.shape[1])
    np.putmask(S, hidden, -np.inf)
    return softmax(S).dot(V)


@right_answer
def zero_window_by_itself(Q, K, V, window):
    if window == 0:
        return V.copy()
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    if window < len(Q) - 1:
        S = np.where((i - j) ** 2 <= window**2, S, -np.inf)
    return softmax(S) @ V


@right_answer
def online_softmax(Q, K, V, window):
    output = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        largest, total = -np.inf, 0.0
        for j in range(max(0, i - window), min(len(K), i + window + 1)):
            s = q @ K[j] / np.sqrt(len(q))
            grown = max(largest, s)
            shrink, weight = np.exp(largest - grown), np.exp(s - grown)
            total = total * shrink + weight
            output[i] = output[i] * shrink + weight * V[j]
            largest = grown
        output[i] /= total
    return output


@right_answer
class LocalAttention:
    def __call__(self, Q, K, V, window):
        S = Q @ K.T / np.sqrt(K.shape[1]) + self.bias(len(Q), window)
        return softmax(S) @ V

    def bias(self, n, window):
        visible = sum(np.eye(n, k=k) for k in range(-min(window, n), min(window, n) + 1))
        with np.errstate(divide="ignore"):
            return np.log(visible)


RIGHT_ANSWERS = answers.right_answers
