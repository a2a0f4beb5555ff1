"""The one comparison everybody uses, and the only place where tolerances live.

Order of judgement: kind, shape, nan pattern, values. Comparing shapes first keeps a `(3, 1)`
answer from being broadcast into agreement; nan agrees with nan alone. A message names the first
entry that differs, in reading order.

Floor: the ground; imports `exercise` for the record of a disagreement.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.exercise import (
    AxesSnapshot,
    Disagreement,
    Disagrees,
    Echo,
    Handle,
    Opaque,
    ShownImage,
)

__all__ = [
    "CLEAR_CHANGE",
    "EXACT",
    "FULL_PRECISION",
    "HALF",
    "HALF_SLACK",
    "HUGE_SCORES",
    "HULL_SLACK",
    "ISOLATED",
    "LOG_DOMAIN",
    "SINGLE",
    "SINGLE_SOFTMAX",
    "T",
    "Tolerance",
    "agree",
    "agree_averages",
    "agree_data",
    "agree_pairs",
    "as_array",
    "as_real",
    "differ",
    "equal",
    "fail",
    "identical",
    "number",
    "pair",
    "same",
    "show",
    "within",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`abs(got - expected) <= atol + rtol * abs(expected)`."""

    rtol: float
    atol: float

    def __str__(self) -> str:
        if self.rtol == self.atol == 0:
            return "exact"
        return f"rtol {self.rtol:g}, atol {self.atol:g}"


T = Tolerance(rtol=1e-4, atol=1e-5)
"""The documented tolerance of every law on float64 inputs: right styles differ by less than 1e-7
of it, and only work in lowered precision passes that 1e-7 would catch."""

HUGE_SCORES = Tolerance(rtol=1e-2, atol=1e-5)
"""For the softmax of scores of 1e3 to 1e4: work in 32 bits is a right answer, and through the
logarithm of the sum, z - log(sum exp z), its weights are off by the spacing of such scores (1e-3
at 1e4) for every addition. What these laws catch is nan, 0 and equal shares, which are far off."""

SINGLE = Tolerance(rtol=1e-3, atol=1e-3)
"""For float32 inputs with scores below 50; shown, never scored."""

SINGLE_SOFTMAX = Tolerance(rtol=2e-5, atol=2e-5)
"""For the softmax of float32 scores; shown, never scored."""

FULL_PRECISION = Tolerance(rtol=1e-9, atol=1e-9)
"""What float64 work keeps and float32 work loses; shown, never scored."""

EXACT = Tolerance(rtol=0.0, atol=0.0)
"""For weights of blocked positions, masks and counts."""

HALF_SLACK = 5e-3
"""How far a float16 row of weights may be from summing to one; shown, never scored."""

HALF = Tolerance(rtol=HALF_SLACK, atol=HALF_SLACK)
"""For the softmax of float16 scores; shown, never scored."""

HULL_SLACK = 1e-5
"""How far, relative to the largest value, an average may leave the hull of what it averages."""

ISOLATED = Tolerance(rtol=0.0, atol=1e-5)
"""How far the columns of one head may move when another head's values change."""

CLEAR_CHANGE = 1e-2
"""How much the right answer must change before a law asks that a student's answer changes: far
above T, so that rounding never decides a negative control."""

LOG_DOMAIN = 1e-300
"""Weights below this have no useful logarithm."""

_NUMBERS_SHOWN = 6
_TEXT_SHOWN = 40
_DRAWN = (AxesSnapshot, ShownImage)
_DATA = (bool, int, float, complex, np.ndarray, np.generic, tuple, list)
_HUGE = 10**20  # Python refuses to print integers of thousands of digits


