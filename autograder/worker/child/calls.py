"""Runs the cases of a batch: each step calls student code on fresh arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from .. import wire
from . import figures
from .errors import describe
from .values import Outbox, ResultTooLargeError, from_wire

_PLAIN = (bool, int, float, complex, str, tuple, list, dict, set, np.ndarray, np.generic)

CaseStatus = Literal["passed", "exception", "memory", "output_limit"]


class CaseRunner:
    """Runs cases against functions.

    Args:
        functions: name -> function or class; looked up anew for every step.
        caught: what counts as the answer of a call. Exits and interrupts too where student code
            runs; where trusted code runs in the grader, they are the grader's own.
    """

    def __init__(
        self, functions: Mapping[str, Any], *, caught: type[BaseException] = BaseException
    ) -> None:
        self._functions = functions
        self._caught = caught
        self._accepted: dict[int, tuple[Any, frozenset[str] | None]] = {}

    def run(self, steps: list[wire.Step]) -> tuple[CaseStatus, list[wire.Returned | wire.Raised]]:
        """Run the steps in order, up to the first that raises."""
        try:
            return self._run(steps)
        finally:
            figures.close_figures()

    def _run(self, steps: list[wire.Step]) -> tuple[CaseStatus, list[wire.Returned | wire.Raised]]:
        outcomes: list[wire.Returned | wire.Raised] = []
        objects: dict[int, Any] = {}
        outbox = Outbox()
        for number, step in enumerate(steps):
            try:
                figures.close_figures()
                outcomes.append(wire.Returned(self._step(number, step, objects, outbox)))
            except ResultTooLargeError:
                return "output_limit", []
            except MemoryError as error:
                return "memory", [*outcomes, describe(error)]
            except self._caught as error:
                return "exception", [*outcomes, describe(error)]
        return "passed", outcomes

    def _step(
        self, number: int, step: wire.Step, objects: dict[int, Any], outbox: Outbox
    ) -> wire.Value:
        if isinstance(step, wire.SetAttribute):
            target = objects[step.target.step]
            setattr(target, step.name, from_wire(step.value, objects))
            return None
        if isinstance(step, wire.CallMethod):
            function = _method(objects[step.target.step], step.name)
        elif step.to in self._functions:
            function = self._functions[step.to]
        else:
            raise NameError(f"name {step.to!r} is not defined")
        args = [from_wire(value, objects) for value in step.args]
        kwargs = self._keywords(function, step, objects)
        if isinstance(step, wire.Construct):
            objects[number] = _made(function, step.to, args, kwargs)
            return wire.Handle(number)
        result = function(*args, **kwargs)
        answer = outbox.to_wire(figures.left_open(result))
        return _echo(answer, args, kwargs, outbox) if step.echo else answer

    def _keywords(
        self,
        function: Callable[..., Any],
        step: wire.Call | wire.Construct | wire.CallMethod,
        objects: dict[int, Any],
    ) -> dict[str, Any]:
        """The keyword arguments, without those at their default that the function cannot take."""
        kwargs = {name: from_wire(value, objects) for name, value in step.kwargs.items()}
        if step.droppable:
            accepted = self._accepts(function)
            for name in step.droppable:
                if accepted is not None and name not in accepted:
                    kwargs.pop(name, None)
        return kwargs

    def _accepts(self, function: Callable[..., Any]) -> frozenset[str] | None:
        """The keywords a function takes; None for all of them, or where nobody can tell.

        The function itself is kept beside its answer, so that no other one gets its `id`.
        """
        known = self._accepted.get(id(function))
        if known is None or known[0] is not function:
            known = self._accepted[id(function)] = function, _keywords_of(function)
        return known[1]


def _keywords_of(function: Callable[..., Any]) -> frozenset[str] | None:
    try:
        parameters = inspect.signature(function).parameters.values()
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return None
        return frozenset(
            p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        )
    except Exception:
        return None


def _made(function: Callable[..., Any], name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The object that a class makes; raises TypeError where a function stands in its place.

    A function that makes an object is as good as a class.
    """
    if not inspect.isfunction(function):
        return function(*args, **kwargs)
    refusal = f"it is a function, but should be a class; begin it with: class {name}"
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        raise TypeError(refusal) from None
    made = function(*args, **kwargs)
    if made is None or isinstance(made, _PLAIN):
        raise TypeError(refusal)
    return made


def _method(target: Any, name: str) -> Any:
    """A method of an object; where it has none of that name, the message says what to write."""
    try:
        return getattr(target, name)
    except AttributeError:
        if hasattr(type(target), name):
            raise  # a property of that name, or what it needs, fails
        called = "" if name == "__call__" or not callable(target) else ", not __call__"
        raise AttributeError(
            f"it has no method {name}; write one inside the class: def {name}(self, ...){called}"
        ) from None


def _echo(answer: wire.Value, args: list[Any], kwargs: dict[str, Any], outbox: Outbox) -> wire.Echo:
    return wire.Echo(
        answer,
        [outbox.to_wire(value) for value in args],
        {name: outbox.to_wire(value) for name, value in kwargs.items()},
    )
