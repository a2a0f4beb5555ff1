"""Mistakes of `MultiHeadAttention` about the class itself, and classes that compute nothing."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from autograder.exercises.answers.multi_head_attention.parts import Parts, RightParts
from reference import scaled_dot_product_attention

answers = Answers(of_class=True)
mistake = answers.mistake


@mistake(
    hint="forward returns the output alone; the weights stay inside.",
    share="0.7",
    caught_by=("matches_reference",),
)
class ReturnsTheWeightsToo(RightParts):
    def forward(self, query, key, value, mask=None):
        Q, K, V = (self.split_heads(x) for x in self.project(query, key, value))
        heads, weights = zip(
            *(
                scaled_dot_product_attention(Q[:, i], K[:, i], V[:, i], mask)
                for i in range(self.num_heads)
            )
        )
        joined = self.combine_heads(np.stack(heads, axis=1))
        return self.project_output(joined), np.stack(weights, axis=1)


@mistake(
    hint="The method must be called forward; yours is __call__.",
    share="0.15",
    caught_by=("matches_reference",),
)
class CallInsteadOfForward(Parts):
    def __call__(self, query, key, value, mask=None):
        Q, K, V = (self.split_heads(x) for x in self.project(query, key, value))
        return self.project_output(self.combine_heads(self.attend(Q, K, V, mask)))


@mistake(
    hint="forward returns nothing: end it with return.",
    share="0.15",
    caught_by=("matches_reference",),
)
class ForwardReturnsNothing(RightParts):
    def forward(self, query, key, value, mask=None):
        super().forward(query, key, value, mask)


@mistake(
    hint="Every key gets the same weight; queries and keys play no part.",
    share="0.15",
    caught_by=("matches_reference",),
)
class UniformAverage(RightParts):
    def attend(self, Q, K, V, mask):
        return np.broadcast_to(V.mean(axis=2, keepdims=True), Q.shape)


# -- worth nothing ---------------------------------------------------------------------------------


@mistake(
    hint="Everything you return is zero.",
    share="0",
    caught_by=("matches_reference", "split_and_combine_are_inverse"),
)
class ReturnsZeros:
    def __init__(self, d_model, num_heads):
        self.d_model, self.num_heads = d_model, num_heads

    def split_heads(self, x):
        B, n, _ = x.shape
        return np.zeros((B, self.num_heads, n, self.d_model // self.num_heads))

    def combine_heads(self, x):
        return np.zeros((x.shape[0], x.shape[2], self.d_model))

    def forward(self, query, key, value, mask=None):
        return np.zeros_like(query)


@mistake(
    hint="You return the input itself; no token looks at another one.",
    share="0",
    caught_by=("matches_reference", "split_and_combine_are_inverse"),
)
class ReturnsItsInput:
    def __init__(self, d_model, num_heads):
        pass

    def split_heads(self, x):
        return x

    def combine_heads(self, x):
        return x

    def forward(self, query, key, value, mask=None):
        return query


@mistake(
    hint="Write a class, class MultiHeadAttention, with the methods as the text asks for them.",
    share="0",
    caught_by=("matches_reference",),
)
def function_instead_of_a_class(query, key, value, num_heads=2, mask=None):
    return scaled_dot_product_attention(query, key, value, mask)[0]


MISTAKES = answers.mistakes
