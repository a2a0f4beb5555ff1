"""Mistakes of `local_attention` on the way from scores to output, with the right band."""

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
def unscaled(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    return softmax(np.where(abs(i - j) <= window, Q @ K.T, -np.inf)) @ V


@mistake(
    hint="You divide by d_k; divide by its square root.",
    share="0.6",
    caught_by=("matches_reference",),
)
def divides_by_key_width(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / K.shape[1]
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Scale by the square root of d_k, the width of Q and K, not by that of V.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_value_width(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(V.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Scale by the square root of d_k, not of the number of tokens.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_number_of_tokens(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(len(K))
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Scale by the square root of d_k: the width of the window plays no part.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_width_of_the_band(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(2 * window + 1)
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Scale before softmax: afterwards the weights no longer sum to one.",
    share="0.4",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def scales_after_softmax(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    A = softmax(np.where(abs(i - j) <= window, Q @ K.T, -np.inf))
    return A / np.sqrt(K.shape[1]) @ V


@mistake(
    hint="Hide scores, not weights: what is left of each row must still sum to one.",
    share="0.5",
    caught_by=("matches_reference", "zero_window_returns_values"),
)
def band_after_softmax(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A * (abs(i - j) <= window) @ V


@mistake(
    hint="Hide the scores before softmax: a hidden key with a huge score leaves nothing to divide.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def band_after_softmax_then_normalised(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    A = softmax(Q @ K.T / np.sqrt(K.shape[1])) * (abs(i - j) <= window)
    return A / A.sum(axis=1, keepdims=True) @ V


@mistake(
    hint="A score of 0 is an ordinary score; hidden means -inf.",
    share="0.4",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def hidden_score_zero(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, 0.0)) @ V


@mistake(
    hint="Multiplying a score by 0 gives 0, an ordinary score; hidden means -inf.",
    share="0.4",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def scores_times_the_band(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(S * (abs(i - j) <= window)) @ V


@mistake(
    hint="Hidden keys still get a little weight; only -inf gives exactly none.",
    share="0.5",
    caught_by=("matches_reference", "far_keys_do_not_matter"),
)
def hidden_score_minus_ten(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -10.0)) @ V


@mistake(
    hint="A hidden score may be larger than the visible ones by more than that; use -inf.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def hidden_scores_lowered_by_a_thousand(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(S - 1e3 * (abs(i - j) > window)) @ V


@mistake(
    hint="0 times infinity is nan, so every visible score is lost: use np.where.",
    share="0",
    caught_by=("matches_reference",),
)
def infinity_times_the_band(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(S - np.inf * (abs(i - j) > window)) @ V


@mistake(
    hint="Each row is one query: normalise over the keys.",
    share="0.3",
    caught_by=("matches_reference",),
)
def softmax_over_columns(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf), axis=0) @ V


@mistake(
    hint="Subtract the row maximum before the exponential.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def without_shift(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    E = np.exp(Q @ K.T / np.sqrt(K.shape[1])) * (abs(i - j) <= window)
    return E / E.sum(axis=1, keepdims=True) @ V


@mistake(
    hint="Your function changes an array that it was given: work on a copy.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def argument_changed_in_place(Q, K, V, window):
    Q /= np.sqrt(K.shape[1])
    i, j = np.indices((len(Q), len(K)))
    return softmax(np.where(abs(i - j) <= window, Q @ K.T, -np.inf)) @ V


@mistake(
    hint="The weights depend on queries and keys, not only on who is near.",
    share="0.1",
    caught_by=("matches_reference",),
)
def mean_of_the_window(Q, K, V, window):
    return np.array([V[max(0, i - window) : i + window + 1].mean(axis=0) for i in range(len(Q))])


@mistake(
    hint="Row i belongs to query i: multiply queries by transposed keys.",
    share="0.4",
    caught_by=("matches_reference",),
)
def scores_transposed(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = K @ Q.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Return the output alone; this exercise does not ask for the weights.",
    share="0.6",
    caught_by=("matches_reference",),
)
def weights_returned_too(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    A = softmax(np.where(abs(i - j) <= window, S, -np.inf))
    return A @ V, A


@mistake(
    hint="Return the output, the weighted sums of the values, not the weights.",
    share="0.4",
    caught_by=("matches_reference",),
)
def weights_only(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf))


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def output_rounded(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return np.round(softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V, 3)


@mistake(
    hint="Divide the scores by the square root of d_k; you multiply by it.",
    share="0.6",
    caught_by=("matches_reference",),
)
def multiplies_by_root_of_key_width(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T * np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="Scale by the square root of d_k, not of the number of keys that a query sees.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scales_by_number_of_visible_keys(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    seen = (abs(i - j) <= window).sum(axis=1, keepdims=True)
    S = Q @ K.T / np.sqrt(seen)
    return softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V


@mistake(
    hint="The scores are not yet weights: each row goes through softmax first.",
    share="0.2",
    caught_by=("matches_reference",),
)
def scores_are_the_weights(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return np.where(abs(i - j) <= window, S, 0.0) @ V


@mistake(
    hint="Divide each row by its sum: the exponentials are not yet weights.",
    share="0.3",
    caught_by=("matches_reference",),
)
def exponentials_not_normalised(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    S = np.where(abs(i - j) <= window, S, -np.inf)
    return np.exp(S - S.max(axis=1, keepdims=True)) @ V


@mistake(
    hint="A visible score may lie below -10000; hidden means -inf.",
    share="0.95",
    caught_by=("survives_huge_scores",),
)
def hidden_score_minus_ten_thousand(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return softmax(np.where(abs(i - j) <= window, S, -1e4)) @ V


@mistake(
    hint="The output has d_v columns, the width of V, not of Q.",
    share="0.4",
    caught_by=("matches_reference",),
)
def output_shaped_like_queries(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    output = np.zeros_like(Q)
    output[:] = softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V
    return output


@mistake(
    hint="Return (n, d_v) for one row or column too: np.squeeze drops axes of length 1.",
    share="0.8",
    caught_by=("zero_window_returns_values",),
)
def axes_of_one_dropped(Q, K, V, window):
    i, j = np.indices((len(Q), len(K)))
    S = Q @ K.T / np.sqrt(K.shape[1])
    return np.squeeze(softmax(np.where(abs(i - j) <= window, S, -np.inf)) @ V)


# -- what computes nothing -------------------------------------------------------------------------


@mistake(hint="Everything you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(Q, K, V, window):
    return np.zeros(V.shape)


@mistake(
    hint="You return the queries themselves; nothing looks at the keys.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(Q, K, V, window):
    return Q


@mistake(
    hint="You return the values themselves; no query looks at another key.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_values(Q, K, V, window):
    return V


@mistake(
    hint="Every key gets the same weight; neither scores nor window play a part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_the_mean(Q, K, V, window):
    return np.tile(V.mean(axis=0), (len(Q), 1))


MISTAKES = answers.mistakes
