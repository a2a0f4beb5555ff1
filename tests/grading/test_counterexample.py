"""A failing case is source that builds the same case again, and the message says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from autograder.exercise import Arranged, Call, CallMethod, Case, Construct, Handle, SetAttribute
from autograder.grading import corpus
from autograder.grading.checker import Checker, every_law
from autograder.grading.counterexample import (
    counterexample,
    describe_exception,
    literal,
    message,
    paste,
    step_source,
)
from autograder.results import Raised, Status
from autograder.worker.plain import PlainRunner


@settings(deadline=None, derandomize=True)
@given(
    st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.bool_]).flatmap(
        lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    )
)
def test_an_array_is_written_so_that_numpy_builds_it_again(array):
    built = eval(literal(array), {"np": np})
    assert built.shape == array.shape
    assert np.array_equal(built, array, equal_nan=array.dtype.kind == "f")
    assert built.dtype == array.dtype


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.eye(2), "np.eye(2)"),
        (np.zeros((2, 3)), "np.zeros((2, 3))"),
        (np.ones((2, 2), bool), "np.ones((2, 2), dtype=bool)"),
        (np.tri(3, dtype=bool), "np.tri(3, dtype=bool)"),
        (1 - np.tri(3), "np.triu(np.ones((3, 3)), k=1)"),
        (np.array([[1000.0]]), "np.array([[1000.0]])"),
        (np.array([-np.inf, np.nan]), "np.array([-np.inf, np.nan])"),
        ((1,), "(1,)"),
        ([1.0, None], "[1.0, None]"),
        (True, "True"),
    ],
)
def test_familiar_arrays_are_written_in_one_word(value, text):
    assert literal(value) == text


def test_a_call_names_the_inputs_it_uses(exercise):
    case = Case(x=np.array([1.0]), axis=0)
    calls = (Call(case.x, axis=-1), Call(Arranged(case.x, "F")), Call(case.x, axis=-1))
    assert paste(exercise, case, calls) == (
        "x = np.array([1.0])\naxis = 0\ntwice(x, axis=-1)\ntwice(x)"
    )


def test_a_derived_argument_is_written_out(exercise):
    case = Case(x=np.array([1.0, 2.0]))
    assert step_source(exercise, case, Call(case.x + 1)) == "twice(np.array([2.0, 3.0]))"


def test_a_part_of_an_input_is_written_as_a_slice_of_it(exercise):
    x = np.arange(24.0).reshape(2, 3, 4)
    case = Case(n=2, y=x.copy(), x=x)
    steps = [Call(part) for part in (x[:, 1:], x[:], x[1:, :2, 3:])]
    assert paste(exercise, case, steps).splitlines()[-3:] == [
        "twice(x[:, 1:])",
        "twice(x)",
        "twice(x[1:, :2, 3:])",
    ]
    for other in (x[0], x[:, ::-1], x[:, :, ::2], x.T, x[:, 1:].copy(), x[:0], x.view(np.int64)):
        assert step_source(exercise, case, Call(other)).startswith("twice(np.")


@st.composite
def parts(draw):
    whole = np.arange(np.prod(shape := draw(array_shapes(max_dims=3, max_side=4)))).reshape(shape)
    cut = [sorted(draw(st.tuples(*[st.integers(0, size)] * 2))) for size in shape]
    return whole, whole[tuple(slice(*ends) for ends in cut)]


@settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # a frozen record
)
@given(parts())
def test_a_slice_that_is_written_gives_the_part(exercise, whole_and_part):
    whole, part = whole_and_part
    text = step_source(exercise, Case(x=whole), Call(part)).removeprefix("twice")
    assert np.array_equal(eval(text, {"np": np, "x": whole}), part)
    assert text.startswith("(x") == (part.size > 0)


def test_steps_on_an_object_are_written_as_source(exercise):
    case = Case(x=np.array([1.0]))
    steps = (
        Construct(2, heads=1, to="Maker"),
        SetAttribute(Handle(0), "W", case.x),
        CallMethod(Handle(0), "forward", case.x),
    )
    assert paste(exercise, case, steps).splitlines()[1:] == [
        "maker = Maker(2, heads=1)",
        "maker.W = x",
        "maker.forward(x)",
    ]


def test_several_objects_have_variables_of_their_own_and_three_calls_are_shown(exercise):
    case = Case(x=np.array([1.0]))
    steps = [
        step
        for made in (Handle(0), Handle(2), Handle(4), Handle(6))
        for step in (Construct(2, to="TwoHeads"), CallMethod(made, "forward", case.x))
    ]
    assert paste(exercise, case, steps).splitlines()[1:] == [
        "two_heads = TwoHeads(2)",
        "two_heads.forward(x)",
        "two_heads_2 = TwoHeads(2)",
        "two_heads_2.forward(x)",
        "two_heads_3 = TwoHeads(2)",
        "two_heads_3.forward(x)",
    ]


def test_a_long_argument_of_a_method_stands_on_a_line_of_its_own(exercise):
    case, other = Case(x=np.array([1.0])), np.linspace(0.1, 0.7, 12)
    steps = (Construct(2, to="Maker"), CallMethod(Handle(0), "forward", case.x, other))
    *_, written, call = paste(exercise, case, steps).splitlines()
    assert written.startswith("other_2 = np.array([0.1, ")
    assert call == "maker.forward(x, other_2)"


def failing(exercise, function):
    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": function}))
    return checker.shrink(checker.check(exercise)).laws[0]


def test_the_message_names_what_differs_the_tolerance_and_the_convention(exercise):
    text = message(exercise, failing(exercise, lambda x: 2 * x + 1))
    assert text == (
        "the result[0] is 1.0, but should be 0.0 (tolerance: rtol 0.0001, atol 1e-05). "
        "Every entry is doubled."
    )


def test_the_counterexample_fails_when_it_is_pasted(exercise):
    def wrong(x):
        return np.where(x > 0, 2 * x + 1, 2 * x)

    source = counterexample(exercise, failing(exercise, wrong))
    *setup, call = source.splitlines()
    names = {"np": np, "twice": wrong}
    exec("\n".join(setup), names)
    assert not np.allclose(eval(call, names), 2 * names["x"])


def test_an_exception_is_told_without_a_traceback(exercise):
    def raises(x):
        raise ValueError("not yet.")

    text = message(exercise, failing(exercise, raises))
    assert text.startswith("twice raised ValueError: not yet")
    assert "Traceback" not in text


def test_an_exception_names_cell_and_line():
    assert describe_exception(Raised("KeyError", "'a'", line=3, cell=4)) == (
        "KeyError: 'a' (cell 5, line 3)"
    )
    assert describe_exception(Raised("KeyError", "")) == "KeyError"


def test_a_fault_of_ours_is_owned_and_shows_no_case(exercise):
    outcome = every_law(exercise, Status.INTERNAL_ERROR, "details").laws[0]
    assert "fault of the grader" in message(exercise, outcome)
    assert counterexample(exercise, outcome) == ""


def test_a_law_that_holds_has_nothing_to_say(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)
    outcome = Checker(drawn, PlainRunner({"twice": lambda x: 2 * x})).check(exercise).laws[0]
    assert message(exercise, outcome) == counterexample(exercise, outcome) == ""
