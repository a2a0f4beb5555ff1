"""Exceptions of student code as data: short, and safe to build whatever the exception does."""

from __future__ import annotations

import linecache
import re
import traceback
from types import FrameType, TracebackType
from typing import Any

from .. import wire

_CELL = re.compile(r"<cell (-?\d+)>")
_FRAMES_SHOWN = 20


def cell_file(index: int) -> str:
    """The file name under which a cell is compiled; it counts cells from 1, as people do."""
    return f"<cell {index + 1}>"


def cell_of(file: str) -> int | None:
    """The cell that a file name stands for, or None."""
    found = _CELL.fullmatch(file)
    return int(found[1]) - 1 if found else None


def in_cell(frame: FrameType | None) -> bool:
    """Whether a frame runs code of a cell."""
    return frame is not None and cell_of(frame.f_code.co_filename) is not None


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, without the half characters that UTF-8 cannot carry."""
    return str.encode(text[:limit], "utf-8", "replace").decode()


def type_name(value: Any) -> str:
    """The name of a value's type, also where its metaclass would rather not say."""
    name = type.__dict__["__name__"].__get__(type(value))
    return clip(name, wire.MAX_NAME) if type(name) is str else "object"


def message_of(error: BaseException) -> str:
    """The text of an exception; formatting it may itself raise."""
    try:
        text = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
        return clip(text, wire.MAX_MESSAGE)
    except BaseException:
        return "(its message could not be shown)"


def describe(error: BaseException, within: int | None = None) -> wire.Raised:
    """An exception with the innermost line of a cell, or of the cell `within`, that it passed."""
    cell, line = -1, 0
    for frame, number in _frames(error.__traceback__):
        index = cell_of(frame.f_code.co_filename)
        if index is not None and within in (None, index):
            cell, line = index, number
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        index = cell_of(error.filename)
        if index is not None:
            cell, line = index, error.lineno or 0
    return wire.Raised(type_name(error), message_of(error), max(line, 0), max(cell, -1))


def _frames(tb: TracebackType | None) -> list[tuple[FrameType, int]]:
    return [(frame, line or 0) for frame, line in traceback.walk_tb(tb)]


def as_output(error: BaseException) -> wire.Error:
    """An exception as the error output of a cell: only frames of cells are shown."""
    raised = describe(error)
    shown = [
        _frame_line(frame, number)
        for frame, number in _frames(error.__traceback__)
        if in_cell(frame)
    ]
    if isinstance(error, SyntaxError) and raised.line:
        source = linecache.getline(cell_file(raised.cell), raised.line).rstrip("\n")
        shown.append(clip(f"{wire.cell_name(raised.cell)}, line {raised.line}\n    {source}", 300))
    if len(shown) > _FRAMES_SHOWN:
        half = _FRAMES_SHOWN // 2
        shown = [*shown[:half], f"... {len(shown) - 2 * half} more ...", *shown[-half:]]
    last = f"{raised.type_name}: {raised.message}" if raised.message else raised.type_name
    return wire.Error(raised.type_name, raised.message, [*shown, last])


def _frame_line(frame: FrameType, number: int) -> str:
    code = frame.f_code
    source = linecache.getline(code.co_filename, number).strip()
    cell = cell_of(code.co_filename)
    place = f"{wire.cell_name(cell or 0)}, line {number}, in {code.co_name}"
    return clip(f"{place}\n    {source}", 300)
