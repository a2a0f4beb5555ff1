"""Records of a course to wire messages and back, on the trusted side only.

`encode_value` and `decode_value` also store a drawn corpus. Arrays come back read-only, so that
no verdict can change what a later one sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder import exercise
from autograder.results import Raised, Returned
from autograder.worker import wire
from autograder.worker.hygiene import clean_text

# -- values ----------------------------------------------------------------------------------------


def encode_value(value: Any) -> wire.Value:
    """A value of a case as a message; raises TypeError for what cannot cross."""
    if isinstance(value, np.ndarray | np.generic):  # first: np.float64 is a float as well
        return _encode_array(np.asarray(value))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        items = [encode_value(item) for item in value]
        return wire.Items("tuple" if isinstance(value, tuple) else "list", items)
    if isinstance(value, complex):
        return wire.Complex(value.real, value.imag)
    return _encode_record(value)


def _encode_record(value: Any) -> wire.Value:
    if isinstance(value, exercise.Handle):
        return wire.Handle(value.step)
    if isinstance(value, exercise.Opaque):
        return wire.Opaque(value.type_name)
    if isinstance(value, exercise.Echo):
        return wire.Echo(
            encode_value(value.result),
            [encode_value(item) for item in value.args],
            {name: encode_value(item) for name, item in value.kwargs.items()},
        )
    if isinstance(value, exercise.AxesSnapshot):
        images = [
            wire.Image(
                _encode_array(np.asarray(image.values)),
                list(image.row_labels),
                list(image.column_labels),
            )
            for image in value.images
        ]
        return wire.Axes(images, value.x_label, value.y_label, value.held_by)
    if isinstance(value, Mapping):
        return _encode_mapping(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent to a worker")


def _encode_mapping(value: Mapping[Any, Any]) -> wire.Mapping | wire.Pairs:
    keys = [key.item() if isinstance(key, np.generic) else key for key in value]
    values = [encode_value(item) for item in value.values()]
    if all(isinstance(key, str) for key in keys):
        return wire.Mapping(dict(zip(keys, values, strict=True)))
    if not all(key is None or isinstance(key, bool | int | float | str) for key in keys):
        raise TypeError("a dict with such keys cannot be sent to a worker")
    return wire.Pairs(keys, values)


def _encode_array(array: np.ndarray[Any, Any]) -> wire.Array:
    dtype = wire.wire_dtype(array.dtype)
    if dtype is None:
        raise TypeError(f"an array of dtype {array.dtype} cannot be sent to a worker")
    return wire.array_to_wire(array, dtype)


def decode_value(value: wire.Value, depth: int = 0) -> Any:
    """The value of a message; raises ProtocolError where it is nested too deep."""
    if isinstance(value, wire.Array):
        return wire.array_from_wire(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > wire.MAX_DEPTH:
        raise wire.ProtocolError(f"a value is nested deeper than {wire.MAX_DEPTH} levels")
    if isinstance(value, wire.Items):
        items = [decode_value(item, depth + 1) for item in value.items]
        return tuple(items) if value.kind == "tuple" else items
    if isinstance(value, wire.Mapping):
        return {name: decode_value(item, depth + 1) for name, item in value.items.items()}
    if isinstance(value, wire.Pairs):
        values = [decode_value(item, depth + 1) for item in value.values]
        return dict(zip(value.keys, values, strict=True))
    if isinstance(value, wire.Complex):
        return complex(value.real, value.imag)
    return _decode_record(value, depth)


def _decode_record(value: wire.Handle | wire.Opaque | wire.Echo | wire.Axes, depth: int) -> Any:
    if isinstance(value, wire.Handle):
        return exercise.Handle(value.step)
    if isinstance(value, wire.Opaque):
        return exercise.Opaque(clean_text(value.type_name, wire.MAX_NAME))
    if isinstance(value, wire.Echo):
        return exercise.Echo(
            decode_value(value.result, depth + 1),
            tuple(decode_value(item, depth + 1) for item in value.args),
            {name: decode_value(item, depth + 1) for name, item in value.kwargs.items()},
        )
    return exercise.AxesSnapshot(
        images=tuple(map(_decode_image, value.images)),
        x_label=clean_text(value.x_label, wire.MAX_NAME),
        y_label=clean_text(value.y_label, wire.MAX_NAME),
        held_by=clean_text(value.held_by, wire.MAX_NAME),
    )


def _decode_image(image: wire.Image) -> exercise.ShownImage:
    def labels(texts: list[str]) -> tuple[str, ...]:
        return tuple(clean_text(text, wire.MAX_NAME) for text in texts)

    return exercise.ShownImage(
        wire.array_from_wire(image.values), labels(image.row_labels), labels(image.column_labels)
    )


# -- steps and outcomes ----------------------------------------------------------------------------


def encode_case(
    steps: Sequence[exercise.Step], function: str, defaults: Mapping[str, Any]
) -> list[wire.Step]:
    """The steps of a case, with the keywords named that may be left out.

    Args:
        steps: what the case asks for.
        function: whom a step calls that names nobody.
        defaults: the optional parameters of the exercise's signature. They stay here: only the
            names of those keywords that equal them are sent.
    """
    return [_encode_step(step, function, defaults) for step in steps]


def _encode_step(step: exercise.Step, function: str, defaults: Mapping[str, Any]) -> wire.Step:
    if isinstance(step, exercise.SetAttribute):
        return wire.SetAttribute(
            wire.Handle(step.handle.step), step.name, _encode_argument(step.value)
        )
    args = [_encode_argument(value) for value in step.args]
    kwargs = {name: _encode_argument(value) for name, value in step.kwargs.items()}
    droppable = [name for name, value in step.kwargs.items() if _is_default(name, value, defaults)]
    if isinstance(step, exercise.Call):
        return wire.Call(step.to or function, args, kwargs, step.echo, droppable)
    if isinstance(step, exercise.Construct):
        return wire.Construct(step.to or function, args, kwargs, droppable)
    target = wire.Handle(step.handle.step)
    return wire.CallMethod(target, step.name, args, kwargs, step.echo, droppable)


def _encode_argument(value: Any) -> wire.Argument:
    if isinstance(value, exercise.Arranged):
        return wire.Arranged(encode_value(value.value), value.layout, value.writable)
    return encode_value(value)


def _is_default(name: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    """Same type and same value: True is not the default 1. Arrays are never defaults."""
    if name not in defaults or type(value) is not type(defaults[name]):
        return False
    return value is None or (
        isinstance(value, bool | int | float | str) and value == defaults[name]
    )


def decode_outcome(outcome: wire.Returned | wire.Raised) -> Returned | Raised:
    """The outcome of one step; raises ProtocolError for a value nested too deep."""
    if isinstance(outcome, wire.Returned):
        return Returned(decode_value(outcome.value))
    return decode_raised(outcome)


def decode_raised(raised: wire.Raised) -> Raised:
    """An exception of the student's code, its texts cleaned."""
    return Raised(
        type_name=clean_text(raised.type_name, wire.MAX_NAME),
        message=clean_text(raised.message, wire.MAX_MESSAGE),
        line=raised.line,
        cell=raised.cell,
    )
