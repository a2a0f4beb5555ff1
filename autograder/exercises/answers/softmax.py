"""Known answers to the exercise `softmax(z, axis=-1)`."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905, T201 - a student zips without strict= and prints

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes ------------------------------------------------------------------------------------


@mistake(
    hint="Which axis do you use when none is given? The default is the last one.",
    share="0.95",
    caught_by=("default_axis_is_last",),
)
def default_axis_is_zero(z, axis=0):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="exp overflows above about 709: subtract the largest score of each slice first.",
    share="0.7",
    caught_by=("survives_huge_scores", "survives_very_negative_scores"),
)
def no_max_shift(z, axis=-1):
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Each slice needs its own maximum: reduce over the axis and keep the dimension.",
    share="0.75",
    caught_by=("survives_rows_of_different_scale",),
)
def one_maximum_for_the_array(z, axis=-1):
    e = np.exp(z - z.max())
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Each slice must sum to one, not the whole array.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def one_sum_for_the_array(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum()


@mistake(
    hint="The sum lost the dimension it was taken over; keep it so that broadcasting lines up.",
    share="0.4",
    caught_by=("rows_sum_to_one",),
)
def sum_loses_its_dimension(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis)


@mistake(
    hint="Your function changes the array it was given; work on a new one.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def shifts_the_callers_array(z, axis=-1):
    z -= z.max(axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="The weights sum to less than one: after the shift no constant is needed below.",
    share="0.6",
    caught_by=("rows_sum_to_one",),
)
def large_constant_in_denominator(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-3)


@mistake(
    hint="Clipping changes the scores; subtracting the maximum does not.",
    share="0.6",
    caught_by=("survives_huge_scores", "minus_infinity_gets_zero_weight"),
)
def clips_instead_of_shifting(z, axis=-1):
    e = np.exp(np.clip(z, -500, 500))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="This course asks for nan in a slice with nothing to see; you return zeros.",
    share="0.95",
    caught_by=("fully_blocked_row_is_nan",),
)
def nan_slice_becomes_zeros(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.nan_to_num(e / e.sum(axis=axis, keepdims=True))


@mistake(
    hint="This course asks for nan in a slice with nothing to see; you return equal weights.",
    share="0.95",
    caught_by=("fully_blocked_row_is_nan",),
)
def nan_slice_becomes_uniform(z, axis=-1):
    nothing_to_see = np.isneginf(z).all(axis=axis, keepdims=True)
    z = np.where(nothing_to_see, 0.0, z)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Scores can be negative: take the exponential before normalising.",
    share="0.1",
    caught_by=("weights_are_positive", "shift_invariant"),
)
def no_exponential(z, axis=-1):
    return z / z.sum(axis=axis, keepdims=True)


@mistake(
    hint="You return log weights; the exercise asks for the weights.",
    share="0.5",
    caught_by=("rows_sum_to_one",),
)
def returns_logarithms(z, axis=-1):
    shifted = z - z.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@mistake(
    hint="Your code always uses axis 1; use the argument.",
    share="0.5",
    caught_by=("works_for_any_rank", "matches_reference_on_every_axis"),
)
def axis_one_written_in(z, axis=-1):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference", "log_ratios_equal_score_differences"),
)
def rounds_to_four_places(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return np.round(e / e.sum(axis=axis, keepdims=True), 4)


@mistake(
    hint="Do not lower the precision of the input.",
    share="0.5",
    caught_by=("matches_reference",),
)
def half_precision_work(z, axis=-1):
    z = z.astype(np.float16)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="The weights go through softmax twice.",
    share="0.3",
    caught_by=("matches_reference",),
)
def applied_twice(z, axis=-1):
    p = z
    for _ in range(2):
        e = np.exp(p - p.max(axis=axis, keepdims=True))
        p = e / e.sum(axis=axis, keepdims=True)
    return p


@mistake(
    hint="A score of -inf must give weight 0, not the weight of score 0.",
    share="0.9",
    caught_by=("minus_infinity_gets_zero_weight",),
)
def minus_infinity_taken_as_zero(z, axis=-1):
    z = np.where(np.isneginf(z), 0.0, z)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="The built-in sum adds rows; sum over the asked axis.",
    share="0.3",
    caught_by=("rows_sum_to_one", "rows_are_independent"),
)
def builtin_sum_over_rows(z, axis=-1):
    e = np.exp(z - max(z.ravel()))
    return e / sum(e)


@mistake(
    hint="The denominator is the sum over all entries, including the one above.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def odds_not_probabilities(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) - e)


@mistake(
    hint="This course asks for nan in a slice with nothing to see; you raise an error.",
    share="0.95",
    caught_by=("fully_blocked_row_is_nan",),
)
def raises_on_blocked_slice(z, axis=-1):
    if np.isneginf(z).all(axis=axis).any():
        raise ValueError("a slice has no finite score")
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Use the exponential with base e, np.exp, not powers of two.",
    share="0.4",
    caught_by=("matches_reference", "log_ratios_equal_score_differences"),
)
def powers_of_two(z, axis=-1):
    e = 2.0 ** (z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# -- code for two axes alone


@mistake(
    hint="Transposing lines the sums up for two axes only: keep the dimension of the sum instead.",
    share="0.5",
    caught_by=("matches_reference", "matches_reference_on_every_axis"),
)
def transposed_to_divide(z, axis=-1):
    e = np.exp((z.T - z.max(axis=axis)).T)
    return (e.T / e.sum(axis=axis)).T


@mistake(
    hint="Transposing works for two axes only, and axis 1 is written in: use axis and keepdims.",
    share="0.5",
    caught_by=("matches_reference", "matches_reference_on_every_axis"),
)
def axis_one_transposed_to_divide(z, axis=-1):
    e = np.exp((z.T - z.max(axis=1)).T)
    return (e.T / e.sum(axis=1)).T


@mistake(
    hint="[:, None] puts the dimension back for two axes only: keep it with keepdims=True.",
    share="0.5",
    caught_by=("matches_reference", "works_for_any_rank"),
)
def new_axis_for_two_dimensions(z, axis=-1):
    e = np.exp(z - z.max(axis=axis)[:, None])
    return e / e.sum(axis=axis)[:, None]


@mistake(
    hint="A column of sums fits two axes only: keep the dimension with keepdims=True.",
    share="0.5",
    caught_by=("matches_reference", "works_for_any_rank"),
)
def sums_in_one_column(z, axis=-1):
    e = np.exp(z - z.max(axis=axis).reshape(-1, 1))
    return e / e.sum(axis=axis).reshape(-1, 1)


@mistake(
    hint="A column of sums fits two axes only, and axis 1 is written in: use axis and keepdims.",
    share="0.5",
    caught_by=("matches_reference", "works_for_any_rank"),
)
def axis_one_sums_in_one_column(z, axis=-1):
    e = np.exp(z - z.max(axis=1).reshape(-1, 1))
    return e / e.sum(axis=1).reshape(-1, 1)


@mistake(
    hint="Going through z[i] gives rows only if z has two axes: reduce over the asked axis.",
    share="0.5",
    caught_by=("matches_reference", "works_for_any_rank"),
)
def row_after_row(z, axis=-1):
    p = np.zeros(z.shape)
    for i in range(len(z)):
        e = np.exp(z[i] - np.max(z[i]))
        p[i] = e / np.sum(e)
    return p


@mistake(
    hint="z may have any number of axes, not two alone: reduce over the asked axis.",
    share="0.5",
    caught_by=("matches_reference", "works_for_any_rank"),
)
def shape_read_as_rows_and_columns(z, axis=-1):
    rows, columns = z.shape
    p = np.zeros((rows, columns))
    for i in range(rows):
        e = np.exp(z[i] - z[i].max())
        for j in range(columns):
            p[i, j] = e[j] / e.sum()
    return p


# -- other formulas


@mistake(
    hint="Use the exponential with base e, np.exp, not powers of ten.",
    share="0.4",
    caught_by=("matches_reference", "log_ratios_equal_score_differences"),
)
def powers_of_ten(z, axis=-1):
    e = 10.0 ** (z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="2.718 is not exact enough for e: use np.exp.",
    share="0.6",
    caught_by=("matches_reference", "log_ratios_equal_score_differences"),
)
def base_rounded(z, axis=-1):
    e = 2.718 ** (z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="The sign is wrong: the largest score gets the largest weight, exp(z) and not exp(-z).",
    share="0.3",
    caught_by=("matches_reference",),
)
def sign_flipped(z, axis=-1):
    z = -z
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Divide by the sum of the exponentials, not by their mean.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def mean_for_sum(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.mean(axis=axis, keepdims=True)


@mistake(
    hint="Divide by the sum of the exponentials, not by the root of the sum of their squares.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def length_for_sum(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / np.sqrt((e**2).sum(axis=axis, keepdims=True))


@mistake(
    hint="The exponentials are not yet weights: divide them by their sum.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def never_divided(z, axis=-1):
    return np.exp(z - z.max(axis=axis, keepdims=True))


@mistake(
    hint="The exponentials are not yet weights: subtract the maximum, and divide by the sum.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def exponentials_alone(z, axis=-1):
    return np.exp(z)


@mistake(
    hint="Each slice along the axis is a softmax of its own, not the whole array.",
    share="0.3",
    caught_by=("rows_sum_to_one",),
)
def softmax_of_the_whole_array(z, axis=-1):
    e = np.exp(z - z.max())
    return e / e.sum()


@mistake(
    hint="Use the axis: each slice sums to one, and its own maximum is subtracted before exp.",
    share="0.3",
    caught_by=("rows_sum_to_one", "survives_huge_scores"),
)
def naive_softmax_of_the_whole_array(z, axis=-1):
    return np.exp(z) / np.sum(np.exp(z))


@mistake(
    hint="The maximum lost the dimension it was taken over: keep it so that broadcasting lines up.",
    share="0.4",
    caught_by=("matches_reference",),
)
def maximum_loses_its_dimension(z, axis=-1):
    e = np.exp(z - z.max(axis=axis))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Maximum and sum lost the dimension they were taken over: keep it with keepdims=True.",
    share="0.4",
    caught_by=("matches_reference",),
)
def both_lose_their_dimension(z, axis=-1):
    e = np.exp(z - z.max(axis=axis))
    return e / e.sum(axis=axis)


@mistake(
    hint="Return the weights alone, not the exponentials besides.",
    share="0.5",
    caught_by=("matches_reference",),
)
def exponentials_returned_too(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True), e


@mistake(
    hint="Return the weights alone, not the sums besides.",
    share="0.5",
    caught_by=("matches_reference",),
)
def sums_returned_too(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    total = e.sum(axis=axis, keepdims=True)
    return e / total, total


@mistake(
    hint="Return the weights alone, not the scores besides.",
    share="0.5",
    caught_by=("matches_reference",),
)
def scores_returned_too(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True), z


# -- shifts by something else than the maximum


@mistake(
    hint="Any score may be the largest: subtract the maximum of each slice, not its first score.",
    share="0.85",
    caught_by=("survives_huge_scores", "minus_infinity_gets_zero_weight"),
)
def shifts_by_the_first_score(z, axis=-1):
    e = np.exp(z - np.take(z, [0], axis=axis))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Scores far above the median still overflow: subtract the maximum of each slice.",
    share="0.85",
    caught_by=("survives_huge_scores",),
)
def shifts_by_the_median(z, axis=-1):
    e = np.exp(z - np.median(z, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Scores far above the mean still overflow: subtract the maximum of each slice.",
    share="0.85",
    caught_by=("survives_huge_scores",),
)
def shifts_by_the_mean(z, axis=-1):
    e = np.exp(z - z.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="After subtracting the minimum, large scores still overflow: subtract the maximum.",
    share="0.85",
    caught_by=("survives_huge_scores",),
)
def shifts_by_the_minimum(z, axis=-1):
    e = np.exp(z - z.min(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Take the maximum of the scores themselves, not of their absolute values.",
    share="0.75",
    caught_by=("survives_very_negative_scores",),
)
def shifts_by_the_largest_size(z, axis=-1):
    e = np.exp(z - np.abs(z).max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Leave -inf in the scores for the maximum too: as 0 it outweighs very negative scores.",
    share="0.95",
    caught_by=("minus_infinity_gets_zero_weight",),
)
def blocked_scores_raise_the_maximum(z, axis=-1):
    m = np.where(np.isfinite(z), z, 0.0).max(axis=axis, keepdims=True)
    e = np.exp(z - m)
    return e / e.sum(axis=axis, keepdims=True)


@mistake(
    hint="Your function takes no axis; the exercise's second argument says where to normalise.",
    share="0.92",
    caught_by=("matches_reference_on_every_axis",),
)
def no_axis_argument(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@mistake(hint="Every weight you return is zero.", share="0", caught_by=("matches_reference",))
def returns_zeros(z, axis=-1):
    return np.zeros(z.shape)


@mistake(
    hint="Every weight you return is one, whatever the scores.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_ones(z, axis=-1):
    return np.ones(z.shape)


@mistake(
    hint="Every entry gets the same weight; the scores play no part.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_uniform(z, axis=-1):
    return np.full(z.shape, 1 / z.shape[axis])


@mistake(
    hint="You return the scores themselves; turn them into weights.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(z, axis=-1):
    return z


# -- right answers -------------------------------------------------------------------------------


@right_answer
def textbook(z, axis=-1):
    e = np.exp(z - np.max(z, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


@right_answer
def scipy_softmax(z, axis=-1):
    from scipy import special

    return special.softmax(z, axis=axis)


@right_answer
def scipy_log_softmax(z, axis=-1):
    from scipy import special

    return np.exp(special.log_softmax(z, axis=axis))


@right_answer
def minus_log_sum_exp(z, axis=-1):
    m = z.max(axis=axis, keepdims=True)
    log_total = m + np.log(np.sum(np.exp(z - m), axis=axis, keepdims=True))
    return np.exp(z - log_total)


@right_answer
def logaddexp_reduce(z, axis=-1):
    return np.exp(z - np.expand_dims(np.logaddexp.reduce(z, axis=axis), axis))


@right_answer
def in_place_on_a_private_copy(z, axis=-1):
    p = np.array(z, dtype=float)
    p -= p.max(axis=axis, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=axis, keepdims=True)
    return p


@right_answer
def lists_and_math(z, axis=-1):
    moved = np.moveaxis(z, axis, -1)
    rows = []
    for row in moved.reshape(-1, moved.shape[-1]).tolist():
        largest = max(row)
        e = [math.exp(score - largest) for score in row]
        total = math.fsum(e)
        rows.append([value / total for value in e])
    return np.moveaxis(np.array(rows).reshape(moved.shape), -1, axis)


@right_answer
def dimension_put_back(z, axis=-1):
    e = np.exp(z - np.expand_dims(z.max(axis=axis), axis))
    return e / np.expand_dims(e.sum(axis=axis), axis)


@right_answer
def silent_division_into_output(z, axis=-1):
    p = np.empty(z.shape)
    with np.errstate(all="ignore"):
        e = np.exp(z - z.max(axis=axis, keepdims=True))
        np.divide(e, e.sum(axis=axis, keepdims=True), out=p)
    return p


@right_answer
def reciprocal_of_the_sum(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e * (1.0 / e.sum(axis=axis, keepdims=True))


@right_answer
def tiny_constant_in_denominator(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-12)


@right_answer
class CallableObject:
    def __call__(self, z, axis=-1):
        e = self.exponentials(z, axis)
        return e / e.sum(axis=axis, keepdims=True)

    def exponentials(self, z, axis):
        return np.exp(z - z.max(axis=axis, keepdims=True))


@right_answer
def prints_while_it_runs(z, axis=-1):
    print("softmax of an array of shape", z.shape)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    print("sums:", e.sum(axis=axis))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def axis_moved_to_the_front(z, axis=-1):
    front = np.moveaxis(z, axis, 0)
    e = np.exp(front - front.max(axis=0))
    return np.moveaxis(e / e.sum(axis=0), 0, axis)


@right_answer
def slice_by_slice(z, axis=-1):
    def of_one_slice(scores):
        e = np.exp(scores - scores.max())
        return e / e.sum()

    return np.apply_along_axis(of_one_slice, axis, z)


@right_answer
def ufunc_reductions(z, axis=-1):
    e = np.exp(np.subtract(z, np.maximum.reduce(z, axis=axis, keepdims=True)))
    return np.true_divide(e, np.add.reduce(e, axis=axis, keepdims=True))


@right_answer
def powers_of_two_rescaled(z, axis=-1):
    e = np.exp2((z - z.max(axis=axis, keepdims=True)) * np.log2(np.e))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def extended_precision(z, axis=-1):
    e = np.exp(z.astype(np.longdouble) - z.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).astype(float)


@right_answer
def shifted_twice(z, axis=-1):
    z = z - z.max(axis=axis, keepdims=True)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def with_a_temperature(x, axis=-1, temperature=1.0):
    e = np.exp((x - x.max(axis=axis, keepdims=True)) / temperature)
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def integer_result_buffer(z, axis=-1):
    p = np.zeros_like(z)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    p[...] = e / e.sum(axis=axis, keepdims=True)
    return p


@right_answer
def single_precision_work(z, axis=-1):
    z = z.astype(np.float32)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def vectorized_scalar_exponential(z, axis=-1):
    e = np.vectorize(math.exp)(z - np.amax(z, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@right_answer
def one_axis_after_the_other(z, axis=-1):
    def softmax_of(part):
        if part.ndim > 1:
            return np.stack([softmax_of(slice_) for slice_ in part])
        e = np.exp(part - part.max())
        return e / e.sum()

    return np.moveaxis(softmax_of(np.moveaxis(z, axis, -1)), -1, axis)


@right_answer
def halves_by_recursion(z, axis=-1):
    def log_sum_exp(scores):
        if len(scores) == 1:
            return scores[0]
        middle = len(scores) // 2
        return np.logaddexp(log_sum_exp(scores[:middle]), log_sum_exp(scores[middle:]))

    return np.exp(z - np.expand_dims(log_sum_exp(np.moveaxis(z, axis, 0)), axis))


@right_answer
def sums_of_ratios(z, axis=-1):
    z = np.moveaxis(z, axis, -1)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        p = 1 / np.exp(z[..., None, :] - z[..., :, None]).sum(axis=-1)
    p[np.isneginf(z) & ~np.isneginf(z).all(axis=-1, keepdims=True)] = 0
    return np.moveaxis(p, -1, axis)


@right_answer
def last_of_the_running_sums(z, axis=-1):
    e = np.exp(z - np.take(np.sort(z, axis=axis), [-1], axis=axis))
    return e / np.take(np.cumsum(e, axis=axis), [-1], axis=axis)


@right_answer
def masked_array_inside(z, axis=-1):
    visible = np.ma.masked_invalid(z)
    e = np.ma.exp(visible - visible.max(axis=axis, keepdims=True))
    p = (e / e.sum(axis=axis, keepdims=True)).filled(0)
    return np.where(np.isneginf(z).all(axis=axis, keepdims=True), np.nan, p)


@right_answer
def running_maximum_and_sum(z, axis=-1):
    largest = np.full(np.moveaxis(z, axis, 0).shape[1:], -np.inf)
    total = np.zeros(largest.shape)
    with np.errstate(invalid="ignore"):
        for score in np.moveaxis(z, axis, 0):
            grown = np.maximum(largest, score)
            # -inf - (-inf) is nan: where nothing was seen yet, nothing has to shrink
            total = np.nan_to_num(total * np.exp(largest - grown)) + np.exp(score - grown)
            total = np.where(np.isneginf(grown), 0, total)
            largest = grown
        return np.exp(z - np.expand_dims(largest, axis)) / np.expand_dims(total, axis)


@right_answer
def single_precision_log_sum_exp(z, axis=-1):
    z = np.asarray(z, dtype=np.float32)
    m = z.max(axis=axis, keepdims=True)
    return np.exp(z - (m + np.log(np.exp(z - m).sum(axis=axis, keepdims=True))))


@right_answer
def nested_lists_returned(z, axis=-1):
    e = np.e ** np.subtract(z, np.max(z, axis, None, True))
    return np.divide(e, np.sum(e, axis, None, None, True)).tolist()


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
