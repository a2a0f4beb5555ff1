"""Known answers to the exercise `attention_cost(n, d)`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes: the linear part -------------------------------------------------------------------


@mistake(
    hint="The feed-forward layers add 8 n d^2.",
    share="0.5",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def feed_forward_forgotten(n, d):
    return 4 * n * d**2, 2 * n**2 * d


@mistake(
    hint="The linear part is 12 n d^2: four projections, and the feed-forward part both ways.",
    share="0.5",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def projections_forgotten(n, d):
    return 8 * n * d**2, 2 * n**2 * d


@mistake(
    hint="There are four projections: the output has one too, beside queries, keys and values.",
    share="0.6",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def output_projection_forgotten(n, d):
    return 11 * n * d**2, 2 * n**2 * d


@mistake(
    hint="The output has a projection too, and the feed-forward layers add 8 n d^2.",
    share="0.4",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def three_projections_alone(n, d):
    return 3 * n * d**2, 2 * n**2 * d


@mistake(
    hint="The feed-forward part is 4 d wide inside: 4 n d^2 on the way there, 4 n d^2 back.",
    share="0.5",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def feed_forward_without_widening(n, d):
    return 6 * n * d**2, 2 * n**2 * d


@mistake(
    hint="A projection multiplies (n, d) by (d, d): n d^2 multiply-adds, not n d.",
    share="0.3",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def width_not_squared(n, d):
    return 12 * n * d, 2 * n**2 * d


# -- mistakes: the attention part ------------------------------------------------------------------


@mistake(
    hint="Two products take n^2 d each: queries times keys, and weights times values.",
    share="0.6",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def weighted_sum_forgotten(n, d):
    return 12 * n * d**2, n**2 * d


@mistake(
    hint="Each of the n^2 scores sums over d products: n^2 d, not n^2.",
    share="0.4",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def width_forgotten_in_attention(n, d):
    return 12 * n * d**2, 2 * n**2


@mistake(
    hint="Every token looks at every token: n^2 d, not n d^2.",
    share="0.4",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def attention_linear_in_tokens(n, d):
    return 12 * n * d**2, 2 * n * d**2


@mistake(
    hint="No mask is counted: all n^2 scores are computed, those above the diagonal too.",
    share="0.6",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def causal_half_counted(n, d):
    return 12 * n * d**2, n * (n + 1) * d


@mistake(
    hint="The exponentials of softmax are no multiply-adds: count the two matrix products alone.",
    share="0.6",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def softmax_counted(n, d):
    return 12 * n * d**2, 2 * n**2 * d + n**2


@mistake(
    hint="n and d are mixed up: the linear part is 12 n d^2, attention 2 n^2 d.",
    share="0.4",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def tokens_and_width_mixed_up(n, d):
    return 12 * n**2 * d, 2 * n * d**2


# -- mistakes: the unit and the form ---------------------------------------------------------------


@mistake(
    hint="Count multiply-adds: one each, not two.",
    share="0.8",
    caught_by=("matches_reference",),
)
def floating_point_operations_counted(n, d):
    return 24 * n * d**2, 4 * n**2 * d


@mistake(
    hint="Return plain counts; divide by 10**9 only when printing.",
    share="0.7",
    caught_by=("matches_reference",),
)
def thousand_millions(n, d):
    return 12 * n * d**2 / 1e9, 2 * n**2 * d / 1e9


@mistake(
    hint="Return the linear part first, then attention.",
    share="0.7",
    caught_by=("matches_reference",),
)
def results_swapped(n, d):
    return 2 * n**2 * d, 12 * n * d**2


@mistake(
    hint="Return two counts, the linear part and attention, not their sum.",
    share="0.5",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def sum_of_both(n, d):
    return 12 * n * d**2 + 2 * n**2 * d


@mistake(
    hint="Return the two counts themselves, not the share of attention.",
    share="0.4",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def share_of_attention(n, d):
    return 2 * n**2 * d / (12 * n * d**2 + 2 * n**2 * d)


@mistake(
    hint="Return two counts alone: linear, attention.",
    share="0.7",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def total_returned_too(n, d):
    linear, attention = 12 * n * d**2, 2 * n**2 * d
    return linear, attention, linear + attention


@mistake(
    hint="65536 tokens do not fit into 32 bits: use Python's own integers.",
    share="0.7",
    caught_by=("matches_reference",),
)
def integers_of_32_bits(n, d):
    n, d = np.array([n, d], dtype=np.int32)
    return 12 * n * d**2, 2 * n**2 * d


# -- mistakes: nothing computed --------------------------------------------------------------------


@mistake(hint="Nothing is counted.", share="0", caught_by=("matches_reference",))
def returns_zeros(n, d):
    return 0, 0


@mistake(
    hint="You return what you were given; count the multiply-adds.",
    share="0",
    caught_by=("matches_reference", "crossover_at_six_d"),
)
def returns_its_input(n, d):
    return n, d


# -- right answers -------------------------------------------------------------------------------


@right_answer
def formula(n, d):
    return 12 * n * d**2, 2 * n**2 * d


@right_answer
def floats_for_integers(n, d):
    return 12.0 * n * d**2, 2.0 * n**2 * d


@right_answer
def part_by_part(n, d):
    projections = 4 * (n * d * d)
    feed_forward = n * d * (4 * d) + n * (4 * d) * d
    scores = n * n * d
    weighted_sum = n * n * d
    return projections + feed_forward, scores + weighted_sum


@right_answer
def a_list(n, d):
    return [12 * n * pow(d, 2), 2 * pow(n, 2) * d]


@right_answer
def an_array_of_two(n, d):
    return np.array([12 * n * d**2, 2 * n**2 * d])


Cost = namedtuple("Cost", ["linear", "attention"])


@right_answer
def named_tuple(n, d):
    return Cost(attention=2 * n * n * d, linear=12 * n * d * d)


@right_answer
def integers_of_64_bits(n, d):
    n, d = np.int64(n), np.int64(d)
    return 12 * n * d**2, 2 * n**2 * d


@right_answer
def one_factor_in_common(n, d):
    common = 2 * n * d
    return common * 6 * d, common * n


@right_answer
def shapes_of_the_products(n, d):
    def product(rows, inner, columns):
        return rows * inner * columns

    linear = sum(product(n, d, d) for _ in range(4)) + product(n, d, 4 * d) + product(n, 4 * d, d)
    return linear, product(n, d, n) + product(n, n, d)


@right_answer
def powers_of_floats(n, d):
    return np.float64(12 * n * np.power(float(d), 2)), np.float64(2 * np.power(float(n), 2) * d)


@right_answer
def zero_dimensional_arrays(n, d):
    return np.array(12 * n * d**2), np.array(2 * n**2 * d)


@right_answer
def ratio_of_both(n, d):
    linear = 12 * n * d**2
    return linear, int(Fraction(n, 6 * d) * linear)


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
