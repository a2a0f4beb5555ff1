"""Right answers to `MultiHeadAttention` in different styles."""

# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="arg-type,attr-defined,call-arg"

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from autograder.exercises.answers import Answers
from reference import scaled_dot_product_attention

answers = Answers(of_class=True)


@answers.right_answer
class Textbook:
    """Head by head with the function of the first exercise."""

    def __init__(self, d_model=8, num_heads=2):
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = 0.1 * np.random.randn(d_model, d_model)
        self.W_k = 0.1 * np.random.randn(d_model, d_model)
        self.W_v = 0.1 * np.random.randn(d_model, d_model)
        self.W_o = 0.1 * np.random.randn(d_model, d_model)

    def split_heads(self, x):
        batch, n, _ = x.shape
        x = x.reshape(batch, n, self.num_heads, self.d_k)
        return np.transpose(x, (0, 2, 1, 3))

    def combine_heads(self, x):
        batch, _, n, _ = x.shape
        x = np.transpose(x, (0, 2, 1, 3))
        return x.reshape(batch, n, self.d_model)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(np.matmul(query, self.W_q))
        K = self.split_heads(np.matmul(key, self.W_k))
        V = self.split_heads(np.matmul(value, self.W_v))
        outputs = []
        for i in range(self.num_heads):
            output, _ = scaled_dot_product_attention(Q[:, i], K[:, i], V[:, i], mask)
            outputs.append(output)
        combined = self.combine_heads(np.stack(outputs, axis=1))
        return np.matmul(combined, self.W_o)


@answers.right_answer
class MatrixColumnsPerHead:
    """Cuts the matrices instead of the projections; joins by concatenation."""

    def __init__(self, d_model, num_heads):
        self.h = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = np.zeros((4, d_model, d_model))

    def split_heads(self, x):
        return np.stack(np.split(x, self.h, axis=-1), axis=1)

    def combine_heads(self, x):
        return np.concatenate([x[:, i] for i in range(self.h)], axis=-1)

    def forward(self, query, key, value, mask=None):
        heads = [
            scaled_dot_product_attention(query @ Wq, key @ Wk, value @ Wv, mask)[0]
            for Wq, Wk, Wv in zip(
                np.split(self.W_q, self.h, axis=1),
                np.split(self.W_k, self.h, axis=1),
                np.split(self.W_v, self.h, axis=1),
            )
        ]
        return np.concatenate(heads, axis=-1) @ self.W_o


@answers.right_answer
class EinsumThroughout:
    """Every product is an einsum; the mask is a huge negative number that is added."""

    def __init__(self, d_model, num_heads):
        self.d_model, self.num_heads = d_model, num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, np.random.normal(0, 0.1, (d_model, d_model)))

    def split_heads(self, x):
        return np.einsum("bnhk->bhnk", x.reshape(*x.shape[:2], self.num_heads, -1))

    def combine_heads(self, x):
        return np.einsum("bhnk->bnhk", x).reshape(x.shape[0], x.shape[2], -1)

    def forward(self, query, key, value, mask=None):
        Q, K, V = (
            self.split_heads(np.einsum("bnd,de->bne", x, W))
            for x, W in ((query, self.W_q), (key, self.W_k), (value, self.W_v))
        )
        S = np.einsum("bhqk,bhtk->bhqt", Q, K) / np.sqrt(Q.shape[-1])
        if mask is not None:
            bias = -1e9 * np.asarray(mask, dtype=float)
            S = S + (bias[:, np.newaxis] if bias.ndim == 3 else bias)
        A = np.exp(S - S.max(axis=-1, keepdims=True))
        A /= A.sum(axis=-1, keepdims=True)
        joined = self.combine_heads(np.einsum("bhqt,bhtk->bhqk", A, V))
        return np.einsum("bnd,de->bne", joined, self.W_o)


