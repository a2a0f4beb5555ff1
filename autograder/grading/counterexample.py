"""A failing case as NumPy that a student can paste, and the sentence that goes with it."""

from __future__ import annotations

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
from autograder.worker.wire import cell_name

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
    their own where the call would get too long.
    """
    lines = [f"{name} = {literal(value)}" for name, value in case.items()]
    calls: list[str] = []
    for number, step in enumerate(steps):
        text = step_source(exercise, case, step, number)
        if len(text) > _LINE and isinstance(step, Call):
            text = _with_long_arguments_named(exercise, case, step)
        if (text := _protected(case, step) + text) not in calls:
            calls.append(text)
    return "\n".join(lines + calls[:_CALLS_SHOWN])


def _with_long_arguments_named(exercise: Exercise, case: Case, step: Call) -> str:
    """The call, after a line for each array that is no input of the case: `other_1 = ...`."""
    given = [a.value if isinstance(a, Arranged) else a for a in (*step.args, *step.kwargs.values())]
    others = {
        f"other_{number}": value
        for number, value in enumerate(given, start=1)
        if isinstance(value, np.ndarray) and not any(value is known for known in case.values())
    }
    written = [f"{name} = {literal(value)}" for name, value in others.items()]
    return "\n".join([*written, step_source(exercise, Case(**case, **others), step)])


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


def step_source(exercise: Exercise, case: Case, step: Step, number: int = 0) -> str:
    """One step as source: `softmax(z, axis=-1)`."""

    def named(value: Any) -> str:
        if isinstance(value, Handle):
            return f"object_{value.step}"
        bare = value.value if isinstance(value, Arranged) else value
        if isinstance(bare, np.ndarray | list):
            same = [n for n, v in case.items() if v is bare]
            if same:
                return same[0]
        return literal(bare)

    def arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        return ", ".join(
            [named(value) for value in args] + [f"{k}={named(v)}" for k, v in kwargs.items()]
        )

    if isinstance(step, Call):
        return f"{step.to or exercise.name}({arguments(step.args, step.kwargs)})"
    if isinstance(step, Construct):
        made = f"{step.to or exercise.name}({arguments(step.args, step.kwargs)})"
        return f"object_{number} = {made}"
    if isinstance(step, SetAttribute):
        return f"object_{step.handle.step}.{step.name} = {named(step.value)}"
    assert isinstance(step, CallMethod)  # noqa: S101
    return f"object_{step.handle.step}.{step.name}({arguments(step.args, step.kwargs)})"


def message(exercise: Exercise, outcome: LawOutcome) -> str:
    """What is wrong, in whole sentences, with the exercise's convention; empty where it passed."""
    failure = outcome.failure
    if failure is None or outcome.status is Status.PASSED:
        return ""
    if failure.status is Status.INTERNAL_ERROR:
        return "This law could not be checked: a fault of the grader, which costs no point."
    return f"{_what_happened(exercise, failure)} {exercise.convention}"


def _what_happened(exercise: Exercise, failure: Failure) -> str:
    if failure.disagreement is not None:
        decided = failure.disagreement.tolerance
        note = f" (tolerance: {decided})" if decided not in ("", "exact") else ""
        text = failure.disagreement.message
        return f"{text[:-1]}{note}." if note and text.endswith(".") else text
    if failure.raised is not None:
        return f"{exercise.name} raised {describe_exception(failure.raised)}."
    return failure.detail


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
