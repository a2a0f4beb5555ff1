"""Mistakes of `MultiHeadAttention` about the matrices: which, how, and where they are kept."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from autograder.exercises.answers.multi_head_attention.parts import RightParts
from reference import scaled_dot_product_attention

answers = Answers(of_class=True)
mistake = answers.mistake


@mistake(
    hint="Multiply the joined heads by W_o.",
    share="0.5",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class OutputProjectionForgotten(RightParts):
    def project_output(self, joined):
        return joined


@mistake(
    hint="Multiply by W_o itself, from the right, not by its transpose.",
    share="0.5",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class OutputMatrixTransposed(RightParts):
    def project_output(self, joined):
        return joined @ self.W_o.T


@mistake(
    hint="Here the projections are x W; you multiply by the transposed matrices.",
    share="0.6",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class MatricesTransposed(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q.T, key @ self.W_k.T, value @ self.W_v.T

    def project_output(self, joined):
        return joined @ self.W_o.T


@mistake(
    hint="W_q, W_k and W_v are never used: project before you split.",
    share="0.3",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class InputsNotProjected(RightParts):
    def project(self, query, key, value):
        return query, key, value


@mistake(
    hint="The heads average the projected values: value W_v.",
    share="0.4",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class ValuesNotProjected(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_k, value


@mistake(
    hint="The keys are never used: scores compare projected queries with projected keys.",
    share="0.4",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class KeysReplacedByQueries(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, query @ self.W_q, value @ self.W_v


@mistake(
    hint="Keys need W_k; you use W_q for both.",
    share="0.4",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class KeysUseTheQueryMatrix(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_q, value @ self.W_v


@mistake(
    hint="Each projection has a matrix of its own; you use W_q for queries, keys and values.",
    share="0.3",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class OneMatrixForAll(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_q, value @ self.W_q


@mistake(
    hint="Values come from W_v and keys from W_k; yours are exchanged.",
    share="0.4",
    caught_by=("one_head_is_scaled_dot_product_attention", "matches_reference"),
)
class KeyAndValueMatricesExchanged(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_v, value @ self.W_k


@mistake(
    hint="Keys and values come from the arguments key and value, not from query.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class EverythingFromTheQuery(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, query @ self.W_k, query @ self.W_v


@mistake(
    hint="Values come from the argument value, not from key.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class ValuesFromTheKey(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, key @ self.W_k, key @ self.W_v


@mistake(
    hint="Keys come from the argument key, not from value.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class KeysFromTheValue(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q, value @ self.W_k, value @ self.W_v


@mistake(
    hint="Keys may be more or fewer than queries: read their number from key.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class AsManyKeysAsQueries(RightParts):
    def forward(self, query, key, value, mask=None):
        B, n, _ = query.shape
        Q, K, V = (
            x.reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)
            for x in self.project(query, key, value)
        )
        return self.project_output(self.combine_heads(self.attend(Q, K, V, mask)))


@mistake(
    hint="Return the output of W_o alone: adding the input is the job of the block around it.",
    share="0.5",
    caught_by=("matches_reference", "one_head_is_scaled_dot_product_attention"),
)
class InputAddedToTheOutput(RightParts):
    def forward(self, query, key, value, mask=None):
        return query + super().forward(query, key, value, mask)


@mistake(
    hint="The matrices must be called W_q, W_k, W_v and W_o: they are set from outside.",
    share="0.15",
    caught_by=("matches_reference",),
)
class MatricesUnderOtherNames(RightParts):
    def __init__(self, d_model=8, num_heads=2):
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = 0.1 * np.random.randn(4, d_model, d_model)

    def project(self, query, key, value):
        return query @ self.Wq, key @ self.Wk, value @ self.Wv

    def project_output(self, joined):
        return joined @ self.Wo


@mistake(
    hint="The matrices may be set after the object was made: cut them up in forward, not before.",
    share="0.15",
    caught_by=("matches_reference",),
)
class MatricesCutUpWhenMade(RightParts):
    def __init__(self, d_model=8, num_heads=2):
        super().__init__(d_model, num_heads)
        self.parts = [np.split(W, num_heads, axis=1) for W in (self.W_q, self.W_k, self.W_v)]

    def forward(self, query, key, value, mask=None):
        heads = [
            scaled_dot_product_attention(query @ W_q, key @ W_k, value @ W_v, mask)[0]
            for W_q, W_k, W_v in zip(*self.parts)
        ]
        return np.concatenate(heads, axis=-1) @ self.W_o


@mistake(
    hint="forward changes the matrices of the object: keep the projections in variables.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class ProjectionsReplaceTheMatrices(RightParts):
    def project(self, query, key, value):
        self.W_q, self.W_k, self.W_v = query @ self.W_q, key @ self.W_k, value @ self.W_v
        return self.W_q, self.W_k, self.W_v


@mistake(
    hint="The object remembers the first call: compute everything anew in every call.",
    share="0.9",
    caught_by=("matches_reference_for_different_lengths",),
)
class KeysOfTheFirstCallKept(RightParts):
    def project(self, query, key, value):
        if not hasattr(self, "kept"):
            self.kept = key @ self.W_k, value @ self.W_v
        return query @ self.W_q, *self.kept


@mistake(
    hint="Tokens are rows: multiply by W_q, W_k and W_v as they are, not transposed.",
    share="0.4",
    caught_by=("matches_reference",),
)
class ProjectionMatricesTransposed(RightParts):
    def project(self, query, key, value):
        return query @ self.W_q.T, key @ self.W_k.T, value @ self.W_v.T


@mistake(
    hint="forward draws new matrices in every call: use the ones of the object.",
    share="0.15",
    caught_by=("matches_reference",),
)
class MatricesDrawnInForward(RightParts):
    def forward(self, query, key, value, mask=None):
        self.W_q, self.W_k, self.W_v, self.W_o = 0.1 * np.random.randn(
            4, self.d_model, self.d_model
        )
        return super().forward(query, key, value, mask)


MISTAKES = answers.mistakes
