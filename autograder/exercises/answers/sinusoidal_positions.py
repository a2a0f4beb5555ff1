"""Known answers to the exercise `sinusoidal_positions(n, d)`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes: where sine and cosine stand -------------------------------------------------------


@mistake(
    hint="Sine and cosine alternate column by column.",
    share="0.7",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def sine_block_then_cosine_block(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


@mistake(
    hint="Odd columns hold the cosine.",
    share="0.4",
    caught_by=("dot_product_depends_on_offset_only", "matches_reference"),
)
def sine_everywhere(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.repeat(np.sin(angles), 2, axis=1)


@mistake(
    hint="Even columns hold the sine.",
    share="0.4",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def cosine_everywhere(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.repeat(np.cos(angles), 2, axis=1)


@mistake(
    hint="Even columns hold the sine.",
    share="0.7",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def sine_and_cosine_swapped(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.cos(angles), np.sin(angles)
    return P


@mistake(
    hint="The odd columns stayed empty: they hold the cosine.",
    share="0.4",
    caught_by=("pairs_have_unit_norm", "matches_reference"),
)
def odd_columns_left_zero(n, d):
    P = np.zeros((n, d))
    P[:, 0::2] = np.sin(np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d))
    return P


@mistake(
    hint="Sine or cosine is decided by the column, not by the position.",
    share="0.3",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def rows_alternate(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)
    return np.where(np.arange(n)[:, None] % 2 == 0, np.sin(angles), np.cos(angles))


# -- mistakes: the frequencies ---------------------------------------------------------------------


@mistake(
    hint="Both columns of a pair share one frequency.",
    share="0.5",
    caught_by=("pairs_have_unit_norm", "matches_reference"),
)
def exponent_not_paired(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


@mistake(
    hint="The exponent is 2i/d, where 2i is the even column itself: do not double it again.",
    share="0.6",
    caught_by=("matches_reference",),
)
def exponent_doubled(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="Both columns of a pair share the exponent 2i/d: do not double the column number.",
    share="0.4",
    caught_by=("pairs_have_unit_norm", "matches_reference"),
)
def twice_the_column_number(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


@mistake(
    hint="The exponent is 2i/d: the factor 2 is missing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def exponent_halved(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d // 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="Positions are divided by 10000^(2i/d), not multiplied.",
    share="0.5",
    caught_by=("matches_reference",),
)
def multiplied_for_divided(n, d):
    angles = np.arange(n)[:, None] * 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="The exponent is 2i/d, a fraction: whole-number division makes every exponent 0.",
    share="0.4",
    caught_by=("matches_reference",),
)
def whole_number_division(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) // d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="The base is 10000.",
    share="0.6",
    caught_by=("matches_reference",),
)
def base_1000(n, d):
    angles = np.arange(n)[:, None] / 1000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="The exponent divides by d, the width, not by n.",
    share="0.5",
    caught_by=("matches_reference",),
)
def divided_by_number_of_positions(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / n)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="That is the lecture's simple example; this exercise divides by 10000^(2i/d).",
    share="0.2",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def vectors_of_the_lecture(n, d):
    return np.sin(np.arange(d)[None, :] * (np.arange(n)[:, None] + 1.0))


@mistake(
    hint="sin and cos take radians: do not convert the angles.",
    share="0.6",
    caught_by=("matches_reference",),
)
def degrees_for_radians(n, d):
    angles = np.radians(np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d))
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


# -- mistakes: positions and shape -----------------------------------------------------------------


@mistake(
    hint="The first position is 0.",
    share="0.7",
    caught_by=("position_zero_alternates_zero_and_one", "matches_reference"),
)
def positions_from_one(n, d):
    angles = np.arange(1, n + 1)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="Positions are whole numbers 0, 1, ..., n - 1; do not scale them to 0..1.",
    share="0.5",
    caught_by=("matches_reference",),
)
def positions_scaled_to_one(n, d):
    angles = np.arange(n)[:, None] / n / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="One row per position: the shape is (n, d), not (d, n).",
    share="0.6",
    caught_by=("matches_reference",),
)
def transposed(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P.T


@mistake(
    hint="The shape is (n, d), without an axis for the batch.",
    share="0.7",
    caught_by=("matches_reference",),
)
def leading_axis_added(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P[None]


@mistake(
    hint="A buffer of integers cuts every sine to 0: make it one of floats.",
    share="0.5",
    caught_by=("matches_reference",),
)
def buffer_of_integers(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.zeros((n, d), dtype=int)
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def rounds_to_two_places(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return np.round(P, 2)


@mistake(
    hint="Return the sines and cosines, not the angles.",
    share="0.3",
    caught_by=("pairs_have_unit_norm", "matches_reference"),
)
def angles_returned(n, d):
    return np.arange(n)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)


# -- mistakes: nothing computed --------------------------------------------------------------------


@mistake(hint="Nothing is computed.", share="0", caught_by=("matches_reference",))
def returns_zeros(n, d):
    return np.zeros((n, d))


@mistake(
    hint="You return n and d themselves; build an (n, d) array.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(n, d):
    return n, d


# -- right answers -------------------------------------------------------------------------------


@right_answer
def two_assignments(n, d):
    P = np.zeros((n, d))
    position = np.arange(n)[:, np.newaxis]
    frequency = 1 / np.power(10000.0, np.arange(0, d, 2) / d)
    P[:, 0::2] = np.sin(position * frequency)
    P[:, 1::2] = np.cos(position * frequency)[:, : d // 2]
    return P


@right_answer
def exponential_and_logarithm(n, d):
    position = np.arange(n)[:, None]
    frequency = np.exp(np.arange(0, d, 2) * -(np.log(10000.0) / d))
    P = np.zeros((n, d))
    P[:, 0::2] = np.sin(position * frequency)
    P[:, 1::2] = np.cos(position * frequency)[:, : d // 2]
    return P


@right_answer
def two_loops_and_math(n, d):
    P = []
    for p in range(n):
        row = []
        for column in range(d):
            angle = p / 10000 ** (2 * (column // 2) / d)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        P.append(row)
    return P


@right_answer
def pair_by_pair(n, d):
    P = np.empty((n, d))
    for p in range(n):
        for i in range(0, d, 2):
            P[p, i] = np.sin(p / 10000 ** (i / d))
            if i + 1 < d:
                P[p, i + 1] = np.cos(p / 10000 ** (i / d))
    return P


@right_answer
def chosen_by_where(n, d):
    column = np.arange(d)
    angles = np.arange(n)[:, None] / np.power(10000, 2 * (column // 2) / np.float64(d))
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


@right_answer
def cosine_as_shifted_sine(n, d):
    column = np.arange(d)
    angles = np.outer(np.arange(n), 10000.0 ** (-(column - column % 2) / d))
    return np.sin(angles + np.pi / 2 * (column % 2))


@right_answer
def stacked_and_reshaped(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange((d + 1) // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1)[:, :d]


@right_answer
def complex_exponential(n, d):
    turn = np.exp(1j * np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d))
    P = np.empty((n, 2 * turn.shape[1]))
    P[:, ::2], P[:, 1::2] = turn.imag, turn.real
    return P[:, :d]


@right_answer
def from_function(n, d):
    def entry(p, column):
        angle = p / 10000 ** ((column - column % 2) / d)
        return np.sin(angle) * (column % 2 == 0) + np.cos(angle) * (column % 2)

    return np.fromfunction(entry, (n, d))


@right_answer
def column_by_column(n, d):
    position = np.arange(n, dtype=float)
    wave = [np.sin, np.cos]
    columns = [wave[c % 2](position / 10000 ** ((c - c % 2) / d)) for c in range(d)]
    return np.column_stack(columns)


@right_answer
def angles_sliced(n, d):
    exponents = np.arange(d) // 2 * 2 / d
    P = np.arange(n).reshape(-1, 1) * (1 / 10000**exponents)
    P[:, 0::2] = np.sin(P[:, 0::2])
    P[:, 1::2] = np.cos(P[:, 1::2])
    return P


@right_answer
def turned_step_by_step(n, d):
    frequency = 10000.0 ** (-np.arange(0, d, 2) / d)
    sine, cosine = np.zeros_like(frequency), np.ones_like(frequency)
    P = np.empty((n, 2 * len(frequency)))
    for p in range(n):
        P[p, 0::2], P[p, 1::2] = sine, cosine
        sine, cosine = (
            sine * np.cos(frequency) + cosine * np.sin(frequency),
            cosine * np.cos(frequency) - sine * np.sin(frequency),
        )
    return P[:, :d]


@right_answer
def single_precision_work(n, d):
    position = np.arange(n, dtype=np.float32)[:, None]
    angles = position / np.power(np.float32(10000), np.arange(0, d, 2, dtype=np.float32) / d)
    P = np.zeros((n, d), dtype=np.float32)
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d // 2]
    return P


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
