"""Mistakes of `MultiHeadAttention` about splitting into heads and joining them again."""

# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="override"

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from autograder.exercises.answers.multi_head_attention.parts import RightParts
from reference import scaled_dot_product_attention

answers = Answers(of_class=True)
mistake = answers.mistake


# -- the methods and `forward` are wrong -----------------------------------------------------------


@mistake(
    hint="Reshape to (B, n, h, d_k) first, then move the head axis: a bare reshape mixes tokens.",
    share="0.4",
    caught_by=("split_and_combine_are_inverse", "permutation_equivariant"),
)
class SplitWithoutTranspose(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, self.num_heads, n, self.d_k)

    def combine_heads(self, x):
        B, _, n, _ = x.shape
        return x.reshape(B, n, self.d_model)


@mistake(
    hint="combine_heads must move the head axis back behind the tokens before it reshapes.",
    share="0.4",
    caught_by=("split_and_combine_are_inverse", "permutation_equivariant"),
)
class CombineWithoutTranspose(RightParts):
    def combine_heads(self, x):
        B, _, n, _ = x.shape
        return x.reshape(B, n, self.d_model)


@mistake(
    hint="Your split reshapes without moving the head axis; only combine_heads moves it.",
    share="0.3",
    caught_by=("split_and_combine_are_inverse", "permutation_equivariant"),
)
class OnlySplitWithoutTranspose(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, self.num_heads, n, self.d_k)


@mistake(
    hint="Head j owns neighbouring columns, j d_k to (j + 1) d_k; yours owns every h-th column.",
    share="0.5",
    caught_by=("split_and_combine_are_inverse", "matches_reference"),
)
class HeadsInterleaved(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, n, self.d_k, self.num_heads).transpose(0, 3, 1, 2)

    def combine_heads(self, x):
        B, _, n, _ = x.shape
        return x.transpose(0, 2, 3, 1).reshape(B, n, self.d_model)


@mistake(
    hint="The joined columns stand in the order (d_k, h); they belong in the order (h, d_k).",
    share="0.4",
    caught_by=("split_and_combine_are_inverse", "heads_are_isolated"),
)
class CombineInterleaves(RightParts):
    def combine_heads(self, x):
        B, _, n, _ = x.shape
        return x.transpose(0, 2, 3, 1).reshape(B, n, self.d_model)


@mistake(
    hint="Reshape with d_k before h and the head axis comes out with d_k entries.",
    share="0.3",
    caught_by=("split_and_combine_are_inverse", "matches_reference"),
)
class HeadsAndWidthSwapped(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, n, self.d_k, self.num_heads).transpose(0, 2, 1, 3)


@mistake(
    hint="Join the heads in the order in which they were split.",
    share="0.5",
    caught_by=("matches_reference", "heads_are_isolated"),
)
class HeadsInReverseOrder(RightParts):
    def attend(self, Q, K, V, mask):
        return super().attend(Q, K, V, mask)[:, ::-1]


@mistake(
    hint="All your heads are equal: use head i in step i.",
    share="0.3",
    caught_by=("heads_are_isolated", "matches_reference"),
)
class FirstHeadRepeated(RightParts):
    def attend(self, Q, K, V, mask):
        head = scaled_dot_product_attention(Q[:, 0], K[:, 0], V[:, 0], mask)[0]
        return np.stack([head] * self.num_heads, axis=1)


@mistake(
    hint="The heads are joined column by column, not token after token: the last axis grows.",
    share="0.4",
    caught_by=("matches_reference", "permutation_equivariant"),
)
class JoinedAlongTheTokens(RightParts):
    def combine_heads(self, x):
        return np.concatenate([x[:, i] for i in range(self.num_heads)], axis=1)


@mistake(
    hint="The heads stand side by side in the output; yours are averaged into one.",
    share="0.3",
    caught_by=("matches_reference", "heads_are_isolated"),
)
class HeadsAveraged(RightParts):
    def attend(self, Q, K, V, mask):
        average = super().attend(Q, K, V, mask).mean(axis=1)
        return np.stack([average] * self.num_heads, axis=1)


@mistake(
    hint="You attend once with all d_model columns; every head attends with its own d_k columns.",
    share="0.3",
    caught_by=("matches_reference",),
)
class OneWideHead(RightParts):
    def forward(self, query, key, value, mask=None):
        Q, K, V = self.project(query, key, value)
        return scaled_dot_product_attention(Q, K, V, mask)[0] @ self.W_o


