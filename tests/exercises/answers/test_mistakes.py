"""Every known mistake is a mistake: it differs from the reference, and where it is said to."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from answer_inputs import (
    MISTAKES,
    MODULES,
    Inputs,
    disagreement,
    label,
    ordinary_inputs,
    outcome,
    projections,
)

from autograder.exercise import Mistake

INF = np.inf
TRIANGLE = np.tri(4, dtype=bool)


def softmax_of(*rows: list[float], **kwargs: Any) -> Callable[[], Inputs]:
    return lambda: Inputs((np.array(rows),), kwargs)


def attention(mask: Any = None, *, scale: bool = True, times: float = 1.0) -> Callable[[], Inputs]:
    """Four tokens; d = 2, d_k = 3, d_v = 5."""

    def inputs() -> Inputs:
        rng = np.random.default_rng(7)
        shapes = ((4, 2), (2, 3), (2, 3), (2, 5))
        X, W_Q, W_K, W_V = (rng.standard_normal(shape) for shape in shapes)
        return Inputs((times * X, W_Q, W_K, W_V), {"mask": mask, "scale": scale})

    return inputs


def look_up(score: float) -> Callable[[], Inputs]:
    """Three entries with scores about that one."""
    keys = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, -1.0]])
    return lambda: Inputs((np.array([score, 1.0]), keys.copy(), np.array([1.0, 2.0, 4.0])))


def huge_blocked_key() -> Inputs:
    """Token 2 has a score of about 2e4 for everybody, and only token 2 may see it."""
    X = np.array([[1.0, 0.0], [0.5, 0.0], [1.0, 1.0]])
    W_Q, W_K = np.eye(2), np.array([[1.0, 0.0], [3e4, 0.0]])
    return Inputs((X, W_Q, W_K, np.eye(2)[:, :1]), {"mask": np.tri(3, dtype=bool)})


def huge_scores_of(exercise: str) -> Callable[[], Inputs]:
    """An ordinary call with scores of order 1e5."""

    def inputs() -> Inputs:
        *_, last = islice(ordinary_inputs(exercise), 4)  # the one with chunks and a window of 3
        return Inputs((1e3 * last.args[0], 1e3 * last.args[1], *last.args[2:]))

    return inputs


def one_row_blocked() -> Any:
    mask = TRIANGLE.copy()
    mask[2] = False
    return mask


def batched(mask: Any = None, *, times: float = 1.0, B: int = 2) -> Callable[[], Inputs]:
    """Four queries and keys; d_k = 3, d_v = 5."""

    def inputs() -> Inputs:
        rng = np.random.default_rng(7)
        query, key, value = (rng.standard_normal((B, 4, width)) for width in (3, 3, 5))
        return Inputs((times * query, key, value), {"mask": mask})

    return inputs


def huge_scores(*scores: float) -> Callable[[], Inputs]:
    """One query and keys with these scores, the last one blocked."""
    key = np.array(scores)[None, :, None]
    mask = np.eye(1, len(scores), k=len(scores) - 1)
    return lambda: Inputs((np.ones((1, 1, 1)), key, np.ones((1, len(scores), 2))), {"mask": mask})


BLOCKED_SLICE = softmax_of([0.0, 1.0], [-INF, -INF])
BLOCKED_ROW = attention(one_row_blocked())
CAUSAL = attention(TRIANGLE)

# Mistakes that an ordinary input does not show -> an input that does.
DEDICATED: dict[tuple[str, str], Callable[[], Inputs]] = {
    ("softmax", "default_axis_is_zero"): softmax_of([0.0, 1.0], [2.0, 3.5]),
    ("softmax", "no_max_shift"): softmax_of([1e4, 0.0]),
    ("softmax", "one_maximum_for_the_array"): softmax_of([1e4, 0.0], [0.0, 1.0]),
    ("softmax", "clips_instead_of_shifting"): softmax_of([1e4, 1e4 - 1]),
    ("softmax", "nan_slice_becomes_zeros"): BLOCKED_SLICE,
    ("softmax", "nan_slice_becomes_uniform"): BLOCKED_SLICE,
    ("softmax", "raises_on_blocked_slice"): BLOCKED_SLICE,
    ("softmax", "minus_infinity_taken_as_zero"): softmax_of([-INF, 0.0]),
    ("softmax", "shifts_by_the_first_score"): softmax_of([-INF, 0.0]),
    ("softmax", "shifts_by_the_median"): softmax_of([-INF, -INF, 0.0]),
    ("softmax", "shifts_by_the_mean"): softmax_of([-INF, 0.0]),
    ("softmax", "shifts_by_the_minimum"): softmax_of([-INF, 0.0]),
    ("softmax", "shifts_by_the_largest_size"): softmax_of([-1000.0, -999.0]),
    ("softmax", "blocked_scores_raise_the_maximum"): softmax_of([-INF, -1e4]),
    ("softmax", "no_axis_argument"): softmax_of([0.0, 1.0], [2.0, 3.5], axis=0),
    ("self_attention_loop", "blocked_row_zeros"): BLOCKED_ROW,
    ("self_attention", "scale_flag_ignored"): attention(scale=False),
    ("self_attention", "no_scale_argument"): attention(scale=False),
    ("self_attention", "mask_inverted"): CAUSAL,
    ("self_attention", "blocked_score_minus_1e9"): BLOCKED_ROW,
    ("self_attention", "adds_minus_1e9"): BLOCKED_ROW,
    ("self_attention", "blocked_score_minus_ten"): CAUSAL,
    ("self_attention", "blocked_score_zero"): CAUSAL,
    ("self_attention", "mask_after_softmax"): CAUSAL,
    ("self_attention", "mask_transposed"): CAUSAL,
    ("self_attention", "mask_ignored"): CAUSAL,
    ("self_attention", "no_mask_argument"): CAUSAL,
    ("self_attention", "own_position_blocked"): CAUSAL,
    ("self_attention", "mask_added_to_scores"): CAUSAL,
    ("self_attention", "infinity_times_the_mask"): CAUSAL,
    ("self_attention", "maximum_before_mask"): huge_blocked_key,
    ("self_attention", "blocked_row_uniform"): BLOCKED_ROW,
    ("self_attention", "blocked_row_spoils_the_others"): BLOCKED_ROW,
    ("self_attention", "raises_on_blocked_row"): BLOCKED_ROW,
    ("self_attention", "unmasked_weights_returned"): CAUSAL,
    ("self_attention", "attention_without_shift"): attention(times=60.0),
    ("self_attention", "one_maximum_for_all_rows"): attention(times=60.0),
}
DEDICATED |= {
    ("soft_lookup", "no_max_shift"): look_up(1e4),
    ("soft_lookup", "clips_instead_of_shifting"): look_up(1e4),
    ("soft_lookup", "shifts_by_the_largest_size"): look_up(-1e4),
    ("attention_cost", "integers_of_32_bits"): lambda: Inputs((65536, 768)),
}
BLOCKING = 1.0 - TRIANGLE
DEDICATED |= {
    ("scaled_dot_product_attention", name): inputs
    for inputs, names in {
        batched(BLOCKING): [
            "blocked_and_visible_swapped",
            "zeros_lowered",
            "zeros_filled",
            "mask_subtracts_one",
            "mask_added_to_scores",
            "blocked_scores_raised",
            "batched_mask_without_effect",
            "no_mask_argument",
            "blocked_score_zero",
            "blocked_score_minus_ten",
            "mask_after_softmax",
            "blocked_weights_minus_1e9",
            "infinity_times_the_mask",
            "mask_transposed",
            "row_of_the_mask_for_each_sequence",
            "boolean_mask_alone_works",
            "asks_whether_the_mask_is_true",
            "mask_compared_with_none",
            "unmasked_weights_returned",
        ],
        batched(np.stack([BLOCKING, np.eye(4)])): [
            "first_mask_for_every_sequence",
            "mask_gets_another_axis",
            "mask_repeated_for_every_sequence",
            "own_causal_mask",
        ],
        batched(BLOCKING == 1): ["minus_sign_before_the_mask"],
        batched(times=1e4): [
            "batched_without_shift",
            "one_maximum_for_all_rows",
            "one_maximum_for_each_sequence",
        ],
        batched(B=1): ["axes_of_length_one_dropped"],
        huge_scores(0.0, 2e4): [
            "lowered_by_ten_thousand",
            "maximum_before_mask",
            "weights_renormalised_after_mask",
        ],
        huge_scores(-2e4, 0.0): ["blocked_score_minus_ten_thousand"],
        lambda: Inputs(tuple(np.ones((1, n, 2)) for n in (2, 3, 3)), {"mask": np.eye(2, 3)}): [
            "square_mask_alone_works"
        ],
    }.items()
    for name in names
}
for exercise, hidden in (
    ("chunked_attention", "without_shift one_maximum_for_the_chunk"),
    ("cross_attention", "without_shift one_maximum_for_all_rows"),
    (
        "local_attention",
        "without_shift band_after_softmax_then_normalised hidden_scores_lowered_by_a_thousand",
    ),
):
    DEDICATED |= {(exercise, name): huge_scores_of(exercise) for name in hidden.split()}


def columns(Q: list[float], K: list[float], *others: Any) -> Callable[[], Inputs]:
    """Queries and keys of width 1, with the values 1, 2, ... of width 1."""
    values = np.arange(1.0, len(K) + 1)
    arrays = [np.array(numbers)[:, np.newaxis] for numbers in (Q, K, values)]
    return lambda: Inputs((*(array.copy() for array in arrays), *others))


DEDICATED |= {
    ("chunked_attention", "maximum_of_at_least_zero"): columns([100.0], [-100.0, -101.0], 1),
    ("local_attention", "hidden_score_minus_ten_thousand"): columns([200.0, 1], [-200.0, 1], 0),
    ("local_attention", "axes_of_one_dropped"): columns([1.0, 2], [1.0, 2], 1),
    ("linear_attention", "axes_of_one_dropped"): columns([1.0, 2], [1.0, 2]),
    ("linear_attention", "feature_of_zero_left_out"): columns([1.0], [0.0, 1]),
    ("linear_attention", "feature_of_zero_counted_twice"): columns([1.0], [0.0, 1]),
}
# What the loop has in common with the matrix form is shown by the same inputs.
DEDICATED |= {
    ("self_attention_loop", mistake.name): DEDICATED["self_attention", mistake.name]
    for exercise, mistake in MISTAKES
    if exercise == "self_attention_loop" and ("self_attention", mistake.name) in DEDICATED
}

# Mistakes whose results are right, but which change an argument -> an input, and which one.
CHANGES = {
    ("softmax", "shifts_the_callers_array"): softmax_of([0.0, 1.0]),
    ("soft_lookup", "keys_changed_in_place"): look_up(2.0),
    ("self_attention", "argument_changed_in_place"): CAUSAL,
    ("self_attention", "input_centred_in_place"): attention(),
    ("self_attention_loop", "argument_changed_in_place"): CAUSAL,
    ("self_attention_loop", "input_centred_in_place"): attention(),
    ("scaled_dot_product_attention", "mask_turned_into_scores_in_place"): batched(BLOCKING),
    ("scaled_dot_product_attention", "query_scaled_in_place"): batched(),
    ("scaled_dot_product_attention", "input_centred_in_place"): batched(),
    **{
        (exercise, name): (lambda exercise=exercise: next(iter(ordinary_inputs(exercise))))
        for exercise, name in [
            ("chunked_attention", "chunk_changed_in_place"),
            ("cross_attention", "argument_changed_in_place"),
            ("local_attention", "argument_changed_in_place"),
            ("linear_attention", "argument_changed_in_place"),
        ]
    },
}
RIGHT_RESULTS = {key for key in (*DEDICATED, *CHANGES) if key[1] != "input_centred_in_place"}
LAWS_ALONE = {
    "shifts_the_callers_array",
    "random_dropout",
    "argument_changed_in_place",
    "chunk_changed_in_place",
    "uses_a_notebook_global",
    "own_random_matrices",
    "keys_changed_in_place",
}


def mistake_named(exercise: str, name: str) -> Mistake:
    return next(m for of, m in MISTAKES if (of, m.name) == (exercise, name))


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=label)
def test_ordinary_inputs_show_the_mistake_unless_it_needs_its_own(
    exercise: str, mistake: Mistake
) -> None:
    shown = [
        disagreement(exercise, outcome(mistake.answer, inputs.fresh()), inputs)
        for inputs in ordinary_inputs(exercise)
    ]
    assert any(shown) == ((exercise, mistake.name) not in RIGHT_RESULTS)


@pytest.mark.parametrize(("exercise", "name"), DEDICATED)
def test_dedicated_input_shows_the_mistake(exercise: str, name: str) -> None:
    inputs = DEDICATED[exercise, name]()
    got = outcome(mistake_named(exercise, name).answer, inputs.fresh())
    assert disagreement(exercise, got, inputs)


@pytest.mark.parametrize(("exercise", "name"), CHANGES)
def test_mutating_mistake_changes_an_argument_and_raises_on_read_only_ones(
    exercise: str, name: str
) -> None:
    kept, given = CHANGES[exercise, name]().fresh(), CHANGES[exercise, name]().fresh()
    answer = mistake_named(exercise, name).answer
    outcome(answer, given)
    arrays = [
        (before, after)
        for before, after in zip(
            (*kept.args, *kept.kwargs.values()), (*given.args, *given.kwargs.values()), strict=True
        )
        if isinstance(before, np.ndarray)
    ]
    assert any(not np.array_equal(before, after) for before, after in arrays)
    for before, _ in arrays:
        before.setflags(write=False)
    assert isinstance(outcome(answer, kept), ValueError)


@pytest.mark.parametrize("name", ["random_dropout", "own_random_matrices"])
@pytest.mark.parametrize("exercise", ["self_attention_loop", "self_attention"])
def test_random_mistake_differs_between_two_calls(exercise: str, name: str) -> None:
    answer = mistake_named(exercise, name).answer
    first, second = (outcome(answer, Inputs(projections(np.random.default_rng(8)))) for _ in "12")
    assert not np.array_equal(first[1], second[1])


def test_exactly_those_whose_answers_tell_nothing_are_recognised_by_laws() -> None:
    assert {m.name for _, m in MISTAKES if m.recognised_by == "laws"} == LAWS_ALONE


def test_answers_that_compute_nothing_are_worth_nothing() -> None:
    worthless = {(exercise, m.name) for exercise, m in MISTAKES if m.share == 0}
    for exercise in MODULES:
        assert {(exercise, "returns_zeros"), (exercise, "returns_its_input")} <= worthless
    assert worthless == {
        (exercise, m.name)
        for exercise, m in MISTAKES
        if m.name.startswith("returns_") and m.name != "returns_logarithms"
    } | {
        ("self_attention", "uniform_average"),
        ("scaled_dot_product_attention", "uniform_average"),
        ("causal_mask", "everything_allowed"),
        ("causal_mask", "everything_allowed"),
        ("local_attention", "infinity_times_the_band"),  # nan everywhere
    }


@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        ("softmax", "no_axis_argument"),
        ("self_attention_loop", "no_mask_argument"),
        ("self_attention", "no_mask_argument"),
        ("self_attention", "no_scale_argument"),
        ("scaled_dot_product_attention", "no_mask_argument"),
    ],
)
def test_form_without_an_optional_argument_refuses_it(exercise: str, name: str) -> None:
    argument = name.split("_")[1]
    inputs = DEDICATED[exercise, name]()
    got = outcome(mistake_named(exercise, name).answer, inputs)
    assert isinstance(got, TypeError)
    assert argument in str(got)
