"""Right answers to `self_attention_loop` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905, T201 - a student zips without strict= and prints

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers
from reference import self_attention, softmax

answers = Answers()
right_answer = answers.right_answer


@right_answer
def textbook(X, W_Q, W_K, W_V, mask=None):
    n, d_k, d_v = X.shape[0], W_Q.shape[1], W_V.shape[1]
    output, A = np.zeros((n, d_v)), np.zeros((n, n))
    for i in range(n):
        q = X[i] @ W_Q
        S = np.zeros(n)
        for j in range(n):
            S[j] = q @ (X[j] @ W_K) / np.sqrt(d_k)
            if mask is not None and not mask[i, j]:
                S[j] = -np.inf
        A[i] = softmax(S)
        for j in range(n):
            output[i] += A[i, j] * (X[j] @ W_V)
    return output, A


@right_answer
def all_keys_at_once(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    output, weights = [], []
    for i, q in enumerate(Q):
        S = K @ q / np.sqrt(len(q))
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        weights.append(softmax(S))
        output.append(weights[-1] @ V)
    return np.array(output), np.array(weights)


@right_answer
def calls_the_matrix_form(X, W_Q, W_K, W_V, mask=None):
    return self_attention(X, W_Q, W_K, W_V, mask=mask)


@right_answer
def lists_and_math(X, W_Q, W_K, W_V, mask=None):
    def product(row, matrix):
        return [sum(a * b for a, b in zip(row, column)) for column in zip(*matrix)]

    rows = X.tolist()
    keys = [product(row, W_K.tolist()) for row in rows]
    values = [product(row, W_V.tolist()) for row in rows]
    output, weights = [], []
    for i, row in enumerate(rows):
        q = product(row, W_Q.tolist())
        scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in keys]
        if mask is not None:
            scores = [s if visible else -math.inf for s, visible in zip(scores, mask[i])]
        e = [math.exp(s - max(scores)) for s in scores]
        weights.append([value / sum(e) for value in e])
        output.append(product(weights[-1], values))
    return output, weights


@right_answer
def online_softmax(X, W_Q, W_K, W_V, mask=None):
    n, d_k, d_v = X.shape[0], W_Q.shape[1], W_V.shape[1]
    output, weights = np.zeros((n, d_v)), np.zeros((n, n))
    for i in range(n):
        q = X[i] @ W_Q
        largest, total = -np.inf, np.float64(0)
        for j in range(n):
            if mask is not None and not mask[i, j]:
                continue
            s = q @ (X[j] @ W_K) / np.sqrt(d_k)
            grown = max(largest, s)
            shrink = np.exp(largest - grown)
            weights[i] *= shrink
            weights[i, j] = np.exp(s - grown)
            output[i] = output[i] * shrink + weights[i, j] * (X[j] @ W_V)
            total = total * shrink + weights[i, j]
            largest = grown
        with np.errstate(invalid="ignore"):
            weights[i] /= total
            output[i] /= total
    return output, weights


@right_answer
def one_number_at_a_time(X, W_Q, W_K, W_V, mask=None):
    n, d = X.shape
    d_k, d_v = W_Q.shape[1], W_V.shape[1]
    Q, K, V = np.zeros((n, d_k)), np.zeros((n, d_k)), np.zeros((n, d_v))
    for i in range(n):
        for a in range(d):
            for c in range(d_k):
                Q[i, c] += X[i, a] * W_Q[a, c]
                K[i, c] += X[i, a] * W_K[a, c]
            for c in range(d_v):
                V[i, c] += X[i, a] * W_V[a, c]
    output, A = np.zeros((n, d_v)), np.zeros((n, n))
    for i in range(n):
        S = [sum(Q[i, c] * K[j, c] for c in range(d_k)) / d_k**0.5 for j in range(n)]
        if mask is not None:
            S = [S[j] if mask[i, j] else float("-inf") for j in range(n)]
        A[i] = softmax(np.array(S))
        for c in range(d_v):
            output[i, c] = sum(A[i, j] * V[j, c] for j in range(n))
    return output, A


@right_answer
def score_table_first(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    S = np.empty((n, n))
    for i, j in np.ndindex(n, n):
        visible = mask is None or mask[i, j]
        S[i, j] = (X[i] @ W_Q) @ (X[j] @ W_K) / W_K.shape[1] ** 0.5 if visible else -np.inf
    A = np.array([softmax(row) for row in S])
    return np.array([sum(A[i, j] * (X[j] @ W_V) for j in range(n)) for i in range(n)]), A


@right_answer
def only_visible_keys(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        visible = [j for j in range(n) if mask is None or mask[i, j]]
        if not visible:
            output[i] = A[i] = math.nan
            continue
        S = np.array([np.dot(X[i] @ W_Q, X[j] @ W_K) for j in visible]) / math.sqrt(W_K.shape[1])
        for j, weight in zip(visible, softmax(S)):
            A[i, j] = weight
            output[i] += weight * (X[j] @ W_V)
    return output, A


@right_answer
def generator_of_rows(X, W_Q, W_K, W_V, mask=None):
    V = X @ W_V

    def rows():
        for i, x in enumerate(X):
            S = (x @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
            S = S if mask is None else np.where(mask[i], S, -np.inf)
            A = softmax(S)
            yield A @ V, A

    output, weights = zip(*rows())
    return np.stack(output), np.stack(weights)


@right_answer
def sums_kept_as_logarithms(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = np.array([X[i] @ W_Q @ W_K.T @ x for x in X]) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = S + np.where(mask[i], 0.0, -np.inf)
        log_total = -np.inf
        for score in S:
            log_total = np.logaddexp(log_total, score)
        for j in range(n):
            A[i, j] = np.exp(S[j] - log_total)
            output[i] += A[i, j] * (X[j] @ W_V)
    return output, A


@right_answer
def scores_in_a_dictionary(X, W_Q, W_K, W_V, mask=None):
    n, S = len(X), {}
    for i in range(n):
        for j in range(n):
            seen = mask is None or bool(mask[i, j])
            score = float((X[i] @ W_Q) @ (X[j] @ W_K)) / W_Q.shape[1] ** 0.5
            S[i, j] = score if seen else -math.inf
    A = [softmax(np.array([S[i, j] for j in range(n)])) for i in range(n)]
    return [sum(A[i][j] * (X[j] @ W_V) for j in range(n)) for i in range(n)], A


@right_answer
def nothing_seen_is_nan_by_hand(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    i = 0
    while i < n:
        scores = [(x @ W_K) @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1]) for x in X]
        seen = [True] * n if mask is None else mask[i].tolist()
        largest = max((s for s, visible in zip(scores, seen) if visible), default=0.0)
        e = [math.exp(s - largest) if visible else 0.0 for s, visible in zip(scores, seen)]
        A[i] = [value / sum(e) if sum(e) else math.nan for value in e]
        output[i] = A[i].dot(X).dot(W_V)
        i += 1
    return output, A


@right_answer
def outer_products_summed(X, W_Q, W_K, W_V, mask=None):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    visible = np.full((len(X), len(X)), True) if mask is None else mask
    A = np.stack(
        [
            softmax(np.where(row, np.inner(K, q) / np.sqrt(q.size), -np.inf))
            for q, row in zip(Q, visible)
        ]
    )
    return np.add.reduce([np.outer(A[:, j], V[j]) for j in range(len(X))]), A


RIGHT_ANSWERS = answers.right_answers
