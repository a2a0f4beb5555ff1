"""Right answers to `scaled_dot_product_attention` in many styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905 - students write zip without strict

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
right_answer = answers.right_answer


@right_answer
def textbook(query, key, value, mask=None):
    d_k = query.shape[-1]
    scores = np.matmul(query, key.transpose(0, 2, 1)) / np.sqrt(d_k)
    if mask is not None:
        scores = scores + mask * -1e9
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.matmul(weights, value), weights


@right_answer
def einsum_with_infinity(query, key, value, mask=None):
    S = np.einsum("bqd,bkd->bqk", query, key) / math.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(np.asarray(mask) == 1, -np.inf, S)
    E = np.exp(S - S.max(axis=2, keepdims=True))
    A = E / E.sum(axis=2, keepdims=True)
    return np.einsum("bqk,bkv->bqv", A, value), A


def attend_alone(Q, K, V, blocked):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    S = np.where(blocked, -np.inf, S)
    E = np.exp(S - S.max(axis=1)[:, None])
    A = E / E.sum(axis=1)[:, None]
    return A @ V, A


@right_answer
def one_sequence_after_the_other(query, key, value, mask=None):
    B, n_q, n_k = query.shape[0], query.shape[1], key.shape[1]
    if mask is None:
        mask = np.zeros((n_q, n_k))
    blocked = np.broadcast_to(np.asarray(mask) > 0.5, (B, n_q, n_k))
    results = [attend_alone(query[b], key[b], value[b], blocked[b]) for b in range(B)]
    return np.stack([output for output, _ in results]), np.stack([A for _, A in results])


@right_answer
def buffers_filled_by_loops(query, key, value, mask=None):
    B, n_q, d_k = query.shape
    n_k, d_v = value.shape[1:]
    output, weights = np.zeros((B, n_q, d_v)), np.zeros((B, n_q, n_k))
    for b in range(B):
        matrix = None if mask is None else (mask if mask.ndim == 2 else mask[b])
        for i in range(n_q):
            scores = np.array([query[b, i] @ key[b, j] / d_k**0.5 for j in range(n_k)])
            if matrix is not None:
                scores[matrix[i] == 1] = -np.inf
            e = np.exp(scores - scores.max())
            weights[b, i] = e / e.sum()
            for j in range(n_k):
                output[b, i] += weights[b, i, j] * value[b, j]
    return output, weights


@right_answer
def list_of_two(query, key, value, mask=None):
    S = query @ np.moveaxis(key, 1, 2) * query.shape[2] ** -0.5
    if mask is not None:
        S -= 1e9 * mask
    E = np.exp(S - np.amax(S, axis=-1)[..., np.newaxis])
    A = E / np.sum(E, axis=-1)[..., np.newaxis]
    return [A @ value, A]


Attention = namedtuple("Attention", ["output", "weights"])


@right_answer
def named_tuple(query, key, value, mask=None):
    S = query @ np.swapaxes(key, 1, 2) / np.sqrt(key.shape[2])
    if mask is not None:
        S = np.where(mask, -1e30, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return Attention(weights=A, output=A @ value)


class Both(NamedTuple):
    output: np.ndarray
    weights: np.ndarray


@right_answer
def typed_tuple_of_lists(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None
) -> Both:
    """Attention as nested lists, in a tuple with names."""
    S = np.matmul(query, np.transpose(key, (0, 2, 1))) / np.sqrt(query.shape[-1])
    bias = 0.0 if mask is None else np.where(np.asarray(mask, dtype=bool), -np.inf, 0.0)
    E = np.exp(S + bias - np.max(S + bias, axis=-1, keepdims=True))
    A = E / np.sum(E, axis=-1, keepdims=True)
    return Both((A @ value).tolist(), A.tolist())


@right_answer
def lists_and_math(query, key, value, mask=None):
    blocked = None if mask is None else np.asarray(mask).tolist()
    outputs, weights = [], []
    for b, (Q, K, V) in enumerate(zip(query.tolist(), key.tolist(), value.tolist())):
        A = []
        for i, q in enumerate(Q):
            scores = [math.fsum(x * y for x, y in zip(q, k)) / math.sqrt(len(q)) for k in K]
            if blocked is not None:
                row = blocked[b][i] if isinstance(blocked[0][0], list) else blocked[i]
                scores = [-math.inf if hidden else s for s, hidden in zip(scores, row)]
            top = max(scores)
            e = [math.exp(s - top) for s in scores]
            A.append([x / sum(e) for x in e])
        weights.append(A)
        outputs.append(
            [[sum(a * v[c] for a, v in zip(row, V)) for c in range(len(V[0]))] for row in A]
        )
    return outputs, weights


@right_answer
def query_scaled_first(query, key, value, mask=None):
    scaled = query / np.sqrt(query.shape[-1])
    S = np.matmul(scaled, key.swapaxes(-2, -1))
    if mask is not None:
        S = np.ma.filled(np.ma.array(S, mask=np.broadcast_to(mask, S.shape)), -np.inf)
    A = np.exp(S - np.logaddexp.reduce(S, axis=-1, keepdims=True))
    return A @ value, A


@right_answer
def softmax_defined_inside(query, key, value, mask=None):
    def softmax(x, axis=-1):
        shifted = x - x.max(axis=axis, keepdims=True)
        return np.exp(shifted) / np.exp(shifted).sum(axis=axis, keepdims=True)

    logits = query @ key.transpose((0, 2, 1)) / np.sqrt(key.shape[-1])
    if mask is not None:
        if mask.ndim == 2:
            mask = mask[np.newaxis, :, :]
        logits += mask * np.finfo(np.float64).min / 2
    attention_weights = softmax(logits)
    return attention_weights @ value, attention_weights


@right_answer
def assigned_through_the_mask(query, key, value, mask=None):
    S = np.einsum("...qd,...kd->...qk", query, key) / np.sqrt(query.shape[-1])
    if mask is not None:
        blocked = np.array(np.broadcast_to(mask, S.shape), dtype=bool)
        S[blocked] = -np.inf
    E = np.exp(S - S.max(-1, keepdims=True))
    A = E / E.sum(-1, keepdims=True)
    return A @ value, A


@right_answer
def put_through_the_mask(query, key, value, mask=None):
    S = np.matmul(query, key.transpose(0, 2, 1))
    S /= np.sqrt(query.shape[-1])
    if mask is not None:
        np.copyto(S, -np.inf, where=np.not_equal(mask, 0))
    np.subtract(S, S.max(axis=-1, keepdims=True), out=S)
    np.exp(S, out=S)
    S /= S.sum(axis=-1, keepdims=True)
    return np.matmul(S, value), S


@right_answer
def single_precision_inside(query, key, value, mask=None):
    Q, K, V = (array.astype(np.float32) for array in (query, key, value))
    S = Q @ K.transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[-1]))
    if mask is not None:
        S = S + np.asarray(mask, dtype=np.float32) * np.float32(-1e9)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ V, A


@right_answer
def visible_keys_picked_out(query, key, value, mask=None):
    shape = (len(query), query.shape[1], key.shape[1])
    visible = np.ones(shape, bool) if mask is None else ~np.broadcast_to(mask, shape).astype(bool)
    A, output = np.zeros(shape), np.empty((*shape[:2], value.shape[-1]))
    for b, i in np.ndindex(shape[:2]):
        seen = np.flatnonzero(visible[b, i])
        s = key[b, seen] @ query[b, i] / np.sqrt(query.shape[-1])
        e = np.exp(s - s.max())
        A[b, i, seen] = e / e.sum()
        output[b, i] = A[b, i, seen] @ value[b, seen]
    return output, A


@right_answer
def star_arguments(*arrays, **options):
    query, key, value = arrays[:3]
    mask = options.get("mask", arrays[3] if len(arrays) > 3 else None)
    S = np.tensordot(query, key, axes=(2, 2))  # every sequence with every other one
    S = np.stack([S[b, :, b] for b in range(len(query))]) / np.sqrt(query.shape[2])
    if mask is not None:
        S = np.select([np.asarray(mask) > 0], [-np.inf], default=S)
    E = np.exp(S - S.max(axis=2, keepdims=True))
    return (E @ value) / E.sum(axis=2, keepdims=True), E / E.sum(axis=2, keepdims=True)


@right_answer
def other_parameter_names(q, k, v, mask=None, *, blocked=-1e12):
    logits = np.inner(q[0], k[0])[None] if len(q) == 1 else q @ np.swapaxes(k, 1, 2)
    logits = logits / np.sqrt(k.shape[-1])
    if mask is not None:
        logits = logits + np.asarray(mask, dtype=float) * blocked
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    w = np.divide(e, e.sum(axis=-1, keepdims=True))
    return w @ v, w


@right_answer
class AttentionObject:
    def __call__(self, query, key, value, mask=None):
        A = self.weights(query, key, mask)
        return A @ value, A

    def weights(self, query, key, mask):
        S = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        S = S if mask is None else np.where(mask, -np.inf, S)
        E = np.exp(S - S.max(axis=-1, keepdims=True))
        return E / E.sum(axis=-1, keepdims=True)


@right_answer
def products_by_broadcasting(query, key, value, mask=None):
    S = (query[:, :, None, :] * key[:, None, :, :]).sum(axis=-1) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + np.where(np.equal(mask, 1), -1e15, 0)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return (A[..., None] * value[:, None]).sum(axis=2), A


@right_answer
def logarithm_of_the_visible(query, key, value, mask=None):
    S = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
    if mask is not None:
        with np.errstate(divide="ignore"):
            S = S + np.log(1.0 - np.asarray(mask, dtype=float))
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@right_answer
def tiny_constant_in_the_denominator(query, key, value, mask=None):
    S = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
    if mask is not None and np.any(mask):
        S = np.where(mask != 0, float("-inf"), S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / (E.sum(axis=-1, keepdims=True) + 1e-12)
    return A @ value, A


@right_answer
def blocked_exponentials_left_out(query, key, value, mask=None):
    S = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
    visible = np.ones_like(S) if mask is None else np.ones_like(S) - mask
    top = np.max(S, axis=-1, keepdims=True, where=visible > 0, initial=-np.inf)
    E = np.where(visible > 0, np.exp(np.minimum(S - top, 0)), 0.0)
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@right_answer
def online_softmax(query, key, value, mask=None):
    B, n_q, d_k = query.shape
    n_k = key.shape[1]
    blocked = np.zeros((B, n_q, n_k), bool) if mask is None else mask + np.zeros((B, 1, 1)) > 0
    S = np.full((B, n_q, n_k), -np.inf)
    top, total = np.full((B, n_q, 1), -np.inf), np.zeros((B, n_q, 1))
    output = np.zeros((B, n_q, value.shape[-1]))
    for j in range(n_k):
        s = (query @ key[:, j, :, None] / np.sqrt(d_k))[..., 0]
        S[:, :, j] = np.where(blocked[:, :, j], -np.inf, s)
        grown = np.maximum(top, S[:, :, j, None])
        finite = np.where(np.isinf(grown), 0.0, grown)
        shrink, e = np.exp(top - finite), np.exp(S[:, :, j, None] - finite)
        total, output = total * shrink + e, output * shrink + e * value[:, None, j]
        top = grown
    return output / total, np.exp(S - top) / total


@right_answer
def subclass_of_array(query, key, value, mask=None):
    class Weights(np.ndarray):
        pass

    S = (key @ query.transpose(0, 2, 1)).transpose(0, 2, 1) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask, -np.inf, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = (E / E.sum(axis=-1, keepdims=True)).view(Weights)
    return A @ value, A


RIGHT_ANSWERS = answers.right_answers
