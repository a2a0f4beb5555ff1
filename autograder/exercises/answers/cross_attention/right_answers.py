"""Right answers to `cross_attention` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905 - a student zips without strict=

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
right_answer = answers.right_answer


@right_answer
def textbook(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    A = softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=1)
    return A @ V, A


@right_answer
def einsum_everywhere(X, context, W_Q, W_K, W_V):
    S = np.einsum("id,dk,ek,je->ij", X, W_Q, W_K, context) / math.sqrt(W_K.shape[1])
    A = softmax(S)
    return np.einsum("ij,jd,dv->iv", A, context, W_V), A


@right_answer
def list_of_two(X, context, W_Q, W_K, W_V):
    Q = X.dot(W_Q) * W_Q.shape[1] ** -0.5
    S = np.inner(Q, context.dot(W_K))
    S -= S.max(axis=1, keepdims=True)
    E = np.exp(S)
    A = E / E.sum(axis=1, keepdims=True)
    return [A.dot(context.dot(W_V)), A]


CrossAttention = namedtuple("CrossAttention", ["output", "weights"])


@right_answer
def named_tuple(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[-1]))
    return CrossAttention(weights=A, output=A @ (context @ W_V))


@right_answer
def products_in_another_order(X, context, W_Q, W_K, W_V):
    A = softmax(X @ (W_Q @ W_K.T) @ context.T / np.sqrt(W_Q.shape[1]))
    return (A @ context) @ W_V, A


@right_answer
def one_query_at_a_time(X, context, W_Q, W_K, W_V):
    K, V = context @ W_K, context @ W_V
    output, weights = [], []
    for x in X:
        a = softmax(K @ (x @ W_Q) / np.sqrt(K.shape[1]))
        weights.append(a)
        output.append(a @ V)
    return np.stack(output), np.stack(weights)


@right_answer
def loops_over_both(X, context, W_Q, W_K, W_V):
    n_q, n_c, d_k = len(X), len(context), W_Q.shape[1]
    weights = np.zeros((n_q, n_c))
    output = np.zeros((n_q, W_V.shape[1]))
    for i in range(n_q):
        for j in range(n_c):
            weights[i, j] = (X[i] @ W_Q) @ (context[j] @ W_K) / d_k**0.5
        weights[i] = np.exp(weights[i] - max(weights[i]))
        weights[i] /= sum(weights[i])
        for j in range(n_c):
            output[i] += weights[i, j] * (context[j] @ W_V)
    return output, weights


@right_answer
def lists_and_math(X, context, W_Q, W_K, W_V):
    def product(A, B):
        return [[math.fsum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]

    Q = product(X.tolist(), W_Q.tolist())
    K, V = (product(context.tolist(), W.tolist()) for W in (W_K, W_V))
    weights = []
    for row in product(Q, list(zip(*K))):
        scores = [score / math.sqrt(len(K[0])) for score in row]
        e = [math.exp(score - max(scores)) for score in scores]
        weights.append([value / math.fsum(e) for value in e])
    return product(weights, V), weights


@right_answer
def matrix_results(X, context, W_Q, W_K, W_V):
    X, context = np.asmatrix(X), np.asmatrix(context)
    S = (X * W_Q) * (context * W_K).T / np.sqrt(W_Q.shape[1])
    A = np.asmatrix(softmax(np.asarray(S)))
    return A * (context * W_V), A


@right_answer
def single_precision_inside(X, context, W_Q, W_K, W_V):
    X, context, W_Q, W_K, W_V = (np.float32(M) for M in (X, context, W_Q, W_K, W_V))
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.float32(np.sqrt(W_Q.shape[1])))
    return A @ (context @ W_V), A


@right_answer
def other_parameter_names(decoder, encoder, Wq, Wk, Wv):
    queries, keys, values = decoder @ Wq, encoder @ Wk, encoder @ Wv
    scores = queries @ keys.T / np.sqrt(keys.shape[-1])
    weights = softmax(scores)
    return weights @ values, weights


@right_answer
def star_arguments(*arrays):
    X, context, *matrices = arrays
    Q, K, V = (tokens @ W for tokens, W in zip((X, context, context), matrices))
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A @ V, A


@right_answer
def keys_in_rows(X, context, W_Q, W_K, W_V):
    S = (context @ W_K) @ (X @ W_Q).T / np.sqrt(W_Q.shape[1])
    A = softmax(S, axis=0)
    return ((context @ W_V).T @ A).T, A.T


@right_answer
def joined_and_masked(X, context, W_Q, W_K, W_V):
    n_q = len(X)
    both = np.vstack([X, context])
    S = (both @ W_Q) @ (both @ W_K).T / np.sqrt(W_Q.shape[1])
    S[:, :n_q] = -np.inf
    A = softmax(S)
    return (A @ (both @ W_V))[:n_q], A[:n_q, n_q:]


@right_answer
def log_sum_exp_of_rows(X, context, W_Q, W_K, W_V):
    S = X @ W_Q @ W_K.T @ context.T / np.sqrt(W_Q.shape[1])
    A = np.exp(S - np.logaddexp.reduce(S, axis=1, keepdims=True))
    return A @ context @ W_V, A


@right_answer
def batch_of_one(X, context, W_Q, W_K, W_V):
    Q, K, V = X[None] @ W_Q, context[None] @ W_K, context[None] @ W_V
    A = softmax(np.matmul(Q, K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1]))
    return np.squeeze(A @ V, axis=0), np.squeeze(A, axis=0)


@right_answer
class CrossAttentionObject:
    def __call__(self, X, context, W_Q, W_K, W_V):
        A = softmax(self.scores(X @ W_Q, context @ W_K))
        return A @ (context @ W_V), A

    def scores(self, Q, K):
        return np.tensordot(Q, K, axes=(1, 1)) / np.sqrt(Q.shape[1])


RIGHT_ANSWERS = answers.right_answers
