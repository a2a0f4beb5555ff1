"""Answers to `self_attention_loop` that compute nothing, and are worth nothing."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    return np.zeros((n, W_V.shape[1])), np.zeros((n, n))


@mistake(
    hint="Everything you return is one, whatever the input.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_ones(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    return np.ones((n, W_V.shape[1])), np.ones((n, n))


@mistake(
    hint="Every key gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_uniform(X, W_Q, W_K, W_V, mask=None):
    n = len(X)
    A = np.full((n, n), 1 / n)
    return A @ (X @ W_V), A


@mistake(
    hint="You return the input itself; no token looks at another one.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(X, W_Q, W_K, W_V, mask=None):
    return X, np.eye(len(X))


@mistake(
    hint="Each token gets its own value back; no token looks at another one.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_values(X, W_Q, W_K, W_V, mask=None):
    return X @ W_V, np.eye(len(X))


MISTAKES = answers.mistakes
