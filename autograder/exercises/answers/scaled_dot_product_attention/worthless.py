"""Answers to `scaled_dot_product_attention` that compute nothing and must earn nothing."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(query, key, value, mask=None):
    B, n_q, _ = query.shape
    return np.zeros((B, n_q, value.shape[2])), np.zeros((B, n_q, key.shape[1]))


@mistake(
    hint="You return the inputs themselves; no query looks at a key.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(query, key, value, mask=None):
    return query, key


@mistake(
    hint="Every key gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def uniform_average(query, key, value, mask=None):
    B, n_q, _ = query.shape
    A = np.full((B, n_q, key.shape[1]), 1 / key.shape[1])
    return A @ value, A


MISTAKES = answers.mistakes
