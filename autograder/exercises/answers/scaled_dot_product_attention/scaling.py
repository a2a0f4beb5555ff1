"""Mistakes of `scaled_dot_product_attention` about the division by the square root of d_k."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The scores grow with d_k: divide by its square root.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def unscaled(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="You divide by d_k, or by its square root twice; divide once by its square root.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def divides_by_key_width(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / query.shape[-1]
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="d_k is the last axis, not the first.",
    share="0.6",
    caught_by=("batch_independent", "scale_is_sqrt_key_width"),
)
def batch_size_as_key_width(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[0])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The dot product runs over d_k entries, the last axis; axis 1 counts the queries.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def scales_by_number_of_queries(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The dot product runs over d_k entries, the last axis; axis 1 counts the keys.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def scales_by_number_of_keys(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(key.shape[1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The dot product runs over d_k entries, the width of query and key, not of value.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def scales_by_value_width(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(value.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Divide the scores by the square root of d_k; you multiply by it.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def multiplies_by_root_of_key_width(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) * np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Keep the decimals of the square root of d_k: no int() and no // around it.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def root_of_key_width_cut(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / int(np.sqrt(query.shape[-1]))
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Read d_k from the last axis of query; 64 is the key width of one paper.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def root_of_64_written_in(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / 8
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Read d_k from the last axis of query.",
    share="0.6",
    caught_by=("scale_is_sqrt_key_width", "matches_reference"),
)
def key_width_written_in(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(4)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Scale before softmax: afterwards the rows no longer sum to one.",
    share="0.4",
    caught_by=("rows_sum_to_one", "scale_is_sqrt_key_width"),
)
def scales_after_softmax(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    A = A / np.sqrt(query.shape[-1])
    return A @ value, A


MISTAKES = answers.mistakes
