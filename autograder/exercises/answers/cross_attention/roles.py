"""Mistakes of `cross_attention` about which sequence asks and which one answers."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Queries come from X.",
    share="0.3",
    caught_by=("context_order_does_not_matter", "matches_reference"),
)
def queries_from_the_context(X, context, W_Q, W_K, W_V):
    Q, K, V = context @ W_Q, context @ W_K, context @ W_V
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A @ V, A


@mistake(
    hint="Keys and values come from the context; your function never looks at it.",
    share="0.3",
    caught_by=("matches_reference", "output_depends_on_own_query_only"),
)
def context_ignored(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A @ V, A


@mistake(
    hint="The roles are swapped: queries come from X, keys and values from the context.",
    share="0.4",
    caught_by=("matches_reference",),
)
def roles_swapped(X, context, W_Q, W_K, W_V):
    Q, K, V = context @ W_Q, X @ W_K, X @ W_V
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A @ V, A


@mistake(
    hint="Queries see the context only, not each other.",
    share="0.3",
    caught_by=("output_depends_on_own_query_only",),
)
def sequences_joined(X, context, W_Q, W_K, W_V):
    both = np.concatenate([X, context])
    A = softmax((both @ W_Q) @ (both @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (both @ W_V), A


@mistake(
    hint="Queries see the context only, nothing of X: leave X out of keys and values.",
    share="0.4",
    caught_by=("output_depends_on_own_query_only",),
)
def queries_see_both_sequences(X, context, W_Q, W_K, W_V):
    both = np.concatenate([X, context])
    A = softmax((X @ W_Q) @ (both @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (both @ W_V), A


@mistake(
    hint="Queries see the context only: weigh it without X, instead of cutting X off afterwards.",
    share="0.4",
    caught_by=("output_depends_on_own_query_only",),
)
def own_sequence_cut_off_afterwards(X, context, W_Q, W_K, W_V):
    both = np.concatenate([X, context])
    A = softmax((X @ W_Q) @ (both @ W_K).T / np.sqrt(W_Q.shape[1]))[:, len(X) :]
    return A @ (context @ W_V), A


@mistake(
    hint="The keys come from the context, as the values do.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_from_the_queries(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="The values come from the context, as the keys do.",
    share="0.4",
    caught_by=("matches_reference",),
)
def values_from_the_queries(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (X @ W_V), A


@mistake(
    hint="The two sequences may have different lengths: n_q and n_c need not be equal.",
    share="0.3",
    caught_by=("matches_reference",),
)
def both_cut_to_one_length(X, context, W_Q, W_K, W_V):
    n = min(len(X), len(context))
    X, context = X[:n], context[:n]
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="The output is what the context hands over: do not add X to it.",
    share="0.5",
    caught_by=("matches_reference",),
)
def values_of_the_queries_added(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return X @ W_V + A @ (context @ W_V), A


@mistake(
    hint="The matrices are mixed up: W_Q makes queries, W_K keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def matrices_swapped(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_K) @ (context @ W_Q).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="Keys need W_K.",
    share="0.4",
    caught_by=("matches_reference",),
)
def keys_use_query_matrix(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_Q).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="The output averages the values, not the context itself: multiply it by W_V.",
    share="0.4",
    caught_by=("matches_reference",),
)
def values_not_projected(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ context, A


@mistake(
    hint="The scores compare projected tokens: multiply X by W_Q and the context by W_K.",
    share="0.3",
    caught_by=("matches_reference",),
)
def scores_without_projections(X, context, W_Q, W_K, W_V):
    A = softmax(X @ context.T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


@mistake(
    hint="The context may be longer than X: every token of it counts.",
    share="0.3",
    caught_by=("matches_reference",),
)
def context_cut_to_the_queries(X, context, W_Q, W_K, W_V):
    context = context[: len(X)]
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V), A


MISTAKES = answers.mistakes
