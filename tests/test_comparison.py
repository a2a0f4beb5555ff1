"""Every comparison accepts what is right and rejects what is wrong, and says which entry."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from autograder import comparison as c
from autograder.exercise import (
    Arranged,
    AxesSnapshot,
    Case,
    Disagrees,
    Echo,
    Handle,
    Opaque,
    ShownImage,
)
from autograder.exercises import load_exercises
from tests.exercises.driver import broken_laws, judged, ordinary_cases

ROW = np.array([[0.25, 0.75], [0.5, 0.5]])
AXES = AxesSnapshot((ShownImage(ROW, ("a", "b"), ("a", "")),), "Key", "Query")
EXERCISES = load_exercises()


# -- agree -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (ROW + 9e-6, ROW),
        (ROW.tolist(), ROW),
        (ROW.astype(np.float32), ROW),
        (np.array([1, 0]), [True, False]),
        (np.array(2.0), 2),
        ([np.nan, np.inf], np.array([np.nan, np.inf])),
        (1e4 + 0.9, 1e4),
        (np.zeros((0, 3)), np.ones((0, 3))),
        (Echo(ROW, (), {}), ROW),
    ],
)
def test_agree_accepts_the_same_values_within_the_tolerance(got, expected):
    assert c.agree(got, expected) is None


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        (ROW + 2e-4, ROW, r"^p\[0, 0\] is 0.2502, but should be 0.25\.$"),
        (ROW[:, :1], ROW[0, 0], r"^p has shape \(2, 1\), but should be \(\)\.$"),
        (ROW[None], ROW, r"^p has shape \(1, 2, 2\), but should be \(2, 2\)\.$"),
        ([np.nan, 1.0], [1.0, 1.0], r"^p\[0\] is nan, but should be 1\.0\.$"),
        ([0.0], [np.nan], r"^p\[0\] is 0\.0, but should be nan\.$"),
        ([np.inf], [-np.inf], r"^p\[0\] is inf, but should be -inf\.$"),
        ([9.0, np.nan], [1.0, 1.0], r"^p\[1\] is nan"),
        (np.array([1 + 1j]), np.array([1.0]), r"^p\[0\] is \(1\+1j\), but should be 1\.0"),
        (None, ROW, r"^p is None, but should be an array of numbers\.$"),
        ("0.25", ROW, r"^p is '0.25', but should be an array of numbers\.$"),
        (Opaque("Tensor"), ROW, r"^p is an object of type Tensor, but"),
        (Handle(0), ROW, r"^p is an object, but"),
        (AXES, ROW, r"^p is a Matplotlib Axes, but"),
        (replace(AXES, held_by="Figure"), ROW, r"^p is an object of type Figure, but"),
        ([[1.0], [1.0, 2.0]], ROW, r"^p is a list of 2 that does not form an array"),
        (np.array(["a", "b"]), ROW, r"^p is an array of type <U1 that does not form"),
        ({"a": 1}, ROW, r"^p is a dict of 1 that does not form"),
        pytest.param(
            10**5000, 1, r"^p is an integer of over 20 digits that does not form", id="huge"
        ),
    ],
)
def test_agree_names_what_differs_and_the_entry(got, expected, message):
    disagreement = c.agree(got, expected, name="p")
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(disagreement.message)


def test_the_tolerance_that_decided_is_told():
    assert c.agree([1.0], [2.0]).tolerance == "rtol 0.0001, atol 1e-05"
    assert c.equal([1.0], [2.0]).tolerance == "exact"


def test_numbers_that_print_alike_are_shown_with_all_digits():
    assert c.equal([1 / 3 + 1e-15], [1 / 3]).got != c.equal([1 / 3 + 1e-15], [1 / 3]).expected


@settings(deadline=None, derandomize=True)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.floats(0, 4))
def test_agree_draws_the_line_at_atol_plus_rtol_times_the_expected_size(value, excess):
    allowed = c.T.atol + c.T.rtol * abs(value)
    close = c.agree(value + excess * allowed, value) is None
    assert close == (abs((value + excess * allowed) - value) <= allowed)


# -- the other comparisons -------------------------------------------------------------------------


def test_averages_are_compared_relative_to_the_largest_number_of_their_row():
    right = np.array([[1e-3, 100.0], [1e-3, 1.0]])
    off = np.array([[5e-4, 0.0], [0.0, 0.0]])
    assert c.agree_averages(right + off, right) is None
    assert c.agree(right + off, right) is not None
    assert c.agree_averages(right + off[::-1], right).where == "[1, 0]"
    assert c.agree_averages(np.zeros((0, 2)), np.zeros((0, 2))) is None


def test_pairs_agree_where_both_results_do_and_the_weights_are_judged_first():
    output = np.ones((2, 3))
    assert c.agree_pairs([output.tolist(), ROW], (output, ROW)) is None
    assert c.agree_pairs((output + 1, ROW + 1), (output, ROW), of="for n = 2, ").message == (
        "for n = 2, weights[0, 0] is 1.25, but should be 0.25."
    )
    assert c.agree_pairs((output + 1, ROW), (output, ROW)).message.startswith("output[0, 0]")


@pytest.mark.parametrize("wrong", [ROW, None, (ROW,), (ROW, ROW, ROW), Opaque("Pair"), "ab", 3.0])
def test_what_is_no_pair_is_told_so(wrong):
    assert "should be a pair: output, weights." in c.agree_pairs(wrong, (ROW, ROW)).message
    with pytest.raises(Disagrees):
        c.pair(wrong)


def test_a_pair_of_which_one_is_no_array_is_told_which():
    assert c.agree_pairs((ROW, None), (ROW, ROW)).message.startswith("the weights is None")


def test_equal_accepts_no_rounding_but_signed_zero_and_nan():
    assert c.equal([0.0, np.nan, True], [-0.0, np.nan, 1]) is None
    assert c.equal([1e-300], [0.0]) is not None


def test_identical_asks_for_the_same_bits_dtype_and_shape():
    assert c.identical(ROW, ROW.copy(), message="m") is None
    for other in (ROW + 1e-16, ROW.astype(np.float32), ROW[None], -np.zeros((2, 2))):
        assert c.identical(other, np.zeros((2, 2)), message="changed").message == "changed"
    assert c.identical(None, ROW, message="m").message.startswith("the result is None")


def test_within_accepts_the_bounds_and_rejects_nan_and_what_lies_outside():
    assert c.within([0.0, 1.0], 0, 1) is None
    assert c.within([1.01], 0, 1, slack=0.02) is None
    assert c.within([0.5, 1.01], 0, 1, name="p").message == (
        "p[1] is 1.01, but should lie between 0 and 1."
    )
    assert c.within([np.nan], 0, 1) is not None
    assert c.within(None, 0, 1).message.startswith("the result is None")


def test_a_control_asks_for_a_difference_beyond_rounding():
    assert c.differ(ROW, ROW + 0.1, message="m") is None
    assert c.differ(ROW, ROW + 1e-9, message="no effect").message == "no effect"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((ROW, 1), [ROW + 1e-9, True]),
        (AXES, AXES),
        (Echo(ROW, (1,), {}), Echo(ROW, (1.0,), {})),
        ({"a": ROW}, {"a": ROW}),
        (Opaque("x"), Opaque("x")),
        (None, None),
    ],
)
def test_same_recognises_equal_answers_of_any_kind(one, other):
    assert c.same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((ROW, 1), [ROW]),
        (ROW, ROW[None]),
        (Opaque("x"), Opaque("y")),
        (None, 0),
        ("nan", np.nan),
        (Echo(ROW, (1,), {}), Echo(ROW, (2,), {})),
    ],
)
def test_same_tells_different_answers_apart(one, other):
    assert not c.same(one, other)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1.0"),
        (np.float32(0.5), "0.5"),
        (1 / 3, "0.333333"),
        (np.nan, "nan"),
        (-np.inf, "-inf"),
        (True, "True"),
        (10**21, "an integer of over 20 digits"),
        (ROW, "[[0.25, 0.75], [0.5, 0.5]]"),
        (np.zeros(7), "an array of shape (7,)"),
        (np.array(2.0), "2.0"),
        ((1, 2), "a tuple of 2"),
        (Handle(1), "an object"),
    ],
)
def test_values_are_shown_as_a_student_would_type_them(value, text):
    assert c.show(value) == text


# -- six first drafts that failed right answers through --------------------------------------------


def judge(exercise, law, case, *answers):
    prop = EXERCISES[exercise].property_named(law)
    expected = prop.expected(case) if prop.expected else None
    return prop.judge(case, expected, answers)


def test_a_sum_that_misses_one_by_rounding_in_32_bits_is_one():
    z = np.random.default_rng(0).standard_normal((3, 5))
    p = reference.softmax(z.astype(np.float32)).astype(np.float64)
    assert np.abs(p.sum(axis=-1) - 1).max() > 1e-9
    assert judge("softmax", "rows_sum_to_one", Case(z=z), p) is None
    assert judge("softmax", "rows_sum_to_one", Case(z=z), p * 0.999) is not None


def test_a_weight_beside_minus_infinity_need_not_equal_one():
    case = Case(z=np.array([[0.0, -np.inf]]))
    almost = np.array([[1 - 1e-12, 0.0]])
    assert judge("softmax", "minus_infinity_gets_zero_weight", case, almost) is None
    leaking = np.array([[1 - 1e-12, 1e-12]])
    assert judge("softmax", "minus_infinity_gets_zero_weight", case, leaking) is not None


def arrays_sent(law, case):
    for step in law.calls(case):
        sent = [getattr(step, "value", None), *getattr(step, "args", ())]
        sent += getattr(step, "kwargs", {}).values()
        bare = (value.value if isinstance(value, Arranged) else value for value in sent)
        yield from (value for value in bare if isinstance(value, np.ndarray))


def test_integer_inputs_cost_no_points():
    for exercise in EXERCISES.values():
        for law in exercise.properties:
            for case in ordinary_cases(law, 0) if law.scored else ():
                assert {a.dtype for a in arrays_sent(law, case)} <= {
                    np.dtype(np.float64), np.dtype(np.bool_),
                }  # fmt: skip
    assert not EXERCISES["softmax"].property_named("integer_input").scored


def test_outputs_may_differ_by_more_than_1e_7():
    case = ordinary_cases(EXERCISES["self_attention"].property_named("matches_reference"), 0)[0]
    output, weights = reference.self_attention(*case.values())
    assert judge("self_attention", "matches_reference", case, (output + 5e-6, weights)) is None
    assert judge("self_attention", "matches_reference", case, (output + 5e-2, weights)) is not None


def test_an_average_may_leave_the_hull_by_rounding():
    case = ordinary_cases(EXERCISES["self_attention"].property_named("output_in_convex_hull"), 0)[0]
    _, weights = reference.self_attention(*case.values())
    V = case.X @ case.W_V
    peak, top = np.abs(V).max(), np.tile(V.max(axis=0), (len(V), 1))
    for excess, inside in ((1e-6, True), (1e-4, False)):
        answer = (top + excess * peak, weights)
        assert (judge("self_attention", "output_in_convex_hull", case, answer) is None) is inside


def test_a_saturated_softmax_need_not_change():
    law = EXERCISES["self_attention"].property_named("scale_defaults_to_true")
    saturated = Case(X=200 * np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2))
    assert judged(EXERCISES["self_attention"], law, reference.self_attention, saturated) is None
    soft = Case(**{**saturated, "X": np.eye(2)})

    def ignores_the_flag(X, W_Q, W_K, W_V, mask=None, scale=True):
        return reference.self_attention(X, W_Q, W_K, W_V, mask=mask)

    assert judged(EXERCISES["self_attention"], law, ignores_the_flag, soft) is not None


def test_work_in_32_bits_is_a_right_answer():
    def single(X, *matrices, **options):
        return reference.self_attention(*(np.float32(M) for M in (X, *matrices)), **options)

    def positional(X, W_Q, W_K, W_V, mask=None, scale=True):
        return single(X, W_Q, W_K, W_V, mask=mask, scale=scale)

    for seed in range(5):
        assert broken_laws(EXERCISES["self_attention"], positional, seed) == {}


def test_the_logarithm_of_a_sum_in_32_bits_keeps_its_points_far_from_zero():
    def single(z, axis=-1):
        z = np.asarray(z, dtype=np.float32)
        return np.exp(z - np.logaddexp.reduce(z, axis=axis, keepdims=True))

    def clipped(z, axis=-1):
        return reference.softmax(np.clip(z, -500, 500), axis=axis)

    for seed in range(3):
        assert broken_laws(EXERCISES["softmax"], single, seed) == {}
        assert {"survives_huge_scores", "survives_very_negative_scores"} <= {
            *broken_laws(EXERCISES["softmax"], clipped, seed)
        }


def test_a_complex_dtype_costs_no_points_unless_there_is_an_imaginary_part():
    def answer(imaginary):
        def weighted(X, W_Q, W_K, W_V, mask=None, scale=True):
            output, weights = reference.self_attention(X, W_Q, W_K, W_V, mask, scale)
            return output + 0j, weights + imaginary * 1j

        return weighted

    assert broken_laws(EXERCISES["self_attention"], answer(0), 0) == {}
    assert "rows_sum_to_one" in broken_laws(EXERCISES["self_attention"], answer(0.1), 0)


def test_a_message_about_a_million_empty_rows_is_short():
    got = c.agree(np.zeros((10**6, 0)), ROW)
    assert got.message == "the result has shape (1000000, 0), but should be (2, 2)."
    assert c.show(np.zeros((10**6, 0))) == "an array of shape (1000000, 0)"


# -- plain data ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("Grüße", "Grüße"),
        ("", ""),
        (None, None),
        (2.0, 2),
        (np.array(2), 2),
        ([1, 2], (1.0, 2.0)),
        (np.array([[1, 2]]), [[1.0, 2.0]]),
        (("a", "b"), ["a", "b"]),
        ([[1.0], [2.0, 3.0]], [[1], [2, 3]]),
        ([], []),
        (np.array([]), []),
        ({"b": 2, "a": 1.0000001}, {"a": 1, "b": 2}),
        ({1.0: ["x", {"y": None}]}, {1: ["x", {"y": None}]}),
        ([np.ones((2, 2)), [0, 1]], [np.ones((2, 2)).tolist(), np.array([0, 1])]),
        (Echo({"a": 1}, (), {}), {"a": 1}),
        ({}, {}),
    ],
)
def test_plain_data_agrees_part_by_part(got, expected):
    assert c.agree_data(got, expected) is None


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        ("abc", "abd", "the result is 'abc', but should be 'abd'."),
        ("ab", "abc", "the result is 'ab', but should be 'abc'."),
        (3, "3", "the result is 3, but should be the text '3'."),
        ("3", 3, "the result is '3', but should be an array of numbers."),
        (Opaque("set"), {}, "the result is an object of type set, but should be a dict of 0."),
        ({"a": 1}, {"a": 1, "b": 2}, "the result lacks the key 'b'."),
        ({"a": 1, 2: 3}, {"a": 1}, "the result has the key 2, but should not."),
        ({None: 1}, {}, "the result has the key None, but should not."),
        ({"a": [1, "x"]}, {"a": [1, "y"]}, "the result['a'][1] is 'x', but should be 'y'."),
        ({1: 2}, {1: 3}, "the result[1] is 2.0, but should be 3.0."),
        (["a"], ["a", "b"], "the result is a list of 1, but should be a list of 2."),
        ({"a": 1}, ["a"], "the result is a dict of 1, but should be a list of 1."),
        (0, None, "the result is 0, but should be None."),
        ([np.ones(2), "b"], [np.ones(3), "b"], "the result[0] has shape (2,), but should be (3,)."),
        ("\x1b[31m\u202e", "", "the result is '\\x1b[31m\\u202e', but should be ''."),
    ],
)
def test_the_first_part_of_plain_data_that_differs_is_told(got, expected, message):
    assert c.agree_data(got, expected).message == message


def test_of_a_long_text_the_part_around_the_first_difference_is_shown():
    right = "word " * 100
    wrong = right[:300] + "W" + right[301:]
    found = c.agree_data(wrong, right)
    assert found.where == "[300]"
    assert "'word word Word word word word word word '" in found.message
    assert found.message.count("...") == 4
    assert len(found.message) < 160
