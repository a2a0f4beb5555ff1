"""Runs the laws of an exercise on a function of this process: draw, call, judge."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import hypothesis
import numpy as np
from hypothesis.strategies import SearchStrategy

from autograder.exercise import (
    Arranged,
    CallMethod,
    Case,
    Construct,
    Disagreement,
    Echo,
    Exercise,
    Handle,
    Opaque,
    Property,
    SetAttribute,
)
from autograder.worker.child.figures import close_figures, left_open
from autograder.worker.child.values import Outbox
from autograder.worker.codec import decode_value

SEEDS = range(20)
Function = Callable[..., Any]


def drawn(strategy: SearchStrategy[Case], seed: object, count: int) -> list[Case]:
    """The first `count` cases that the strategy gives for the seed."""
    cases: list[Case] = []

    @hypothesis.seed(repr(seed))
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(case: Case) -> None:
        cases.append(case)

    collect()
    return cases[:count]


@cache
def ordinary_cases(law: Property, seed: int) -> tuple[Case, ...]:
    """The corpus of a law in one run."""
    entropy = (seed, len(law.name))
    return tuple(drawn(law.inputs.ordinary(entropy), entropy, law.case_count))


def laid_out(argument: Any) -> Any:
    """A fresh argument in the memory layout that the call asks for."""
    if not isinstance(argument, Arranged):
        return argument.copy() if isinstance(argument, np.ndarray | list) else argument
    array = np.array(argument.value)
    if argument.layout == "F":
        array = np.asfortranarray(array)
    elif argument.layout == "strided":
        wide = np.repeat(array, 2, axis=-1)
        array = wide[..., ::2]
    elif argument.layout == "reversed":
        array = np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    array.flags.writeable = argument.writable
    return array


def plain(result: Any) -> Any:
    """The result as the plain data that would cross a process boundary."""
    if isinstance(result, np.ndarray | np.generic):
        array = np.array(result)
        return array if array.dtype.kind in "biufc" else Opaque("ndarray")
    if isinstance(result, tuple | list):
        return (
            type(result)(map(plain, result)) if type(result) is list else tuple(map(plain, result))
        )
    known = bool | int | float | complex | str | None
    # what a picture shows is read as a worker reads it
    return result if isinstance(result, known) else decode_value(Outbox().to_wire(result))


def accepted(function: Function, kwargs: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    """The keyword arguments without those at their default that the function does not take."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        return dict(kwargs)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return dict(kwargs)
    return {
        name: value
        for name, value in kwargs.items()
        if name in parameters
        or name not in defaults
        or isinstance(value, np.ndarray)
        or value != defaults[name]
    }


def run(exercise: Exercise, function: Function, steps: Sequence[Any]) -> list[Any]:
    """The answers to the steps, in order."""
    answers: list[Any] = []
    objects: dict[int, Any] = {}
    for number, step in enumerate(steps):
        if isinstance(step, SetAttribute):
            setattr(objects[step.handle.step], step.name, laid_out(step.value))
            answers.append(None)
            continue
        called = (
            getattr(objects[step.handle.step], step.name)
            if isinstance(step, CallMethod)
            else function
        )
        args = [laid_out(argument) for argument in step.args]
        kwargs = {name: laid_out(value) for name, value in step.kwargs.items()}
        kwargs = accepted(called, kwargs, exercise.defaults)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning of a student's code costs nothing
            result = left_open(called(*args, **kwargs))
        if isinstance(step, Construct):
            objects[number] = result
            answers.append(Handle(number))
        else:
            result = plain(result)
            answers.append(Echo(result, tuple(args), kwargs) if step.echo else result)
        close_figures()
    return answers


def judged(
    exercise: Exercise, law: Property, function: Function, case: Case, peer: Function | None = None
) -> Disagreement | str | None:
    """None if the function obeys the law on the case; else what is wrong."""
    steps = list(law.calls(case))
    expected = law.expected(case) if law.expected else None
    if law.peer is not None and peer is not None:
        expected = tuple(run(exercise, peer, steps))
    try:
        answers = run(exercise, function, steps)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return law.judge(case, expected, answers)


def broken_laws(
    exercise: Exercise, function: Function, seed: int, *, scored_only: bool = True
) -> dict[str, Disagreement | str]:
    """The laws that the function breaks in the run of that seed, each with its first failure."""
    broken = {}
    for law in exercise.properties:
        if scored_only and not law.scored:
            continue
        for case in ordinary_cases(law, seed):
            wrong = judged(exercise, law, function, case)
            if wrong is not None:
                broken[law.name] = wrong
                break
    return broken
