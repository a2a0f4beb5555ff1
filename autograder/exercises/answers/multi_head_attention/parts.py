"""The right class in parts, from which the mistakes differ in a method or two."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from reference import scaled_dot_product_attention


class Parts:
    def __init__(self, d_model=8, num_heads=2):
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = 0.1 * np.random.randn(d_model, d_model)
        self.W_k = 0.1 * np.random.randn(d_model, d_model)
        self.W_v = 0.1 * np.random.randn(d_model, d_model)
        self.W_o = 0.1 * np.random.randn(d_model, d_model)

    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def combine_heads(self, x):
        B, _, n, _ = x.shape
        return x.transpose(0, 2, 1, 3).reshape(B, n, self.d_model)

    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_k, value @ self.W_v

    def attend(self, Q, K, V, mask):
        heads = [
            scaled_dot_product_attention(Q[:, i], K[:, i], V[:, i], mask)[0]
            for i in range(self.num_heads)
        ]
        return np.stack(heads, axis=1)

    def project_output(self, joined):
        return joined @ self.W_o


class RightParts(Parts):
    def forward(self, query, key, value, mask=None):
        Q, K, V = (self.split_heads(x) for x in self.project(query, key, value))
        return self.project_output(self.combine_heads(self.attend(Q, K, V, mask)))


class OwnWeights(RightParts):
    """Attends with scores and weights of its own, all heads at once."""

    def attend(self, Q, K, V, mask):
        S = self.scores(Q, K)
        if mask is not None:
            S = self.masked(S, np.asarray(mask))
        return self.weigh(S, mask) @ V

    def scores(self, Q, K):
        return Q @ K.swapaxes(-1, -2) / np.sqrt(self.d_k)

    def masked(self, S, mask):
        return np.where(mask[:, None] if mask.ndim == 3 else mask, -np.inf, S)

    def weigh(self, S, mask):
        e = np.exp(S - S.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
