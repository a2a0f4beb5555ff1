"""Attention of a whole batch at once, queries, keys and values given.

Symbols: B sequences, n_q queries, n_k keys, d_k query and key width, d_v value width; S scores,
A weights. Mask 1 means blocked, 0 means visible: the opposite of `reference.attention`.
Source: "Attention Is All You Need", section 3.2.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.softmax import softmax

Array = NDArray[Any]


def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, mask: Array | None = None
) -> tuple[Array, Array]:
    """Output and weights of attention, for every sequence of a batch by itself.

    Shapes: query (B, n_q, d_k), key (B, n_k, d_k), value (B, n_k, d_v), mask (n_q, n_k) for all
    sequences or (B, n_q, n_k), 1 or True = blocked -> output (B, n_q, d_v), weights (B, n_q, n_k).
    What a row with every key blocked holds is left open: it depends on the precision.
    """
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(key.shape[-1])
    if mask is not None:
        S = S + mask * -1e9  # far below every score, so the weight is exactly 0
    A = softmax(S, axis=-1)
    return A @ value, A