def number(value: Any) -> str:
    """A number as a student would type it: `1.0`, `-0.5`, `nan`, `True`."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value)) if abs(int(value)) < _HUGE else "an integer of over 20 digits"
    if isinstance(value, complex | np.complexfloating):
        return str(complex(value))
    return f"{float(value):.6g}" if float(value) != _whole(value) else f"{float(value):.1f}"


def _whole(value: Any) -> float:
    """The value rounded, or nan where it is not a small whole number."""
    f = float(value)
    return float(round(f)) if np.isfinite(f) and abs(f) < 1e6 else float("nan")


def show(value: Any) -> str:
    """Any answer in a few characters, safe to print."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return f"an array of type {value.dtype}"
        if value.ndim == 0:
            return number(value[()])
        if 0 < value.size <= _NUMBERS_SHOWN:  # an empty one may have a million empty rows
            return _nested(value)
        return f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return f"a {kind} of {len(value)}"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, AxesSnapshot):
        return f"an object of type {value.held_by}" if value.held_by else "a Matplotlib Axes"
    if isinstance(value, Handle):
        return "an object"
    if isinstance(value, bool | int | float | complex | np.generic):
        return number(value)
    return repr(value)[:80]


def _nested(array: NDArray[Any]) -> str:
    if array.ndim == 0:
        return number(array[()])
    return "[" + ", ".join(_nested(part) for part in array) + "]"


def fail(
    message: str, *, expected: Any = "", got: Any = "", where: str = "", tolerance: str = ""
) -> Disagreement:
    """Build a `Disagreement`; `expected` and `got` are shown in a few characters."""
    return Disagreement(
        expected=expected if isinstance(expected, str) else show(expected),
        got=got if isinstance(got, str) else show(got),
        where=where,
        tolerance=tolerance,
        message=message,
    )


def as_array(value: Any, *, name: str = "the result") -> NDArray[Any]:
    """The answer as a plain numeric array; raises `Disagrees` where it is none.

    Nested lists and tuples of numbers are right answers and count as arrays.
    """
    if isinstance(value, Echo):
        value = value.result
    if isinstance(value, Opaque | AxesSnapshot | Handle | str) or value is None:
        raise Disagrees(
            fail(
                f"{name} is {show(value)}, but should be an array of numbers.",
                expected="an array",
                got=show(value),
            )
        )
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "biufc":
        raise Disagrees(
            fail(
                f"{name} is {show(value)} that does not form an array of numbers.",
                expected="an array",
                got=show(value),
            )
        )
    return array


def as_real(value: Any, *, name: str = "the result") -> FloatArray:
    """The answer as float64; raises `Disagrees` where it is no array or not real.

    No dtype costs points: complex numbers count as real where their imaginary part is rounding.
    """
    array = as_array(value, name=name)
    if array.dtype.kind != "c":
        return array.astype(np.float64)
    with np.errstate(all="ignore"):
        imaginary = (np.abs(array.imag) > T.atol) & ~np.isnan(array)
    if imaginary.any():
        raise Disagrees(
            fail(
                f"{name} holds complex numbers, but should be real.",
                expected="real numbers",
                got="complex numbers",
            )
        )
    return np.where(np.isnan(array), np.nan, array.real).astype(np.float64)


