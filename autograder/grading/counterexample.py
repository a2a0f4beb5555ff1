"""A failing case as NumPy that a student can paste, and the sentence that goes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.exercise import (
    Arranged,
    Call,
    CallMethod,
    Case,
    Construct,
    Exercise,
    Handle,
    SetAttribute,
    Step,
)
from autograder.grading.checker import Failure, LawOutcome, is_constant_or_identity
from autograder.results import Raised, Status
from autograder.worker.wire import MAX_FRAME, MAX_ITEMS, cell_name

_LINE = 100
_CALLS_SHOWN = 3


def literal(value: Any) -> str:
    """The value as Python source that builds it again, with full digits."""
    if isinstance(value, Arranged):
        return literal(value.value)
    if isinstance(value, np.ndarray):
        return _array_literal(value)
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(literal(item) for item in value)}]"
    if isinstance(value, dict):
        items = (f"{literal(key)}: {literal(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, np.generic):
        return literal(value.item())
    if isinstance(value, float):
        return _float_literal(value)
    return repr(value)


def _float_literal(value: float) -> str:
    if np.isnan(value):
        return "np.nan"
    if np.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def _array_literal(array: np.ndarray[Any, Any]) -> str:
    if array.size == 0:
        return f"np.zeros({array.shape}, dtype={_dtype_name(array)})"
    shape = repr(array.shape)
    kind = "" if array.dtype == np.float64 else f", dtype={_dtype_name(array)}"
    if is_constant_or_identity(array):
        if not array.any():
            return f"np.zeros({shape}{kind})"
        if (array == 1).all():
            return f"np.ones({shape}{kind})"
        return f"np.eye({array.shape[0]}{kind})"
    square = array.ndim == 2 and array.shape[0] == array.shape[1] and array.shape[0] > 1
    if square and (array == np.tri(array.shape[0])).all():
        return f"np.tri({array.shape[0]}{kind})"
    if square and not kind and (array == np.triu(np.ones(array.shape), k=1)).all():
        return f"np.triu(np.ones({shape}), k=1)"
    listed = f"np.array({_nested(array)}"
    natural = array.dtype in (np.float64, np.bool_, np.int64)
    return listed + ")" if natural else f"{listed}{kind})"


def _dtype_name(array: np.ndarray[Any, Any]) -> str:
    return "bool" if array.dtype.kind == "b" else f"np.{array.dtype.name}"


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        return literal(array.item())
    return "[" + ", ".join(_nested(part) for part in array) + "]"


def paste(exercise: Exercise, case: Case, steps: Sequence[Step]) -> str:
    """The case as assignments, then the calls that it asks for, one per line.

    Arguments that are inputs of the case go by their names; others are written out, on a line of
    their own where the call would get too long. What an object is made from and what is set on it
    stands in front of the calls of its methods.
    """
    lines = [f"{name} = {literal(value)}" for name, value in case.items()]
    objects = _object_names(exercise, steps)
    calls: list[str] = []
    shown = 0
    for number, step in enumerate(steps):
        text = step_source(exercise, case, step, number, objects)
        if len(text) > _LINE and not isinstance(step, SetAttribute):
            text = _with_long_arguments_named(exercise, case, step, number, objects)
        if (text := _protected(case, step) + text) not in calls:
            calls.append(text)
            shown += isinstance(step, Call | CallMethod)
        if shown == _CALLS_SHOWN:
            break
    return "\n".join(lines + calls)


def _object_names(exercise: Exercise, steps: Sequence[Step]) -> dict[int, str]:
    """A variable for each object, by the step that makes it: `my_class`, `my_class_2`, ..."""
    names: dict[int, str] = {}
    for number, step in enumerate(steps):
        if isinstance(step, Construct):
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", step.to or exercise.name).lower()
            again = sum(1 for known in names.values() if known.startswith(name)) + 1
            names[number] = f"{name}_{again}" if again > 1 else name
    return names


def _with_long_arguments_named(
    exercise: Exercise,
    case: Case,
    step: Call | Construct | CallMethod,
    number: int,
    objects: Mapping[int, str],
) -> str:
    """The call, after a line for each array that is no input of the case: `other_1 = ...`."""
    given = [a.value if isinstance(a, Arranged) else a for a in (*step.args, *step.kwargs.values())]
    others = {
        f"other_{position}": value
        for position, value in enumerate(given, start=1)
        if isinstance(value, np.ndarray) and not _name_in(case, value)
    }
    written = [f"{name} = {literal(value)}" for name, value in others.items()]
    named = Case(**case, **others)
    return "\n".join([*written, step_source(exercise, named, step, number, objects)])


def _protected(case: Case, step: Step) -> str:
    """A line that protects the inputs which the step must not write to; empty for most steps."""
    if not isinstance(step, Call):
        return ""
    arguments = [*step.args, *step.kwargs.values()]
    locked = [a.value for a in arguments if isinstance(a, Arranged) and not a.writable]
    names = [n for n, v in case.items() if any(v is value for value in locked)]
    if len(names) <= 1:
        return "".join(f"{name}.flags.writeable = False\n" for name in names)
    return f"for array in ({', '.join(names)}): array.flags.writeable = False\n"


def step_source(
    exercise: Exercise,
    case: Case,
    step: Step,
    number: int = 0,
    objects: Mapping[int, str] | None = None,
) -> str:
    """One step as source: `softmax(z, axis=-1)`.

    Args:
        exercise: whose function it calls where the step names none.
        case: its inputs go by their names.
        step: the step.
        number: which step of the case it is.
        objects: the variable of each object, by the step that makes it.
    """
    known = objects or {}

    def named(value: Any) -> str:
        if isinstance(value, Handle):
            return known.get(value.step, f"object_{value.step}")
        bare = value.value if isinstance(value, Arranged) else value
        if isinstance(bare, np.ndarray | str | list | tuple | dict):
            return _name_in(case, bare) or literal(bare)
        return literal(bare)

    def arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        return ", ".join(
            [named(value) for value in args] + [f"{k}={named(v)}" for k, v in kwargs.items()]
        )

    if isinstance(step, Call):
        return f"{step.to or exercise.name}({arguments(step.args, step.kwargs)})"
    if isinstance(step, Construct):
        made = f"{step.to or exercise.name}({arguments(step.args, step.kwargs)})"
        return f"{named(Handle(number))} = {made}"
    if isinstance(step, SetAttribute):
        return f"{named(step.handle)}.{step.name} = {named(step.value)}"
    assert isinstance(step, CallMethod)  # noqa: S101
    return f"{named(step.handle)}.{step.name}({arguments(step.args, step.kwargs)})"


def _name_in(case: Case, value: Any) -> str:
    """The input of the case that a value is, or a part of one: `X`, `X[:, 1:3]`; else empty."""
    for name, whole in case.items():
        if whole is value:
            return name
    if isinstance(value, np.ndarray):
        for name, whole in case.items():
            if isinstance(whole, np.ndarray) and (slices := _slices_of(whole, value)) is not None:
                return name + slices
    return ""


def _slices_of(whole: np.ndarray[Any, Any], part: np.ndarray[Any, Any]) -> str | None:
    """The slices, `[:, 1:3]`, that give `part` as a view of `whole`; None where none do."""
    if part.base is None or part.ndim != whole.ndim or not part.size:
        return None
    if not whole.flags.c_contiguous or part.dtype != whole.dtype:
        return None
    offset = _address(part) - _address(whole)
    if not 0 <= offset < whole.nbytes:
        return None
    slices = []
    for stride, length in zip(whole.strides, part.shape, strict=True):
        start, offset = divmod(offset, stride)
        slices.append(slice(start, start + length))
    found = whole[tuple(slices)]
    if (found.shape, found.strides, _address(found)) != (part.shape, part.strides, _address(part)):
        return None
    texts = [_slice_text(s, size) for s, size in zip(slices, whole.shape, strict=True)]
    while texts and texts[-1] == ":":
        texts.pop()
    return f"[{', '.join(texts)}]" if texts else ""


def _address(array: np.ndarray[Any, Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _slice_text(s: slice, size: int) -> str:
    start = str(s.start) if s.start else ""
    return f"{start}:{s.stop if s.stop < size else ''}"


def message(exercise: Exercise, outcome: LawOutcome) -> str:
    """What is wrong, in whole sentences, with the exercise's convention; empty where it passed."""
    failure = outcome.failure
    if failure is None or outcome.status is Status.PASSED:
        return ""
    if failure.status is Status.INTERNAL_ERROR:
        return "This law could not be checked: a fault of the grader, which costs no point."
    return f"{_what_happened(exercise, failure)} {exercise.convention}"


