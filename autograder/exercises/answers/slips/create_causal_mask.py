"""The known mistakes of `create_causal_mask` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.create_causal_mask import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips


def _signature(run):
    def create_causal_mask(seq_len):
        return run(seq_len=seq_len)

    return create_causal_mask


def _size(size):
    return Slip(f"size_{size}_written_in", replaces={"size": lambda c: size})


def _blocked_are(score, name=""):
    return Slip(
        name or f"blocked_are_{score:g}".replace("+", ""),
        wraps={"mask": lambda mask, c: np.where(mask, score, 0.0)},
    )


STAGES = {
    "parameters": lambda c: "seq_len",
    "size": lambda c: c.seq_len,
    "diagonal": lambda c: 1,
    "mask": lambda c: np.triu(np.ones((c.size, c.size)), k=c.diagonal),
}

SLIPS = Slips(
    signatures={"seq_len": _signature},
    stages=STAGES,
    slips=(
        Slip("size_written_in", replaces={"size": lambda c: 5}),
        Slip("one_token_too_many", replaces={"size": lambda c: c.seq_len + 1}),
        Slip("one_token_too_few", replaces={"size": lambda c: c.seq_len - 1}),
        Slip("own_position_marked", replaces={"diagonal": lambda c: 0}),
        Slip("next_token_visible", replaces={"diagonal": lambda c: 2}),
        Slip("last_token_before_marked", replaces={"diagonal": lambda c: -1}),
        Slip("visible_convention", wraps={"mask": lambda mask, c: 1 - mask}),
        Slip("past_blocked", wraps={"mask": lambda mask, c: np.swapaxes(mask, -1, -2)}),
        Slip("mirrored_triangle", wraps={"mask": lambda mask, c: mask[..., ::-1]}),
        Slip("upside_down", wraps={"mask": lambda mask, c: np.flip(mask, max(mask.ndim - 2, 0))}),
        _blocked_are(-1e9, "additive_values"),
        _blocked_are(-np.inf, "additive_infinities"),
        Slip("infinity_times_the_triangle", wraps={"mask": lambda mask, c: mask * -np.inf}),
        Slip("minus_one_for_blocked", wraps={"mask": lambda mask, c: -mask}),
        Slip("leading_axis_added", wraps={"mask": lambda mask, c: mask[None]}),
        Slip("two_leading_axes_added", wraps={"mask": lambda mask, c: mask[None, None]}),
        Slip("trailing_axis_added", wraps={"mask": lambda mask, c: mask[..., None]}),
    ),
    others={
        "next_token_alone_blocked": "It draws one diagonal and no triangle.",
        "returns_zeros": NO_SHARE,
        "returns_ones": NO_SHARE,
        "returns_all_but_itself": NO_SHARE,
        "returns_nothing": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
    variants={
        "size_written_in": tuple(map(_size, (3, 4, 6, 8, 10))),
        "additive_values": tuple(map(_blocked_are, (-1e4, -1e5, -1e6, -1e8, -1e10, -1e12))),
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