def pair(value: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Output and weights out of a tuple or list of two; raises `Disagrees` for anything else."""
    if isinstance(value, Echo):
        value = value.result
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise Disagrees(
            fail(
                f"the result is {show(value)}, but should be a pair: output, weights.",
                expected="a tuple of two arrays",
                got=show(value),
            )
        )
    return as_array(value[0], name="the output"), as_array(value[1], name="the weights")


def shapes_agree(got: NDArray[Any], shape: tuple[int, ...], *, name: str) -> Disagreement | None:
    """None if `got` has that shape."""
    if got.shape == shape:
        return None
    return fail(
        f"{name} has shape {got.shape}, but should be {shape}.",
        expected=f"shape {shape}",
        got=f"shape {got.shape}",
    )


def agree(
    got: Any,
    expected: Any,
    *,
    name: str = "the result",
    tolerance: Tolerance = T,
    by_row: bool = False,
    averaged: Any = (),
) -> Disagreement | None:
    """None if the answer has the expected shape, nan pattern and values; else what differs.

    Args:
        got: a student's answer: an array, a number, or nested lists of numbers.
        expected: the right values.
        name: what the message calls the answer.
        tolerance: how far finite values may differ.
        by_row: atol counts relative to the largest expected number of a row, if that exceeds 1.
        averaged: what the values are averages of; with `by_row` its largest number counts too.
    """
    try:
        found = as_array(got, name=name)
    except Disagrees as verdict:
        return verdict.disagreement
    wanted = np.asarray(expected)
    wrong_shape = shapes_agree(found, wanted.shape, name=name)
    if wrong_shape is not None:
        return wrong_shape
    found, wanted = _plain(found), _plain(wanted)
    atol: Any = tolerance.atol
    if by_row:
        atol = atol * np.maximum(_row_sizes(wanted), np.max(np.abs(averaged), initial=1.0))
    return _first_difference(found, wanted, name=name, rtol=tolerance.rtol, atol=atol)


def agree_averages(
    got: Any,
    expected: Any,
    *,
    name: str = "output",
    tolerance: Tolerance = T,
    averaged: Any = (),
) -> Disagreement | None:
    """None if weighted averages agree: rows whose rounding errors grow with their largest number.

    The error of an average is the error of its weights times the values it averages, also where
    these cancel to almost nothing; work in 32 bits is a right answer and shows it. An average that
    is a single number does not tell how large they are: `averaged` does.
    """
    return agree(got, expected, name=name, tolerance=tolerance, by_row=True, averaged=averaged)


def _row_sizes(expected: NDArray[Any]) -> NDArray[np.float64]:
    """The largest finite magnitude of every row, at least 1, in a shape that broadcasts."""
    if expected.ndim == 0 or expected.size == 0:
        return np.ones(expected.shape)
    finite = np.where(np.isfinite(expected), np.abs(expected), 0.0)
    sizes: NDArray[np.float64] = np.maximum(1.0, finite.max(axis=-1, keepdims=True))
    return sizes


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Booleans and integers as float64, so that 1, 1.0 and True are the same value."""
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def _close(
    got: NDArray[Any], expected: NDArray[Any], rtol: float, atol: float | NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Entry by entry: both nan, the same infinity, or finite and within the tolerance."""
    with np.errstate(all="ignore"):
        near: NDArray[np.bool_] = np.abs(got - expected) <= atol + rtol * np.abs(expected)
        if near.all() and np.isfinite(expected).all():  # the usual case: then `got` is finite too
            return near
        finite = np.isfinite(got) & np.isfinite(expected)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    close: NDArray[np.bool_] = np.where(finite, near, same).astype(np.bool_)
    return close


def _first_difference(
    got: NDArray[Any],
    expected: NDArray[Any],
    *,
    name: str,
    rtol: float,
    atol: float | NDArray[np.float64],
) -> Disagreement | None:
    wrong = ~_close(got, expected, rtol, atol)
    if not wrong.any():
        return None
    # nan where a number belongs (or the reverse) tells more than a large difference elsewhere
    nan_wrong = wrong & (np.isnan(got) != np.isnan(expected))
    index = tuple(int(i) for i in np.argwhere(nan_wrong if nan_wrong.any() else wrong)[0])
    where = f"[{', '.join(map(str, index))}]" if index else ""
    shown, wanted = _two_numbers(got[index], expected[index])
    return fail(
        f"{name}{where} is {shown}, but should be {wanted}.",
        expected=wanted,
        got=shown,
        where=where,
        tolerance=str(Tolerance(rtol, float(np.broadcast_to(atol, got.shape)[index]))),
    )


def _two_numbers(got: Any, expected: Any) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart."""
    short = number(got), number(expected)
    return short if short[0] != short[1] else (repr(got.item()), repr(expected.item()))


def agree_pairs(
    got: Any, expected: Any, *, of: str = "", tolerance: Tolerance = T
) -> Disagreement | None:
    """None if output and weights both agree with an expected pair; the weights are judged first.

    `of` stands before `weights` and `output` in the message: `"for n = 9, "`.
    """
    try:
        output, weights = pair(got)
    except Disagrees as verdict:
        return verdict.disagreement
    wanted_output, wanted_weights = expected
    return agree(
        weights, wanted_weights, name=f"{of}weights", tolerance=tolerance
    ) or agree_averages(output, wanted_output, name=f"{of}output", tolerance=tolerance)


# -- texts, lists and dicts ------------------------------------------------------------------------


def agree_data(
    got: Any, expected: Any, *, name: str = "the result", tolerance: Tolerance = T
) -> Disagreement | None:
    """None if two answers of plain data are the same in every part; else the first that differs.

    Texts are the same letter by letter, numbers and arrays within the tolerance, lists and tuples
    item by item, dicts key by key in any order.

    Args:
        got: a student's answer.
        expected: the right one: a text, a number, an array, None, or lists, tuples and dicts of
            these.
        name: what the message calls the answer; a part of it is called `name[2]` or `name['a']`.
        tolerance: how far finite numbers may differ.
    """
    if isinstance(got, Echo):
        got = got.result
    if isinstance(expected, str):
        return _same_text(got, expected, name=name)
    if isinstance(expected, dict):
        return _same_items(got, expected, name=name, tolerance=tolerance)
    if expected is None:
        return None if got is None else _another_kind(got, "None", name=name)
    if isinstance(expected, list | tuple) and not _is_numeric(expected):
        return _same_sequence(got, expected, name=name, tolerance=tolerance)
    return agree(got, expected, name=name, tolerance=tolerance)


def _another_kind(got: Any, wanted: str, *, name: str) -> Disagreement:
    return fail(f"{name} is {show(got)}, but should be {wanted}.", expected=wanted, got=got)


def _is_numeric(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether nested lists hold numbers alone, in rows of one length."""
    try:
        return len(value) > 0 and np.asarray(value).dtype.kind in "biufc"
    except (ValueError, TypeError, OverflowError):
        return False


def _same_text(got: Any, expected: str, *, name: str) -> Disagreement | None:
    if not isinstance(got, str):
        return _another_kind(got, f"the text {_excerpt(expected)}", name=name)
    if got == expected:
        return None
    ends = min(len(got), len(expected))
    start = next((i for i in range(ends) if got[i] != expected[i]), ends)
    shown, wanted = _excerpt(got, start), _excerpt(expected, start)
    return fail(
        f"{name} is {shown}, but should be {wanted}.",
        expected=wanted,
        got=shown,
        where=f"[{start}]",
    )


def _excerpt(text: str, at: int = 0) -> str:
    """The text as source, or the part around a place; every sign that does not print is escaped."""
    start = max(0, min(at - _TEXT_SHOWN // 4, len(text) - _TEXT_SHOWN))
    part = text[start : start + _TEXT_SHOWN]
    before, after = "... " * (start > 0), " ..." * (start + _TEXT_SHOWN < len(text))
    return f"{before}{repr(part)[: 2 * _TEXT_SHOWN]}{after}"


def _same_sequence(
    got: Any, expected: list[Any] | tuple[Any, ...], *, name: str, tolerance: Tolerance
) -> Disagreement | None:
    items = list(got) if isinstance(got, np.ndarray) and got.ndim else got
    if not isinstance(items, list | tuple) or len(items) != len(expected):
        return _another_kind(got, f"a list of {len(expected)}", name=name)
    found = (
        agree_data(item, right, name=f"{name}[{i}]", tolerance=tolerance)
        for i, (item, right) in enumerate(zip(items, expected, strict=True))
    )
    return next(filter(None, found), None)


def _same_items(
    got: Any, expected: dict[Any, Any], *, name: str, tolerance: Tolerance
) -> Disagreement | None:
    if not isinstance(got, dict):
        return _another_kind(got, f"a dict of {len(expected)}", name=name)
    for key in expected:
        if key not in got:
            what = f"the key {_key(key)}"
            return fail(f"{name} lacks {what}.", expected=what, got="no such key")
    for key in got:
        if key not in expected:
            what = f"the key {_key(key)}"
            return fail(f"{name} has {what}, but should not.", expected="no such key", got=what)
    found = (
        agree_data(got[key], right, name=f"{name}[{_key(key)}]", tolerance=tolerance)
        for key, right in expected.items()
    )
    return next(filter(None, found), None)


def _key(key: Any) -> str:
    return _excerpt(key) if isinstance(key, str) else number(key) if key is not None else "None"


# -- the same values -------------------------------------------------------------------------------


def equal(got: Any, expected: Any, *, name: str = "the result") -> Disagreement | None:
    """None if shape and every value are the same (nan equals nan, -0.0 equals 0.0)."""
    return agree(got, expected, name=name, tolerance=EXACT)


def identical(got: Any, expected: Any, *, message: str) -> Disagreement | None:
    """None if two arrays are the same bit for bit, dtype and shape included."""
    try:
        found, wanted = as_array(got), as_array(expected)
    except Disagrees as verdict:
        return verdict.disagreement
    same_form = found.dtype == wanted.dtype and found.shape == wanted.shape
    if same_form and found.tobytes() == wanted.tobytes():
        return None
    return fail(message, expected=wanted, got=found, tolerance="exact")


def within(
    got: Any, low: Any, high: Any, *, name: str = "the result", slack: float = 0.0
) -> Disagreement | None:
    """None if every entry lies between `low` and `high` (arrays or numbers), up to `slack`."""
    try:
        found = as_real(got, name=name)
    except Disagrees as verdict:
        return verdict.disagreement
    try:
        low, high = np.broadcast_to(low, found.shape), np.broadcast_to(high, found.shape)
    except ValueError:
        return shapes_agree(found, np.broadcast_shapes(np.shape(low), np.shape(high)), name=name)
    with np.errstate(all="ignore"):
        wrong = ~((found >= low - slack) & (found <= high + slack))
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"[{', '.join(map(str, index))}]" if index else ""
    bounds = f"between {number(low[index])} and {number(high[index])}"
    return fail(
        f"{name}{where} is {number(found[index])}, but should lie {bounds}.",
        expected=bounds,
        got=number(found[index]),
        where=where,
        tolerance=f"slack {slack:g}" if slack else "",
    )


def differ(got: Any, other: Any, *, message: str) -> Disagreement | None:
    """None if two answers of one shape differ somewhere beyond T: a negative control.

    What is nan or infinite tells nothing and counts as no difference.
    """
    try:
        found, base = _plain(as_array(got)), _plain(as_array(other))
    except Disagrees as verdict:
        return verdict.disagreement
    wrong_shape = shapes_agree(found, base.shape, name="the result")
    if wrong_shape is not None:
        return wrong_shape
    finite = np.isfinite(found) & np.isfinite(base)
    if (finite & ~_close(found, base, T.rtol, T.atol)).any():
        return None
    return fail(message, expected="different values", got="the same values", tolerance=str(T))


def same(got: Any, other: Any) -> bool:
    """Whether two answers of any kind agree within T: kinds, shapes, nan pattern and values.

    A tuple, a list and an array of the same answers are the same; so are 1, 1.0 and a 0-d array.
    """
    if isinstance(got, Echo) and isinstance(other, Echo):
        return same(
            (got.result, *got.args, dict(got.kwargs)),
            (other.result, *other.args, dict(other.kwargs)),
        )
    if isinstance(got, tuple | list) and isinstance(other, tuple | list):
        return len(got) == len(other) and all(map(same, got, other))
    if isinstance(got, _DRAWN) and type(got) is type(other):
        return all(same(getattr(got, f.name), getattr(other, f.name)) for f in fields(got))
    if isinstance(got, dict) and isinstance(other, dict):
        return got.keys() == other.keys() and all(same(got[key], other[key]) for key in got)
    if isinstance(got, _DATA) and isinstance(other, _DATA):
        try:
            found, base = _plain(as_array(got)), _plain(as_array(other))
        except Disagrees:
            return False
        return found.shape == base.shape and bool(_close(found, base, T.rtol, T.atol).all())
    return type(got) is type(other) and bool(got == other)
