"""Mistakes of `local_attention` about which keys a query sees."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The window reaches to both sides: keys after the query are visible too.",
    share="0.4",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def past_side_alone(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where((i >= j) & (i - j <= window), S, -np.inf)) @ V


@mistake(
    hint="The window reaches to both sides: keys before the query are visible too.",
    share="0.4",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def future_side_alone(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where((j >= i) & (j - i <= window), S, -np.inf)) @ V


@mistake(
    hint="i - j is negative for keys after the query: take its absolute value.",
    share="0.4",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def distance_without_absolute_value(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(i - j <= window, S, -np.inf)) @ V


@mistake(
    hint="A key exactly window positions away is visible: <=, not <.",
    share="0.5",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def border_left_out(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) < window, S, -np.inf)) @ V


@mistake(
    hint="A key window + 1 positions away is hidden: the window is one too wide.",
    share="0.5",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def window_one_too_wide(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window + 1, S, -np.inf)) @ V


@mistake(
    hint="The end of a slice is exclusive: the key at i + window is visible, so end at i + window "
    "+ 1.",
    share="0.5",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def slice_ends_too_early(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = slice(max(0, i - window), i + window)
        A = softmax(Q[i] @ K[seen].T / np.sqrt(K.shape[1]))
        output[i] = A @ V[seen]
    return output


@mistake(
    hint="A negative start of a slice counts from the end: begin at max(0, i - window).",
    share="0.5",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def slice_starts_below_zero(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = slice(i - window, i + window + 1)
        A = softmax(Q[i] @ K[seen].T / np.sqrt(K.shape[1]))
        output[i] = A @ V[seen]
    return output


@mistake(
    hint="A negative index counts from the end: the sequence is no ring, so the first key has no "
    "neighbour before it.",
    share="0.5",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def negative_indices_wrap_around(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = [j for j in range(i - window, i + window + 1) if j < len(K)]
        A = softmax(K[seen] @ Q[i] / np.sqrt(K.shape[1]))
        output[i] = A @ V[seen]
    return output


@mistake(
    hint="The sequence is no ring: the first and the last token are no neighbours.",
    share="0.5",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def ring_of_tokens(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    apart = np.minimum(abs(i - j), len(K) - abs(i - j))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(apart <= window, S, -np.inf)) @ V


@mistake(
    hint="window is how far a query sees on each side, not the width of the band.",
    share="0.5",
    caught_by=("matches_reference",),
)
def window_taken_as_band_width(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window // 2, S, -np.inf)) @ V


@mistake(
    hint="A query sees the keys around its own position, not those of its block.",
    share="0.3",
    caught_by=("matches_reference",),
)
def blocks_in_place_of_a_band(Q, K, V, window):
    block = np.arange(len(Q)) // (window + 1)
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(block[:, None] == block, S, -np.inf)) @ V


@mistake(
    hint="The keys within the window are the visible ones; you hide them and show the others.",
    share="0.4",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def band_inverted(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) > window, S, -np.inf)) @ V


@mistake(
    hint="A query sees its own position too.",
    share="0.5",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def own_position_hidden(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where((abs(i - j) <= window) & (i != j), S, -np.inf)) @ V


@mistake(
    hint="The window has no effect: keys further away than window must be hidden.",
    share="0.3",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def window_ignored(Q, K, V, window):
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


@mistake(
    hint="The window is the argument, not a number of your own.",
    share="0.3",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def window_of_one_written_in(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= 1, S, -np.inf)) @ V


@mistake(
    hint="Near the ends the window is cut short, not moved inwards: a query there sees fewer keys.",
    share="0.5",
    caught_by=("matches_reference",),
)
def window_moved_inwards(Q, K, V, window):
    n = len(Q)
    output = np.zeros(V.shape)
    for i in range(n):
        start = min(max(0, i - window), max(0, n - 2 * window - 1))
        seen = slice(start, start + 2 * window + 1)
        output[i] = softmax(K[seen] @ Q[i] / np.sqrt(K.shape[1])) @ V[seen]
    return output


@mistake(
    hint="The first and last tokens count too: their window is only cut short.",
    share="0.4",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def ends_left_out(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(window, len(Q) - window):
        seen = slice(i - window, i + window + 1)
        output[i] = softmax(K[seen] @ Q[i] / np.sqrt(K.shape[1])) @ V[seen]
    return output


@mistake(
    hint="Beyond the ends there are no tokens: rows of zeros take weight away from real keys.",
    share="0.4",
    caught_by=("matches_reference", "wide_window_is_full_attention"),
)
def ends_filled_with_zeros(Q, K, V, window):
    K = np.pad(K, ((window, window), (0, 0)))
    V = np.pad(V, ((window, window), (0, 0)))
    output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        seen = slice(i, i + 2 * window + 1)
        output[i] = softmax(K[seen] @ Q[i] / np.sqrt(K.shape[1])) @ V[seen]
    return output


@mistake(
    hint="With window 0 a query sees itself, so the output is V: treat it like any other window.",
    share="0.8",
    caught_by=("zero_window_returns_values",),
)
def zero_window_means_no_window(Q, K, V, window=None):
    S = Q @ K.T / np.sqrt(K.shape[1])
    if window:
        i, j = np.indices(S.shape)
        S = np.where(abs(i - j) <= window, S, -np.inf)
    return softmax(S) @ V


@mistake(
    hint="A window may be wider than the sequence: then every query sees every key.",
    share="0.8",
    caught_by=("wide_window_is_full_attention",),
)
def wide_window_refused(Q, K, V, window):
    if window >= len(Q):
        raise ValueError("the window is wider than the sequence")
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="j - i is negative for keys before the query: the window bounds both sides.",
    share="0.4",
    caught_by=(
        "matches_reference",
        "zero_window_returns_values",
    ),
)
def later_side_alone_bounded(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(j - i <= window, S, -np.inf)) @ V


@mistake(
    hint="The first visible key is i - window: you begin one too late.",
    share="0.5",
    caught_by=(
        "matches_reference",
        "wide_window_is_full_attention",
    ),
)
def past_border_left_out(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where((j > i - window) & (j <= i + window), S, -np.inf)) @ V


@mistake(
    hint="The first visible key is i - window: you begin one too early.",
    share="0.5",
    caught_by=(
        "matches_reference",
        "zero_window_returns_values",
    ),
)
def past_side_one_too_wide(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where((j >= i - window - 1) & (j <= i + window), S, -np.inf)) @ V


@mistake(
    hint="The end of a slice is exclusive: it may be n, so that the last key is seen.",
    share="0.5",
    caught_by=(
        "matches_reference",
        "wide_window_is_full_attention",
    ),
)
def last_key_left_out(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = slice(max(0, i - window), min(len(K) - 1, i + window + 1))
        A = softmax(Q[i] @ K[seen].T / np.sqrt(K.shape[1]))
        output[i] = A @ V[seen]
    return output


@mistake(
    hint="The end of a slice is exclusive: add one to min(n - 1, i + window).",
    share="0.5",
    caught_by=(
        "matches_reference",
        "wide_window_is_full_attention",
    ),
)
def slice_ends_at_the_last_key_seen(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = slice(max(0, i - window), min(len(K) - 1, i + window))
        A = softmax(Q[i] @ K[seen].T / np.sqrt(K.shape[1]))
        output[i] = A @ V[seen]
    return output


@mistake(
    hint="Beyond the ends there are no tokens: a key that is repeated there gets too much weight.",
    share="0.4",
    caught_by=(
        "matches_reference",
        "wide_window_is_full_attention",
    ),
)
def ends_repeated(Q, K, V, window):
    K = np.pad(K, ((window, window), (0, 0)), mode="edge")
    V = np.pad(V, ((window, window), (0, 0)), mode="edge")
    output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        seen = slice(i, i + 2 * window + 1)
        output[i] = softmax(K[seen] @ Q[i] / np.sqrt(K.shape[1])) @ V[seen]
    return output


@mistake(
    hint="Key j belongs to value j: cut the values to the same window as the keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def values_not_cut(Q, K, V, window):
    output = np.zeros(V.shape)
    for i in range(len(Q)):
        seen = slice(max(0, i - window), i + window + 1)
        A = softmax(Q[i] @ K[seen].T / np.sqrt(K.shape[1]))
        output[i] = A @ V[: len(A)]
    return output


MISTAKES = answers.mistakes
