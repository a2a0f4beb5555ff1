"""The known mistakes of `softmax` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips, again
from autograder.exercises.answers.softmax import MISTAKES

LAST, FIRST, NONE = "axis=-1", "axis=0", ""


def _last_axis(run):
    def softmax(z, axis=-1):
        return run(z=z, axis=axis)

    return softmax


def _first_axis(run):
    def softmax(z, axis=0):
        return run(z=z, axis=axis)

    return softmax


def _no_axis(run):
    def softmax(z):
        return run(z=z, axis=-1)

    return softmax


def _largest(c):
    return c.scores.max(axis=c.along, keepdims=True)


def _blocked(c):
    """Which slices have nothing to see."""
    return np.isneginf(c.z).all(axis=c.along, keepdims=True)


def _shifted_in_place(c):
    """Changes the caller's array, unless an earlier stage made an array of its own."""
    scores = c.scores
    scores -= _largest(c)
    return scores


def _refuses_blocked(z, c):
    if np.isneginf(z).all(axis=c.along).any():
        raise ValueError("a slice has no finite score")
    return z


STAGES = {
    "parameters": lambda c: LAST,
    "along": lambda c: c.axis,
    "scores": lambda c: c.z,
    "shifted": lambda c: c.scores - _largest(c),
    "powers": lambda c: np.exp(c.shifted),
    "total": lambda c: c.powers.sum(axis=c.along, keepdims=True),
    "weights": lambda c: c.powers / c.total,
    "result": lambda c: c.weights,
}

SLIPS = Slips(
    signatures={LAST: _last_axis, FIRST: _first_axis, NONE: _no_axis},
    stages=STAGES,
    slips=(
        # what is read
        Slip("default_axis_is_zero", replaces={"parameters": lambda c: FIRST}),
        Slip("no_axis_argument", replaces={"parameters": lambda c: NONE}),
        Slip("axis_one_written_in", replaces={"along": lambda c: 1}),
        Slip("half_precision_work", wraps={"scores": lambda z, c: z.astype(np.float16)}),
        Slip("raises_on_blocked_slice", wraps={"scores": _refuses_blocked}),
        Slip(
            "nan_slice_becomes_uniform",
            wraps={"scores": lambda z, c: np.where(_blocked(c), 0.0, z)},
        ),
        Slip(
            "minus_infinity_taken_as_zero",
            wraps={"scores": lambda z, c: np.where(np.isneginf(z), 0.0, z)},
        ),
        # the shift
        Slip("no_max_shift", replaces={"shifted": lambda c: c.scores}),
        Slip(
            "one_maximum_for_the_array", replaces={"shifted": lambda c: c.scores - c.scores.max()}
        ),
        Slip(
            "clips_instead_of_shifting",
            replaces={"shifted": lambda c: np.clip(c.scores, -500, 500)},
        ),
        Slip("shifts_the_callers_array", replaces={"shifted": _shifted_in_place}),
        # the exponential and the sum
        Slip(
            "no_exponential",
            replaces={"shifted": lambda c: c.scores, "powers": lambda c: c.shifted},
        ),
        Slip("powers_of_two", replaces={"powers": lambda c: 2.0**c.shifted}),
        Slip("one_sum_for_the_array", replaces={"total": lambda c: c.powers.sum()}),
        Slip("sum_loses_its_dimension", replaces={"total": lambda c: c.powers.sum(axis=c.along)}),
        Slip(
            "builtin_sum_over_rows",
            replaces={
                "shifted": lambda c: c.scores - max(c.scores.ravel()),
                "total": lambda c: sum(c.powers),
            },
        ),
        Slip("large_constant_in_denominator", wraps={"total": lambda total, c: total + 1e-3}),
        Slip("odds_not_probabilities", wraps={"total": lambda total, c: total - c.powers}),
        # what is returned
        Slip("returns_logarithms", replaces={"weights": lambda c: c.shifted - np.log(c.total)}),
        Slip("rounds_to_four_places", wraps={"weights": lambda p, c: np.round(p, 4)}),
        Slip("nan_slice_becomes_zeros", wraps={"weights": lambda p, c: np.nan_to_num(p)}),
        Slip("applied_twice", replaces={"result": lambda c: again(c, "weights", z=c.weights)}),
    ),
    others={
        "returns_zeros": NO_SHARE,
        "returns_ones": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
