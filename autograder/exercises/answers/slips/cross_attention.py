"""The known mistakes of `cross_attention` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.cross_attention import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips

_RARE = "It is rarely made, so pairs with it are left out to keep them few."


def _signature(run):
    def cross_attention(X, context, W_Q, W_K, W_V):
        return run(X=X, context=context, W_Q=W_Q, W_K=W_K, W_V=W_V)

    return cross_attention


STAGES = {
    "parameters": lambda c: "all",
    "sources": lambda c: (c.X, c.context, c.context),
    "matrices": lambda c: (c.W_Q, c.W_K, c.W_V),
    "queries": lambda c: c.sources[0] @ c.matrices[0],
    "keys": lambda c: c.sources[1] @ c.matrices[1],
    "values": lambda c: c.sources[2] @ c.matrices[2],
    "products": lambda c: c.queries @ c.keys.T,
    "divisor": lambda c: np.sqrt(c.W_Q.shape[1]),
    "scores": lambda c: c.products / c.divisor,
    "axis": lambda c: 1,
    "shifted": lambda c: c.scores - c.scores.max(axis=c.axis, keepdims=True),
    "powers": lambda c: np.exp(c.shifted),
    "weights": lambda c: c.powers / c.powers.sum(axis=c.axis, keepdims=True),
    "output": lambda c: c.weights @ c.values,
    "returned_weights": lambda c: c.weights,
    "result": lambda c: (c.output, c.returned_weights),
}


def _reads(sources):
    return {"sources": sources}


def _scales_by(divisor):
    return {"divisor": divisor}


def _both(c):
    return np.concatenate([c.X, c.context])


def _cut(c):
    n = min(len(c.X), len(c.context))
    return c.X[:n], c.context[:n], c.context[:n]


def _in_place(matrices, c):
    W_Q, *_ = matrices
    W_Q /= np.sqrt(W_Q.shape[1])
    return matrices


def _future_hidden(S, c):
    return np.where(np.tri(S.shape[0], S.shape[1], dtype=bool), S, -np.inf)


def _last_hidden(S, c):
    return np.where(np.arange(S.shape[1]) == S.shape[1] - 1, -np.inf, S)


def _rounded(value, c):
    return np.round(value, 3)


SLIPS = Slips(
    signatures={"all": _signature},
    stages=STAGES,
    slips=(
        # which sequence
        Slip("queries_from_the_context", _reads(lambda c: (c.context, c.context, c.context))),
        Slip("context_ignored", _reads(lambda c: (c.X, c.X, c.X))),
        Slip("roles_swapped", _reads(lambda c: (c.context, c.X, c.X))),
        Slip("sequences_joined", _reads(lambda c: (_both(c), _both(c), _both(c)))),
        Slip("queries_see_both_sequences", _reads(lambda c: (c.X, _both(c), _both(c)))),
        Slip("keys_from_the_queries", _reads(lambda c: (c.X, c.X, c.context))),
        Slip("values_from_the_queries", _reads(lambda c: (c.X, c.context, c.X))),
        Slip("both_cut_to_one_length", _reads(_cut)),
        Slip(
            "own_sequence_cut_off_afterwards",
            replaces=_reads(lambda c: (c.X, _both(c), c.context)),
            wraps={"weights": lambda A, c: A[:, len(c.X) :]},
        ),
        # which matrix
        Slip("matrices_swapped", replaces={"matrices": lambda c: (c.W_K, c.W_Q, c.W_V)}),
        Slip("keys_use_query_matrix", replaces={"matrices": lambda c: (c.W_Q, c.W_Q, c.W_V)}),
        Slip("values_not_projected", replaces={"values": lambda c: c.sources[2]}),
        Slip(
            "scores_without_projections",
            replaces={"products": lambda c: c.sources[0] @ c.sources[1].T},
        ),
        Slip(
            "argument_changed_in_place",
            replaces=_scales_by(lambda c: 1.0),
            wraps={"matrices": _in_place},
        ),
        # the scores
        Slip("unscaled", _scales_by(lambda c: 1.0)),
        Slip("divides_by_key_width", _scales_by(lambda c: c.W_K.shape[1])),
        Slip("scales_by_embedding_width", _scales_by(lambda c: np.sqrt(c.X.shape[1]))),
        Slip("scales_by_value_width", _scales_by(lambda c: np.sqrt(c.W_V.shape[1]))),
        Slip("scales_by_context_length", _scales_by(lambda c: np.sqrt(len(c.context)))),
        Slip("scales_by_number_of_queries", _scales_by(lambda c: np.sqrt(len(c.X)))),
        Slip(
            "scales_after_softmax",
            replaces=_scales_by(lambda c: 1.0),
            wraps={"weights": lambda A, c: A / np.sqrt(c.W_Q.shape[1])},
        ),
        Slip("future_of_the_context_hidden", wraps={"scores": _future_hidden}),
        Slip("last_of_the_context_left_out", wraps={"scores": _last_hidden}),
        # what is made of the scores
        Slip("softmax_over_queries", replaces={"axis": lambda c: 0}),
        Slip("softmax_of_all_scores", replaces={"axis": lambda c: (0, 1)}),
        Slip("without_shift", replaces={"shifted": lambda c: c.scores}),
        Slip("one_maximum_for_all_rows", replaces={"shifted": lambda c: c.scores - c.scores.max()}),
        Slip("scores_are_the_weights", replaces={"weights": lambda c: c.scores}),
        # what is returned
        Slip("values_of_the_queries_added", wraps={"output": lambda out, c: c.X @ c.W_V + out}),
        Slip("returned_weights_transposed", wraps={"returned_weights": lambda A, c: A.T}),
        Slip("scores_returned_for_weights", replaces={"returned_weights": lambda c: c.scores}),
        Slip("results_swapped", replaces={"result": lambda c: (c.returned_weights, c.output)}),
        Slip("output_only", replaces={"result": lambda c: c.output}),
        Slip("weights_only", replaces={"result": lambda c: c.returned_weights}),
        Slip("results_rounded", wraps={"output": _rounded, "returned_weights": _rounded}),
    ),
    others={
        "two_axes_transpose_on_two_dimensions": "It raises before another slip could show.",
        "multiplies_by_root_of_key_width": _RARE,
        "exponentials_not_normalised": _RARE,
        "output_alone_normalised": _RARE,
        "context_cut_to_the_queries": _RARE,
        "returns_zeros": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "returns_its_values": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
