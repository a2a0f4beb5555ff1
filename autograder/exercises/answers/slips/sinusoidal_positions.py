"""The known mistakes of `sinusoidal_positions` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.sinusoidal_positions import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips


def _signature(run):
    def sinusoidal_positions(n, d):
        return run(n=n, d=d)

    return sinusoidal_positions


def _alternating(even, odd):
    """A table whose even and odd columns hold these functions of the angles."""

    def table(c):
        columns = np.arange(c.d)
        return np.where(columns % 2 == 0, even(c.angles), odd(c.angles))

    return table


def _zero(angles):
    return np.zeros_like(angles)


def _blocks(c):
    angles = c.angles[:, 0::2]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def _rows_alternate(c):
    return np.where(np.arange(c.n)[:, None] % 2 == 0, np.sin(c.angles), np.cos(c.angles))


def _paired(columns):
    return columns - columns % 2


STAGES = {
    "parameters": lambda c: "n, d",
    "positions": lambda c: np.arange(c.n)[:, None],
    "base": lambda c: 10000.0,
    "exponents": lambda c: _paired(np.arange(c.d)) / c.d,
    "angles": lambda c: c.positions / c.base**c.exponents,
    "table": _alternating(np.sin, np.cos),
}


def _exponents(of):
    return {"exponents": lambda c: of(np.arange(c.d), c)}


SLIPS = Slips(
    signatures={"n, d": _signature},
    stages=STAGES,
    slips=(
        Slip("positions_from_one", wraps={"positions": lambda positions, c: positions + 1}),
        Slip("positions_scaled_to_one", wraps={"positions": lambda positions, c: positions / c.n}),
        Slip("base_1000", replaces={"base": lambda c: 1000.0}),
        Slip("exponent_not_paired", replaces=_exponents(lambda columns, c: columns / c.d)),
        Slip("exponent_doubled", replaces=_exponents(lambda j, c: 2 * _paired(j) / c.d)),
        Slip("twice_the_column_number", replaces=_exponents(lambda j, c: 2 * j / c.d)),
        Slip("exponent_halved", replaces=_exponents(lambda columns, c: columns // 2 / c.d)),
        Slip("whole_number_division", replaces=_exponents(lambda j, c: _paired(j) // c.d)),
        Slip(
            "divided_by_number_of_positions",
            replaces=_exponents(lambda columns, c: _paired(columns) / c.n),
        ),
        Slip(
            "multiplied_for_divided",
            replaces={"angles": lambda c: c.positions * c.base**c.exponents},
        ),
        Slip("degrees_for_radians", wraps={"angles": lambda angles, c: np.radians(angles)}),
        Slip("sine_block_then_cosine_block", replaces={"table": _blocks}),
        Slip("sine_everywhere", replaces={"table": _alternating(np.sin, np.sin)}),
        Slip("cosine_everywhere", replaces={"table": _alternating(np.cos, np.cos)}),
        Slip("sine_and_cosine_swapped", replaces={"table": _alternating(np.cos, np.sin)}),
        Slip("odd_columns_left_zero", replaces={"table": _alternating(np.sin, _zero)}),
        Slip("rows_alternate", replaces={"table": _rows_alternate}),
        Slip("angles_returned", replaces={"table": lambda c: c.angles}),
        Slip("transposed", wraps={"table": lambda table, c: np.swapaxes(table, -1, -2)}),
        Slip("leading_axis_added", wraps={"table": lambda table, c: table[None]}),
        Slip("rounds_to_two_places", wraps={"table": lambda table, c: np.round(table, 2)}),
    ),
    others={
        "vectors_of_the_lecture": "It is another formula altogether.",
        "buffer_of_integers": "It leaves so little of the table that a second slip leaves zeros.",
        "returns_zeros": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
