"""Mistakes of `linear_attention` about the weighted average, with the right feature map."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


@mistake(
    hint="Divide by the sum of the weights.",
    share="0.5",
    caught_by=("constant_values_stay_constant",),
)
def no_normaliser(Q, K, V):
    return phi(Q) @ (phi(K).T @ V)


@mistake(
    hint="The normaliser is the sum of the weights phi(q) . phi(k), so it needs the keys too.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normaliser_from_the_queries(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / phi(Q).sum(axis=1, keepdims=True)


@mistake(
    hint="Each query has a normaliser of its own: phi(q) . sum_j phi(k_j).",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normaliser_from_the_keys(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / phi(K).sum()


@mistake(
    hint="Divide by the sum of the weights, not by the number of keys.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def divides_by_number_of_keys(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / len(K)


@mistake(
    hint="Divide by the sum of the weights, not by the square root of d_k.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def divides_by_root_of_key_width(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / np.sqrt(Q.shape[1])


@mistake(
    hint="Each query has a normaliser of its own, not one for all of them.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def one_normaliser_for_all_queries(Q, K, V):
    normaliser = phi(Q) @ phi(K).sum(axis=0)
    return phi(Q) @ (phi(K).T @ V) / normaliser.sum()


@mistake(
    hint="Sum the features of the keys over the keys, axis 0, not over the features.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_summed_over_features(Q, K, V):
    normaliser = phi(Q) @ phi(K).sum(axis=1)
    return phi(Q) @ (phi(K).T @ V) / normaliser[:, None]


@mistake(
    hint="The normaliser lost a dimension: divide each row by its own, normaliser[:, None].",
    share="0.4",
    caught_by=("matches_reference",),
)
def normaliser_without_its_dimension(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))


@mistake(
    hint="The weights of a query sum to one over the keys; yours sum to one over the queries.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normalised_over_queries(Q, K, V):
    A = phi(Q) @ phi(K).T
    return A / A.sum(axis=0) @ V


@mistake(
    hint="The normaliser uses the features phi(K), as the weights do, not K itself.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normaliser_without_the_map(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ K.sum(axis=0))[:, None]


@mistake(
    hint="Sum the features of the keys; the feature of their sum is something else.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def map_of_the_summed_keys(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K.sum(axis=0)))[:, None]


@mistake(
    hint="The normaliser sums the weights of all keys; a mean is smaller by the factor n_k.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def mean_of_the_keys_in_the_normaliser(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).mean(axis=0))[:, None]


@mistake(
    hint="The weights sum to less than one: no constant that large in the normaliser.",
    share="0.6",
    caught_by=("constant_values_stay_constant",),
)
def large_constant_in_the_normaliser(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0) + 1.0)[:, None]


@mistake(
    hint="Key j belongs to value j.",
    share="0.4",
    caught_by=("key_order_does_not_matter", "matches_reference"),
)
def keys_and_values_out_of_step(Q, K, V):
    return phi(Q) @ (phi(K).T @ V[::-1]) / (phi(Q) @ phi(K).sum(axis=0))[:, None]


@mistake(
    hint="All keys count: nothing hides the later ones here.",
    share="0.4",
    caught_by=("key_order_does_not_matter", "matches_reference"),
)
def later_keys_hidden(Q, K, V):
    A = phi(Q) @ phi(K).T
    A = np.tril(A)
    return A @ V / A.sum(axis=1, keepdims=True)


@mistake(
    hint="All keys count, also the last one.",
    share="0.4",
    caught_by=("key_order_does_not_matter", "matches_reference"),
)
def last_key_left_out(Q, K, V):
    K, V = K[:-1], V[:-1]
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]


@mistake(
    hint="The queries ask and the keys answer: phi(Q) stands on the left, phi(K) meets the values.",
    share="0.3",
    caught_by=("matches_reference",),
)
def queries_and_keys_swapped(Q, K, V):
    return phi(K) @ (phi(Q).T @ V) / (phi(K) @ phi(Q).sum(axis=0))[:, None]


@mistake(
    hint="The output has one row per query.",
    share="0.5",
    caught_by=("matches_reference",),
)
def output_shaped_like_values(Q, K, V):
    A = phi(Q) @ phi(K).T
    output = np.zeros_like(V)
    for i in range(len(V)):
        output[i] = A[i] @ V / A[i].sum()
    return output


@mistake(
    hint="Your function changes an array that it was given: work on a copy.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def argument_changed_in_place(Q, K, V):
    for x in (Q, K):
        low = x <= 0
        x[low] = np.exp(x[low])
        x[~low] += 1
    return Q @ (K.T @ V) / (Q @ K.sum(axis=0))[:, None]


@mistake(
    hint="Return the output alone; this exercise does not ask for the weights.",
    share="0.6",
    caught_by=("matches_reference",),
)
def weights_returned_too(Q, K, V):
    A = phi(Q) @ phi(K).T
    A = A / A.sum(axis=1, keepdims=True)
    return A @ V, A


@mistake(
    hint="Return the output, the weighted sums of the values, not the weights.",
    share="0.4",
    caught_by=("matches_reference",),
)
def weights_only(Q, K, V):
    A = phi(Q) @ phi(K).T
    return A / A.sum(axis=1, keepdims=True)


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def output_rounded(Q, K, V):
    return np.round(phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None], 3)


@mistake(
    hint="The normaliser is phi(q) times the sum of the keys' features, feature by feature.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normaliser_is_a_product_of_sums(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (phi(Q).sum(axis=1, keepdims=True) * phi(K).sum())


@mistake(
    hint="The queries in the normaliser go through the feature map too.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def normaliser_with_unmapped_queries(Q, K, V):
    return phi(Q) @ (phi(K).T @ V) / (Q @ phi(K).sum(axis=0))[:, None]


@mistake(
    hint="Divide by the sum of the weights, not by that of the output.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def output_divided_by_its_own_sum(Q, K, V):
    output = phi(Q) @ (phi(K).T @ V)
    return output / output.sum(axis=1, keepdims=True)


@mistake(
    hint="Linear attention has no scaling: the weights of a row sum to one already.",
    share="0.4",
    caught_by=("constant_values_stay_constant",),
)
def output_scaled(Q, K, V):
    weighted = phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]
    return weighted / np.sqrt(K.shape[1])


@mistake(
    hint="There may be more keys than queries: all of them count.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_cut_to_the_queries(Q, K, V):
    K, V = K[: len(Q)], V[: len(Q)]
    return phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]


@mistake(
    hint="The output has one row per query; your buffer has one per key.",
    share="0.5",
    caught_by=("matches_reference",),
)
def buffer_shaped_like_values(Q, K, V):
    sums, total = phi(K).T @ V, phi(K).sum(axis=0)
    output = np.zeros_like(V)
    for i, q in enumerate(phi(Q)):
        output[i] = q @ sums / (q @ total)
    return output


@mistake(
    hint="The output has d_v columns, the width of V, not of Q.",
    share="0.4",
    caught_by=("matches_reference",),
)
def output_shaped_like_queries(Q, K, V):
    output = np.zeros_like(Q)
    output[:] = phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]
    return output


@mistake(
    hint="Return (n_q, d_v) for one row or column too: np.squeeze drops axes of length 1.",
    share="0.85",
    caught_by=("equal_keys_average_the_values",),
)
def axes_of_one_dropped(Q, K, V):
    weighted = phi(Q) @ (phi(K).T @ V) / (phi(Q) @ phi(K).sum(axis=0))[:, None]
    return np.squeeze(weighted)


# -- what computes nothing -------------------------------------------------------------------------


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(Q, K, V):
    return np.zeros((len(Q), V.shape[1]))


@mistake(
    hint="You return the queries themselves; nothing looks at the keys.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(Q, K, V):
    return Q


@mistake(
    hint="You return the values themselves; no query looks at a key.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_values(Q, K, V):
    return V


@mistake(
    hint="Every key gets the same weight; queries and keys play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_the_mean(Q, K, V):
    return np.tile(V.mean(axis=0), (len(Q), 1))


MISTAKES = answers.mistakes
