"""Known answers to the exercise `soft_lookup(query, keys, values)`."""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905 - a student zips without strict=

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes: the scores ------------------------------------------------------------------------


@mistake(
    hint="This dictionary is not scaled: leave the division by sqrt(d) out.",
    share="0.6",
    caught_by=("matches_reference",),
)
def scaled_by_key_width(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return weights @ values, weights


@mistake(
    hint="Nothing is divided here, least of all by the number of entries.",
    share="0.5",
    caught_by=("matches_reference",),
)
def scaled_by_number_of_entries(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(keys)))
    return weights @ values, weights


@mistake(
    hint="The score is the plain dot product, not the cosine: a longer query must be sharper.",
    share="0.3",
    caught_by=("longer_query_is_sharper", "matches_reference"),
)
def cosine_similarity(query, keys, values):
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    weights = softmax(np.where(lengths > 0, keys @ query / np.where(lengths > 0, lengths, 1), 0.0))
    return weights @ values, weights


@mistake(
    hint="The score is the plain dot product: do not divide the query by its length.",
    share="0.4",
    caught_by=("longer_query_is_sharper", "matches_reference"),
)
def query_normalised(query, keys, values):
    weights = softmax(keys @ (query / np.linalg.norm(query)))
    return weights @ values, weights


@mistake(
    hint="The score is the dot product of key and query, not their distance.",
    share="0.3",
    caught_by=("matches_reference",),
)
def distance_for_dot_product(query, keys, values):
    weights = softmax(-np.linalg.norm(keys - query, axis=1))
    return weights @ values, weights


@mistake(
    hint="The score is the dot product of key and query, not their squared distance.",
    share="0.3",
    caught_by=("matches_reference",),
)
def squared_distance_for_dot_product(query, keys, values):
    weights = softmax(-((keys - query) ** 2).sum(axis=1))
    return weights @ values, weights


@mistake(
    hint="A key that points the other way gets a small weight: the sign of the score is wrong.",
    share="0.3",
    caught_by=("matches_reference",),
)
def sign_flipped(query, keys, values):
    weights = softmax(-(keys @ query))
    return weights @ values, weights


@mistake(
    hint="A key that points the other way gets a small weight: keep the sign of the score.",
    share="0.3",
    caught_by=("matches_reference",),
)
def sign_dropped(query, keys, values):
    weights = softmax(np.abs(keys @ query))
    return weights @ values, weights


@mistake(
    hint="A score sums over all entries of key and query, not over the first alone.",
    share="0.2",
    caught_by=("matches_reference",),
)
def first_component_alone(query, keys, values):
    weights = softmax(keys[:, 0] * query[0])
    return weights @ values, weights


# -- mistakes: the weights -------------------------------------------------------------------------


