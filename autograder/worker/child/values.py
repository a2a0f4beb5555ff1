"""Values between messages and the student's code.

Arguments become fresh arrays for every call, aligned to 64 bytes, because sums may round
differently at another alignment. Results are read with the methods of the base classes, so that
no subclass answers for itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import wire
from . import figures
from .errors import clip, type_name

_ALIGNMENT = 64
_BLOCK_BYTES = 1 << 15
_FRAME_SLACK = 1 << 16
RESULT_BYTES = wire.MAX_FRAME - _FRAME_SLACK
"""How many bytes the results of one case may have."""
_NODE_BYTES = 16
_LABEL_LENGTH = 1000


class ResultTooLargeError(Exception):
    """The results of a case do not fit into a message."""


# -- arguments -------------------------------------------------------------------------------------


def from_wire(value: wire.Argument, objects: dict[int, Any]) -> Any:
    """A fresh value for one call; `objects` are those that earlier steps made."""
    if isinstance(value, wire.Array):
        return _array(value, "C")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, wire.Arranged):
        return _arranged(value, objects)
    if isinstance(value, wire.Items):
        items = [from_wire(item, objects) for item in value.items]
        return tuple(items) if value.kind == "tuple" else items
    if isinstance(value, wire.Mapping):
        return {name: from_wire(item, objects) for name, item in value.items.items()}
    if isinstance(value, wire.Pairs):
        values = [from_wire(item, objects) for item in value.values]
        return dict(zip(value.keys, values, strict=True))
    if isinstance(value, wire.Complex):
        return complex(value.real, value.imag)
    if isinstance(value, wire.Handle):
        return objects[value.step]
    raise wire.ProtocolError(f"{type(value).__name__} is no argument")


def _arranged(argument: wire.Arranged, objects: dict[int, Any]) -> Any:
    if not isinstance(argument.value, wire.Array):
        return from_wire(argument.value, objects)
    array = _array(argument.value, argument.layout)
    array.flags.writeable = argument.writable
    return array


def _array(message: wire.Array, layout: wire.Layout) -> NDArray[Any]:
    """A writable copy that lies in memory as asked."""
    source = wire.array_from_wire(message)
    size, shape = len(message.data), source.shape
    if layout == "strided" and shape:
        apart = (*shape[:-1], 2 * shape[-1])
        target = _memory.aligned(source.dtype, apart, 2 * size)[..., ::2]
    elif layout == "reversed" and shape:
        target = np.flip(_memory.aligned(source.dtype, shape, size))
    else:
        target = _memory.aligned(source.dtype, shape, size, "F" if layout == "F" else "C")
    target[...] = source
    return target


class _Memory:
    """Cuts arrays out of large blocks. No byte is ever given out twice."""

    def __init__(self) -> None:
        self._block = np.empty(0, np.uint8)
        self._start = 0

    def aligned(
        self, dtype: np.dtype[Any], shape: tuple[int, ...], size: int, order: Any = "C"
    ) -> NDArray[Any]:
        """An array of `size` bytes whose first byte is aligned."""
        start = self._start
        if start + size > self._block.size:
            self._block = np.empty(max(_BLOCK_BYTES, size) + _ALIGNMENT, np.uint8)
            # asking for an address takes longer than all the rest, hence the blocks
            start = -self._block.__array_interface__["data"][0] % _ALIGNMENT
        self._start = start + size + -size % _ALIGNMENT
        return np.ndarray(shape, dtype, self._block, start, order=order)


_memory = _Memory()


# -- results ---------------------------------------------------------------------------------------


_SCALARS = {bool, int, float} | {
    kind for kind in np.sctypeDict.values() if issubclass(kind, np.bool_ | np.integer | np.floating)
}


def _numbers(objects: NDArray[Any]) -> NDArray[Any]:
    """An array of Python numbers as one of float64, or of bool; any other array stays as it is.

    A number type never costs points. Only exact types are read: a subclass would answer for itself.
    """
    items = objects.ravel().tolist()
    kinds = set(map(type, items))
    if not kinds or not kinds <= _SCALARS:
        return objects
    kind = bool if kinds <= {bool, np.bool_} else float
    try:
        return np.array([kind(item) for item in items], kind).reshape(objects.shape)
    except (TypeError, ValueError, OverflowError):  # complex, text, or beyond the largest float
        return objects


class Outbox:
    """Turns results of one case into messages and counts their bytes."""

    def __init__(self) -> None:
        self._left = RESULT_BYTES

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ResultTooLargeError

    def to_wire(self, value: Any, depth: int = 0) -> wire.Value:
        """A result as plain data, or the name of its type; raises ResultTooLargeError."""
        if isinstance(value, np.ndarray):
            texts = _texts(value)
            return self.array(value) if texts is None else self.to_wire(texts, depth)
        if value is None or type(value) in (bool, float):
            return value  # type: ignore[no-any-return]
        self._take(_NODE_BYTES)
        if type(value) is int:
            return value if -(2**63) <= value < 2**64 else wire.Opaque("int of more than 64 bits")
        if isinstance(value, np.generic) and not isinstance(value, np.str_):
            return self.array(np.asarray(value))
        if type(value) is str:
            self._take(4 * len(value))
            return clip(value, wire.MAX_TEXT)
        if type(value) is complex:
            return wire.Complex(value.real, value.imag)
        if isinstance(value, list | tuple | dict):
            return self._container(value, depth)
        return self._other(value)

    def array(self, value: NDArray[Any]) -> wire.Array | wire.Opaque:
        """Any array as a plain one; a dtype that holds no numbers becomes an opaque name."""
        plain = value if type(value) is np.ndarray else np.ndarray.view(value, np.ndarray)
        if plain.dtype.kind == "O":
            self._take(_NODE_BYTES * plain.size)
            plain = _numbers(plain)
        dtype = wire.wire_dtype(plain.dtype)
        if dtype is None or plain.ndim > wire.MAX_DIMS:
            return wire.Opaque(clip(f"ndarray of dtype {plain.dtype}", wire.MAX_NAME))
        self._take(plain.nbytes + _NODE_BYTES)
        try:
            return wire.array_to_wire(plain, dtype)
        except ValueError:  # empty, with another dimension too large
            raise ResultTooLargeError from None

    def _container(self, value: Any, depth: int) -> wire.Value:
        if depth >= wire.MAX_DEPTH:
            return wire.Opaque(f"{type_name(value)} nested too deep")
        if isinstance(value, dict):
            return self._mapping(value, depth)
        base: Any = tuple if isinstance(value, tuple) else list
        if base.__len__(value) > wire.MAX_ITEMS:
            raise ResultTooLargeError
        items = [self.to_wire(item, depth + 1) for item in base.__iter__(value)]
        return wire.Items(base.__name__, items)

    def _mapping(self, value: dict[Any, Any], depth: int) -> wire.Value:
        if dict.__len__(value) > wire.MAX_ITEMS:
            raise ResultTooLargeError
        items: dict[wire.Key, wire.Value] = {}
        for given, item in dict.items(value):
            key = _plain_key(given)
            if key is _NO_KEY:
                return wire.Opaque("dict with other keys than texts and numbers")
            self._take(4 * len(key) if isinstance(key, str) else _NODE_BYTES)
            items[key] = self.to_wire(item, depth + 1)
        texts = {key: item for key, item in items.items() if isinstance(key, str)}
        if len(texts) == len(items):
            return wire.Mapping(texts)
        return wire.Pairs(list(items), list(items.values()))

    def _other(self, value: Any) -> wire.Value:
        found = figures.axes_in(value)
        if found is not None:
            return self._axes(*found)
        for base in (bool, int, float, complex, str):
            if isinstance(value, base):
                return self.to_wire(_plain(base, value))
        return wire.Opaque(type_name(value))

    def _axes(self, axes: Any, held_by: str) -> wire.Axes:
        images = []
        for matrix in figures.matrices(axes)[-wire.MAX_STEPS :]:
            values = self.array(matrix.values)
            if isinstance(values, wire.Array):
                images.append(
                    wire.Image(values, self._texts(matrix.rows), self._texts(matrix.columns))
                )
        x_label, y_label = self._texts(
            [figures.label_of(axes, axis) for axis in (axes.xaxis, axes.yaxis)]
        )
        return wire.Axes(images, x_label, y_label, held_by)

    def _texts(self, texts: list[str]) -> list[str]:
        """Labels, cut to a length that people read."""
        cut = [clip(text, _LABEL_LENGTH) for text in texts[: wire.MAX_ITEMS]]
        self._take(sum(4 * len(text) + _NODE_BYTES for text in cut))
        return cut


_NO_KEY: Any = object()


def _plain_key(key: Any) -> Any:
    """A key as plain data, or `_NO_KEY`. Only exact types are read, as in `_numbers`."""
    kind = type(key)
    if key is None or kind is bool:
        return key
    if kind is str or kind is np.str_:
        text = _plain(str, key)
        return clip(text, len(text)) if len(text) <= wire.MAX_TEXT else _NO_KEY
    if kind not in _SCALARS:
        return _NO_KEY
    if issubclass(kind, np.bool_):
        return bool(key)
    if not issubclass(kind, int | np.integer):
        return float(key)
    return int(key) if -(2**63) <= key < 2**64 else _NO_KEY


def _texts(array: NDArray[Any]) -> Any:
    """The nested lists of an array of texts, which is as good as they are; None for any other."""
    plain = np.ndarray.view(array, np.ndarray)
    if plain.dtype.kind == "U":
        return plain.tolist()
    if plain.dtype.kind == "O" and plain.size and set(map(type, plain.ravel().tolist())) == {str}:
        return plain.tolist()
    return None


def _plain(base: Any, value: Any) -> Any:
    """The value of a subclass of a number or of text, by the methods of its base."""
    if base is str:
        return str.__getitem__(value, slice(None))
    if base is complex:
        return complex(base.real.__get__(value), base.imag.__get__(value))
    return base.__add__(value, base())
