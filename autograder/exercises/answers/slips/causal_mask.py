"""The known mistakes of `causal_mask` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.causal_mask import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips


def _signature(run):
    def causal_mask(n):
        return run(n=n)

    return causal_mask


def _size(size):
    return Slip(f"size_{size}_written_in", replaces={"size": lambda c: size})


def _blocked_are(score):
    return Slip(
        f"blocked_are_{score:g}".replace("+", ""),
        wraps={"mask": lambda mask, c: np.where(mask, 0.0, score)},
    )


STAGES = {
    "parameters": lambda c: "n",
    "size": lambda c: c.n,
    "diagonal": lambda c: 0,
    "mask": lambda c: np.tri(c.size, k=c.diagonal, dtype=bool),
}

SLIPS = Slips(
    signatures={"n": _signature},
    stages=STAGES,
    slips=(
        Slip("size_written_in", replaces={"size": lambda c: 4}),
        Slip("one_token_too_many", replaces={"size": lambda c: c.n + 1}),
        Slip("one_token_too_few", replaces={"size": lambda c: c.n - 1}),
        Slip("next_token_allowed", replaces={"diagonal": lambda c: 1}),
        Slip("own_position_blocked", replaces={"diagonal": lambda c: -1}),
        Slip("upper_triangle", wraps={"mask": lambda mask, c: np.swapaxes(mask, -1, -2)}),
        Slip("true_means_blocked", wraps={"mask": lambda mask, c: np.logical_not(mask)}),
        Slip("mirrored_triangle", wraps={"mask": lambda mask, c: mask[..., ::-1]}),
        Slip("additive_scores", wraps={"mask": lambda mask, c: np.where(mask, 0.0, -np.inf)}),
        Slip("large_negative_scores", wraps={"mask": lambda mask, c: np.where(mask, 0.0, -1e9)}),
        Slip("twos_for_true", wraps={"mask": lambda mask, c: 2.0 * mask}),
        Slip("minus_one_for_blocked", wraps={"mask": lambda mask, c: mask - 1.0}),
        Slip("upside_down", wraps={"mask": lambda mask, c: np.flip(mask, max(mask.ndim - 2, 0))}),
        Slip("trailing_axis_added", wraps={"mask": lambda mask, c: mask[..., None]}),
        Slip("two_leading_axes_added", wraps={"mask": lambda mask, c: mask[None, None]}),
        Slip("leading_axis_added", wraps={"mask": lambda mask, c: mask[None]}),
    ),
    others={
        "everything_allowed": NO_SHARE,
        "returns_zeros": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_identity": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
    variants={
        "size_written_in": tuple(map(_size, (3, 5, 6, 8, 10))),
        "large_negative_scores": tuple(map(_blocked_are, (-1e4, -1e5, -1e6, -1e8, -1e10, -1e12))),
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
