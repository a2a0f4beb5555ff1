"""The known mistakes of `self_attention` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.self_attention import MISTAKES
from autograder.exercises.answers.self_attention.wiring import sentence
from autograder.exercises.answers.slips import NO_SHARE, TINY_CONSTANTS, Slip, Slips, again
from reference import softmax

# -- the right answer in stages --------------------------------------------------------------------


def _mask_and_scale(run):
    def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask, scale=scale)

    return self_attention


def _mask_alone(run):
    def self_attention(X, W_Q, W_K, W_V, mask=None):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask, scale=True)

    return self_attention


def _scale_alone(run):
    def self_attention(X, W_Q, W_K, W_V, scale=True):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=None, scale=scale)

    return self_attention


def _no_option(run):
    def self_attention(X, W_Q, W_K, W_V):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=None, scale=True)

    return self_attention


def _mask_and_no_scale(run):
    def self_attention(X, W_Q, W_K, W_V, mask=None, scale=False):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask, scale=scale)

    return self_attention


def _no_scale(run):
    def self_attention(X, W_Q, W_K, W_V, scale=False):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=None, scale=scale)

    return self_attention


def _largest(c, S):
    return S.max(axis=c.axis, keepdims=True)


def _under_mask(fill):
    """A stage `masked` that fills in the scores this way where a mask is given."""
    return lambda c: c.before_mask if c.visible is None else fill(c)


def _blocked_are(score):
    return _under_mask(lambda c: np.where(c.visible, c.before_mask, score))


STAGES = {
    "parameters": lambda c: frozenset({"mask", "scale"}),
    "tokens": lambda c: c.X,
    "matrices": lambda c: (c.W_Q, c.W_K, c.W_V),
    "queries": lambda c: c.tokens @ c.matrices[0],
    "keys": lambda c: c.tokens @ c.matrices[1],
    "products": lambda c: c.queries @ c.keys.T,
    "divisor": lambda c: np.sqrt(c.W_Q.shape[1]),
    "scaled": lambda c: c.scale,
    "scores": lambda c: c.products / c.divisor if c.scaled else c.products,
    "axis": lambda c: 1,
    "visible": lambda c: c.mask,
    "before_mask": lambda c: c.scores,
    "masked": _blocked_are(-np.inf),
    "shifted": lambda c: c.masked - _largest(c, c.masked),
    "powers": lambda c: np.exp(c.shifted),
    "total": lambda c: c.powers.sum(axis=c.axis, keepdims=True),
    "weights": lambda c: c.powers / c.total,
    "averaged": lambda c: c.tokens,
    "values": lambda c: c.averaged @ c.matrices[2],
    "averaging": lambda c: c.weights,
    "output": lambda c: c.averaging @ c.values,
    "returned_weights": lambda c: c.weights,
    "result": lambda c: (c.output, c.returned_weights),
}


# -- slips that take more than a line --------------------------------------------------------------


def _centred_in_place(X, c):
    c.centre = X.mean(axis=0)
    X -= c.centre
    return X


def _flipped_in_place(mask, c):
    if mask is None:
        return None
    np.logical_not(mask, out=mask)
    return ~mask


def _refuses_blocked(mask, c):
    if mask is not None and not mask.any(axis=1).all():
        raise ValueError("a token may see nothing")
    return mask


def _given(change):
    """A wrapper of the mask that leaves None alone."""
    return lambda mask, c: None if mask is None else change(mask, c)


def _random_matrices(c):
    return tuple(np.random.randn(*W.shape) for W in (c.W_Q, c.W_K, c.W_V))


def _causal(mask, c):
    past = np.tri(len(c.X), dtype=bool)
    return past if mask is None else past & mask


def _blocked_row_uniform(A, c):
    if c.visible is not None:
        A[~c.visible.any(axis=1)] = 1 / len(c.X)
    return A


def _length_one(V, c):
    return V / np.linalg.norm(V, axis=1, keepdims=True)


# -- the same slips with other numbers -------------------------------------------------------------

ROUNDED = {
    "weights_rounded": ("weights",),
    "output_rounded": ("output",),
    "returned_weights_rounded": ("returned_weights",),
    "both_results_rounded": ("output", "returned_weights"),
}


def _rounds_to(places, name, stages):
    def rounded(value, c):
        return np.round(value, places)

    return Slip(f"{name}_to_{places}_places", wraps=dict.fromkeys(stages, rounded))


def _divides_by(number):
    return Slip(f"divides_by_{number:g}", replaces={"divisor": lambda c: number})


def _adds_to_the_sum(constant):
    return Slip(f"adds_{constant:g}_to_the_sum", wraps={"total": lambda total, c: total + constant})


# -- all of them -----------------------------------------------------------------------------------

READING = (
    Slip("no_mask_argument", wraps={"parameters": lambda names, c: names - {"mask"}}),
    Slip("no_scale_argument", wraps={"parameters": lambda names, c: names - {"scale"}}),
    Slip("scale_defaults_to_false", wraps={"parameters": lambda names, c: names | {"unscaled"}}),
    Slip("uses_a_notebook_global", replaces={"tokens": lambda c: sentence}, repeats=False),
    Slip("own_random_matrices", replaces={"matrices": _random_matrices}, repeats=False),
    Slip(
        "input_centred_in_place",
        replaces={"averaged": lambda c: c.tokens + c.centre},
        wraps={"tokens": _centred_in_place},
    ),
    Slip("argument_changed_in_place", wraps={"visible": _flipped_in_place}),
)
SCORING = (
    Slip("keys_use_query_matrix", replaces={"keys": lambda c: c.tokens @ c.matrices[0]}),
    Slip("queries_against_queries", replaces={"keys": lambda c: c.queries}),
    Slip("cosine_similarity", wraps={"queries": _length_one, "keys": _length_one}),
    Slip("scores_transposed", replaces={"products": lambda c: c.keys @ c.queries.T}),
    Slip(
        "two_axes_transpose_on_two_dimensions",
        replaces={"products": lambda c: c.queries @ c.keys.transpose(-2, -1)},
    ),
)
SCALING = (
    Slip("unscaled", replaces={"scaled": lambda c: False}),
    Slip("scale_flag_ignored", replaces={"scaled": lambda c: True}),
    Slip("divides_by_key_width", replaces={"divisor": lambda c: c.W_Q.shape[1]}),
    Slip("scales_by_embedding_width", replaces={"divisor": lambda c: np.sqrt(c.X.shape[1])}),
    Slip("scales_by_number_of_tokens", replaces={"divisor": lambda c: np.sqrt(len(c.X))}),
    Slip("key_width_written_in", replaces={"divisor": lambda c: np.sqrt(3)}),
    Slip("scales_by_value_width", replaces={"divisor": lambda c: np.sqrt(c.W_V.shape[1])}),
    Slip(
        "multiplies_by_root_of_key_width",
        replaces={"divisor": lambda c: 1 / np.sqrt(c.W_Q.shape[1])},
    ),
    Slip("root_of_key_width_cut", replaces={"divisor": lambda c: int(np.sqrt(c.W_Q.shape[1]))}),
    Slip("root_of_64_written_in", replaces={"divisor": lambda c: 8}),
    Slip("scale_flag_inverted", replaces={"scaled": lambda c: not c.scale}),
    Slip(
        "scales_after_softmax",
        replaces={"scores": lambda c: c.products},
        wraps={"weights": lambda A, c: A / c.divisor if c.scaled else A},
    ),
)
MASKING = (
    Slip("mask_ignored", replaces={"visible": lambda c: None}),
    Slip("mask_inverted", wraps={"visible": _given(lambda mask, c: ~mask)}),
    Slip("mask_transposed", wraps={"visible": _given(lambda mask, c: mask.T)}),
    Slip("always_causal", wraps={"visible": _causal}),
    Slip(
        "own_position_blocked",
        wraps={"visible": _given(lambda mask, c: mask & ~np.eye(len(c.X), dtype=bool))},
    ),
    Slip("raises_on_blocked_row", wraps={"visible": _refuses_blocked}),
    Slip("blocked_score_minus_1e9", replaces={"masked": _blocked_are(-1e9)}),
    Slip("blocked_score_minus_ten", replaces={"masked": _blocked_are(-10.0)}),
    Slip("blocked_score_zero", replaces={"masked": _blocked_are(0.0)}),
    Slip(
        "adds_minus_1e9",
        replaces={
            "masked": _under_mask(lambda c: c.before_mask + np.where(c.visible, 0.0, -1e9)),
        },
    ),
    Slip(
        "mask_added_to_scores",
        replaces={"masked": _under_mask(lambda c: c.before_mask + c.visible)},
    ),
    Slip(
        "infinity_times_the_mask",
        replaces={"masked": _under_mask(lambda c: c.before_mask - np.inf * ~c.visible)},
    ),
    Slip(
        "mask_after_softmax",
        replaces={"masked": lambda c: c.before_mask},
        wraps={"weights": lambda A, c: A if c.visible is None else A * c.visible},
    ),
    Slip(
        "maximum_before_mask",
        replaces={"shifted": lambda c: c.masked},
        wraps={"before_mask": lambda S, c: S - _largest(c, S)},
    ),
    Slip("blocked_row_uniform", wraps={"weights": _blocked_row_uniform}),
    Slip(
        "blocked_row_spoils_the_others",
        wraps={"weights": lambda A, c: np.full(A.shape, np.nan) if np.isnan(A).any() else A},
    ),
    Slip(
        "unmasked_weights_returned",
        replaces={"returned_weights": lambda c: again(c, "weights", visible=None)},
    ),
)
WEIGHTING = (
    Slip("softmax_over_columns", replaces={"axis": lambda c: 0}),
    Slip("attention_without_shift", replaces={"shifted": lambda c: c.masked}),
    Slip("attention_denominator_constant", wraps={"total": lambda total, c: total + 1e-3}),
    Slip(
        "row_sums_lose_their_dimension",
        replaces={"total": lambda c: c.powers.sum(axis=c.axis)},
    ),
    Slip(
        "row_maxima_lose_their_dimension",
        replaces={"shifted": lambda c: c.masked - c.masked.max(axis=c.axis)},
    ),
    Slip(
        "both_lose_their_dimension",
        replaces={
            "shifted": lambda c: c.masked - c.masked.max(axis=c.axis),
            "total": lambda c: c.powers.sum(axis=c.axis),
        },
    ),
    Slip("one_maximum_for_all_rows", replaces={"shifted": lambda c: c.masked - c.masked.max()}),
    Slip(
        "softmax_of_all_scores",
        replaces={
            "shifted": lambda c: c.masked - c.masked.max(),
            "total": lambda c: c.powers.sum(),
        },
    ),
    Slip("softmax_twice", wraps={"weights": lambda A, c: softmax(A, axis=c.axis)}),
    Slip("never_normalised", replaces={"weights": lambda c: c.powers}),
    Slip("scores_are_the_weights", replaces={"weights": lambda c: c.masked}),
    Slip("divides_by_number_of_tokens", replaces={"weights": lambda c: c.powers / len(c.X)}),
    Slip("weights_rounded", wraps={"weights": lambda A, c: np.round(A, 4)}),
    Slip(
        "random_dropout",
        wraps={"weights": lambda A, c: A * (np.random.rand(*A.shape) > 0.5) / 0.5},
        repeats=False,
    ),
)
RETURNING = (
    Slip("values_not_projected", replaces={"values": lambda c: c.averaged}),
    Slip("results_swapped", replaces={"result": lambda c: (c.returned_weights, c.output)}),
    Slip("keys_averaged", replaces={"values": lambda c: c.averaged @ c.matrices[1]}),
    Slip("queries_averaged", replaces={"values": lambda c: c.averaged @ c.matrices[0]}),
    Slip("transposed_weights_average", wraps={"averaging": lambda A, c: A.T}),
    *(
        Slip(name, wraps=dict.fromkeys(stages, lambda value, c: np.round(value, 4)))
        for name, stages in ROUNDED.items()
        if name != "weights_rounded"
    ),
    Slip("returned_weights_transposed", wraps={"returned_weights": lambda A, c: A.T}),
    Slip("scores_returned_for_weights", replaces={"returned_weights": lambda c: c.masked}),
    Slip("weights_only", replaces={"result": lambda c: c.returned_weights}),
    Slip(
        "scores_returned_too",
        replaces={"result": lambda c: (c.output, c.returned_weights, c.masked)},
    ),
    Slip(
        "values_returned_too",
        replaces={"result": lambda c: (c.output, c.returned_weights, c.values)},
    ),
    Slip(
        "results_in_a_dictionary",
        replaces={"result": lambda c: {"output": c.output, "weights": c.returned_weights}},
    ),
    Slip(
        "batch_axis_added",
        replaces={"result": lambda c: (c.output[None], c.returned_weights[None])},
    ),
    Slip("output_only", replaces={"result": lambda c: c.output}),
)

SLIPS = Slips(
    signatures={
        frozenset({"mask", "scale"}): _mask_and_scale,
        frozenset({"mask", "scale", "unscaled"}): _mask_and_no_scale,
        frozenset({"scale", "unscaled"}): _no_scale,
        frozenset({"mask"}): _mask_alone,
        frozenset({"mask", "unscaled"}): _mask_alone,
        frozenset({"scale"}): _scale_alone,
        frozenset(): _no_option,
        frozenset({"unscaled"}): _no_option,
    },
    stages=STAGES,
    slips=READING + SCORING + SCALING + MASKING + WEIGHTING + RETURNING,
    others={
        "uniform_average": NO_SHARE,
        "returns_zeros": NO_SHARE,
        "returns_ones": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "returns_its_values": NO_SHARE,
    },
    # without a maximum of its own above it, a row may have a sum that is tiny too
    harmless={"shifted": TINY_CONSTANTS},
    variants={
        **{
            name: tuple(_rounds_to(places, name, stages) for places in (1, 2, 3))
            for name, stages in ROUNDED.items()
        },
        "key_width_written_in": tuple(map(_divides_by, (2.0, 4.0, 5.0, 10.0))),
        "attention_denominator_constant": tuple(map(_adds_to_the_sum, (1e-2, 0.1, 1.0))),
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
