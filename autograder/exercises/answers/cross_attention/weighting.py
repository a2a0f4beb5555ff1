"""Mistakes of `cross_attention` on the way from scores to results."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The scores grow with d_k: divide by its square root.",
    share="0.6",
    caught_by=("matches_reference",),
)
def unscaled(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T)
    return A @ (context @ W_V), A


@mistake(
    hint="You divide by d_k; divide by its square root.",
    share="0.6",
    caught_by=("matches_reference",),
)
def divides_by_key_width(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / W_K.shape[1])
    return A @ (context @ W_V), A


@mistake(
    hint="The dot product runs over d_k entries, the columns of W_Q, not over d.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_embedding_width(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(X.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="The dot product runs over d_k entries, the width of W_Q and W_K, not of W_V.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_value_width(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_V.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="Scale by the square root of d_k, not of the number of tokens in the context.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_context_length(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(len(context)))
    return A @ (context @ W_V), A


@mistake(
    hint="Scale by the square root of d_k, not of the number of queries.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_number_of_queries(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(len(X)))
    return A @ (context @ W_V), A


@mistake(
    hint="Scale before softmax: afterwards the rows no longer sum to one.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scales_after_softmax(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T) / np.sqrt(W_Q.shape[1])
    return A @ (context @ W_V), A


@mistake(
    hint="Each row is one query: normalise over the context.",
    share="0.3",
    caught_by=("output_depends_on_own_query_only", "matches_reference"),
)
def softmax_over_queries(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]), axis=0)
    return A @ (context @ W_V), A


@mistake(
    hint="Each row is a softmax of its own, not the whole matrix.",
    share="0.3",
    caught_by=("output_depends_on_own_query_only", "matches_reference"),
)
def softmax_of_all_scores(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    E = np.exp(S - S.max())
    A = E / E.sum()
    return A @ (context @ W_V), A


@mistake(
    hint="The scores are not yet weights: each row goes through softmax first.",
    share="0.2",
    caught_by=("matches_reference",),
)
def scores_are_the_weights(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    return S @ (context @ W_V), S


@mistake(
    hint="Subtract the row maximum before the exponential.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def without_shift(X, context, W_Q, W_K, W_V):
    E = np.exp((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (context @ W_V), A


@mistake(
    hint="Each row needs its own maximum: reduce over the context and keep the dimension.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def one_maximum_for_all_rows(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    E = np.exp(S - S.max())
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (context @ W_V), A


@mistake(
    hint="Your function changes an array that it was given: work on a copy.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def argument_changed_in_place(X, context, W_Q, W_K, W_V):
    W_Q /= np.sqrt(W_Q.shape[1])
    A = softmax((X @ W_Q) @ (context @ W_K).T)
    return A @ (context @ W_V), A


@mistake(
    hint="Every query sees the whole context: there is no causal mask between two sequences.",
    share="0.3",
    caught_by=("matches_reference", "context_order_does_not_matter"),
)
def future_of_the_context_hidden(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    A = softmax(np.where(np.tri(len(X), len(context), dtype=bool), S, -np.inf))
    return A @ (context @ W_V), A


@mistake(
    hint="Positions play no part: key j belongs to value j, wherever it stands.",
    share="0.3",
    caught_by=("matches_reference", "context_order_does_not_matter"),
)
def last_of_the_context_left_out(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    S[:, -1] = -np.inf
    A = softmax(S)
    return A @ (context @ W_V), A


@mistake(
    hint="Return the output first, then the weights.",
    share="0.7",
    caught_by=("matches_reference",),
)
def results_swapped(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A, A @ (context @ W_V)


@mistake(
    hint="Return two results: output and weights.",
    share="0.5",
    caught_by=("matches_reference",),
)
def output_only(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V)


@mistake(
    hint="Return two results: output and weights.",
    share="0.4",
    caught_by=("matches_reference",),
)
def weights_only(X, context, W_Q, W_K, W_V):
    return softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))


@mistake(
    hint="The weights have a row for every query and a column for every token of the context.",
    share="0.5",
    caught_by=("matches_reference",),
)
def returned_weights_transposed(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A.T


@mistake(
    hint="The second result is the weights, after softmax; you return the scores.",
    share="0.5",
    caught_by=("matches_reference",),
)
def scores_returned_for_weights(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    return softmax(S) @ (context @ W_V), S


@mistake(
    hint="In NumPy that call does not swap anything on a 2-D array.",
    share="0.4",
    caught_by=("matches_reference",),
)
def two_axes_transpose_on_two_dimensions(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).transpose(-2, -1)
    A = softmax(S / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="Return full precision in both results; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def results_rounded(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return np.round(A @ (context @ W_V), 3), np.round(A, 3)


@mistake(
    hint="Divide the scores by the square root of d_k; you multiply by it.",
    share="0.6",
    caught_by=("matches_reference",),
)
def multiplies_by_root_of_key_width(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T * np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="Divide each row by its sum: the exponentials are not yet weights.",
    share="0.3",
    caught_by=("matches_reference",),
)
def exponentials_not_normalised(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E @ (context @ W_V), E


@mistake(
    hint="The rows of the weights sum to one: you normalise the output alone.",
    share="0.5",
    caught_by=("matches_reference",),
)
def output_alone_normalised(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E @ (context @ W_V) / E.sum(axis=1, keepdims=True), E


# -- what computes nothing -------------------------------------------------------------------------


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(X, context, W_Q, W_K, W_V):
    return np.zeros((len(X), W_V.shape[1])), np.zeros((len(X), len(context)))


@mistake(
    hint="Every token of the context gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_uniform(X, context, W_Q, W_K, W_V):
    A = np.full((len(X), len(context)), 1 / len(context))
    return A @ (context @ W_V), A


@mistake(
    hint="You return the input itself; no token looks at the context.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(X, context, W_Q, W_K, W_V):
    return X, np.eye(len(X), len(context))


@mistake(
    hint="Each token gets its own value back; no token looks at the context.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_values(X, context, W_Q, W_K, W_V):
    return X @ W_V, np.eye(len(X), len(context))


MISTAKES = answers.mistakes
