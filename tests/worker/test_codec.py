"""Records of a course become messages and come back the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.exercise import (
    Arranged,
    AxesSnapshot,
    Call,
    CallMethod,
    Construct,
    Echo,
    Handle,
    Opaque,
    SetAttribute,
    ShownImage,
    Step,
)
from autograder.results import Raised, Returned
from autograder.worker import wire
from autograder.worker.codec import decode_outcome, decode_value, encode_case, encode_value

ARRAYS = st.sampled_from(list(wire.DTYPES.values())).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
KEYS = PLAIN.filter(lambda key: key == key)  # nan is found under no key
VALUES = st.recursive(
    PLAIN | ARRAYS | st.complex_numbers() | st.builds(Handle, st.integers(0, 63)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=6,
)


def same(a: Any, b: Any) -> bool:
    """Equal in type and value; nan equals nan."""
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and repr(a) == repr(b)


@settings(deadline=None, derandomize=True)
@given(VALUES)
def test_any_value_of_a_case_survives_storing(value: Any) -> None:
    stored = wire.encode(encode_value(value))
    assert same(decode_value(wire.decode_value(stored)), value)


def test_records_survive() -> None:
    image = np.eye(2)
    shown = ShownImage(image, ("a", "b"), ("", "c"))
    back = decode_value(encode_value(AxesSnapshot((shown,), "key", "query", "Figure")))
    assert back.images[0].values.tolist() == image.tolist()
    assert (back.images[0].row_labels, back.images[0].column_labels) == (("a", "b"), ("", "c"))
    assert (back.x_label, back.y_label, back.held_by) == ("key", "query", "Figure")
    assert decode_value(encode_value(Opaque("set"))) == Opaque("set")
    echo = decode_value(encode_value(Echo(1, (2,), {"mask": None})))
    assert echo == Echo(1, (2,), {"mask": None})


def test_numpy_scalars_become_arrays_without_dimensions() -> None:
    back = decode_value(encode_value(np.float64(1.5)))
    assert back.shape == ()
    assert back == 1.5


@pytest.mark.parametrize("value", [{1, 2}, object(), np.array([None]), {(1, 2): 3}, {b"a": 1}])
def test_what_cannot_cross_is_refused_when_it_is_encoded(value: Any) -> None:
    with pytest.raises((TypeError, wire.ProtocolError)):
        wire.decode_value(wire.encode(encode_value(value)))


def test_an_integer_beyond_64_bits_is_refused() -> None:
    with pytest.raises(wire.ProtocolError):
        wire.encode(encode_value(10**30))


def test_values_nested_too_deep_are_refused() -> None:
    value: wire.Value = 1
    for _ in range(wire.MAX_DEPTH + 2):
        value = wire.Items("list", [value])
    with pytest.raises(wire.ProtocolError, match="deeper"):
        decode_value(value)


def test_steps_name_whom_they_call_and_what_may_be_left_out() -> None:
    x = np.eye(2)
    steps: list[Step] = [
        Construct(2),
        SetAttribute(Handle(0), "W", x),
        CallMethod(Handle(0), "forward", x, mask=None, echo=True),
        Call(Arranged(x, "F", writable=False), to="softmax", axis=-1, scale=True, n=1),
    ]
    defaults = {"mask": None, "axis": -1, "scale": 1, "n": 2}
    built, attribute, method, call = encode_case(steps, "Net", defaults)
    assert isinstance(built, wire.Construct)
    assert built.to == "Net"
    assert isinstance(attribute, wire.SetAttribute)
    assert attribute.target.step == 0
    assert isinstance(method, wire.CallMethod)
    assert method.echo
    assert method.droppable == ["mask"]
    assert isinstance(call, wire.Call)
    assert call.to == "softmax"
    assert call.droppable == ["axis"]  # True is not the default 1, 1 is not 2
    argument = call.args[0]
    assert isinstance(argument, wire.Arranged)
    assert (argument.layout, argument.writable) == ("F", False)


def test_outcomes_are_decoded_and_cleaned() -> None:
    assert decode_outcome(wire.Returned(3)) == Returned(3)
    raised = decode_outcome(wire.Raised("Odd\x1b[31mError", "bad\x00 \x1b[2Jthing", 2, 0))
    assert raised == Raised("OddError", "bad thing", 2, 0)
