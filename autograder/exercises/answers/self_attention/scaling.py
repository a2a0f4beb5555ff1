"""Mistakes of `self_attention` about the division of the scores by the square root of d_k."""

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
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def unscaled(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="You divide by d_k, or by its square root twice; divide once by its square root.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def divides_by_key_width(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / W_Q.shape[1]
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The dot product runs over d_k entries, not over d.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def scales_by_embedding_width(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(X.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Adding a token must not change the scores of the others: scale by d_k.",
    share="0.6",
    caught_by=("prefix_consistent", "scale_is_sqrt_key_width"),
)
def scales_by_number_of_tokens(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(len(X))
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Read d_k from the shape of W_Q.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def key_width_written_in(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(3)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="scale=False must leave the scores unscaled.",
    share="0.92",
    caught_by=("scale_false_is_unscaled",),
)
def scale_flag_ignored(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Your function takes no scale; scale=False must leave the division out.",
    share="0.92",
    caught_by=("scale_false_is_unscaled", "scale_is_sqrt_key_width"),
)
def no_scale_argument(X, W_Q, W_K, W_V, mask=None):
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Scale before softmax: afterwards the rows no longer sum to one.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def scales_after_softmax(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    if scale:
        A = A / np.sqrt(W_Q.shape[1])
    return A @ (X @ W_V), A


@mistake(
    hint="The dot product runs over d_k entries, the width of W_Q and W_K, not of W_V.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def scales_by_value_width(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_V.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Divide the scores by the square root of d_k; you multiply by it.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def multiplies_by_root_of_key_width(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S * np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Keep the decimals of the square root of d_k: no int() and no // around it.",
    share="0.6",
    caught_by=("matches_reference",),
)
def root_of_key_width_cut(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / int(np.sqrt(W_Q.shape[1]))
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="Read d_k from the shape of W_Q; 64 is the key width of one paper.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width",),
)
def root_of_64_written_in(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / 8
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="You scale when scale is False: divide by the square root of d_k if scale is True.",
    share="0.6",
    caught_by=("matches_reference", "scale_false_is_unscaled"),
)
def scale_flag_inverted(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if not scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


@mistake(
    hint="The default of scale is True: without the argument, divide by the square root of d_k.",
    share="0.99",
    caught_by=("scale_defaults_to_true",),
)
def scale_defaults_to_false(X, W_Q, W_K, W_V, mask=None, scale=False):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A


MISTAKES = answers.mistakes
