"""The known mistakes of `local_attention` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.local_attention import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips

_BY_SLICES = (
    "It cuts slices row by row, so it has no scores of hidden keys that others could change."
)


_RARE = "It is rarely made, so pairs with it are left out to keep them few."


def _signature(run):
    def local_attention(Q, K, V, window):
        return run(Q=Q, K=K, V=V, window=window)

    return local_attention


def _window_may_be_left_out(run):
    def local_attention(Q, K, V, window=None):
        return run(Q=Q, K=K, V=V, window=window)

    return local_attention


def _ring(c):
    return np.minimum(abs(c.apart), len(c.K) - abs(c.apart)) <= c.reach


def _blocks(c):
    block = np.arange(len(c.Q)) // (c.reach + 1)
    return block[:, None] == block


def _refuses_wide(window, c):
    if window >= len(c.Q):
        raise ValueError("the window is wider than the sequence")
    return window


STAGES = {
    "parameters": lambda c: "window",
    "reach": lambda c: c.window,
    "queries": lambda c: c.Q,
    "apart": lambda c: np.subtract.outer(np.arange(len(c.Q)), np.arange(len(c.K))),
    "visible": lambda c: abs(c.apart) <= c.reach,
    "products": lambda c: c.queries @ c.K.T,
    "divisor": lambda c: np.sqrt(c.K.shape[1]),
    "scores": lambda c: c.products / c.divisor,
    "masked": lambda c: np.where(c.visible, c.scores, -np.inf),
    "axis": lambda c: 1,
    "shifted": lambda c: c.masked - c.masked.max(axis=c.axis, keepdims=True),
    "powers": lambda c: np.exp(c.shifted),
    "weights": lambda c: c.powers / c.powers.sum(axis=c.axis, keepdims=True),
    "output": lambda c: c.weights @ c.V,
    "result": lambda c: c.output,
}


def _sees(visible):
    return {"visible": visible}


def _scales_by(divisor):
    return {"divisor": divisor}


def _hidden_are(masked):
    return {"masked": masked}


def _in_place(Q, c):
    Q /= np.sqrt(c.K.shape[1])
    return Q


SLIPS = Slips(
    signatures={"window": _signature, "no window": _window_may_be_left_out},
    stages=STAGES,
    slips=(
        # who is seen
        Slip("past_side_alone", _sees(lambda c: (c.apart >= 0) & (c.apart <= c.reach))),
        Slip("future_side_alone", _sees(lambda c: (c.apart <= 0) & (-c.apart <= c.reach))),
        Slip("distance_without_absolute_value", _sees(lambda c: c.apart <= c.reach)),
        Slip("border_left_out", _sees(lambda c: abs(c.apart) < c.reach)),
        Slip("ring_of_tokens", _sees(_ring)),
        Slip("blocks_in_place_of_a_band", _sees(_blocks)),
        Slip("window_ignored", _sees(lambda c: np.full(c.apart.shape, True))),
        Slip("window_one_too_wide", wraps={"reach": lambda reach, c: reach + 1}),
        Slip("window_taken_as_band_width", wraps={"reach": lambda reach, c: reach // 2}),
        Slip("window_of_one_written_in", replaces={"reach": lambda c: 1}),
        Slip("band_inverted", wraps={"visible": lambda visible, c: ~visible}),
        Slip("own_position_hidden", wraps={"visible": lambda v, c: v & (c.apart != 0)}),
        Slip(
            "zero_window_means_no_window",
            replaces={"parameters": lambda c: "no window"},
            wraps={"visible": lambda v, c: v if c.reach else np.full(v.shape, True)},
        ),
        Slip("wide_window_refused", wraps={"reach": _refuses_wide}),
        # the scores
        Slip("unscaled", _scales_by(lambda c: 1.0)),
        Slip("divides_by_key_width", _scales_by(lambda c: c.K.shape[1])),
        Slip("scales_by_value_width", _scales_by(lambda c: np.sqrt(c.V.shape[1]))),
        Slip("scales_by_number_of_tokens", _scales_by(lambda c: np.sqrt(len(c.K)))),
        Slip("scales_by_width_of_the_band", _scales_by(lambda c: np.sqrt(2 * c.window + 1))),
        Slip(
            "scales_after_softmax",
            replaces=_scales_by(lambda c: 1.0),
            wraps={"weights": lambda A, c: A / np.sqrt(c.K.shape[1])},
        ),
        Slip("scores_transposed", replaces={"products": lambda c: c.K @ c.queries.T}),
        Slip(
            "argument_changed_in_place",
            replaces=_scales_by(lambda c: 1.0),
            wraps={"queries": _in_place},
        ),
        # what hides a key
        Slip("hidden_score_zero", _hidden_are(lambda c: np.where(c.visible, c.scores, 0.0))),
        Slip("scores_times_the_band", _hidden_are(lambda c: c.scores * c.visible)),
        Slip("hidden_score_minus_ten", _hidden_are(lambda c: np.where(c.visible, c.scores, -10.0))),
        Slip(
            "hidden_scores_lowered_by_a_thousand",
            _hidden_are(lambda c: c.scores - 1e3 * ~c.visible),
        ),
        Slip(
            "band_after_softmax",
            replaces=_hidden_are(lambda c: c.scores),
            wraps={"weights": lambda A, c: A * c.visible},
        ),
        Slip(
            "band_after_softmax_then_normalised",
            replaces=_hidden_are(lambda c: c.scores),
            wraps={
                "weights": lambda A, c: (A * c.visible) / (A * c.visible).sum(axis=1, keepdims=True)
            },
        ),
        # what is made of the scores
        Slip("softmax_over_columns", replaces={"axis": lambda c: 0}),
        Slip(
            "without_shift",
            replaces={**_hidden_are(lambda c: c.scores), "shifted": lambda c: c.masked},
            wraps={"powers": lambda E, c: E * c.visible},
        ),
        Slip("weights_returned_too", replaces={"result": lambda c: (c.output, c.weights)}),
        Slip("weights_only", replaces={"result": lambda c: c.weights}),
        Slip("output_rounded", wraps={"output": lambda output, c: np.round(output, 3)}),
    ),
    others={
        "slice_ends_too_early": _BY_SLICES,
        "slice_starts_below_zero": _BY_SLICES,
        "negative_indices_wrap_around": _BY_SLICES,
        "window_moved_inwards": _BY_SLICES,
        "ends_left_out": _BY_SLICES,
        "ends_filled_with_zeros": _BY_SLICES,
        "mean_of_the_window": _BY_SLICES,
        "infinity_times_the_band": NO_SHARE,
        "last_key_left_out": _BY_SLICES,
        "slice_ends_at_the_last_key_seen": _BY_SLICES,
        "ends_repeated": _BY_SLICES,
        "values_not_cut": _BY_SLICES,
        "later_side_alone_bounded": _RARE,
        "past_border_left_out": _RARE,
        "past_side_one_too_wide": _RARE,
        "multiplies_by_root_of_key_width": _RARE,
        "scales_by_number_of_visible_keys": _RARE,
        "scores_are_the_weights": _RARE,
        "exponentials_not_normalised": _RARE,
        "hidden_score_minus_ten_thousand": _RARE,
        "output_shaped_like_queries": _RARE,
        "axes_of_one_dropped": _RARE,
        "returns_zeros": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "returns_its_values": NO_SHARE,
        "returns_the_mean": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
