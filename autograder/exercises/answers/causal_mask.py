"""Known answers to the exercise `causal_mask(n)`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes ------------------------------------------------------------------------------------


@mistake(
    hint="Rows are queries: True belongs on and below the diagonal.",
    share="0.3",
    caught_by=("matches_reference",),
)
def upper_triangle(n):
    return np.triu(np.ones((n, n), dtype=bool))


@mistake(
    hint="Token i may see tokens up to i, not i + 1.",
    share="0.5",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def next_token_allowed(n):
    return np.tril(np.ones((n, n), dtype=bool), k=1)


@mistake(
    hint="A token may see itself: the diagonal is True.",
    share="0.5",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def own_position_blocked(n):
    return np.tril(np.ones((n, n), dtype=bool), k=-1)


@mistake(
    hint="In this assignment True means may attend.",
    share="0.4",
    caught_by=("matches_reference",),
)
def true_means_blocked(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)


@mistake(hint="Nothing is blocked.", share="0", caught_by=("matches_reference",))
def everything_allowed(n):
    return np.ones((n, n), dtype=bool)


@mistake(
    hint="The shape is (n, n).",
    share="0.6",
    caught_by=("nested_prefix", "matches_reference"),
)
def leading_axis_added(n):
    return np.tril(np.ones((1, n, n), dtype=bool))


@mistake(
    hint="The diagonal runs from the first to the last token.",
    share="0.3",
    caught_by=("nested_prefix", "matches_reference"),
)
def mirrored_triangle(n):
    return np.tril(np.ones((n, n), dtype=bool))[:, ::-1]


@mistake(
    hint="Return True and False; the attention function turns False into a score of -inf.",
    share="0.5",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def additive_scores(n):
    return np.triu(np.full((n, n), -np.inf), k=1)


@mistake(
    hint="The size is the argument n, not the length of one sentence.",
    share="0.2",
    caught_by=("matches_reference", "nested_prefix"),
)
def size_written_in(n):
    return np.tril(np.ones((4, 4), dtype=bool))


@mistake(
    hint="Return True and False; the attention function turns False into a score of -inf.",
    share="0.5",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def large_negative_scores(n):
    return np.where(np.tri(n, dtype=bool), 0.0, -1e9)


@mistake(
    hint="The shape is (n, n), without a third axis.",
    share="0.6",
    caught_by=("nested_prefix", "matches_reference"),
)
def trailing_axis_added(n):
    return np.tril(np.ones((n, n), dtype=bool))[:, :, None]


@mistake(
    hint="The shape is (n, n), without axes for batch and heads.",
    share="0.6",
    caught_by=("nested_prefix", "matches_reference"),
)
def two_leading_axes_added(n):
    return np.tril(np.ones((n, n), dtype=bool))[None, None]


@mistake(
    hint="The first token comes first: row 0 sees token 0 alone.",
    share="0.3",
    caught_by=("matches_reference",),
)
def upside_down(n):
    return np.tril(np.ones((n, n), dtype=bool))[::-1]


@mistake(
    hint="Return True and False, or 1 and 0: a visible pair is 1.",
    share="0.3",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def twos_for_true(n):
    return 2 * np.tri(n)


@mistake(
    hint="Return True and False, or 1 and 0: a visible pair is 1, a blocked one 0.",
    share="0.3",
    caught_by=("matches_reference", "counts_visible_pairs"),
)
def minus_one_for_blocked(n):
    return np.tri(n) - 1


@mistake(
    hint="The mask has n rows and n columns; yours has one of each too many.",
    share="0.3",
    caught_by=("matches_reference",),
)
def one_token_too_many(n):
    return np.tri(n + 1, dtype=bool)


@mistake(
    hint="The mask has n rows and n columns; yours has one of each too few.",
    share="0.3",
    caught_by=("matches_reference",),
)
def one_token_too_few(n):
    return np.tri(n - 1, dtype=bool)


@mistake(hint="Everything is blocked.", share="0", caught_by=("matches_reference",))
def returns_zeros(n):
    return np.zeros((n, n))


@mistake(
    hint="A mask says which tokens are visible; it holds no weights.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_uniform(n):
    return np.full((n, n), 1 / n)


@mistake(
    hint="A token sees all tokens before it too, not only itself.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_identity(n):
    return np.eye(n, dtype=bool)


@mistake(
    hint="You return n itself; build an (n, n) mask.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(n):
    return n


# -- right answers -------------------------------------------------------------------------------


@right_answer
def boolean_tri(n):
    return np.tri(n, dtype=bool)


@right_answer
def comparison_of_ranges(n):
    return np.arange(n)[:, None] >= np.arange(n)[None, :]


@right_answer
def negated_strict_upper_triangle(n):
    return ~np.triu(np.ones((n, n), dtype=bool), k=1)


@right_answer
def nested_lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


@right_answer
def float_triangle_cast(n):
    return np.tril(np.ones((n, n))).astype(bool)


@right_answer
def float_mask(n):
    return np.tril(np.ones((n, n)))


@right_answer
def integer_mask(n):
    return np.tri(n, dtype=int)


@right_answer
def filled_row_by_row(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, : i + 1] = True
    return mask


@right_answer
def index_pairs(n):
    mask = np.zeros((n, n), dtype=bool)
    mask[np.tril_indices(n)] = True
    return mask


@right_answer
def from_function(n):
    return np.fromfunction(lambda i, j: i >= j, (n, n))


@right_answer
def outer_comparison(n):
    return np.greater_equal.outer(np.arange(n), np.arange(n))


@right_answer
def running_maximum_of_identity(n):
    return np.maximum.accumulate(np.eye(n, dtype=bool), axis=0)


@right_answer
def running_sums_of_identity(n):
    return np.cumsum(np.eye(n), axis=0)


@right_answer
def grown_by_recursion(n):
    def grown(size):
        if size == 1:
            return np.array([[True]])
        blocked = np.zeros((size - 1, 1), dtype=bool)
        return np.block([[grown(size - 1), blocked], [np.ones((1, size), dtype=bool)]])

    return grown(n)


@right_answer
def index_grids(n):
    i, j = np.indices((n, n))
    return np.asfortranarray(j <= i)


@right_answer
def tuples_of_numbers(n):
    return tuple(tuple(int(j <= i) for j in range(n)) for i in range(n))


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
