"""The known mistakes of `self_attention_loop` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.self_attention_loop import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips, again

# -- the right answer in stages --------------------------------------------------------------------


def _with_mask(run):
    def self_attention_loop(X, W_Q, W_K, W_V, mask=None):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask)

    return self_attention_loop


def _without_mask(run):
    def self_attention_loop(X, W_Q, W_K, W_V):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=None)

    return self_attention_loop


def _largest(c, S):
    return S.max(axis=c.axis, keepdims=True)


def _under_mask(fill):
    """A stage `masked` that fills in the scores this way where a mask is given."""
    return lambda c: c.before_mask if c.visible is None else fill(c)


def _blocked_are(score):
    return _under_mask(lambda c: np.where(c.visible, c.before_mask, score))


def _of_tokens_covered(c, rows):
    """The rows of the tokens that the loop comes to; the others stay at zero."""
    kept = np.zeros_like(rows)
    kept[c.covered] = rows[c.covered]
    return kept


def _in_buffer(c):
    """The output entry by entry in its buffer, which may be too narrow for it."""
    rows = _of_tokens_covered(c, c.output)
    if c.buffer_shape is None:
        return rows
    buffer = np.zeros(c.buffer_shape)
    for i in c.covered:
        for column, entry in enumerate(rows[i]):
            buffer[i, column] = entry
    return buffer


STAGES = {
    "parameters": lambda c: "mask",
    "tokens": lambda c: c.X,
    "covered": lambda c: range(len(c.X)),
    "matrices": lambda c: (c.W_Q, c.W_K, c.W_V),
    "queries": lambda c: c.tokens @ c.matrices[0],
    "keys": lambda c: c.tokens @ c.matrices[1],
    "products": lambda c: c.queries @ c.keys.T,
    "divisor": lambda c: np.sqrt(c.W_Q.shape[1]),
    "scores": lambda c: c.products / c.divisor,
    "axis": lambda c: 1,
    "visible": lambda c: c.mask,
    "before_mask": lambda c: c.scores,
    "masked": _blocked_are(-np.inf),
    "shifted": lambda c: c.masked - _largest(c, c.masked),
    "powers": lambda c: np.exp(c.shifted),
    "totals": lambda c: c.powers.sum(axis=c.axis, keepdims=True),
    "weights": lambda c: c.powers / c.totals,
    "averaged": lambda c: c.tokens,
    "values": lambda c: c.averaged @ c.matrices[2],
    "summed": lambda c: c.weights,
    "output": lambda c: _of_tokens_covered(c, c.summed @ c.values),
    "buffer_shape": lambda c: None,
    "returned_output": _in_buffer,
    "returned_weights": lambda c: _of_tokens_covered(c, c.weights),
    "result": lambda c: (c.returned_output, c.returned_weights),
}


# -- slips that take more than a line --------------------------------------------------------------


def _keys_summed(which):
    """A wrapper of the weights in the sum: only keys j with `which(i, j, n)` are summed."""

    def change(A, c):
        return np.where(np.fromfunction(lambda i, j: which(i, j, len(A)), A.shape), A, 0.0)

    return {"summed": change}


def _in_integers(values, c):
    """The values entry by entry in an integer array, which refuses nan."""
    buffer = np.zeros(values.shape, dtype=int)
    for i, j in np.ndindex(*values.shape):
        buffer[i, j] = values[i, j]
    return buffer


def _one_row_for_all(A, c):
    return np.tile(A[list(c.covered)[-1]], (len(A), 1)) if c.covered else A


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
    if mask is not None and not mask.any(axis=1)[c.covered].all():
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


def _blocked_row_is(value):
    """A wrapper of rows that gives those without a visible key the value `value(n)`."""

    def change(rows, c):
        if c.visible is not None:
            rows[~c.visible.any(axis=1)] = value(len(c.X))
        return rows

    return change


def _length_one(V, c):
    return V / np.linalg.norm(V, axis=1, keepdims=True)


LOOPING = (
    Slip("last_token_skipped", wraps={"covered": lambda tokens, c: tokens[:-1]}),
    Slip("first_token_skipped", wraps={"covered": lambda tokens, c: tokens[1:]}),
    Slip("return_inside_the_loop", wraps={"covered": lambda tokens, c: tokens[:1]}),
    Slip("own_position_left_out_of_sum", wraps=_keys_summed(lambda i, j, n: j < i)),
    Slip("sum_stops_at_own_position", wraps=_keys_summed(lambda i, j, n: j <= i)),
    Slip("last_key_left_out_of_sum", wraps=_keys_summed(lambda i, j, n: j < n - 1)),
    Slip("first_key_left_out_of_sum", wraps=_keys_summed(lambda i, j, n: j > 0)),
    Slip("last_key_overwrites_the_sum", wraps=_keys_summed(lambda i, j, n: j == n - 1)),
    Slip("accumulator_not_reset", wraps={"output": lambda output, c: output.cumsum(axis=0)}),
    Slip(
        "weight_of_query_used",
        wraps={"summed": lambda A, c: np.repeat(A.diagonal()[:, None], len(A), axis=1)},
    ),
    Slip("later_scores_stay_zero", wraps={"scores": lambda S, c: np.tril(S)}),
    Slip(
        "query_overwritten_by_key_loop",
        wraps={"products": lambda S, c: np.tile(S.diagonal(), (len(S), 1))},
    ),
    Slip(
        "last_query_used_for_all",
        wraps={"products": lambda S, c: np.tile(S[-1], (len(S), 1))},
    ),
)
BUFFERS = (
    Slip("output_buffer_like_input", replaces={"buffer_shape": lambda c: c.X.shape}),
    Slip("rows_share_one_list", wraps={"returned_weights": _one_row_for_all}),
    Slip("weights_in_integers", wraps={"returned_weights": _in_integers}),
    Slip("output_in_integers", wraps={"returned_output": _in_integers}),
    Slip("results_swapped", replaces={"result": lambda c: (c.returned_weights, c.returned_output)}),
    Slip("output_only", replaces={"result": lambda c: c.returned_output}),
)
SCALING = (
    Slip("loop_not_scaled", replaces={"divisor": lambda c: 1.0}),
    Slip("divides_by_key_width", replaces={"divisor": lambda c: c.W_Q.shape[1]}),
    Slip("scales_by_embedding_width", replaces={"divisor": lambda c: np.sqrt(c.X.shape[1])}),
    Slip("scales_by_value_width", replaces={"divisor": lambda c: np.sqrt(c.W_V.shape[1])}),
    Slip("scales_by_number_of_tokens", replaces={"divisor": lambda c: np.sqrt(len(c.X))}),
    Slip("key_width_written_in", replaces={"divisor": lambda c: np.sqrt(3)}),
    Slip(
        "multiplies_by_root_of_key_width",
        replaces={"divisor": lambda c: 1 / np.sqrt(c.W_Q.shape[1])},
    ),
    Slip(
        "scales_after_softmax",
        replaces={"scores": lambda c: c.products},
        wraps={"weights": lambda A, c: A / c.divisor},
    ),
)
MASKING = (
    Slip("no_mask_argument", replaces={"parameters": lambda c: ""}),
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
    Slip("blocked_row_uniform", wraps={"weights": _blocked_row_is(lambda n: 1 / n)}),
    Slip(
        "blocked_row_zeros",
        wraps={name: _blocked_row_is(lambda n: 0.0) for name in ("powers", "weights")},
    ),
    Slip(
        "unmasked_weights_returned",
        replaces={
            "returned_weights": lambda c: _of_tokens_covered(c, again(c, "weights", visible=None))
        },
    ),
    Slip("argument_changed_in_place", wraps={"visible": _flipped_in_place}),
)
WEIGHTING = (
    Slip("softmax_over_columns", replaces={"axis": lambda c: 0}),
    Slip("attention_without_shift", replaces={"shifted": lambda c: c.masked}),
    Slip("weights_not_normalised", replaces={"totals": lambda c: 1.0}),
    Slip("output_not_normalised", replaces={"summed": lambda c: c.powers}),
    Slip("divides_by_number_of_tokens", replaces={"totals": lambda c: len(c.X)}),
    Slip("attention_denominator_constant", wraps={"totals": lambda total, c: total + 1e-3}),
    Slip("weights_rounded", wraps={"weights": lambda A, c: np.round(A, 4)}),
    Slip(
        "random_dropout",
        wraps={"weights": lambda A, c: A * (np.random.rand(*A.shape) > 0.5) / 0.5},
        repeats=False,
    ),
)
WIRING = (
    Slip("own_random_matrices", replaces={"matrices": _random_matrices}, repeats=False),
    Slip(
        "input_centred_in_place",
        replaces={"averaged": lambda c: c.tokens + c.centre},
        wraps={"tokens": _centred_in_place},
    ),
    Slip("queries_and_keys_swapped", replaces={"products": lambda c: c.keys @ c.queries.T}),
    Slip("keys_use_query_matrix", replaces={"keys": lambda c: c.tokens @ c.matrices[0]}),
    Slip("queries_use_key_matrix", replaces={"queries": lambda c: c.tokens @ c.matrices[1]}),
    Slip("cosine_similarity", wraps={"queries": _length_one, "keys": _length_one}),
    Slip("values_not_projected", replaces={"values": lambda c: c.averaged}),
)

SLIPS = Slips(
    signatures={"mask": _with_mask, "": _without_mask},
    stages=STAGES,
    slips=LOOPING + BUFFERS + SCALING + MASKING + WEIGHTING + WIRING,
    others={
        "returns_zeros": NO_SHARE,
        "returns_ones": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "returns_its_values": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