@answers.right_answer
class BatchAndHeadsAsOneAxis:
    """Folds the heads into the batch for the function of the first exercise."""

    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0, "num_heads must divide d_model"
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.W_q = self.W_k = self.W_v = self.W_o = np.eye(d_model)

    def split_heads(self, x):
        return x.reshape(len(x), -1, self.num_heads, self.d_k).swapaxes(1, 2)

    def combine_heads(self, x):
        return x.swapaxes(1, 2).reshape(len(x), -1, self.d_model)

    def forward(self, query, key, value, mask=None):
        B, n_q, _ = query.shape
        folded = [
            self.split_heads(x @ W).reshape(B * self.num_heads, -1, self.d_k)
            for x, W in zip((query, key, value), (self.W_q, self.W_k, self.W_v))
        ]
        if mask is not None and mask.ndim == 3:
            mask = mask.repeat(self.num_heads, axis=0)
        output, _ = scaled_dot_product_attention(*folded, mask)
        heads = np.reshape(output, (B, self.num_heads, n_q, self.d_k))
        return self.combine_heads(heads) @ self.W_o


@answers.right_answer
@dataclass
class Dataclass:
    """A dataclass; the matrices are fields without a place in the constructor."""

    d_model: int = 8
    num_heads: int = 2

    def __post_init__(self):
        generator = np.random.default_rng(0)
        self.W_q, self.W_k, self.W_v, self.W_o = generator.normal(
            scale=0.1, size=(4, self.d_model, self.d_model)
        )

    @property
    def d_k(self):
        return self.d_model // self.num_heads

    def split_heads(self, x):
        heads = np.empty((x.shape[0], self.num_heads, x.shape[1], self.d_k))
        for i in range(self.num_heads):
            heads[:, i] = x[:, :, i * self.d_k : (i + 1) * self.d_k]
        return heads

    def combine_heads(self, x):
        joined = np.empty((x.shape[0], x.shape[2], self.d_model))
        for i in range(self.num_heads):
            joined[:, :, i * self.d_k : (i + 1) * self.d_k] = x[:, i]
        return joined

    def forward(self, query, key, value, mask=None):
        Q, K, V = map(self.split_heads, (query @ self.W_q, key @ self.W_k, value @ self.W_v))
        output = np.empty_like(Q)
        for b in range(len(Q)):
            for i in range(self.num_heads):
                S = Q[b, i] @ K[b, i].T / math.sqrt(self.d_k)
                if mask is not None:
                    S[np.asarray(mask[b] if mask.ndim == 3 else mask, dtype=bool)] = -np.inf
                A = np.exp(S - S.max(axis=1, keepdims=True))
                output[b, i] = A / A.sum(axis=1, keepdims=True) @ V[b, i]
        return self.combine_heads(output) @ self.W_o


@answers.right_answer
class Slots:
    """Takes exactly the attributes it names."""

    __slots__ = ("W_k", "W_o", "W_q", "W_v", "d_k", "num_heads")

    def __init__(self, d_model, num_heads):
        self.num_heads, self.d_k = num_heads, d_model // num_heads

    def split_heads(self, x):
        return np.moveaxis(x.reshape(x.shape[:-1] + (self.num_heads, self.d_k)), 2, 1)

    def combine_heads(self, x):
        x = np.moveaxis(x, 1, 2)
        return x.reshape(x.shape[:2] + (self.num_heads * self.d_k,))

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(query @ self.W_q)
        K = self.split_heads(key @ self.W_k)
        V = self.split_heads(value @ self.W_v)
        heads = [
            scaled_dot_product_attention(Q[:, i], K[:, i], V[:, i], mask=mask)[0]
            for i in range(self.num_heads)
        ]
        return self.combine_heads(np.array(heads).swapaxes(0, 1)) @ self.W_o


