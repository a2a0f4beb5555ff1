"""Multi-head attention: several small attentions side by side, each on columns of its own.

Symbols: B sequences, n_q queries, n_k keys, h heads, d_k = d_model / h the width of a head. Mask 1
means blocked, in every head.
Source: "Attention Is All You Need", section 3.2.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.batched import scaled_dot_product_attention

Array = NDArray[Any]


class MultiHeadAttention:
    """Attention in `num_heads` heads; head j owns columns j d_k to (j + 1) d_k of the projections.

    The matrices W_q, W_k, W_v and W_o (d_model, d_model) are random until they are set.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        matrices = 0.1 * np.random.default_rng().standard_normal((4, d_model, d_model))
        self.W_q, self.W_k, self.W_v, self.W_o = matrices

    def split_heads(self, x: Array) -> Array:
        """Every head's columns by themselves: (B, n, d_model) -> (B, h, n, d_k)."""
        B, n, _ = x.shape
        return x.reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def combine_heads(self, x: Array) -> Array:
        """The heads side by side again: (B, h, n, d_k) -> (B, n, d_model)."""
        B, h, n, d_k = x.shape
        return x.transpose(0, 2, 1, 3).reshape(B, n, h * d_k)

    def forward(self, query: Array, key: Array, value: Array, mask: Array | None = None) -> Array:
        """Project, split, attend head by head, join, project.

        Shapes: query (B, n_q, d_model), key and value (B, n_k, d_model), mask (n_q, n_k) or
        (B, n_q, n_k), 1 or True = blocked in every head -> (B, n_q, d_model).
        Errors: ValueError if num_heads does not divide d_model.
        """
        Q = self.split_heads(query @ self.W_q)
        K = self.split_heads(key @ self.W_k)
        V = self.split_heads(value @ self.W_v)
        heads = [
            scaled_dot_product_attention(Q[:, j], K[:, j], V[:, j], mask)[0]
            for j in range(self.num_heads)
        ]
        output: Array = self.combine_heads(np.stack(heads, axis=1)) @ self.W_o
        return output
