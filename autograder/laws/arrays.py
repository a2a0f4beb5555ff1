"""What every law about arrays needs, and the laws that any array function obeys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from autograder.comparison import (
    as_array,
    as_real,
    fail,
    identical,
    number,
    same,
    shapes_agree,
    show,
)
from autograder.exercise import (
    Arranged,
    Call,
    Case,
    Disagreement,
    Disagrees,
    Domain,
    Echo,
    Kind,
    Layout,
    Property,
)

FloatArray = NDArray[np.float64]
Calls: TypeAlias = Callable[[Case], Sequence[Call]]
Compare: TypeAlias = Callable[[Any, Any], Disagreement | None]
"""Compares an answer with another answer of the student's: neither is known to be an array."""

Reference: TypeAlias = Callable[..., Any]

NOT_ECHOED = "The arguments did not come back from the call."

_ARRANGEMENTS: tuple[tuple[Layout, bool], ...] = (
    ("F", True),
    ("strided", True),
    ("reversed", True),
    ("C", False),
)


# -- parts of verdicts -----------------------------------------------------------------------------


def first(found: Iterable[Disagreement | None]) -> Disagreement | None:
    """The first disagreement, or None where there is none."""
    return next((disagreement for disagreement in found if disagreement is not None), None)


def real(value: Any, shape: tuple[int, ...], *, name: str) -> FloatArray:
    """The answer as float64; raises `Disagrees` where it is not real or has another shape."""
    wrong_shape = shapes_agree(as_array(value, name=name), shape, name=name)
    if wrong_shape is not None:
        raise Disagrees(wrong_shape)
    return as_real(value, name=name)


def above(
    got: FloatArray, bound: float, *, name: str, where: NDArray[np.bool_] | None = None
) -> Disagreement | None:
    """None if every entry, or every one picked by `where`, lies above the bound; nan does not."""
    wrong = ~(got > bound)
    if where is not None:
        wrong &= where
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = f"[{', '.join(map(str, index))}]" if index else ""
    return fail(
        f"{name}{place} is {number(got[index])}, but should be above {number(bound)}.",
        expected=f"above {number(bound)}",
        got=number(got[index]),
        where=place,
    )


def blocked_row_is_nan(row: FloatArray, unmasked: FloatArray, *, name: str) -> Disagreement | None:
    """None if a row with nothing to see is nan; else a message that names what it is instead.

    The message is the same for every law on this rule, which is charged once.
    """
    if np.isnan(row).all():
        return None
    if not row.any():
        instead = "zeros"
    elif (row == row[0]).all():
        instead = "equal weights"
    elif np.allclose(row, unmasked, equal_nan=True):
        instead = "the unmasked row"
    else:
        instead = show(row)
    return fail(
        f"{name} has nothing to see: this course asks for nan here; you return {instead}.",
        expected="nan",
        got=instead,
    )


# -- parts of calls --------------------------------------------------------------------------------


def answers(reference: Reference, calls: Calls) -> Callable[[Case], tuple[Any, ...]]:
    """What the reference answers to the calls of a case."""

    def expected(case: Case) -> tuple[Any, ...]:
        return tuple(
            reference(*map(_bare, call.args), **{k: _bare(v) for k, v in call.kwargs.items()})
            for call in calls(case)
        )

    return expected


def _bare(value: Any) -> Any:
    return value.value if isinstance(value, Arranged) else value


def rearranged(call: Call, layout: Layout, *, writable: bool) -> Call:
    """The call with every array in that memory layout."""

    def arranged(value: Any) -> Any:
        is_array = isinstance(value, np.ndarray)
        return Arranged(value, layout, writable=writable) if is_array else value

    kwargs = {name: arranged(value) for name, value in call.kwargs.items()}
    return Call(*map(arranged, call.args), **kwargs)


# -- laws ------------------------------------------------------------------------------------------


def matches_reference(
    reference: Reference,
    call: Callable[[Case], Call],
    compare: Compare,
    *,
    law: str,
    inputs: Domain,
    weight: int,
    hint: str,
    name: str = "matches_reference",
) -> Property:
    """The answer to one call is the reference's: the gate of most exercises."""

    def verdict(case: Case, expected: Any, got: Any) -> Disagreement | None:
        return compare(got, expected[0])

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=lambda case: (call(case),),
        verdict=verdict,
        expected=answers(reference, lambda case: (call(case),)),
        weight=weight,
        hint=hint,
        kind="reference",
    )


def equals_reference(
    reference: Reference,
    compare: Callable[[Call, Any, Any], Disagreement | None],
    *,
    name: str,
    law: str,
    inputs: Domain,
    calls: Calls,
    weight: int,
    hint: str,
    kind: Kind = "reference",
) -> Property:
    """The answer to every call is the reference's: `compare(call, got, right)` of each is None."""

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(
            compare(call, got, right)
            for call, got, right in zip(calls(case), found, expected, strict=True)
        )

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint=hint,
        kind=kind,
    )