@answers.right_answer
class Properties:
    """Keeps all matrices in one array, behind properties."""

    def __init__(self, d_model, num_heads):
        self._W = np.random.standard_normal((4, d_model, d_model))
        self.num_heads = num_heads

    def _matrix(position):
        def get(self):
            return self._W[position]

        def put(self, W):
            self._W[position] = W

        return property(get, put)

    W_q, W_k, W_v, W_o = map(_matrix, range(4))
    del _matrix

    @staticmethod
    def _attention(Q, K, V, mask):
        S = Q @ np.transpose(K, (0, 1, 3, 2)) / K.shape[-1] ** 0.5
        if mask is not None:
            mask = np.asarray(mask).astype(bool)
            S = np.where(mask if mask.ndim == 2 else mask[:, None, :, :], -np.inf, S)
        S = S - S.max(-1, keepdims=True)
        return np.exp(S) / np.exp(S).sum(-1, keepdims=True) @ V

    def split_heads(self, x):
        B, n, d_model = x.shape
        return x.reshape(B, n, self.num_heads, d_model // self.num_heads).transpose([0, 2, 1, 3])

    def combine_heads(self, x):
        B, h, n, d_k = x.shape
        return np.ascontiguousarray(x.transpose([0, 2, 1, 3])).reshape(B, n, h * d_k)

    def forward(self, query, key, value, mask=None):
        Q, K, V = (self.split_heads(x @ W) for x, W in zip((query, key, value), self._W))
        return self.combine_heads(self._attention(Q, K, V, mask)) @ self.W_o


class Layer:
    """What every layer of this student's has."""

    def __init__(self, *sizes):
        self.sizes = sizes

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def weights(self, names, shape):
        for name in names.split():
            setattr(self, name, np.random.uniform(-0.1, 0.1, shape))


@answers.right_answer
class Subclass(Layer):
    """A subclass that can be called as well; parameters have other names."""

    def __init__(self, width=8, heads=2):
        super().__init__(width, heads)
        self.heads = heads
        self.weights("W_q W_k W_v W_o", (width, width))

    def split_heads(self, inputs):
        return np.array([[h.T for h in np.split(x.T, self.heads)] for x in inputs])

    def combine_heads(self, inputs):
        return np.array([np.hstack(list(x)) for x in inputs])

    def forward(self, q, k, v, mask=None):
        heads = zip(
            *(
                self.split_heads(x).swapaxes(0, 1)
                for x in (q @ self.W_q, k @ self.W_k, v @ self.W_v)
            )
        )
        outputs = [scaled_dot_product_attention(*head, mask)[0] for head in heads]
        return self.combine_heads(np.stack(outputs, 1)) @ self.W_o


@answers.right_answer
class OutputPerHead:
    """Adds up what each head contributes through its own rows of W_o."""

    def __init__(self, d_model, num_heads):
        self.parts = [
            slice(start, start + d_model // num_heads)
            for start in range(0, d_model, d_model // num_heads)
        ]

    def split_heads(self, x):
        return np.stack([x[..., part] for part in self.parts], axis=1)

    def combine_heads(self, x):
        return np.concatenate(list(np.moveaxis(x, 1, 0)), axis=2)

    def forward(self, query, key, value, mask=None):
        output = 0
        for part in self.parts:
            head, _ = scaled_dot_product_attention(
                query @ self.W_q[:, part], key @ self.W_k[:, part], value @ self.W_v[:, part], mask
            )
            output = output + head @ self.W_o[part]
        return output


@answers.right_answer
class ListsAndMath:
    """Plain lists and the math module; gives nested lists back."""

    def __init__(self, d_model, num_heads):
        self.d_k = d_model // num_heads
        self.heads = range(num_heads)
        self.W_q = self.W_k = self.W_v = self.W_o = [[0.0] * d_model for _ in range(d_model)]

    def split_heads(self, x):
        k = self.d_k
        return [
            [[list(row[j * k : (j + 1) * k]) for row in sequence] for j in self.heads]
            for sequence in x
        ]

    def combine_heads(self, x):
        return [
            [[entry for part in rows for entry in part] for rows in zip(*sequence)]
            for sequence in x
        ]

    def _times(self, rows, W):
        columns = list(zip(*W))
        return [[math.fsum(map(lambda a, b: a * b, row, c)) for c in columns] for row in rows]

    def _attend(self, Q, K, V, mask):
        output = []
        for i, q in enumerate(Q):
            seen = [j for j in range(len(K)) if mask is None or not mask[i][j]]
            scores = [math.fsum(a * b for a, b in zip(q, K[j])) / math.sqrt(len(q)) for j in seen]
            powers = [math.exp(s - max(scores)) for s in scores]
            shares = [p / math.fsum(powers) for p in powers]
            output.append(
                [math.fsum(a * V[j][c] for a, j in zip(shares, seen)) for c in range(len(V[0]))]
            )
        return output

    def forward(self, query, key, value, mask=None):
        Q, K, V = (
            self.split_heads([self._times(rows.tolist(), W) for rows in x])
            for x, W in ((query, self.W_q), (key, self.W_k), (value, self.W_v))
        )
        heads = [
            [
                self._attend(Q[b][j], K[b][j], V[b][j], mask[b] if np.ndim(mask) == 3 else mask)
                for j in self.heads
            ]
            for b in range(len(query))
        ]
        return [self._times(rows, self.W_o) for rows in self.combine_heads(heads)]


@answers.right_answer
class OneProductForAllProjections:
    """Builds Q, K and V with block matrices; works in single precision inside."""

    def __init__(self, d_model, num_heads):
        self.shape = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (np.zeros((d_model, d_model)) for _ in "qkvo")

    def split_heads(self, x):
        return np.rollaxis(x.reshape(*x.shape[:-1], *self.shape), 2, 1)

    def combine_heads(self, x):
        return np.rollaxis(x, 2, 1).reshape(x.shape[0], x.shape[2], self.shape[0] * self.shape[1])

    def forward(self, query, key, value, mask=None):
        d_model = query.shape[-1]
        W = np.concatenate([self.W_q, self.W_k, self.W_v], axis=1).astype(np.float32)
        products = [x.astype(np.float32) @ W for x in (query, key, value)]
        Q, K, V = (
            self.split_heads(product[..., i * d_model : (i + 1) * d_model])
            for i, product in enumerate(products)
        )
        S = (Q / np.float32(np.sqrt(self.shape[1]))) @ K.swapaxes(2, 3)
        if mask is not None:
            blocked = np.broadcast_to(
                np.asarray(mask).reshape(-1, 1, *np.shape(mask)[-2:]), S.shape
            )
            S = np.where(blocked == 1, np.float32(-1e9), S)
        A = np.exp(S - np.max(S, axis=3, keepdims=True))
        return self.combine_heads(A @ V / np.sum(A, axis=3)[..., None]) @ self.W_o


@answers.right_answer
class OneHeadAfterTheOther:
    """A second class for a single head; heads are made when they are needed."""

    class Head:
        def __init__(self, W_q, W_k, W_v):
            self.W_q, self.W_k, self.W_v = W_q, W_k, W_v

        def forward(self, query, key, value, mask):
            output, weights = scaled_dot_product_attention(
                query @ self.W_q, key @ self.W_k, value @ self.W_v, mask
            )
            return output

    def __init__(self, d_model=512, num_heads=8):
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = np.random.rand(4, d_model, d_model)

    def split_heads(self, x):
        return np.array(np.array_split(x, self.num_heads, axis=2)).transpose(1, 0, 2, 3)

    def combine_heads(self, x):
        return np.block([x[:, i] for i in range(self.num_heads)])

    def forward(self, query, key, value, mask=None):
        heads = []
        for i in range(self.num_heads):
            columns = np.arange(len(self.W_q)).reshape(self.num_heads, -1)[i]
            head = self.Head(self.W_q[:, columns], self.W_k[:, columns], self.W_v[:, columns])
            heads.append(head.forward(query, key, value, mask))
        return np.dot(np.concatenate(heads, axis=2), self.W_o)


RIGHT_ANSWERS = answers.right_answers
