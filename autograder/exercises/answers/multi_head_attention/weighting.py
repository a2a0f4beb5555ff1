"""Mistakes of `MultiHeadAttention` about scale and softmax, in attention of its own."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from autograder.exercises.answers.multi_head_attention.parts import OwnWeights

answers = Answers(of_class=True)
mistake = answers.mistake


@mistake(
    hint="Each head has d_k = d_model / h entries: scale by its square root, not by d_model's.",
    share="0.6",
    caught_by=("matches_reference",),
)
class ScalesByModelWidth(OwnWeights):
    def scores(self, Q, K):
        return Q @ K.swapaxes(-1, -2) / np.sqrt(self.d_model)


@mistake(
    hint="The scores grow with d_k: divide by its square root.",
    share="0.6",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class Unscaled(OwnWeights):
    def scores(self, Q, K):
        return Q @ K.swapaxes(-1, -2)


@mistake(
    hint="You divide by d_k, perhaps by scaling twice: divide by its square root, once.",
    share="0.6",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class DividesByHeadWidth(OwnWeights):
    def scores(self, Q, K):
        return Q @ K.swapaxes(-1, -2) / self.d_k


@mistake(
    hint="The scale is the square root of the width of a head, not of the number of heads.",
    share="0.6",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class ScalesByNumberOfHeads(OwnWeights):
    def scores(self, Q, K):
        return Q @ K.swapaxes(-1, -2) / np.sqrt(self.num_heads)


@mistake(
    hint="Normalise over the keys, the last axis.",
    share="0.3",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class SoftmaxOverQueries(OwnWeights):
    def weigh(self, S, mask):
        e = np.exp(S - S.max(axis=-2, keepdims=True))
        return e / e.sum(axis=-2, keepdims=True)


@mistake(
    hint="In four dimensions axis 1 is the heads: normalise over the keys, the last axis.",
    share="0.3",
    caught_by=("matches_reference",),
)
class SoftmaxOverHeads(OwnWeights):
    def weigh(self, S, mask):
        e = np.exp(S - S.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


@mistake(
    hint="There is no softmax: the weights of a row must be positive and sum to 1.",
    share="0.3",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class NoSoftmax(OwnWeights):
    def weigh(self, S, mask):
        return np.where(np.isfinite(S), S, 0.0)


@mistake(
    hint="Row i belongs to query i: multiply queries by transposed keys.",
    share="0.3",
    caught_by=("matches_reference", "matches_reference_for_different_lengths"),
)
class ScoresTransposed(OwnWeights):
    def scores(self, Q, K):
        return K @ Q.swapaxes(-1, -2) / np.sqrt(self.d_k)


@mistake(
    hint="The weights are an average over the heads; every head has weights of its own.",
    share="0.4",
    caught_by=("matches_reference",),
)
class OneSetOfWeightsForAllHeads(OwnWeights):
    def weigh(self, S, mask):
        A = super().weigh(S, mask)
        return np.broadcast_to(A.mean(axis=1, keepdims=True), A.shape)


MISTAKES = answers.mistakes