def inputs_unchanged(
    plain_calls: Calls, compare: Compare, *, inputs: Domain, weight: int
) -> Property:
    """The arguments of every call keep their bytes; for the first, read-only ones are enough."""

    def calls(case: Case) -> Sequence[Call]:
        plain = plain_calls(case)
        return [*map(echoing, plain), rearranged(plain[0], "C", writable=False)]

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        *echoes, read_only = found
        return first(
            _arguments_kept(case, call, echo)
            for call, echo in zip(plain_calls(case), echoes, strict=True)
        ) or compare(read_only, echoes[0].result)

    return Property(
        name="inputs_unchanged",
        law="after the call, every argument holds the bytes it held before",
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Your function changes an array it was given; work on a new one.",
        kind="exact",
    )


def echoing(call: Call) -> Call:
    """The call, with its arguments asked back."""
    return Call(*call.args, echo=True, **call.kwargs)


def _arguments_kept(case: Case, call: Call, echo: Any) -> Disagreement | None:
    if not isinstance(echo, Echo) or len(echo.args) != len(call.args):
        return fail(NOT_ECHOED)
    return first(_kept(*found) for found in _echoed(case, call, echo))


def _kept(name: str, before: Any, after: Any) -> Disagreement | None:
    """None if an array is the same bit for bit, or a list holds the same values."""
    if isinstance(before, np.ndarray):
        return identical(after, before, message=changed(name, before, after))
    if same(after, before):
        return None
    return fail(f"{name} holds other items after the call than before it.")


def _echoed(case: Case, call: Call, echo: Echo) -> Iterator[tuple[str, Any, Any]]:
    """Name, value before and after of every array or list; None if it did not come back."""
    names = {id(value): name for name, value in case.items()}
    pairs = [*zip(call.args, echo.args, strict=True)]
    pairs += [(sent, echo.kwargs.get(name)) for name, sent in call.kwargs.items()]
    for sent, returned in pairs:
        if isinstance(sent, np.ndarray | list):
            yield names.get(id(sent), "an argument"), sent, returned


def changed(name: str, before: Any, after: Any) -> str:
    """The sentence on an argument that a call changed."""
    return f"{name} was {show(before)} before the call and is {show(after)} after it."


def accepts_any_memory_layout(
    call: Callable[[Case], Call],
    compare: Compare,
    reference: Reference,
    *,
    inputs: Domain,
    weight: int,
) -> Property:
    """Fortran order, strided, reversed and read-only arrays give the same answer."""

    def calls(case: Case) -> Sequence[Call]:
        plain = call(case)
        return [rearranged(plain, layout, writable=writable) for layout, writable in _ARRANGEMENTS]

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        return first(compare(got, right) for got, right in zip(found, expected, strict=True))

    return Property(
        name="accepts_any_memory_layout",
        law="the answer depends on values, not on how the arrays lie in memory",
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        expected=answers(reference, calls),
        weight=weight,
        hint="Transposed, sliced and read-only arrays are arrays too: do not write into arguments.",
        kind="reference",
    )


def deterministic(
    call: Callable[[Case], Call],
    other: Callable[[Case], Call],
    parts: Callable[[Any], Sequence[Any]],
    *,
    inputs: Domain,
    weight: int,
) -> Property:
    """The same call gives the same bits, whatever was called in between.

    `parts` splits an answer into its arrays.
    """

    def verdict(case: Case, once: Any, between: Any, again: Any) -> Disagreement | None:
        message = "The same call gives another result the second time."
        return first(
            identical(second, initial, message=message)
            for second, initial in zip(parts(again), parts(once), strict=True)
        )

    return Property(
        name="deterministic",
        law="f(x) = f(x), bit for bit, also with another call in between",
        inputs=inputs,
        calls=lambda case: (call(case), other(case), call(case)),
        verdict=verdict,
        weight=weight,
        hint="The same input must give the same output: no random numbers, nothing remembered.",
        kind="exact",
    )


def keeps_single_precision(
    calls: Calls, parts: Callable[[Any], Sequence[Any]], *, inputs: Domain
) -> Property:
    """Shown only: float32 inputs give float32 results."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(_is_single(part) for answer in found for part in parts(answer))

    return Property(
        name="keeps_single_precision",
        law="float32 in, float32 out",
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        weight=0,
        hint="A float64 constant or buffer raised the precision; that is allowed.",
        kind="exact",
    )


def _is_single(part: Any) -> Disagreement | None:
    dtype = as_array(part).dtype
    if dtype == np.float32:
        return None
    return fail(
        f"The result is {dtype}, but the input is float32.", expected="float32", got=str(dtype)
    )