@mistake(
    hint="The number of heads and their width are mixed up: d_k = d_model // num_heads.",
    share="0.3",
    caught_by=("split_and_combine_are_inverse", "matches_reference"),
)
class AsManyHeadsAsColumns(RightParts):
    def __init__(self, d_model=8, num_heads=2):
        super().__init__(d_model, d_model // num_heads)


# -- `forward` is right, a method is not what was asked for ----------------------------------------


@mistake(
    hint="split_heads must return (B, h, n, d_k): move the head axis inside of the method.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class SplitLeavesTokensFirst(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        return x.reshape(B, n, self.num_heads, self.d_k)

    def combine_heads(self, x):
        B, n, _, _ = x.shape
        return x.reshape(B, n, self.d_model)

    def attend(self, Q, K, V, mask):
        Q, K, V = (x.transpose(0, 2, 1, 3) for x in (Q, K, V))
        return super().attend(Q, K, V, mask).transpose(0, 2, 1, 3)


@mistake(
    hint="split_heads must keep batch and heads apart: (B, h, n, d_k), not (B h, n, d_k).",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class SplitJoinsBatchAndHeads(RightParts):
    def split_heads(self, x):
        B, n, _ = x.shape
        heads = x.reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)
        return heads.reshape(B * self.num_heads, n, self.d_k)

    def combine_heads(self, x):
        _, n, d_k = x.shape
        heads = x.reshape(-1, self.num_heads, n, d_k)
        return heads.transpose(0, 2, 1, 3).reshape(-1, n, self.d_model)

    def attend(self, Q, K, V, mask):
        if mask is not None and np.ndim(mask) == 3:
            mask = np.repeat(mask, self.num_heads, axis=0)
        return scaled_dot_product_attention(Q, K, V, mask)[0]


@mistake(
    hint="split_heads must return one array (B, h, n, d_k); in your list the heads come first.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class SplitGivesHeadsAsList(RightParts):
    def split_heads(self, x):
        return np.split(x, self.num_heads, axis=-1)

    def combine_heads(self, x):
        return np.concatenate(x, axis=-1)

    def attend(self, Q, K, V, mask):
        return [scaled_dot_product_attention(q, k, v, mask)[0] for q, k, v in zip(Q, K, V)]


@mistake(
    hint="split_heads is called with x alone: read B and n from its shape.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class SplitTakesTheBatchSize(RightParts):
    def split_heads(self, x, batch_size):
        x = x.reshape(batch_size, -1, self.num_heads, self.d_k)
        return x.transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        B = query.shape[0]
        Q, K, V = (self.split_heads(x, B) for x in self.project(query, key, value))
        return self.project_output(self.combine_heads(self.attend(Q, K, V, mask)))


@mistake(
    hint="combine_heads must take (B, h, n, d_k): move the head axis back inside of the method.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class CombineWantsTokensFirst(RightParts):
    def combine_heads(self, x):
        B, n, _, _ = x.shape
        return x.reshape(B, n, self.d_model)

    def attend(self, Q, K, V, mask):
        return super().attend(Q, K, V, mask).transpose(0, 2, 1, 3)


@mistake(
    hint="combine_heads joins the heads and no more: W_o belongs into forward.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class CombineAppliesTheOutputMatrix(RightParts):
    def combine_heads(self, x):
        return super().combine_heads(x) @ self.W_o

    def project_output(self, joined):
        return joined


@mistake(
    hint="split_heads splits and no more: the projections belong into forward.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class SplitProjectsToo(RightParts):
    def split_heads(self, x, W=None):
        B, n, _ = x.shape
        W = self.W_q if W is None else W
        return (x @ W).reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(query)
        K = self.split_heads(key, self.W_k)
        V = self.split_heads(value, self.W_v)
        return self.project_output(self.combine_heads(self.attend(Q, K, V, mask)))


@mistake(
    hint="Write the methods split_heads and combine_heads, which forward can use.",
    share="0.85",
    caught_by=("split_and_combine_are_inverse",),
)
class NoSplitAndCombineMethods:
    def __init__(self, d_model=8, num_heads=2):
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = np.random.randn(4, d_model, d_model)

    def forward(self, query, key, value, mask=None):
        Q, K, V = query @ self.W_q, key @ self.W_k, value @ self.W_v
        heads = []
        for i in range(self.num_heads):
            own = slice(i * self.d_k, (i + 1) * self.d_k)
            heads.append(
                scaled_dot_product_attention(Q[..., own], K[..., own], V[..., own], mask)[0]
            )
        return np.concatenate(heads, axis=-1) @ self.W_o


MISTAKES = answers.mistakes
