"""The known mistakes of `softmax` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.slips import NO_SHARE, TINY_CONSTANTS, Slip, Slips, again
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


def _two_axes_alone(z, c):
    rows, columns = c.z.shape
    return z


def _transposed(along):
    """Maximum and sum are lined up by transposing, which fits two axes alone."""
    return {
        "along": along,
        "shifted": lambda c: (c.scores.T - c.scores.max(axis=c.along)).T,
        "total": lambda c: c.powers.sum(axis=c.along),
        "weights": lambda c: (c.powers.T / c.total).T,
    }


def _lined_up(shape, along):
    """Maximum and sum get a dimension back by `shape`, which fits two axes alone."""
    return {
        "along": along,
        "shifted": lambda c: c.scores - shape(c.scores.max(axis=c.along)),
        "total": lambda c: shape(c.powers.sum(axis=c.along)),
    }


def _new_axis(reduced):
    return reduced[:, None]


def _column(reduced):
    return reduced.reshape(-1, 1)


def _shifts_by(reduce):
    """A slip that subtracts something else than the maximum."""
    return {"shifted": lambda c: c.scores - reduce(c.scores, axis=c.along, keepdims=True)}


def _first_score(z, axis, keepdims):
    return np.take(z, [0], axis=axis)


def _largest_size(z, axis, keepdims):
    return np.abs(z).max(axis=axis, keepdims=keepdims)


def _largest_finite(z, axis, keepdims):
    return np.where(np.isfinite(z), z, 0.0).max(axis=axis, keepdims=keepdims)


def _refuses_blocked(z, c):
    if np.isneginf(z).all(axis=c.along).any():
        raise ValueError("a slice has no finite score")
    return z


# -- the same slips with other numbers -------------------------------------------------------------


def _rounds_to(places):
    return Slip(f"rounds_to_{places}_places", wraps={"weights": lambda p, c: np.round(p, places)})


def _adds_to_the_sum(constant):
    return Slip(f"adds_{constant:g}_to_the_sum", wraps={"total": lambda total, c: total + constant})


def _base(base):
    return Slip(f"base_{base:g}", replaces={"powers": lambda c: base**c.shifted})


def _clips_at(limit):
    return Slip(
        f"clips_at_{limit:g}", replaces={"shifted": lambda c: np.clip(c.scores, -limit, limit)}
    )


# -- all of them -----------------------------------------------------------------------------------

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
        Slip("row_after_row", replaces={"along": lambda c: tuple(range(1, c.z.ndim))}),
        Slip(
            "shape_read_as_rows_and_columns",
            replaces={"along": lambda c: 1},
            wraps={"scores": _two_axes_alone},
        ),
        Slip("sign_flipped", wraps={"scores": lambda z, c: -z}),
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
        Slip("shifts_by_the_first_score", replaces=_shifts_by(_first_score)),
        Slip("shifts_by_the_median", replaces=_shifts_by(np.median)),
        Slip("shifts_by_the_mean", replaces=_shifts_by(np.mean)),
        Slip("shifts_by_the_minimum", replaces=_shifts_by(np.min)),
        Slip("shifts_by_the_largest_size", replaces=_shifts_by(_largest_size)),
        Slip("blocked_scores_raise_the_maximum", replaces=_shifts_by(_largest_finite)),
        Slip(
            "maximum_loses_its_dimension",
            replaces={"shifted": lambda c: c.scores - c.scores.max(axis=c.along)},
        ),
        # shift and sum alike
        Slip("transposed_to_divide", replaces=_transposed(lambda c: c.axis)),
        Slip("axis_one_transposed_to_divide", replaces=_transposed(lambda c: 1)),
        Slip("new_axis_for_two_dimensions", replaces=_lined_up(_new_axis, lambda c: c.axis)),
        Slip("sums_in_one_column", replaces=_lined_up(_column, lambda c: c.axis)),
        Slip("axis_one_sums_in_one_column", replaces=_lined_up(_column, lambda c: 1)),
        Slip(
            "both_lose_their_dimension",
            replaces=_lined_up(lambda reduced: reduced, lambda c: c.axis),
        ),
        Slip(
            "softmax_of_the_whole_array",
            replaces={
                "shifted": lambda c: c.scores - c.scores.max(),
                "total": lambda c: c.powers.sum(),
            },
        ),
        Slip(
            "naive_softmax_of_the_whole_array",
            replaces={"shifted": lambda c: c.scores, "total": lambda c: c.powers.sum()},
        ),
        # the exponential and the sum
        Slip(
            "no_exponential",
            replaces={"shifted": lambda c: c.scores, "powers": lambda c: c.shifted},
        ),
        Slip("powers_of_ten", replaces={"powers": lambda c: 10.0**c.shifted}),
        Slip("base_rounded", replaces={"powers": lambda c: 2.718**c.shifted}),
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
        Slip(
            "mean_for_sum",
            replaces={"total": lambda c: c.powers.mean(axis=c.along, keepdims=True)},
        ),
        Slip(
            "length_for_sum",
            replaces={"total": lambda c: np.sqrt((c.powers**2).sum(axis=c.along, keepdims=True))},
        ),
        # what is returned
        Slip("never_divided", replaces={"weights": lambda c: c.powers}),
        Slip(
            "exponentials_alone",
            replaces={"shifted": lambda c: c.scores, "weights": lambda c: c.powers},
        ),
        Slip("returns_logarithms", replaces={"weights": lambda c: c.shifted - np.log(c.total)}),
        Slip("rounds_to_four_places", wraps={"weights": lambda p, c: np.round(p, 4)}),
        Slip("nan_slice_becomes_zeros", wraps={"weights": lambda p, c: np.nan_to_num(p)}),
        Slip("exponentials_returned_too", replaces={"result": lambda c: (c.weights, c.powers)}),
        Slip("sums_returned_too", replaces={"result": lambda c: (c.weights, c.total)}),
        Slip("scores_returned_too", replaces={"result": lambda c: (c.weights, c.z)}),
        Slip("applied_twice", replaces={"result": lambda c: again(c, "weights", z=c.weights)}),
    ),
    others={
        "returns_zeros": NO_SHARE,
        "returns_ones": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
    # without a maximum of its own above it, a slice may have a sum that is tiny too
    harmless={"shifted": TINY_CONSTANTS},
    variants={
        "rounds_to_four_places": tuple(map(_rounds_to, (1, 2, 3))),
        "large_constant_in_denominator": tuple(map(_adds_to_the_sum, (1e-2, 0.1, 1.0))),
        "base_rounded": tuple(map(_base, (2.7, 2.71, 2.72, 3.0))),
        "clips_instead_of_shifting": tuple(map(_clips_at, (1.0, 5.0, 10.0, 20.0))),
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