_ENDED = {
    Status.MEMORY: "asked for more memory than it may have",
    Status.OUTPUT_LIMIT: (
        f"returned more than can be taken: {MAX_FRAME >> 20} MiB in all, "
        f"{MAX_ITEMS} items in a list"
    ),
}
"""What is said of a call for which the worker had no words of its own."""


def _what_happened(exercise: Exercise, failure: Failure) -> str:
    if failure.disagreement is not None:
        decided = failure.disagreement.tolerance
        note = f" (tolerance: {decided})" if decided not in ("", "exact") else ""
        text = failure.disagreement.message
        return f"{text[:-1]}{note}." if note and text.endswith(".") else text
    if failure.raised is not None:
        return f"{exercise.name} raised {describe_exception(failure.raised)}."
    return failure.detail or f"{exercise.name} {_ENDED.get(failure.status, failure.status)}."


def describe_exception(raised: Raised) -> str:
    """`ValueError: shapes differ (cell 7, line 3)`, without a traceback."""
    text = raised.type_name + (f": {raised.message.strip()}" if raised.message.strip() else "")
    place = [cell_name(raised.cell)] if raised.cell >= 0 else []
    if raised.line > 0:
        place.append(f"line {raised.line}")
    return f"{text.rstrip('.')} ({', '.join(place)})" if place else text.rstrip(".")


def counterexample(exercise: Exercise, outcome: LawOutcome) -> str:
    """The failing case of a law as source to paste; empty where there is none."""
    failure = outcome.failure
    if failure is None or failure.case is None or failure.status is Status.INTERNAL_ERROR:
        return ""
    return paste(exercise, failure.case, tuple(outcome.law.calls(failure.case)))
