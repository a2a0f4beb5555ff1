"""Mistakes of `self_attention` about the mask and about rows without a visible key."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="Here True means may attend; your code treats True as blocked.",
    share="0.56",
    caught_by=("all_true_mask_is_no_mask", "future_weights_are_zero"),
)
def mask_inverted(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, -np.inf, S)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return equal weights.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_score_minus_1e9(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -1e9)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return the unmasked row.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def adds_minus_1e9(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = S + np.where(mask, 0.0, -1e9)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Blocked positions still get a little weight; only -inf gives exactly zero.",
    share="0.61",
    caught_by=("blocked_weights_are_zero",),
)
def blocked_score_minus_ten(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -10.0)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="A score of 0 is an ordinary score; blocked means -inf.",
    share="0.61",
    caught_by=("blocked_weights_are_zero",),
)
def blocked_score_zero(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, 0.0)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Mask the scores, not the weights: blocked keys must not take part in the sum.",
    share="0.71",
    caught_by=("single_visible_key_copies_its_value", "future_does_not_leak"),
)
def mask_after_softmax(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    A = softmax(S)
    if mask is not None:
        A = A * mask
    return A @ (X @ W_V), A


@mistake(
    hint="mask[i, j] speaks about query i and key j; you read it the other way round.",
    share="0.61",
    caught_by=("future_weights_are_zero",),
)
def mask_transposed(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask.T, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The mask has no effect on your result.",
    share="0.6",
    caught_by=("future_does_not_leak", "blocked_weights_are_zero"),
)
def mask_ignored(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Your function takes no mask; the exercise's fifth argument says who may see whom.",
    share="0.49",
    caught_by=("matches_reference_with_mask", "future_weights_are_zero"),
)
def no_mask_argument(X, W_Q, W_K, W_V, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Without a mask every token sees every token.",
    share="0.3",
    caught_by=("permutation_equivariant",),
)
def always_causal(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    visible = np.tri(len(X), dtype=bool)
    if mask is not None:
        visible = visible & mask
    A = softmax(np.where(visible, S, -np.inf))
    return A @ (X @ W_V), A


@mistake(
    hint="A token may see itself unless the mask says otherwise.",
    share="0.65",
    caught_by=("future_weights_are_zero", "single_token"),
)
def own_position_blocked(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask & ~np.eye(len(X), dtype=bool), S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Adding True adds 1; blocked scores must become -inf.",
    share="0.61",
    caught_by=("blocked_weights_are_zero",),
)
def mask_added_to_scores(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = S + mask
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="0 times infinity is nan, so every visible score is lost: use np.where for the mask.",
    share="0.59",
    caught_by=("matches_reference_with_mask", "all_true_mask_is_no_mask"),
)
def infinity_times_the_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = S - np.inf * ~mask
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Mask first, then subtract the maximum of what is left.",
    share="0.96",
    caught_by=("blocked_huge_key_is_harmless",),
)
def maximum_before_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    S = S - S.max(axis=1, keepdims=True)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    E = np.exp(S)
    A = E / E.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A


@mistake(
    hint="This course asks for nan in a fully blocked row; you return equal weights.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_row_uniform(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    if mask is not None:
        A[~mask.any(axis=1)] = 1 / len(X)
    return A @ (X @ W_V), A


@mistake(
    hint="Only the fully blocked row is nan; the other rows keep their values.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def blocked_row_spoils_the_others(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    if np.isnan(A).any():
        A = np.full(A.shape, np.nan)
    return A @ (X @ W_V), A


@mistake(
    hint="This course asks for nan in a fully blocked row; you raise an error.",
    share="0.96",
    caught_by=("fully_blocked_row_is_nan",),
)
def raises_on_blocked_row(X, W_Q, W_K, W_V, mask=None, scale=True):
    if mask is not None and not mask.any(axis=1).all():
        raise ValueError("a token may see nothing")
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The weights you return are not the ones you used.",
    share="0.66",
    caught_by=("future_weights_are_zero", "blocked_weights_are_zero"),
)
def unmasked_weights_returned(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    A = softmax(S)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return softmax(S) @ (X @ W_V), A


@mistake(
    hint="Your function changes an array that it was given, X, a W or the mask: work on a copy.",
    share="0.96",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def argument_changed_in_place(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        np.logical_not(mask, out=mask)
        S[mask] = -np.inf
    A = softmax(S)
    return A @ (X @ W_V), A


MISTAKES = answers.mistakes
