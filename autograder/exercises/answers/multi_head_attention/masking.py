"""Mistakes of `MultiHeadAttention` about the mask: 1 means blocked, in every head."""

# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="override"

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from autograder.exercises.answers.multi_head_attention.parts import OwnWeights, RightParts
from reference import scaled_dot_product_attention

answers = Answers(of_class=True)
mistake = answers.mistake


@mistake(
    hint="Hand the mask to the attention of every head; it has no effect on your output.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class MaskNotPassedOn(RightParts):
    def attend(self, Q, K, V, mask):
        return super().attend(Q, K, V, None)


@mistake(
    hint="forward must take mask=None as its fourth argument and hand it to every head.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class NoMaskArgument(RightParts):
    def forward(self, query, key, value):
        return super().forward(query, key, value)


@mistake(
    hint="Here 1 means blocked; your code blocks the zeros.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class BlockedAndVisibleSwapped(OwnWeights):
    def masked(self, S, mask):
        return np.where(mask[:, None] if mask.ndim == 3 else mask, S, -1e9)


@mistake(
    hint="The mask holds in every head; yours reaches the first one only.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class MaskInTheFirstHeadOnly(RightParts):
    def attend(self, Q, K, V, mask):
        heads = []
        for i in range(self.num_heads):
            heads.append(scaled_dot_product_attention(Q[:, i], K[:, i], V[:, i], mask)[0])
            mask = None
        return np.stack(heads, axis=1)


@mistake(
    hint="A mask (B, n, n) needs an axis for the heads before it meets scores (B, h, n, n).",
    share="0.88",
    caught_by=("matches_reference_with_mask",),
)
class MaskPerSequenceWithoutHeadAxis(OwnWeights):
    def masked(self, S, mask):
        return S + np.asarray(mask, dtype=float) * -1e9


@mistake(
    hint="A mask (n, n) holds for all sequences: only one of shape (B, n, n) gets a head axis.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class EveryMaskGetsHeadAxis(OwnWeights):
    def masked(self, S, mask):
        return S + mask[:, np.newaxis, :, :] * -1e9


@mistake(
    hint="A mask (B, n, n) is different for every sequence; you use that of the first for all.",
    share="0.88",
    caught_by=("matches_reference_with_mask",),
)
class MaskOfTheFirstSequenceForAll(OwnWeights):
    def masked(self, S, mask):
        return np.where(mask[0] if mask.ndim == 3 else mask, -np.inf, S)


@mistake(
    hint="Mask the scores, not the weights: blocked keys must not take part in the sum.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class MaskAfterSoftmax(OwnWeights):
    def masked(self, S, mask):
        return S

    def weigh(self, S, mask):
        A = super().weigh(S, mask)
        if mask is None:
            return A
        return A * (1 - (mask[:, None] if mask.ndim == 3 else mask))


@mistake(
    hint="A blocked score must become hugely negative; 0 is an ordinary score.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class BlockedScoreZero(OwnWeights):
    def masked(self, S, mask):
        return np.where(mask[:, None] if mask.ndim == 3 else mask, 0.0, S)


@mistake(
    hint="Lowering a score by 1 does not block it: -1e9 or -inf does.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class MaskSubtractsOne(OwnWeights):
    def masked(self, S, mask):
        return S - (mask[:, None] if mask.ndim == 3 else mask)


@mistake(
    hint="mask[i, j] speaks about query i and key j; you read it the other way round.",
    share="0.8",
    caught_by=("matches_reference_with_mask", "future_does_not_leak"),
)
class MaskTransposed(OwnWeights):
    def masked(self, S, mask):
        mask = mask.swapaxes(-1, -2)
        return np.where(mask[:, None] if mask.ndim == 3 else mask, -1e9, S)


@mistake(
    hint="Without a mask every token sees every token.",
    share="0.3",
    caught_by=("matches_reference", "permutation_equivariant"),
)
class AlwaysCausal(RightParts):
    def attend(self, Q, K, V, mask):
        future = np.triu(np.ones((Q.shape[2], K.shape[2])), k=1)
        return super().attend(Q, K, V, future)


MISTAKES = answers.mistakes
