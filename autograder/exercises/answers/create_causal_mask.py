"""Known answers to the exercise `create_causal_mask(seq_len)`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer

GATE = ("matches_reference",)


# -- mistakes ------------------------------------------------------------------------------------


@mistake(
    hint="The mask is the wrong way round: in this assignment 1 means blocked.",
    share="0.4",
    caught_by=GATE,
)
def visible_convention(seq_len):
    return np.tril(np.ones((seq_len, seq_len)))


@mistake(
    hint="A token may see itself: the diagonal is 0.",
    share="0.5",
    caught_by=GATE,
)
def own_position_marked(seq_len):
    return np.triu(np.ones((seq_len, seq_len)))


@mistake(
    hint="Return 0 and 1; the attention function turns 1 into a blocked score.",
    share="0.6",
    caught_by=GATE,
)
def additive_values(seq_len):
    return np.triu(np.full((seq_len, seq_len), -1e9), k=1)


@mistake(
    hint="Return 0 and 1; the attention function turns 1 into a blocked score.",
    share="0.6",
    caught_by=GATE,
)
def additive_infinities(seq_len):
    return np.where(np.tri(seq_len), 0.0, -np.inf)


@mistake(
    hint="-inf times 0 is nan: build the triangle of ones, and let the attention block by it.",
    share="0.4",
    caught_by=GATE,
)
def infinity_times_the_triangle(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=1) * -np.inf


@mistake(
    hint="Rows are queries: 1 belongs above the diagonal, where the future is, not below it.",
    share="0.3",
    caught_by=GATE,
)
def past_blocked(seq_len):
    return np.tril(np.ones((seq_len, seq_len)), k=-1)


@mistake(
    hint="The next token is the future too: 1 starts right above the diagonal.",
    share="0.5",
    caught_by=GATE,
)
def next_token_visible(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=2)


@mistake(
    hint="A token may see itself and all before it: 1 belongs strictly above the diagonal alone.",
    share="0.4",
    caught_by=GATE,
)
def last_token_before_marked(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=-1)


@mistake(
    hint="The shape is (n, n); the attention function repeats it for every sequence.",
    share="0.6",
    caught_by=GATE,
)
def leading_axis_added(seq_len):
    return np.triu(np.ones((1, seq_len, seq_len)), k=1)


@mistake(
    hint="The shape is (n, n), without axes for batch and heads.",
    share="0.6",
    caught_by=GATE,
)
def two_leading_axes_added(seq_len):
    return np.triu(np.ones((1, 1, seq_len, seq_len)), k=1)


@mistake(
    hint="The shape is (n, n), without a third axis.",
    share="0.6",
    caught_by=GATE,
)
def trailing_axis_added(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=1)[:, :, None]


@mistake(
    hint="The size is the argument, not the length of one sequence.",
    share="0.2",
    caught_by=GATE,
)
def size_written_in(seq_len):
    return np.triu(np.ones((5, 5)), k=1)


@mistake(
    hint="The mask has seq_len rows and columns; yours has one of each too many.",
    share="0.3",
    caught_by=GATE,
)
def one_token_too_many(seq_len):
    return np.triu(np.ones((seq_len + 1, seq_len + 1)), k=1)


@mistake(
    hint="The mask has seq_len rows and columns; yours has one of each too few.",
    share="0.3",
    caught_by=GATE,
)
def one_token_too_few(seq_len):
    return np.triu(np.ones((seq_len - 1, seq_len - 1)), k=1)


@mistake(
    hint="The first token comes first: row 0 sees token 0 alone.",
    share="0.3",
    caught_by=GATE,
)
def upside_down(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=1)[::-1]


@mistake(
    hint="The diagonal runs from the first to the last token.",
    share="0.3",
    caught_by=GATE,
)
def mirrored_triangle(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=1)[:, ::-1]


@mistake(
    hint="Return 0 and 1: a blocked pair is 1.",
    share="0.3",
    caught_by=GATE,
)
def minus_one_for_blocked(seq_len):
    return np.tri(seq_len) - 1


@mistake(
    hint="All later tokens are blocked, not the next one alone.",
    share="0.3",
    caught_by=GATE,
)
def next_token_alone_blocked(seq_len):
    return np.eye(seq_len, k=1)


@mistake(hint="Return the mask: your function returns nothing.", share="0", caught_by=GATE)
def returns_nothing(seq_len):
    mask = np.triu(np.ones((seq_len, seq_len)), k=1)
    mask.astype(int)


@mistake(hint="Nothing is blocked.", share="0", caught_by=GATE)
def returns_zeros(seq_len):
    return np.zeros((seq_len, seq_len))


@mistake(hint="Everything is blocked.", share="0", caught_by=GATE)
def returns_ones(seq_len):
    return np.ones((seq_len, seq_len))


@mistake(
    hint="A token sees all tokens before it too, not only itself.",
    share="0",
    caught_by=GATE,
)
def returns_all_but_itself(seq_len):
    return 1 - np.eye(seq_len)


@mistake(
    hint="You return the length itself; build a mask (n, n).",
    share="0",
    caught_by=GATE,
)
def returns_its_input(seq_len):
    return seq_len


# -- right answers -------------------------------------------------------------------------------


@right_answer
def strict_upper_triangle(seq_len):
    return np.triu(np.ones((seq_len, seq_len)), k=1)


@right_answer
def one_minus_lower_triangle(seq_len):
    return 1 - np.tril(np.ones((seq_len, seq_len)))


@right_answer
def whole_numbers(seq_len):
    return np.triu(np.ones((seq_len, seq_len), dtype=int), 1)


@right_answer
def negated_booleans(seq_len):
    return ~np.tri(seq_len, dtype=bool)


@right_answer
def comparison_of_ranges(seq_len):
    positions = np.arange(seq_len)
    return (positions[None, :] > positions[:, None]).astype(np.float64)


@right_answer
def nested_lists(seq_len):
    return [[1.0 if j > i else 0.0 for j in range(seq_len)] for i in range(seq_len)]


@right_answer
def filled_by_two_loops(seq_len):
    mask = np.zeros((seq_len, seq_len))
    for i in range(seq_len):
        for j in range(i + 1, seq_len):
            mask[i, j] = 1
    return mask


@right_answer
def filled_row_by_row(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=np.int8)
    for i in range(seq_len):
        mask[i, i + 1 :] = 1
    return mask


@right_answer
def index_pairs(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=np.float32)
    mask[np.triu_indices(seq_len, k=1)] = 1.0
    return mask


@right_answer
def transposed_lower_triangle(seq_len):
    return np.tri(seq_len, k=-1).T


@right_answer
def choice_between_one_and_zero(seq_len):
    return np.where(np.tril(np.ones((seq_len, seq_len))) == 0, 1, 0)


@right_answer
def outer_comparison(seq_len):
    return np.less.outer(np.arange(seq_len), np.arange(seq_len))


@right_answer
def running_sums_above_the_diagonal(seq_len):
    return np.cumsum(np.eye(seq_len, k=1), axis=1)


@right_answer
def matrix_type(seq_len):
    return np.asmatrix(np.triu(np.ones([seq_len] * 2, dtype="uint8"), k=1))


@right_answer
def tuples_of_booleans(n):
    return tuple(tuple(j > i for j in range(n)) for i in range(n))


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