@mistake(
    hint="exp overflows above about 709: subtract the largest score first.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def no_max_shift(query, keys, values):
    e = np.exp(keys @ query)
    weights = e / e.sum()
    return weights @ values, weights


@mistake(
    hint="Clipping changes the scores; subtracting the maximum does not.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def clips_instead_of_shifting(query, keys, values):
    e = np.exp(np.clip(keys @ query, -500, 500))
    weights = e / e.sum()
    return weights @ values, weights


@mistake(
    hint="Subtract the largest score, not its size: all scores may lie far below 0.",
    share="0.9",
    caught_by=("survives_huge_scores",),
)
def shifts_by_the_largest_size(query, keys, values):
    scores = keys @ query
    e = np.exp(scores - np.abs(scores).max())
    weights = e / e.sum()
    return weights @ values, weights


@mistake(
    hint="The weights are not divided by their sum.",
    share="0.3",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def never_divided(query, keys, values):
    scores = keys @ query
    weights = np.exp(scores - scores.max())
    return weights @ values, weights


@mistake(
    hint="The weights are not divided by their sum, and exp overflows: use softmax.",
    share="0.3",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def exponentials_alone(query, keys, values):
    weights = np.exp(keys @ query)
    return weights @ values, weights


@mistake(
    hint="Divide by the sum over the entries, not by how many they are.",
    share="0.3",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def divided_by_number_of_entries(query, keys, values):
    weights = np.exp(keys @ query) / len(keys)
    return weights @ values, weights


@mistake(
    hint="The weights sum to less than one: after the shift no constant is needed below.",
    share="0.6",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def large_constant_in_denominator(query, keys, values):
    scores = keys @ query
    e = np.exp(scores - scores.max())
    weights = e / (e.sum() + 1e-3)
    return weights @ values, weights


@mistake(
    hint="Scores can be negative: take the exponential before normalising.",
    share="0.1",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def no_exponential(query, keys, values):
    scores = keys @ query
    weights = scores / scores.sum()
    return weights @ values, weights


@mistake(
    hint="The dot products are only scores: softmax makes weights of them.",
    share="0.2",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def scores_for_weights(query, keys, values):
    weights = keys @ query
    return weights @ values, weights


@mistake(
    hint="This is a soft dictionary: every key counts a little, not only the best one.",
    share="0.2",
    caught_by=("matches_reference",),
)
def hard_lookup(query, keys, values):
    weights = np.zeros(len(keys))
    weights[np.argmax(keys @ query)] = 1.0
    return weights @ values, weights


@mistake(
    hint="Softmax runs over the scores of the keys, one number for each key.",
    share="0.2",
    caught_by=("matches_reference",),
)
def softmax_of_each_column(query, keys, values):
    weights = softmax(keys * query, axis=0).mean(axis=1)
    return weights @ values, weights


@mistake(
    hint="The scores go through softmax twice.",
    share="0.3",
    caught_by=("matches_reference",),
)
def applied_twice(query, keys, values):
    weights = softmax(softmax(keys @ query))
    return weights @ values, weights


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def rounds_to_two_places(query, keys, values):
    weights = np.round(softmax(keys @ query), 2)
    return weights @ values, weights


@mistake(
    hint="The base is e: use np.exp.",
    share="0.5",
    caught_by=("matches_reference",),
)
def powers_of_two(query, keys, values):
    scores = keys @ query
    powers = 2.0 ** (scores - scores.max())
    weights = powers / powers.sum()
    return weights @ values, weights


# -- mistakes: the output --------------------------------------------------------------------------


@mistake(
    hint="Value i belongs to key i: do not reverse the values.",
    share="0.4",
    caught_by=("output_is_weights_times_values", "matches_reference"),
)
def values_reversed(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values[::-1], weights


@mistake(
    hint="Value i belongs to weight i: neither may be sorted alone.",
    share="0.4",
    caught_by=("entry_order_does_not_matter", "matches_reference"),
)
def weights_sorted(query, keys, values):
    weights = np.sort(softmax(keys @ query))[::-1]
    return weights @ values, weights


@mistake(
    hint="An entry counts by its key alone, not by its place in the list.",
    share="0.2",
    caught_by=("entry_order_does_not_matter", "matches_reference"),
)
def later_entries_count_less(query, keys, values):
    weights = softmax(keys @ query - np.arange(len(keys)))
    return weights @ values, weights


@mistake(
    hint="The loop stops one entry early.",
    share="0.4",
    caught_by=("output_is_weights_times_values", "entry_order_does_not_matter"),
)
def last_entry_skipped(query, keys, values):
    weights = softmax(keys @ query)
    output = 0.0
    for i in range(len(values) - 1):
        output += weights[i] * values[i]
    return output, weights


@mistake(
    hint="The weights sum to one already: the output is their sum with the values, not the mean.",
    share="0.4",
    caught_by=("output_is_weights_times_values", "matches_reference"),
)
def mean_for_sum(query, keys, values):
    weights = softmax(keys @ query)
    return (weights * values).mean(), weights


@mistake(
    hint="The output mixes all values by their weights, it does not pick the best one.",
    share="0.4",
    caught_by=("output_is_weights_times_values", "matches_reference"),
)
def value_of_the_best_key(query, keys, values):
    weights = softmax(keys @ query)
    return values[np.argmax(weights)], weights


@mistake(
    hint="Sum the products of weights and values to one number.",
    share="0.5",
    caught_by=("matches_reference",),
)
def products_not_summed(query, keys, values):
    weights = softmax(keys @ query)
    return weights * values, weights


@mistake(
    hint="The output is one number; yours is an array that holds it.",
    share="0.8",
    caught_by=("matches_reference",),
)
def output_in_an_array(query, keys, values):
    weights = softmax(keys @ query)
    return np.array([weights @ values]), weights


@mistake(
    hint="The weights have shape (n,); yours have an axis too many.",
    share="0.7",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def weights_in_a_row(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values, weights[None, :]


@mistake(
    hint="The weights have shape (n,); yours stand in a column.",
    share="0.7",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def weights_in_a_column(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values, weights[:, None]


@mistake(
    hint="Return the output first, then the weights.",
    share="0.7",
    caught_by=("matches_reference", "rows_sum_to_one"),
)
def results_swapped(query, keys, values):
    weights = softmax(keys @ query)
    return weights, weights @ values


@mistake(
    hint="Return two results: output and weights.",
    share="0.5",
    caught_by=("matches_reference",),
)
def output_only(query, keys, values):
    return softmax(keys @ query) @ values


@mistake(
    hint="Return two results: output and weights.",
    share="0.4",
    caught_by=("matches_reference",),
)
def weights_only(query, keys, values):
    return softmax(keys @ query)


@mistake(
    hint="Return the weights, not the scores they come from.",
    share="0.6",
    caught_by=("rows_sum_to_one", "matches_reference"),
)
def scores_returned(query, keys, values):
    scores = keys @ query
    return softmax(scores) @ values, scores


# -- mistakes: the arguments -----------------------------------------------------------------------


@mistake(
    hint="Your function changes the keys it was given; work on a new array.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def keys_changed_in_place(query, keys, values):
    keys *= query
    weights = softmax(keys.sum(axis=1))
    return weights @ values, weights


# -- mistakes: nothing computed --------------------------------------------------------------------


@mistake(hint="Nothing is looked up.", share="0", caught_by=("matches_reference",))
def returns_zeros(query, keys, values):
    return 0.0, np.zeros(len(keys))


@mistake(
    hint="Every entry gets the same weight; the query plays no part.",
    share="0",
    caught_by=("longer_query_is_sharper", "matches_reference"),
)
def returns_uniform(query, keys, values):
    return np.mean(values), np.full(len(keys), 1 / len(keys))


@mistake(
    hint="You return what you were given; look the query up.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(query, keys, values):
    return query, values


# -- right answers -------------------------------------------------------------------------------


@right_answer
def textbook(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values, weights


@right_answer
def written_out(query, keys, values):
    scores = keys @ query
    e = np.exp(scores - np.max(scores))
    weights = e / np.sum(e)
    return np.sum(weights * values), weights


@right_answer
def loops_and_math(query, keys, values):
    scores = [sum(k * q for k, q in zip(key, query)) for key in keys]
    largest = max(scores)
    powers = [math.exp(s - largest) for s in scores]
    total = math.fsum(powers)
    weights = [power / total for power in powers]
    return math.fsum(w * v for w, v in zip(weights, values)), weights


@right_answer
def einsum_everywhere(query, keys, values):
    scores = np.einsum("nd,d->n", keys, query)
    weights = np.exp(scores - np.logaddexp.reduce(scores))
    return np.einsum("n,n->", weights, values), weights


@right_answer
def query_on_the_left(query, keys, values):
    scores = query @ keys.T
    p = np.exp(scores - scores.max())
    p /= p.sum()
    return p.dot(values), p


@right_answer
def a_list_of_two(query, keys, values):
    weights = softmax(np.inner(keys, query))
    return [np.inner(weights, values), weights]


Lookup = namedtuple("Lookup", ["output", "weights"])


@right_answer
def named_tuple(query, keys, values):
    weights = softmax((keys * query).sum(axis=1))
    return Lookup(output=float(weights @ values), weights=weights)


@right_answer
def output_as_zero_dimensional_array(query, keys, values):
    weights = softmax(np.matmul(keys, query[:, None])[:, 0])
    return np.array(np.vdot(weights, values)), weights


@right_answer
def numpy_average(query, keys, values):
    scores = np.apply_along_axis(lambda key: key @ query, 1, keys)
    weights = softmax(scores)
    return np.average(values, weights=weights), weights


@right_answer
def single_precision_work(query, keys, values):
    scores = keys.astype(np.float32) @ query.astype(np.float32)
    weights = softmax(scores)
    return np.float32(weights @ values.astype(np.float32)), weights


@right_answer
def one_entry_at_a_time(query, keys, values):
    best, total, mixed, scores = -np.inf, 0.0, 0.0, []
    for key, value in zip(keys, values):
        score = float(np.dot(key, query))
        scores.append(score)
        larger = max(best, score)
        kept, new = np.exp(best - larger), np.exp(score - larger)
        total, mixed, best = total * kept + new, mixed * kept + new * value, larger
    return mixed / total, [np.exp(score - best) / total for score in scores]


@right_answer
def ratios_of_exponentials(query, keys, values):
    scores = keys @ query
    with np.errstate(over="ignore"):
        weights = 1 / np.exp(scores[None, :] - scores[:, None]).sum(axis=1)
    return weights @ values, weights


@right_answer
def tensordot(query, keys, values):
    scores = np.tensordot(keys, query, axes=1)
    weights = softmax(scores - scores.mean(), axis=0)
    return np.tensordot(weights, values, axes=1), weights


@right_answer
def scipy_softmax(query, keys, values):
    from scipy import special

    weights = special.softmax(keys @ query)
    return weights @ values, weights


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
