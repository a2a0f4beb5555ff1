"""Self-attention of one head, twice: one token at a time, and all tokens at once.

Symbols: n tokens, d input width, d_k query and key width, d_v value width; S scores, A weights.
Rows are queries, columns are keys. mask[i, j] = True means token i may attend to token j; a row
without True is nan in both results, and other rows are untouched.
Source: "Attention Is All You Need", section 3.2.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.softmax import softmax

Array = NDArray[Any]


def self_attention_loop(
    X: Array, W_Q: Array, W_K: Array, W_V: Array, mask: Array | None = None
) -> tuple[Array, Array]:
    """Output and weights of self-attention, computed one query and one key at a time.

    Shapes: X (n, d), W_Q and W_K (d, d_k), W_V (d, d_v), mask (n, n) boolean or None
    -> output (n, d_v), weights (n, n).
    """
    n, d_k, d_v = X.shape[0], W_Q.shape[1], W_V.shape[1]
    output, A = np.zeros((n, d_v)), np.zeros((n, n))
    keys, values = [x @ W_K for x in X], [x @ W_V for x in X]
    for i in range(n):
        query = X[i] @ W_Q
        scores = np.full(n, -np.inf)  # -inf: weight 0 until token i is found to see token j
        for j in range(n):
            if mask is None or mask[i, j]:
                scores[j] = query @ keys[j] / np.sqrt(d_k)
        A[i] = softmax(scores)
        for j in range(n):
            output[i] += A[i, j] * values[j]
    return output, A


def self_attention(
    X: Array,
    W_Q: Array,
    W_K: Array,
    W_V: Array,
    mask: Array | None = None,
    scale: bool = True,
) -> tuple[Array, Array]:
    """Output and weights of self-attention, computed for all tokens at once.

    Shapes: X (n, d), W_Q and W_K (d, d_k), W_V (d, d_v), mask (n, n) boolean or None
    -> output (n, d_v), weights (n, n). With `scale=False` the scores are not divided by sqrt(d_k).
    """
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T
    if scale:
        S = S / W_Q.shape[1] ** 0.5  # d_k is the number of columns of W_Q
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    # An empty sequence has no rows to normalise.
    A = softmax(S, axis=-1) if S.size else S
    return A @ V, A
