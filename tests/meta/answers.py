"""Answers to show a judge: right ones in harmless disguises, and ones spoilt in every way.

An answer is an array or a pair (output, weights). A disguise or spoiling acts on every array of it.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder.exercise import AxesSnapshot, Echo, Handle, Opaque, ShownImage
from autograder.worker.child.values import Outbox
from autograder.worker.codec import decode_value
from autograder.worker.wire import DTYPES

Results = namedtuple("Results", ["output", "weights"])
Change = Callable[[np.ndarray], Any]


class Subclass(np.ndarray):
    """An array of a type that NumPy does not know."""


def each(change: Change) -> Callable[[Any], Any]:
    """The change of every array of an answer."""

    def changed(answer: Any) -> Any:
        if isinstance(answer, tuple):
            return tuple(map(changed, answer))
        return change(np.asarray(answer))

    return changed


def _strided(array: np.ndarray) -> np.ndarray:
    if not array.ndim:
        return array
    return np.repeat(array, 2, axis=-1)[..., ::2]


def _frozen(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


HARMLESS: dict[str, Callable[[Any], Any]] = {
    "itself": each(np.copy),
    "float32": each(lambda a: a.astype(np.float32)),
    "extended precision": each(lambda a: a.astype(np.longdouble)),
    "complex": each(lambda a: a.astype(np.complex128)),
    "Fortran order": each(lambda a: a.copy(order="F")),
    "strided": each(_strided),
    "read-only": each(_frozen),
    "subclass": each(lambda a: a.view(Subclass)),
    "numbers as objects": each(lambda a: a.astype(object) if a.size else a),
    "nested lists": each(np.ndarray.tolist),
    "list of two": lambda answer: list(answer) if isinstance(answer, tuple) else answer,
    "named tuple": lambda answer: Results(*answer) if isinstance(answer, tuple) else answer,
    "echo": lambda answer: Echo(answer, (), {}),
}
"""What must not matter."""


def _corners(value: complex) -> Change:
    """The array with that value in its first and last entry; an empty array gets one entry."""

    def spoil(array: np.ndarray) -> np.ndarray:
        if not array.size:
            return np.full((*array.shape, 1), value)
        spoilt = array.astype(np.result_type(array.dtype, np.float64, type(value)))
        spoilt.flat[[0, -1]] = value
        return spoilt

    return spoil


SPOILT_VALUES: dict[str, Callable[[Any], Any]] = {
    "two numbers off": each(_corners(-1.25)),
    "two nan": each(_corners(np.nan)),
    "two infinities": each(_corners(np.inf)),
    "two imaginary parts": each(_corners(0.25 + 0.5j)),
    "all zeros": each(lambda a: np.zeros_like(a, dtype=float)),
    "all nan": each(lambda a: np.full(a.shape, np.nan)),
    "another number everywhere": each(
        lambda a: a - 1.25 * (1 + np.arange(a.size).reshape(a.shape))
    ),
}
"""Right shapes, wrong contents."""

SPOILT_FORMS: dict[str, Callable[[Any], Any]] = {
    "an axis more": each(lambda a: a[None]),
    "a row more": each(lambda a: np.append(np.atleast_1d(a), np.ones((1, *a.shape[1:])), axis=0)),
    "objects": each(lambda a: np.full(a.shape, None)),
    "text": each(lambda a: a.astype(str)),
    "records": each(lambda a: np.zeros(a.shape, dtype=[("x", float)])),
    "a text": lambda answer: str(answer),
    "None": lambda answer: None,
    "an object": lambda answer: Opaque("Tensor"),
    "objects in the parts": each(lambda a: Opaque("Tensor")),
    "a handle": lambda answer: Handle(0),
    "an Axes": lambda answer: AXES,
    "a dictionary": lambda answer: {"answer": answer},
    "ragged lists": each(lambda a: [[1.0], [2.0, 3.0], []]),
    "an integer of 400 digits": each(lambda a: 10**400),
}
"""No answer of the right form, whatever the law."""

SPOILT_PAIRS: dict[str, Callable[[Any], Any]] = {
    "the output alone": lambda answer: answer[0],
    "one result": lambda answer: answer[:1],
    "three results": lambda answer: (*answer, answer[1]),
    "results swapped": lambda answer: answer[::-1],
    "no weights": lambda answer: (answer[0], None),
}

AXES = AxesSnapshot((ShownImage(np.eye(2), ("a", "b"), ("a", "")),), "Key", "Query")


def crossed(value: Any) -> Any:
    """The value as it comes out of a worker."""
    if isinstance(value, Opaque | Handle | AxesSnapshot):
        return value
    if isinstance(value, Echo):
        return Echo(crossed(value.result), value.args, value.kwargs)
    return decode_value(Outbox().to_wire(value))


# -- anything that can come back over the wire -----------------------------------------------------

numbers = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.complex_numbers(),
)
arrays = npst.arrays(
    dtype=st.sampled_from(list(DTYPES.values())),
    shape=npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7),
)
_texts = st.text(max_size=5)
_ticks = st.lists(_texts, max_size=3).map(tuple)
_images = st.lists(st.builds(ShownImage, arrays, _ticks, _ticks), max_size=2).map(tuple)
leaves = st.one_of(
    st.none(),
    numbers,
    _texts,
    arrays,
    st.builds(Opaque, _texts),
    st.builds(Handle, st.integers(0, 3)),
    st.builds(AxesSnapshot, _images, _texts, _texts, st.just("") | _texts),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(_texts, inner, max_size=2),
        st.builds(
            Echo,
            inner,
            st.lists(inner, max_size=2).map(tuple),
            st.dictionaries(_texts, inner, max_size=2),
        ),
    )


anything = st.recursive(leaves, _containers, max_leaves=8)
"""Any value that an answer can be, of every kind that crosses to the grader."""
