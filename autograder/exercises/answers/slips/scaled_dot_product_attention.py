"""The known mistakes of `scaled_dot_product_attention` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.scaled_dot_product_attention import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, TINY_CONSTANTS, Slip, Slips, again

RAISES = "It raises for every input of the gate, so nothing tells a second slip."
ANOTHER_PATH = "It joins or picks sequences before anything else, and is recognised alone."

# -- the right answer in stages --------------------------------------------------------------------


def _with_mask(run):
    def scaled_dot_product_attention(query, key, value, mask=None):
        return run(query=query, key=key, value=value, mask=mask)

    return scaled_dot_product_attention


def _without_mask(run):
    def scaled_dot_product_attention(query, key, value):
        return run(query=query, key=key, value=value, mask=None)

    return scaled_dot_product_attention


def _largest(c, S):
    return S.max(axis=c.axis, keepdims=True)


def _under_mask(fill):
    """A stage `masked` that fills in the scores this way where a mask is given."""
    return lambda c: c.before_mask if c.blocking is None else fill(c)


def _blocked_are(score):
    return _under_mask(lambda c: np.where(c.blocking, score, c.before_mask))


def _adds(score):
    return _under_mask(lambda c: c.before_mask + c.blocking * score)


STAGES = {
    "parameters": lambda c: "mask",
    "queries": lambda c: c.query,
    "keys": lambda c: c.key,
    "products": lambda c: c.queries @ np.swapaxes(c.keys, -1, -2),
    "divisor": lambda c: np.sqrt(c.query.shape[-1]),
    "scores": lambda c: c.products / c.divisor,
    "axis": lambda c: -1,
    "blocking": lambda c: c.mask,
    "before_mask": lambda c: c.scores,
    "masked": _adds(-1e9),
    "shifted": lambda c: c.masked - _largest(c, c.masked),
    "powers": lambda c: np.exp(c.shifted),
    "total": lambda c: c.powers.sum(axis=c.axis, keepdims=True),
    "weights": lambda c: c.powers / c.total,
    "values": lambda c: c.value,
    "output": lambda c: c.weights @ c.values,
    "returned_weights": lambda c: c.weights,
    "result": lambda c: (c.output, c.returned_weights),
}


# -- slips that take more than a line --------------------------------------------------------------


def _given(change):
    """A wrapper of the mask that leaves None alone."""
    return lambda mask, c: None if mask is None else change(mask, c)


def _causal(c):
    return np.triu(np.ones(c.scores.shape[1:]), k=1)


def _length_one(V, c):
    return V / np.linalg.norm(V, axis=-1, keepdims=True)


def _scaled_in_place(query, c):
    query /= np.sqrt(query.shape[-1])
    return query


def _centred_in_place(query, c):
    query -= query.mean(axis=1, keepdims=True)
    return query


def _times_score_in_place(mask, c):
    if mask is not None:
        mask *= -1e9
    return mask


def _index_of_query(c):
    n = c.query.shape[1]
    S = c.before_mask.copy()
    S[:, np.arange(n)[:, None], np.arange(n)] += c.blocking * -1e9
    return S


def _truth_of(mask, c):
    return mask if mask else None


def _compared(mask, c):
    return mask if mask != None else None  # noqa: E711 - as students write it


def _renormalised(A, c):
    if c.blocking is None:
        return A
    visible = A * (1 - c.blocking)
    return visible / visible.sum(axis=-1, keepdims=True)


def _one_for_each_sequence(S, c):
    return S.max(axis=(1, 2), keepdims=True)


def _rounded(value, c):
    return np.round(value, 4)


# -- all of them -----------------------------------------------------------------------------------

SCALING = (
    Slip("unscaled", replaces={"divisor": lambda c: 1.0}),
    Slip("divides_by_key_width", replaces={"divisor": lambda c: c.query.shape[-1]}),
    Slip("batch_size_as_key_width", replaces={"divisor": lambda c: np.sqrt(c.query.shape[0])}),
    Slip("scales_by_number_of_queries", replaces={"divisor": lambda c: np.sqrt(c.query.shape[1])}),
    Slip("scales_by_number_of_keys", replaces={"divisor": lambda c: np.sqrt(c.key.shape[1])}),
    Slip("scales_by_value_width", replaces={"divisor": lambda c: np.sqrt(c.value.shape[-1])}),
    Slip(
        "multiplies_by_root_of_key_width",
        replaces={"divisor": lambda c: 1 / np.sqrt(c.query.shape[-1])},
    ),
    Slip("root_of_key_width_cut", replaces={"divisor": lambda c: int(np.sqrt(c.query.shape[-1]))}),
    Slip("root_of_64_written_in", replaces={"divisor": lambda c: 8}),
    Slip("key_width_written_in", replaces={"divisor": lambda c: np.sqrt(4)}),
    Slip(
        "scales_after_softmax",
        replaces={"scores": lambda c: c.products},
        wraps={"weights": lambda A, c: A / c.divisor},
    ),
    Slip(
        "query_scaled_in_place",
        replaces={"divisor": lambda c: 1.0},
        wraps={"queries": _scaled_in_place},
    ),
)
MASKING = (
    Slip("no_mask_argument", wraps={"parameters": lambda name, c: ""}),
    Slip("batched_mask_without_effect", replaces={"blocking": lambda c: None}),
    Slip(
        "blocked_and_visible_swapped",
        replaces={
            "masked": _under_mask(lambda c: np.where(c.blocking == 0, -np.inf, c.before_mask))
        },
    ),
    Slip("zeros_lowered", wraps={"blocking": _given(lambda mask, c: 1 - mask)}),
    Slip(
        "zeros_filled",
        replaces={"masked": _under_mask(lambda c: np.where(c.blocking == 0, -1e9, c.before_mask))},
    ),
    Slip(
        "mask_subtracts_one",
        replaces={"masked": _under_mask(lambda c: c.before_mask - 1.0 * c.blocking)},
    ),
    Slip("mask_added_to_scores", replaces={"masked": _adds(1.0)}),
    Slip("blocked_scores_raised", replaces={"masked": _adds(1e9)}),
    Slip(
        "blocked_score_zero",
        replaces={"masked": _under_mask(lambda c: c.before_mask * (1 - c.blocking))},
    ),
    Slip("blocked_score_minus_ten", replaces={"masked": _blocked_are(-10.0)}),
    Slip("lowered_by_ten_thousand", replaces={"masked": _adds(-1e4)}),
    Slip("blocked_score_minus_ten_thousand", replaces={"masked": _blocked_are(-1e4)}),
    Slip(
        "maximum_before_mask",
        replaces={"shifted": lambda c: c.masked},
        wraps={"before_mask": lambda S, c: S - _largest(c, S)},
    ),
    Slip(
        "weights_renormalised_after_mask",
        replaces={"masked": lambda c: c.before_mask},
        wraps={"weights": _renormalised},
    ),
    Slip(
        "mask_after_softmax",
        replaces={"masked": lambda c: c.before_mask},
        wraps={"weights": lambda A, c: A if c.blocking is None else A * (1 - c.blocking)},
    ),
    Slip(
        "blocked_weights_minus_1e9",
        replaces={"masked": lambda c: c.before_mask},
        wraps={"weights": lambda A, c: A if c.blocking is None else A + c.blocking * -1e9},
    ),
    Slip("infinity_times_the_mask", replaces={"masked": _adds(-np.inf)}),
    Slip("mask_transposed", wraps={"blocking": _given(lambda mask, c: np.swapaxes(mask, -1, -2))}),
    Slip(
        "first_mask_for_every_sequence",
        wraps={"blocking": _given(lambda mask, c: mask[0] if mask.ndim == 3 else mask)},
    ),
    Slip(
        "mask_repeated_for_every_sequence",
        wraps={"blocking": _given(lambda mask, c: np.tile(mask, (len(c.query), 1, 1)))},
    ),
    Slip(
        "row_of_the_mask_for_each_sequence",
        replaces={
            "masked": _under_mask(
                lambda c: np.stack([S + c.blocking[b] * -1e9 for b, S in enumerate(c.before_mask)])
            )
        },
    ),
    Slip(
        "boolean_mask_alone_works",
        replaces={"masked": _under_mask(lambda c: np.where(~c.blocking, c.before_mask, -np.inf))},
    ),
    Slip(
        "minus_sign_before_the_mask",
        replaces={"masked": _under_mask(lambda c: c.before_mask + -c.blocking * 1e9)},
    ),
    Slip("square_mask_alone_works", replaces={"masked": _under_mask(_index_of_query)}),
    Slip("asks_whether_the_mask_is_true", wraps={"blocking": _given(_truth_of)}),
    Slip("mask_compared_with_none", wraps={"blocking": _given(_compared)}),
    Slip(
        "always_causal",
        replaces={"blocking": lambda c: _causal(c)},
    ),
    Slip("own_causal_mask", wraps={"blocking": _given(lambda mask, c: _causal(c))}),
    Slip(
        "unmasked_weights_returned",
        replaces={"returned_weights": lambda c: again(c, "weights", blocking=None)},
    ),
    Slip(
        "mask_turned_into_scores_in_place",
        replaces={"masked": _under_mask(lambda c: c.before_mask + c.blocking)},
        wraps={"blocking": _times_score_in_place},
    ),
)
WEIGHTING = (
    Slip("softmax_over_queries", replaces={"axis": lambda c: 1}),
    Slip("softmax_over_the_batch", replaces={"axis": lambda c: 0}),
    Slip("softmax_of_each_sequence", replaces={"axis": lambda c: (1, 2)}),
    Slip("softmax_of_all_scores", replaces={"axis": lambda c: (0, 1, 2)}),
    Slip("batched_without_shift", replaces={"shifted": lambda c: c.masked}),
    Slip("one_maximum_for_all_rows", replaces={"shifted": lambda c: c.masked - c.masked.max()}),
    Slip(
        "one_maximum_for_each_sequence",
        replaces={"shifted": lambda c: c.masked - _one_for_each_sequence(c.masked, c)},
    ),
    Slip(
        "maximum_over_queries",
        replaces={"shifted": lambda c: c.masked - c.masked.max(axis=1, keepdims=True)},
    ),
    Slip("denominator_constant", wraps={"total": lambda total, c: total + 1e-3}),
    Slip(
        "row_sums_lose_their_dimension",
        replaces={"total": lambda c: c.powers.sum(axis=c.axis)},
    ),
    Slip(
        "row_maxima_lose_their_dimension",
        replaces={"shifted": lambda c: c.masked - c.masked.max(axis=c.axis)},
    ),
    Slip(
        "softmax_twice",
        wraps={"weights": lambda A, c: np.exp(A) / np.exp(A).sum(axis=-1, keepdims=True)},
    ),
    Slip("divides_by_number_of_keys", replaces={"weights": lambda c: c.powers / c.key.shape[1]}),
    Slip("never_normalised", replaces={"weights": lambda c: c.powers}),
    Slip("scores_are_the_weights", replaces={"weights": lambda c: c.masked}),
    Slip("weights_rounded", wraps={"weights": _rounded}),
    Slip("output_rounded", wraps={"output": _rounded}),
    Slip("both_results_rounded", wraps={"output": _rounded, "returned_weights": _rounded}),
    Slip("returned_weights_rounded", wraps={"returned_weights": _rounded}),
    Slip(
        "random_dropout",
        wraps={"weights": lambda A, c: A * (np.random.rand(*A.shape) > 0.5) / 0.5},
        repeats=False,
    ),
)
WIRING = (
    Slip(
        "batches_mixed",
        replaces={"products": lambda c: c.queries @ np.swapaxes(c.keys, -1, -2).sum(axis=0)},
    ),
    Slip(
        "keys_reshaped",
        replaces={
            "products": lambda c: (
                c.queries @ c.keys.reshape(len(c.keys), c.keys.shape[2], c.keys.shape[1])
            )
        },
    ),
    Slip("cosine_similarity", wraps={"queries": _length_one, "keys": _length_one}),
    Slip("input_centred_in_place", wraps={"queries": _centred_in_place}),
    Slip("keys_averaged", replaces={"values": lambda c: c.key}),
    Slip(
        "axes_of_length_one_dropped",
        wraps={
            "output": lambda output, c: np.squeeze(output),
            "returned_weights": lambda A, c: np.squeeze(A),
        },
    ),
    Slip("results_swapped", replaces={"result": lambda c: (c.returned_weights, c.output)}),
    Slip("output_only", replaces={"result": lambda c: c.output}),
    Slip("weights_only", replaces={"result": lambda c: c.returned_weights}),
    Slip(
        "scores_returned_too",
        replaces={"result": lambda c: (c.output, c.returned_weights, c.masked)},
    ),
    Slip(
        "results_in_a_dictionary",
        replaces={"result": lambda c: {"output": c.output, "weights": c.returned_weights}},
    ),
    Slip("scores_returned_for_weights", replaces={"returned_weights": lambda c: c.masked}),
    Slip(
        "returned_weights_transposed",
        wraps={"returned_weights": lambda A, c: np.swapaxes(A, -1, -2)},
    ),
)


def _divides_by(number):
    return Slip(f"divides_by_{number:g}", replaces={"divisor": lambda c: number})


SLIPS = Slips(
    signatures={"mask": _with_mask, "": _without_mask},
    stages=STAGES,
    slips=SCALING + MASKING + WEIGHTING + WIRING,
    others={
        "mask_gets_another_axis": "It undoes on the scores what it did to the mask.",
        "dot_product_over_all_sequences": ANOTHER_PATH,
        "one_sequence_of_all": ANOTHER_PATH,
        "first_sequence_alone": ANOTHER_PATH,
        "all_axes_reversed": RAISES,
        "two_axes_transpose_on_three_dimensions": RAISES,
        "keys_not_transposed": RAISES,
        "scores_transposed": RAISES,
        "queries_against_queries": RAISES,
        "values_in_the_scores": RAISES,
        "returns_zeros": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "uniform_average": NO_SHARE,
    },
    harmless={"shifted": TINY_CONSTANTS},
    variants={
        "key_width_written_in": tuple(map(_divides_by, (3.0, 4.0, 5.0, 10.0))),
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
