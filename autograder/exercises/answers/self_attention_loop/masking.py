"""Mistakes of `self_attention_loop` about the mask and about rows without a visible key."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Your function takes no mask; the exercise's fifth argument says who may see whom.",
    share="0.45",
    caught_by=("matches_reference_with_mask", "future_weights_are_zero"),
)
def no_mask_argument(X, W_Q, W_K, W_V):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        A[i] = softmax(K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1]))
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The mask has no effect on your result.",
    share="0.55",
    caught_by=("future_does_not_leak", "blocked_weights_are_zero"),
)
def mask_ignored(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Here True means may attend; your code treats True as blocked.",
    share="0.51",
    caught_by=("all_true_mask_is_no_mask", "future_weights_are_zero"),
)
def mask_inverted(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], -np.inf, S)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="mask[i, j] speaks about query i and key j; you read it the other way round.",
    share="0.55",
    caught_by=("future_weights_are_zero",),
)
def mask_transposed(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[:, i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Without a mask every token sees every token.",
    share="0.3",
    caught_by=("permutation_equivariant",),
)
def always_causal(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        visible = np.arange(n) <= i
        if mask is not None:
            visible = visible & mask[i]
        A[i] = softmax(np.where(visible, S, -np.inf))
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="A token may see itself unless the mask says otherwise.",
    share="0.6",
    caught_by=("future_weights_are_zero", "single_token"),
)
def own_position_blocked(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i] & (np.arange(n) != i), S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return equal weights.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_score_minus_1e9(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -1e9)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return the unmasked row.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def adds_minus_1e9(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = S + np.where(mask[i], 0.0, -1e9)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Blocked positions still get a little weight; only -inf gives exactly zero.",
    share="0.55",
    caught_by=("blocked_weights_are_zero",),
)
def blocked_score_minus_ten(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -10.0)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="A score of 0 is an ordinary score; blocked means -inf.",
    share="0.55",
    caught_by=("blocked_weights_are_zero",),
)
def blocked_score_zero(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, 0.0)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Adding True adds 1; blocked scores must become -inf.",
    share="0.55",
    caught_by=("blocked_weights_are_zero",),
)
def mask_added_to_scores(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = S + mask[i]
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="0 times infinity is nan, so every visible score is lost: use np.where for the mask.",
    share="0.55",
    caught_by=("matches_reference_with_mask", "all_true_mask_is_no_mask"),
)
def infinity_times_the_mask(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = S - np.inf * ~mask[i]
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Mask the scores, not the weights: blocked keys must not take part in the sum.",
    share="0.64",
    caught_by=("single_visible_key_copies_its_value", "future_does_not_leak"),
)
def mask_after_softmax(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        A[i] = softmax(S)
        if mask is not None:
            A[i] = A[i] * mask[i]
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="Mask first, then subtract the maximum of what is left.",
    share="0.96",
    caught_by=("blocked_huge_key_is_harmless",),
)
def maximum_before_mask(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        S = S - S.max()
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        E = np.exp(S)
        A[i] = E / E.sum()
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return equal weights.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_row_uniform(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        if mask is not None and not mask[i].any():
            A[i] = 1 / n
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="This course asks for nan in a fully blocked row; you leave it at zero.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_row_zeros(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        if mask is not None and not mask[i].any():
            continue
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="This course asks for nan in a fully blocked row; you raise an error.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def raises_on_blocked_row(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        if mask is not None and not mask[i].any():
            raise ValueError("a token may see nothing")
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


@mistake(
    hint="The weights you return are not the ones you used.",
    share="0.6",
    caught_by=("future_weights_are_zero", "blocked_weights_are_zero"),
)
def unmasked_weights_returned(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        A[i] = softmax(S)
        if mask is not None:
            S = np.where(mask[i], S, -np.inf)
        output[i] = softmax(S) @ V
    return output, A


@mistake(
    hint="Your function changes an array that it was given, X, a W or the mask: work on a copy.",
    share="0.97",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def argument_changed_in_place(X, W_Q, W_K, W_V, mask=None):
    K, V = X @ W_K, X @ W_V
    n = len(X)
    output, A = np.zeros((n, W_V.shape[1])), np.zeros((n, n))
    if mask is not None:
        np.logical_not(mask, out=mask)
    for i in range(n):
        S = K @ (X[i] @ W_Q) / np.sqrt(W_Q.shape[1])
        if mask is not None:
            S[mask[i]] = -np.inf
        A[i] = softmax(S)
        output[i] = A[i] @ V
    return output, A


MISTAKES = answers.mistakes
