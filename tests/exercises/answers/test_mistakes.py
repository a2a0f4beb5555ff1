"""Every known mistake is a mistake: it differs from the reference, and where it is said to."""

from __future__ import annotations

from collections.abc import Callable
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


def one_row_blocked() -> Any:
    mask = TRIANGLE.copy()
    mask[2] = False
    return mask


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
}
RIGHT_RESULTS = {key for key in (*DEDICATED, *CHANGES) if key[1] != "input_centred_in_place"}
LAWS_ALONE = {
    "shifts_the_callers_array",
    "random_dropout",
    "argument_changed_in_place",
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
    } | {("self_attention", "uniform_average"), ("causal_mask", "everything_allowed")}


@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        ("softmax", "no_axis_argument"),
        ("self_attention_loop", "no_mask_argument"),
        ("self_attention", "no_mask_argument"),
        ("self_attention", "no_scale_argument"),
    ],
)
def test_form_without_an_optional_argument_refuses_it(exercise: str, name: str) -> None:
    argument = name.split("_")[1]
    inputs = DEDICATED[exercise, name]()
    got = outcome(mistake_named(exercise, name).answer, inputs)
    assert isinstance(got, TypeError)
    assert argument in str(got)
