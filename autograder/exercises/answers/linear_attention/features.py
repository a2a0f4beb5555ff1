"""Mistakes of `linear_attention` about the feature map phi(x) = elu(x) + 1."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The normaliser needs the keys too, and the features must be positive.",
    share="0.2",
    caught_by=("constant_values_stay_constant", "matches_reference"),
)
def normaliser_from_queries_no_map(Q, K, V):
    numerator = Q @ (K.T @ V)
    normaliser = Q.sum(axis=1, keepdims=True) + 1e-8
    return numerator / normaliser


@mistake(
    hint="Queries and keys go through the feature map elu(x) + 1 before they are multiplied.",
    share="0.3",
    caught_by=("matches_reference", "output_in_convex_hull"),
)
def no_feature_map(Q, K, V):
    numerator = Q @ (K.T @ V)
    normaliser = Q @ K.sum(axis=0)
    return numerator / normaliser[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1.",
    share="0.7",
    caught_by=("matches_reference",),
)
def another_positive_feature_map(Q, K, V):
    phi_Q, phi_K = np.exp(Q), np.exp(K)
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not relu plus a small constant.",
    share="0.7",
    caught_by=("matches_reference",),
)
def relu_plus_a_small_constant(Q, K, V):
    phi_Q, phi_K = np.maximum(Q, 0) + 1e-6, np.maximum(K, 0) + 1e-6
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not relu(x) + 1.",
    share="0.7",
    caught_by=("matches_reference",),
)
def relu_plus_one(Q, K, V):
    phi_Q, phi_K = np.maximum(Q, 0) + 1, np.maximum(K, 0) + 1
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not softmax of each row.",
    share="0.7",
    caught_by=("matches_reference",),
)
def softmax_as_feature_map(Q, K, V):
    phi_Q, phi_K = softmax(Q), softmax(K)
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="Features must stay positive: elu(x) + 1.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def features_can_be_zero(Q, K, V):
    phi_Q, phi_K = np.maximum(Q, 0), np.maximum(K, 0)
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="Add one to elu(x): without it the features of negative entries are negative.",
    share="0.5",
    caught_by=("matches_reference", "output_in_convex_hull"),
)
def elu_without_plus_one(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="elu(x) is e^x - 1 for x <= 0, so phi(x) = elu(x) + 1 is e^x there: you add one too many.",
    share="0.6",
    caught_by=("matches_reference",),
)
def one_added_twice(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)) + 1) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="For x > 0 the feature is x + 1, not x.",
    share="0.6",
    caught_by=("matches_reference",),
)
def one_forgotten_above_zero(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The cases are swapped: x + 1 belongs to x > 0, e^x to x <= 0.",
    share="0.5",
    caught_by=("matches_reference",),
)
def cases_swapped(Q, K, V):
    phi_Q, phi_K = (np.where(x < 0, x + 1, np.exp(x)) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="Decide for each entry by its own sign, not for a whole row or array at once.",
    share="0.4",
    caught_by=("matches_reference",),
)
def one_case_for_each_row(Q, K, V):
    def phi(x):
        return np.where(x.sum(axis=1, keepdims=True) > 0, abs(x) + 1, np.exp(-abs(x)))

    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]


@mistake(
    hint="The queries go through the feature map too.",
    share="0.4",
    caught_by=("matches_reference",),
)
def only_keys_mapped(Q, K, V):
    phi_K = np.where(K > 0, K + 1, np.exp(np.minimum(K, 0)))
    return Q @ (phi_K.T @ V) / (Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The keys go through the feature map too.",
    share="0.4",
    caught_by=("matches_reference",),
)
def only_queries_mapped(Q, K, V):
    phi_Q = np.where(Q > 0, Q + 1, np.exp(np.minimum(Q, 0)))
    return phi_Q @ (K.T @ V) / (phi_Q @ K.sum(axis=0))[:, None]


@mistake(
    hint="The values are averaged as they are: no feature map for V.",
    share="0.4",
    caught_by=("constant_values_stay_constant", "matches_reference"),
)
def values_mapped_too(Q, K, V):
    phi_Q, phi_K, phi_V = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K, V))
    return phi_Q @ (phi_K.T @ phi_V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="Linear attention has no scaling: leave the square root of d_k out.",
    share="0.6",
    caught_by=("matches_reference",),
)
def queries_scaled(Q, K, V):
    Q = Q / np.sqrt(Q.shape[1])
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="Linear attention has no scaling: leave the roots of d_k out.",
    share="0.6",
    caught_by=("matches_reference",),
)
def queries_and_keys_scaled(Q, K, V):
    Q, K = Q / Q.shape[1] ** 0.25, K / K.shape[1] ** 0.25
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The feature map acts on queries and keys, before they meet, not on their scores.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scores_mapped(Q, K, V):
    S = Q @ K.T
    A = np.where(S > 0, S + 1, np.exp(np.minimum(S, 0)))
    return A @ V / A.sum(axis=1, keepdims=True)


@mistake(
    hint="This is softmax attention; the exercise asks for weights phi(q) . phi(k).",
    share="0.2",
    caught_by=("matches_reference",),
)
def softmax_attention(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


@mistake(
    hint="This is softmax attention; the exercise asks for weights phi(q) . phi(k).",
    share="0.2",
    caught_by=("matches_reference",),
)
def unscaled_softmax_attention(Q, K, V):
    return softmax(Q @ K.T) @ V


@mistake(
    hint="The weights are phi(q) . phi(k) over their sum: no softmax on top of them.",
    share="0.4",
    caught_by=("matches_reference",),
)
def softmax_of_the_products(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return softmax(phi_Q @ phi_K.T) @ V


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not softplus.",
    share="0.7",
    caught_by=("matches_reference",),
)
def softplus_as_feature_map(Q, K, V):
    phi_Q, phi_K = (np.logaddexp(x, 0) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not the sigmoid.",
    share="0.7",
    caught_by=("matches_reference",),
)
def sigmoid_as_feature_map(Q, K, V):
    phi_Q, phi_K = (1 / (1 + np.exp(-x)) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not the square.",
    share="0.7",
    caught_by=("matches_reference",),
)
def squares_as_feature_map(Q, K, V):
    phi_Q, phi_K = (x**2 for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The exercise fixes the feature map: elu(x) + 1, not the absolute value.",
    share="0.7",
    caught_by=("matches_reference",),
)
def absolute_values_as_feature_map(Q, K, V):
    phi_Q, phi_K = (abs(x) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="For x > 0 the feature is x + 1, not 1: that is the derivative of elu.",
    share="0.6",
    caught_by=("matches_reference",),
)
def derivative_of_elu(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, 1.0, np.exp(np.minimum(x, 0))) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="For x <= 0 the feature is e^x; e^x - 1 is elu(x) without the one.",
    share="0.5",
    caught_by=(
        "matches_reference",
        "output_in_convex_hull",
    ),
)
def one_forgotten_below_zero(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)) - 1) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="phi(x) is elu(x) + 1: x + 1 for x > 0, e^x otherwise; you add one too many.",
    share="0.6",
    caught_by=("matches_reference",),
)
def two_added(Q, K, V):
    phi_Q, phi_K = (np.where(x > 0, x + 2, np.exp(np.minimum(x, 0)) + 1) for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="x + 1 is for x > 0 alone; otherwise the feature is e^x, which stays positive.",
    share="0.4",
    caught_by=("matches_reference",),
)
def one_added_and_no_exponential(Q, K, V):
    phi_Q, phi_K = (x + 1 for x in (Q, K))
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="An entry that is 0 has a feature too: it is e^0 = 1.",
    share="0.9",
    caught_by=("matches_reference",),
)
def feature_of_zero_left_out(Q, K, V):
    phi_Q, phi_K = (
        np.where(x == 0, 0.0, np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))) for x in (Q, K)
    )
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="An entry that is 0 belongs to one case alone: its feature is e^0 = 1.",
    share="0.9",
    caught_by=("matches_reference",),
)
def feature_of_zero_counted_twice(Q, K, V):
    phi_Q, phi_K = (
        np.where(x == 0, 2.0, np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))) for x in (Q, K)
    )
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(axis=0))[:, None]


@mistake(
    hint="The feature map acts on queries and keys, not on scores, and nothing is scaled.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scaled_scores_mapped(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[1])
    A = np.where(S > 0, S + 1, np.exp(np.minimum(S, 0)))
    return A / A.sum(axis=1, keepdims=True) @ V


MISTAKES = answers.mistakes
