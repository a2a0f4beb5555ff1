"""The known mistakes of `self_attention_loop` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.self_attention_loop import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips
from reference import softmax


def _with_mask(run):
    def self_attention_loop(X, W_Q, W_K, W_V, mask=None):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=mask)

    return self_attention_loop


def _without_mask(run):
    def self_attention_loop(X, W_Q, W_K, W_V):
        return run(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, mask=None)

    return self_attention_loop


def _result(c):
    """The two loops: over the tokens, and over the keys that each one sums."""
    n = len(c.X)
    keys, values = c.X @ c.W_K, c.X @ c.W_V
    output, A = np.zeros(c.output_shape), np.zeros((n, n))
    total = np.zeros(c.W_V.shape[1])
    for i in range(c.tokens):
        S = keys @ (c.X[i] @ c.W_Q) / c.divisor
        if c.mask is not None:
            S = np.where(c.mask[i], S, -np.inf)
        A[i] = softmax(S)
        if c.starts_at_zero:
            total = np.zeros_like(total)
        for j in range(c.keys_summed(i)):
            total = total + A[i, c.weight_index(i, j)] * values[j]
        for column, entry in enumerate(total):
            output[i, column] = entry
    return output, A


STAGES = {
    "parameters": lambda c: "mask",
    "divisor": lambda c: np.sqrt(c.W_Q.shape[1]),
    "tokens": lambda c: len(c.X),
    "output_shape": lambda c: (len(c.X), c.W_V.shape[1]),
    "starts_at_zero": lambda c: True,
    "keys_summed": lambda c: lambda i: len(c.X),
    "weight_index": lambda c: lambda i, j: j,
    "result": _result,
}

SLIPS = Slips(
    signatures={"mask": _with_mask, "": _without_mask},
    stages=STAGES,
    slips=(
        Slip("no_mask_argument", replaces={"parameters": lambda c: ""}),
        Slip("loop_not_scaled", replaces={"divisor": lambda c: 1.0}),
        Slip("last_token_skipped", replaces={"tokens": lambda c: len(c.X) - 1}),
        Slip("output_buffer_like_input", replaces={"output_shape": lambda c: c.X.shape}),
        Slip("accumulator_not_reset", replaces={"starts_at_zero": lambda c: False}),
        Slip("own_position_left_out_of_sum", replaces={"keys_summed": lambda c: lambda i: i}),
        Slip("weight_of_query_used", replaces={"weight_index": lambda c: lambda i, j: i}),
    ),
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
