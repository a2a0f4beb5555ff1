"""Attention that saves time or memory: by chunks, across sequences, in a band, linear in n.

Symbols: n_q queries, n_k keys, d_k query and key width, d_v value width; S scores, A weights.
None of these functions takes a mask; rows are queries, columns are keys.
Sources: "Attention Is All You Need", section 3.2; "Transformers are RNNs", section 3.2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.softmax import softmax

Array = NDArray[Any]


def chunked_attention(Q: Array, K: Array, V: Array, chunk_size: int = 32) -> Array:
    """Full attention, computed for a few queries at a time: never more scores than a chunk's.

    Shapes: Q (n_q, d_k), K (n_k, d_k), V (n_k, d_v), chunk_size at least 1 -> output (n_q, d_v).
    Every query sees every key, whatever the chunk.
    Errors: ValueError for a chunk_size of 0, or no keys.
    """
    output = np.zeros((len(Q), V.shape[1]))  # a row for every query, not for every key
    for start in range(0, len(Q), chunk_size):
        chunk = slice(start, start + chunk_size)  # the last one may be shorter
        S = Q[chunk] @ K.T / math.sqrt(K.shape[1])
        output[chunk] = softmax(S) @ V
    return output


def cross_attention(
    X: Array, context: Array, W_Q: Array, W_K: Array, W_V: Array
) -> tuple[Array, Array]:
    """Output and weights of tokens X that look at another sequence, the context.

    Shapes: X (n_q, d), context (n_c, d), W_Q and W_K (d, d_k), W_V (d, d_v)
    -> output (n_q, d_v), weights (n_q, n_c).
    Every query sees the whole context and nothing of X.
    Errors: ValueError for an empty context.
    """
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    S = Q @ K.T / math.sqrt(W_Q.shape[1])
    A = softmax(S)
    return A @ V, A


def local_attention(Q: Array, K: Array, V: Array, window: int) -> Array:
    """Attention in which a query sees the keys at most `window` positions away, on both sides.

    Shapes: Q (n, d_k), K (n, d_k), V (n, d_v), window at least 0 -> output (n, d_v).
    Key j is visible to query i exactly when abs(i - j) <= window.
    Errors: ValueError where no key is given.
    """
    position = np.arange(len(Q))
    distance = np.abs(position[:, np.newaxis] - position)
    S = np.where(distance <= window, Q @ K.T / math.sqrt(K.shape[1]), -np.inf)
    output: Array = softmax(S) @ V
    return output


def linear_attention(Q: Array, K: Array, V: Array) -> Array:
    """Attention with weights phi(q) . phi(k) in place of exp(q . k): no (n_q, n_k) matrix.

    Shapes: Q (n_q, d_k), K (n_k, d_k), V (n_k, d_v) -> output (n_q, d_v).
    phi(x) = elu(x) + 1, which is x + 1 for x > 0 and exp(x) otherwise. All keys count; no scaling.
    """
    phi_Q, phi_K = _elu_plus_one(Q), _elu_plus_one(K)
    # The keys are summed up once, for all queries: that is what makes it linear in n.
    numerator = phi_Q @ (phi_K.T @ V)
    normaliser = phi_Q @ phi_K.sum(axis=0)
    output: Array = numerator / normaliser[:, np.newaxis]
    return output


def _elu_plus_one(x: Array) -> Array:
    # The smaller of x and 0, because exp of a large x, which where() would drop, overflows.
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
