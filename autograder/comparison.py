"""The one comparison everybody uses, and the only place where tolerances live.

Order of judgement: kind, shape, nan pattern, values. Comparing shapes first keeps a `(3, 1)`
answer from being broadcast into agreement; nan agrees with nan alone. A message names the first
entry that differs, in reading order.

Floor: the ground; imports `exercise` for the record of a disagreement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.exercise import AxesSnapshot, Disagreement, Disagrees, Echo, Handle, Opaque

__all__ = [
    "EXACT",
    "HALF_SLACK",
    "HULL_SLACK",
    "ISOLATION_SLACK",
    "LOG_DOMAIN",
    "SINGLE",
    "T",
    "Tolerance",
    "agree",
    "agree_pairs",
    "as_array",
    "differ",
    "equal",
    "fail",
    "number",
    "pair",
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

SINGLE = Tolerance(rtol=1e-3, atol=1e-3)
"""For float32 inputs with scores below 50; shown, never scored."""

EXACT = Tolerance(rtol=0.0, atol=0.0)
"""For weights of blocked positions, masks and counts."""

HALF_SLACK = 5e-3
"""How far a float16 row of weights may be from summing to one; shown, never scored."""

HULL_SLACK = 1e-5
"""How far, relative to the largest value, an average may leave the hull of what it averages."""

ISOLATION_SLACK = 1e-5
"""The change below which two heads count as isolated."""

LOG_DOMAIN = 1e-300
"""Weights below this have no useful logarithm."""

_NUMBERS_SHOWN = 6


def number(value: Any) -> str:
    """A number as a student would type it: `1.0`, `-0.5`, `nan`, `True`."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
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
        if value.ndim == 0:
            return number(value[()])
        if value.size <= _NUMBERS_SHOWN:
            return _nested(value)
        return f"an array of shape {value.shape}"
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return f"a {kind} of {len(value)}"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, AxesSnapshot):
        return "a Matplotlib Axes"
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
    got: Any, expected: Any, *, name: str = "the result", tolerance: Tolerance = T
) -> Disagreement | None:
    """None if the answer has the expected shape, nan pattern and values; else what differs.

    Args:
        got: a student's answer: an array, a number, or nested lists of numbers.
        expected: the right values.
        name: what the message calls the answer.
        tolerance: how far finite values may differ.
    """
    try:
        found = as_array(got, name=name)
    except Disagrees as verdict:
        return verdict.disagreement
    wanted = np.asarray(expected)
    wrong_shape = shapes_agree(found, wanted.shape, name=name)
    if wrong_shape is not None:
        return wrong_shape
    return _first_difference(_plain(found), _plain(wanted), name=name, tolerance=tolerance)


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Booleans and integers as float64, so that 1, 1.0 and True are the same value."""
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def _close(got: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance) -> NDArray[np.bool_]:
    """Entry by entry: both nan, the same infinity, or finite and within the tolerance."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(got) & np.isfinite(expected)
        near = np.abs(got - expected) <= tolerance.atol + tolerance.rtol * np.abs(expected)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    close: NDArray[np.bool_] = np.where(finite, near, same).astype(np.bool_)
    return close


def _first_difference(
    got: NDArray[Any], expected: NDArray[Any], *, name: str, tolerance: Tolerance
) -> Disagreement | None:
    wrong = ~_close(got, expected, tolerance)
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
        tolerance=str(tolerance),
    )


def _two_numbers(got: Any, expected: Any) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart."""
    short = number(got), number(expected)
    return short if short[0] != short[1] else (repr(got.item()), repr(expected.item()))


def agree_pairs(got: Any, expected: Any, *, tolerance: Tolerance = T) -> Disagreement | None:
    """None if output and weights both agree with an expected pair; the weights are judged first."""
    try:
        output, weights = pair(got)
    except Disagrees as verdict:
        return verdict.disagreement
    wanted_output, wanted_weights = expected
    return agree(weights, wanted_weights, name="the weights", tolerance=tolerance) or agree(
        output, wanted_output, name="the output", tolerance=tolerance
    )


def equal(got: Any, expected: Any, *, name: str = "the result") -> Disagreement | None:
    """None if shape and every value are the same (nan equals nan, -0.0 equals 0.0)."""
    return agree(got, expected, name=name, tolerance=EXACT)


def within(
    got: Any, low: Any, high: Any, *, name: str = "the result", slack: float = 0.0
) -> Disagreement | None:
    """None if every entry lies between `low` and `high` (arrays or numbers), up to `slack`."""
    try:
        found = _plain(as_array(got, name=name))
    except Disagrees as verdict:
        return verdict.disagreement
    low, high = np.broadcast_to(low, found.shape), np.broadcast_to(high, found.shape)
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
    """None if two answers of one shape differ somewhere beyond T: a negative control."""
    if agree(got, other) is not None:
        return None
    return fail(message, expected="different values", got="the same values", tolerance=str(T))
