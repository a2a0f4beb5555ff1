"""Every public helper of the comparison is shown accepting and rejecting, and never raising.

The helpers come from the module: one without an entry below fails the suite.
"""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import comparison as c
from autograder.exercise import Disagreement, Disagrees, Echo
from tests.meta.answers import (
    HARMLESS,
    SPOILT_FORMS,
    SPOILT_PAIRS,
    SPOILT_VALUES,
    anything,
    arrays,
    crossed,
)

ROW = np.array([[0.25, 0.75, 0.0], [0.5, 0.125, np.nan]])
FINITE = np.nan_to_num(ROW, nan=0.375)
PAIR = (np.array([[1.0, -2.0, 3.0, 0.5], [4.0, 0.5, 2.0, -1.0]]), FINITE)

JUDGES = {
    "agree": (ROW, lambda got: c.agree(got, ROW)),
    "agree_averages": (ROW, lambda got: c.agree_averages(got, ROW)),
    "agree_data": (ROW, lambda got: c.agree_data(got, ROW)),
    "agree_pairs": (PAIR, lambda got: c.agree_pairs(got, PAIR)),
    "equal": (ROW, lambda got: c.equal(got, ROW)),
    "identical": (FINITE, lambda got: c.identical(got, FINITE, message="changed.")),
    "within": (FINITE, lambda got: c.within(got, FINITE - 0.1, FINITE + 0.1)),
    "differ": (FINITE, lambda got: c.differ(got, FINITE + 1, message="the same.")),
    "shapes_agree": (ROW, lambda got: c.shapes_agree(got, ROW.shape, name="p")),
    "same": (ROW, lambda got: None if c.same(got, crossed(ROW)) else "another"),
    "as_array": (ROW, lambda got: raised(c.as_array, got)),
    "as_real": (ROW, lambda got: raised(c.as_real, got)),
    "pair": (PAIR, lambda got: raised(c.pair, got)),
}
"""By name: an answer that is right, and the helper asked about an answer; None is acceptance."""

WRITERS = {"number", "show", "fail"}  # they judge nothing: tests/test_comparison.py

VALUES = {*SPOILT_VALUES}
REAL = VALUES - {"two imaginary parts"}
ANY_SHAPE = {"an axis more", "a row more"}
NOT_JUDGED = {
    "differ": VALUES - {"all nan"},  # a control: whatever differs is right
    "within": {"an axis more"},  # one row of bounds may serve many rows
    "shapes_agree": VALUES,
    "as_array": VALUES | ANY_SHAPE,
    "as_real": REAL | ANY_SHAPE,
    "pair": VALUES | ANY_SHAPE | {"results swapped"},
}
NOT_HARMLESS = {
    "identical": {"float32", "complex"},  # asks for the same dtype
    "same": {"echo"},  # the answer to another kind of call
}


def raised(convert, got):
    try:
        convert(got)
    except Disagrees as verdict:
        return verdict.disagreement
    return None


def judged(name, change):
    right, judge = JUDGES[name]
    answer = crossed(change(right))
    if name == "shapes_agree":  # it is given arrays alone
        answer = c.as_array(answer)
    return judge(answer)


def public_functions():
    return {
        name
        for name, found in vars(c).items()
        if inspect.isfunction(found) and found.__module__ == c.__name__ and not name.startswith("_")
    }


def test_every_public_function_is_a_judge_shown_here_or_writes_text():
    assert public_functions() == {*JUDGES} | WRITERS


@pytest.mark.parametrize("name", JUDGES)
def test_a_right_answer_is_accepted_in_every_harmless_disguise(name):
    rejected = {how for how, change in HARMLESS.items() if judged(name, change) is not None}
    assert rejected == NOT_HARMLESS.get(name, set())


@pytest.mark.parametrize("name", JUDGES)
def test_a_spoilt_answer_is_rejected(name):
    changes = SPOILT_VALUES | SPOILT_FORMS
    if name in ("agree_pairs", "pair"):
        changes = changes | SPOILT_PAIRS
    if name == "shapes_agree":
        changes = SPOILT_VALUES | {how: SPOILT_FORMS[how] for how in ANY_SHAPE}
    let_pass = {how for how, change in changes.items() if judged(name, change) is None}
    assert let_pass == NOT_JUDGED.get(name, set())


@pytest.mark.parametrize("name", ["agree", "agree_averages", "agree_data", "equal", "same"])
def test_nan_agrees_with_nan_alone(name):
    _, judge = JUDGES[name]
    assert judge(np.array(ROW)) is None
    assert judge(np.nan_to_num(ROW)) is not None
    assert judge(np.where(np.isnan(ROW), np.inf, ROW)) is not None


