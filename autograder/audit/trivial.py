"""Answers that look at nothing: zeros, a constant, uniform weights, copies. They earn nothing.

They are made from the reference's answer to the same call, in its shape: so they are the best
that can be had without solving the exercise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Trivial:
    """A trivial answer to an exercise, by name."""

    name: str
    answer: Function


def trivial_answers(reference: Function) -> tuple[Trivial, ...]:
    """The trivial answers to the exercise of this reference.

    Those to a class are classes made like it, all of whose public methods answer trivially.
    """
    changes: dict[str, Callable[[Function], Function]] = {
        name: partial(_filled, fill=fill) for name, fill in _FILLS.items()
    }
    changes |= {"nothing": _nothing, "first_argument": _first, "all_arguments": _all}
    if isinstance(reference, type):
        return tuple(Trivial(name, _class(reference, change)) for name, change in changes.items())
    return tuple(Trivial(name, change(reference)) for name, change in changes.items())


def _class(reference: type, change: Callable[[Function], Function]) -> type:
    """The class with its public methods changed; they are given what the right ones answer.

    A right object stands behind each of its objects, so that no method calls a changed one.
    """

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_right", reference(*args, **kwargs))

    def assigned(self: Any, name: str, value: Any) -> None:
        setattr(self._right, name, value)

    def method(name: str) -> Function:
        def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
            return change(getattr(self._right, name))(*args, **kwargs)

        return answer

    methods = {
        name: method(name)
        for name, member in inspect.getmembers(reference, callable)
        if not name.startswith("_")
    }
    return type(reference.__name__, (), {"__init__": made, "__setattr__": assigned, **methods})


def _zeros(like: Array) -> Array:
    return np.zeros_like(like)


def _ones(like: Array) -> Array:
    return np.ones_like(like)


def _constant(like: Array) -> Array:
    return np.full_like(like, 0.5, dtype=float)


def _uniform(like: Array) -> Array:
    """Rows that sum to one, all their entries equal."""
    return np.full_like(like, 1 / max(1, like.shape[-1] if like.ndim else 1), dtype=float)


def _identity(like: Array) -> Array:
    """The identity in the last two axes."""
    if like.ndim < 2:
        return np.ones_like(like)
    return np.broadcast_to(np.eye(*like.shape[-2:]), like.shape).astype(like.dtype)


def _missing(like: Array) -> Array:
    return np.full_like(like, np.nan, dtype=float)


_FILLS: dict[str, Callable[[Array], Array]] = {
    "zeros": _zeros,
    "ones": _ones,
    "constant": _constant,
    "uniform": _uniform,
    "identity": _identity,
    "nan": _missing,
}


def _filled(reference: Function, fill: Callable[[Array], Array]) -> Function:
    def answer(*args: Any, **kwargs: Any) -> Any:
        right = reference(*args, **kwargs)
        if isinstance(right, tuple):
            return tuple(fill(np.asarray(part)) for part in right)
        if isinstance(right, dict):
            return {key: fill(np.asarray(part)) for key, part in right.items()}
        return "" if isinstance(right, str) else fill(np.asarray(right))

    return answer


def _nothing(reference: Function) -> Function:
    return lambda *_, **__: None


def _first(reference: Function) -> Function:
    """A copy of the first argument."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        given = next(iter(args), None)
        return given.copy() if isinstance(given, np.ndarray) else given

    return answer


def _all(reference: Function) -> Function:
    return lambda *args, **_: args
