"""Right answers to `self_attention` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905, T201 - a student zips without strict= and prints

from __future__ import annotations

import math
import warnings
from collections import namedtuple

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
right_answer = answers.right_answer


@right_answer
def textbook(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S, axis=1)
    return A @ V, A


@right_answer
def einsum_everywhere(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q = np.einsum("nd,dk->nk", X, W_Q)
    K = np.einsum("nd,dk->nk", X, W_K)
    V = np.einsum("nd,dv->nv", X, W_V)
    S = np.einsum("ik,jk->ij", Q, K)
    if scale:
        S = S / np.sqrt(Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return np.einsum("ij,jv->iv", A, V), A


@right_answer
def additive_bias(X, W_Q, W_K, W_V, mask=None, scale=True):
    n, d_k = len(X), W_Q.shape[1]
    bias = np.zeros((n, n)) if mask is None else np.where(mask, 0.0, -np.inf)
    factor = 1 / np.sqrt(d_k) if scale else 1.0
    A = softmax(factor * ((X @ W_Q) @ (X @ W_K).T) + bias)
    return A @ (X @ W_V), A


@right_answer
def assigned_through_negated_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = S.copy()
        S[~mask] = -np.inf
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def put_through_negated_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S /= np.sqrt(W_Q.shape[1])
    if mask is not None:
        np.putmask(S, ~mask, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def visible_scores_copied(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        visible = np.full(S.shape, -np.inf)
        np.copyto(visible, S, where=mask)
        S = visible
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def queries_scaled_first(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    if scale:
        Q = Q * Q.shape[1] ** -0.5
    S = Q @ K.T
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ V, A


@right_answer
def products_in_another_order(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = X @ (W_Q @ W_K.T) @ X.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return (A @ X) @ W_V, A


@right_answer
def list_of_two(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = np.inner(X @ W_Q, X @ W_K)
    if scale:
        S = S / math.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return [np.dot(A, np.dot(X, W_V)), A]


Attention = namedtuple("Attention", ["output", "weights"])


@right_answer
def named_tuple(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return Attention(weights=A, output=A @ (X @ W_V))


@right_answer
def matrix_results(X, W_Q, W_K, W_V, mask=None, scale=True):
    X = np.asmatrix(X)
    S = np.asarray((X * W_Q) * (X * W_K).T)
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.asmatrix(softmax(S))
    return A * (X * W_V), A


@right_answer
def cast_to_double(X, W_Q, W_K, W_V, mask=None, scale=True):
    X, W_Q, W_K, W_V = (np.asarray(M, dtype=np.float64) for M in (X, W_Q, W_K, W_V))
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(np.asarray(mask, dtype=bool), S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def rows_stacked_at_the_end(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.array([[q @ k for k in K] for q in Q])
    if scale:
        S /= np.sqrt(K.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.stack([softmax(row) for row in S])
    return np.vstack([weights @ V for weights in A]), A


@right_answer
def huge_negative_score_nan_restored(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -1e30)
    A = np.asarray(softmax(S))
    if mask is not None:
        A[~mask.any(axis=1)] = np.nan
    return A @ (X @ W_V), A


@right_answer
def single_precision_inside(X, W_Q, W_K, W_V, mask=None, scale=True):
    X, W_Q, W_K, W_V = (M.astype(np.float32) for M in (X, W_Q, W_K, W_V))
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(np.float32(W_Q.shape[1]))
    if mask is not None:
        S = np.where(mask, S, np.float32(-np.inf))
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def warnings_silenced(X, W_Q, W_K, W_V, mask=None, scale=True):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        S = (X @ W_Q) @ (X @ W_K).T
        if scale:
            S = S / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask, S, -np.inf)
        E = np.exp(S - S.max(axis=1, keepdims=True))
        A = E / E.sum(axis=1, keepdims=True)
        return A @ (X @ W_V), A


@right_answer
def width_from_the_keys(X, W_Q, W_K, W_V, mask=None, scale=True):
    K = X @ W_K
    S = np.tensordot(X @ W_Q, K, axes=(1, 1))
    if scale:
        S = S / np.sqrt(K.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def other_parameter_names(tokens, Wq, Wk, Wv, mask=None, scale=True):
    queries, keys, values = tokens @ Wq, tokens @ Wk, tokens @ Wv
    scores = queries @ keys.T
    if scale:
        scores = scores / np.sqrt(queries.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ values, weights


@right_answer
def star_arguments(*matrices, **options):
    X, W_Q, W_K, W_V = matrices[:4]
    rest = dict(zip(("mask", "scale"), matrices[4:]))
    mask = options.get("mask", rest.get("mask"))
    S = (X @ W_Q) @ (X @ W_K).T
    if options.get("scale", rest.get("scale", True)):
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def lists_and_math(X, W_Q, W_K, W_V, mask=None, scale=True):
    def product(A, B):
        return [[math.fsum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]

    X = X.tolist()
    Q, K, V = product(X, W_Q.tolist()), product(X, W_K.tolist()), product(X, W_V.tolist())
    divisor = math.sqrt(len(K[0])) if scale else 1.0
    A = []
    for i, row in enumerate(product(Q, list(zip(*K)))):
        scores = [score / divisor for score in row]
        if mask is not None:
            scores = [score if mask[i][j] else -math.inf for j, score in enumerate(scores)]
        largest = max(scores)
        e = [math.exp(score - largest) for score in scores]
        A.append([value / math.fsum(e) for value in e])
    return product(A, V), A


@right_answer
def online_softmax(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    n = len(X)
    S = np.full((n, n), -np.inf)
    output = np.zeros((n, V.shape[1]))
    largest, total = np.full((n, 1), -np.inf), np.zeros((n, 1))
    for i in range(n):
        for j in range(n):
            if mask is not None and not mask[i, j]:
                continue
            S[i, j] = Q[i] @ K[j] / (np.sqrt(K.shape[1]) if scale else 1)
            grown = max(largest[i, 0], S[i, j])
            shrink, weight = np.exp(largest[i] - grown), np.exp(S[i, j] - grown)
            total[i] = total[i] * shrink + weight
            output[i] = output[i] * shrink + weight * V[j]
            largest[i] = grown
    with np.errstate(invalid="ignore"):
        return output / total, np.exp(S - largest) / total


@right_answer
def visible_keys_picked_out(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    n, d_v = V.shape
    output, A = np.full((n, d_v), np.nan), np.zeros((n, n))
    for i, q in enumerate(Q):
        visible = np.arange(n) if mask is None else np.flatnonzero(mask[i])
        if len(visible) == 0:
            A[i] = np.nan
            continue
        S = K[visible] @ q
        A[i, visible] = softmax(S / np.sqrt(len(q)) if scale else S)
        output[i] = A[i, visible] @ V[visible]
    return output, A


@right_answer
class AttentionObject:
    def __call__(self, X, W_Q, W_K, W_V, mask=None, scale=True):
        A = softmax(self.scores(X @ W_Q, X @ W_K, mask, scale))
        return A @ (X @ W_V), A

    def scores(self, Q, K, mask, scale):
        S = Q @ K.T / (np.sqrt(Q.shape[1]) if scale else 1)
        return S if mask is None else np.where(mask, S, -np.inf)


@right_answer
def keyword_only_extras(X, W_Q, W_K, W_V, mask=None, scale=True, *, verbose=False):
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1] if scale else 1)
    if verbose:
        print("scores", S)
    S = np.where(True if mask is None else mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def integer_outputs(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.asarray(softmax(S))
    return (A @ (X @ W_V)).astype(X.dtype), A.astype(X.dtype)


@right_answer
def log_sum_exp_of_rows(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = X @ W_Q @ W_K.T @ X.T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.exp(S - np.logaddexp.reduce(S, axis=1, keepdims=True))
    return A @ (X @ W_V), A


@right_answer
def single_precision_log_sum_exp(X, W_Q, W_K, W_V, mask=None, scale=True):
    X, W_Q, W_K, W_V = (M.astype(np.float32) for M in (X, W_Q, W_K, W_V))
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(np.float32(W_Q.shape[1]))
    if mask is not None:
        S = np.where(mask, S, np.float32(-np.inf))
    A = np.exp(S - np.logaddexp.reduce(S, axis=1, keepdims=True))
    return A @ (X @ W_V), A


@right_answer
def logarithm_of_the_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S *= W_Q.shape[1] ** -0.5
    if mask is not None:
        with np.errstate(divide="ignore"):
            S += np.log(mask.astype(float))
    A = softmax(S)
    return A @ (X @ W_V), A


@right_answer
def products_by_broadcasting(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = ((X[:, :, None] * W).sum(axis=1) for W in (W_Q, W_K, W_V))
    S = (Q[:, None] * K[None]).sum(axis=-1)
    if scale:
        S = S / np.sqrt(K.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = np.asarray(softmax(S))
    return (A[:, :, np.newaxis] * V).sum(axis=1), A


@right_answer
def exponentials_of_visible_scores(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T / (np.sqrt(W_Q.shape[1]) if scale else 1)
    visible = np.ones(S.shape, dtype=bool) if mask is None else mask
    E = np.zeros_like(S)
    top = np.max(S, axis=1, keepdims=True, where=visible, initial=-np.inf)
    np.exp(S - top, out=E, where=visible)
    with np.errstate(invalid="ignore"):
        A = E / E.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A


@right_answer
def masked_array_inside(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T / (np.sqrt(W_Q.shape[1]) if scale else 1)
    S = np.ma.array(S, mask=False if mask is None else ~mask)
    E = np.ma.exp(S - S.max(axis=1, keepdims=True))
    A = (E / E.sum(axis=1, keepdims=True)).filled(0)
    if mask is not None:
        A[~mask.any(axis=1)] = np.nan
    return A @ (X @ W_V), A


@right_answer
def fourth_roots_on_both_sides(X, W_Q, W_K, W_V, mask=None, scale=True):
    root = W_Q.shape[1] ** 0.25 if scale else 1.0
    S = (X @ W_Q / root) @ (X @ W_K / root).T
    A = softmax(S if mask is None else np.select([mask], [S], default=-np.inf))
    return A @ (X @ W_V), A


@right_answer
def one_joint_projection(X, W_Q, W_K, W_V, mask=None, scale=True):
    d_k = W_Q.shape[1]
    Q, K, V = np.split(X @ np.concatenate([W_Q, W_K, W_V], axis=1), [d_k, 2 * d_k], axis=1)
    S = Q @ K.T
    if scale:
        S = S / np.sqrt(d_k)
    if mask is not None:
        S = np.where(mask == False, float("-inf"), S)  # noqa: E712 - as students write it
    A = softmax(S)
    return A @ V, A


@right_answer
def keys_in_rows(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_K) @ (X @ W_Q).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask.T, S, -np.inf)
    A = np.asarray(softmax(S, axis=0))
    return ((X @ W_V).T @ A).T, A.T


@right_answer
def batch_of_one(X, W_Q, W_K, W_V, mask=None, scale=True):
    X = X[None]
    S = np.matmul(X @ W_Q, np.swapaxes(X @ W_K, -1, -2))
    if scale:
        S = S / np.sqrt(W_Q.shape[-1])
    if mask is not None:
        S = np.where(mask[None], S, -np.inf)
    A = softmax(S)
    return np.squeeze(A @ (X @ W_V), axis=0), A[0]


@right_answer
def divided_after_the_sum(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = np.einsum("id,dk,ek,je->ij", X, W_Q, W_K, X)
    if scale:
        S = S / np.linalg.norm(np.ones(W_K.shape[1]))
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    sums = E @ np.hstack([X @ W_V, np.ones((len(X), 1))])
    return sums[:, :-1] / sums[:, -1:], E / sums[:, -1:]


@right_answer
def token_by_token_recursion(X, W_Q, W_K, W_V, mask=None, scale=True):
    K, V = X @ W_K, X @ W_V

    def rows_from(i):
        if i == len(X):
            return [], []
        S = K @ (X[i] @ W_Q) / (K.shape[1] ** 0.5 if scale else 1)
        A = softmax(S if mask is None else np.where(mask[i], S, -np.inf))
        output, weights = rows_from(i + 1)
        return [A @ V, *output], [A, *weights]

    return tuple(map(np.array, rows_from(0)))


@right_answer
def two_queries_at_a_time(X, W_Q, W_K, W_V, mask=None, scale=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    output, weights = [], []
    for start in range(0, len(X), 2):
        rows = slice(start, start + 2)
        S = Q[rows] @ K.T / (np.sqrt(K.shape[1]) if scale else 1)
        weights.append(softmax(S if mask is None else np.where(mask[rows], S, -np.inf)))
        output.append(weights[-1] @ V)
    return np.concatenate(output), np.concatenate(weights)


RIGHT_ANSWERS = answers.right_answers