def test_averages_agree_within_the_largest_number_of_the_row_and_not_beyond():
    right = np.array([[0.0, 1000.0]])
    assert c.agree_averages(right + 9e-3 * np.eye(1, 2), right) is None
    assert c.agree_averages(right + 2e-2 * np.eye(1, 2), right) is not None


def test_a_control_takes_neither_nan_nor_infinity_nor_rounding_for_a_difference():
    for nothing in (np.full((2, 3), np.nan), np.full((2, 3), np.inf), FINITE, FINITE + 1e-7):
        assert c.differ(nothing, FINITE, message="the same.").message == "the same."
    assert c.differ(FINITE + 0.1, FINITE, message="the same.") is None
    assert c.differ(None, FINITE, message="the same.") is not None
    assert "shape" in c.differ(FINITE[:1], FINITE, message="the same.").message


def test_bounds_that_do_not_fit_the_answer_are_a_disagreement():
    assert c.within(np.zeros((2, 3)), np.zeros(3), np.ones(3)) is None
    assert "shape (2, 4)" in c.within(np.zeros((2, 4)), np.zeros(3), np.ones(3)).message


def test_numbers_count_as_real_where_their_imaginary_part_is_rounding():
    real = c.as_real(np.array([1 + 1e-9j, complex(np.nan, 1.0), complex(2.0, np.nan)]))
    np.testing.assert_array_equal(real, [1.0, np.nan, np.nan])
    for imaginary in (1e-3, -np.inf):
        with pytest.raises(Disagrees, match="holds complex numbers"):
            c.as_real(np.array([complex(1.0, imaginary)]))


def test_echoes_are_the_same_where_result_and_every_argument_are():
    one = Echo(ROW, (1, ROW), {"mask": np.array([True])})
    assert c.same(one, Echo(ROW.tolist(), (1.0, ROW.copy()), {"mask": np.array([True])}))
    for other in (
        Echo(FINITE, one.args, one.kwargs),
        Echo(ROW, (2, ROW), one.kwargs),
        Echo(ROW, one.args, {"mask": np.array([False])}),
        Echo(ROW, one.args, {}),
        ROW,
    ):
        assert not c.same(one, other)


# -- whatever comes back ---------------------------------------------------------------------------

often = settings(deadline=None, derandomize=True, max_examples=100, database=None)


@pytest.mark.parametrize("name", sorted({*JUDGES} - {"same", "shapes_agree"}))
def test_a_judge_gives_a_verdict_on_anything_and_never_raises(name):
    _, judge = JUDGES[name]

    @often
    @given(got=anything)
    def is_judged(got):
        with np.errstate(all="ignore"):
            verdict = judge(got)
        assert verdict is None or isinstance(verdict, Disagreement)
        if verdict is not None:
            assert verdict.message.endswith(".")
            assert len(verdict.message) < 400

    is_judged()


DATA = {"text": "abc", 1: [None, "b", (1.0, 2.0)], None: {"inner": ROW}, 0.5: ""}


@often
@given(got=anything, part=st.sampled_from(list(DATA)))
def test_plain_data_is_judged_whatever_its_parts_are(got, part):
    for answer in (got, DATA | {part: got}, [got], {"text": got}):
        with np.errstate(all="ignore"):
            verdict = c.agree_data(answer, DATA)
        assert (verdict is None) == c.same(answer, DATA)
        assert verdict is None or (verdict.message.endswith(".") and len(verdict.message) < 400)
    assert c.agree_data(DATA, DATA) is None


@often
@given(one=anything, other=anything)
def test_sameness_of_anything_is_told_and_every_answer_is_the_same_as_itself(one, other):
    assert c.same(one, other) in (True, False)
    assert c.same(one, one)


@often
@given(value=anything)
def test_anything_is_shown_in_a_few_characters(value):
    assert len(c.show(value)) < 200


@often
@given(got=arrays, expected=arrays, bounds=st.tuples(st.floats(), st.floats()))
def test_any_two_arrays_are_compared(got, expected, bounds):
    with np.errstate(all="ignore"):
        for judge in (c.agree, c.agree_averages, c.equal):
            verdict = judge(got, expected)
            assert (verdict is None) <= (got.shape == expected.shape)
            assert judge(got, got) is None
        c.differ(got, expected, message="the same.")
        c.within(got, *bounds)
