"""Bytes -> `Notebook`: tolerant of what editors and students do to files, bounded in memory.

Saved outputs are skipped by the JSON decoder and never built. Only sources, ids and small metadata
become objects, so that tens of megabytes of figures cost a pass over the bytes and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from autograder.notebook.mending import mend, to_utf8, without_tail
from autograder.notebook.model import Cell, Notebook, NotebookError
from autograder.notebook.pictures import MAX_PICTURE_BYTES, raster_pictures

MAX_BYTES = 64 << 20
MAX_SOURCE_BYTES = 1 << 20
MAX_METADATA_BYTES = 1 << 20
"""Larger metadata (saved widget states, as a rule) is left out."""
MAX_CELLS = 2000

_MAX_ODD_ITEMS = 200_000
"""Commas of a file in whose list of cells something else is looked for: bounds the memory."""
_ESCAPED = 8  # a source may be this much longer in JSON than in UTF-8: \u0041, quotes, commas
_NOTHING = msgspec.Raw()
_SAVE_AGAIN = "Open it in Jupyter, save it and submit it again."


class _RawCell(msgspec.Struct):
    """The parts of a cell that are looked at; `input`, `code` and `text` are those of old formats.

    Every part stays raw until its size and type are checked; outputs have no field at all.
    """

    cell_type: msgspec.Raw = _NOTHING
    source: msgspec.Raw = _NOTHING
    metadata: msgspec.Raw = _NOTHING
    id: msgspec.Raw = _NOTHING
    attachments: msgspec.Raw = _NOTHING
    input: msgspec.Raw = _NOTHING
    code: msgspec.Raw = _NOTHING
    text: msgspec.Raw = _NOTHING
    level: msgspec.Raw = _NOTHING


class _AnyObject(msgspec.Struct):
    """Decodes to nothing: it only finds out where an object ends."""


class _TooManyCells(Exception):  # noqa: N818 - leaves the decoder, which would wrap a ValueError
    """Raised while decoding, before the cells fill the memory."""


def read(data: bytes, *, verbatim: bool = False) -> Notebook:
    """Read a notebook of any nbformat and drop its outputs.

    Accepts a byte order mark, invalid UTF-8, NaN, lone surrogates, control characters, sources as
    lists or strings, and missing or odd metadata and ids; `Notebook.notes` says what was mended.

    Args:
        data: the file, at most 64 MiB; its sources may sum to 1 MiB.
        verbatim: keep attached files and line ends as they are: for the course's own notebooks.
            Of a student's attached files, only pictures are kept.

    Raises:
        NotebookError: the file cannot be read as a notebook with at least one cell.
    """
    if len(data) > MAX_BYTES:
        raise NotebookError(
            f"The file is {len(data) / 2**20:.0f} MiB large, but at most"
            f" {MAX_BYTES >> 20} MiB are read. Clear the outputs and save it again."
        )
    if not data.strip(b"\0 \t\r\n"):
        raise NotebookError("The file is empty. Submit the notebook again.")
    text = to_utf8(data)
    try:
        try:
            return _decode(text, [], verbatim)
        except msgspec.ValidationError:
            return _decode(text, [], verbatim, odd_cells=True)
        except msgspec.DecodeError:
            text, notes = _mended(text)
            return _decode(text, notes, verbatim, odd_cells=True)
    except msgspec.ValidationError as error:
        raise NotebookError(f"The file is JSON, but no notebook: {_reason(error)}") from None
    except msgspec.DecodeError as error:
        raise NotebookError(_damage(text, error)) from None
    except RecursionError:
        raise NotebookError(f"The file is nested too deeply. {_SAVE_AGAIN}") from None
    except _TooManyCells:
        raise NotebookError(f"The notebook has more than {MAX_CELLS} cells.") from None


def _mended(text: bytes) -> tuple[bytes, list[str]]:
    """The text with every repair that is known, and a note on each."""
    mended, notes = mend(text)
    try:
        msgspec.json.decode(mended, type=_AnyObject)
    except msgspec.DecodeError as error:
        found = re.search(r"trailing characters \(byte (\d+)\)", str(error))
        if found:
            mended, tail = without_tail(mended, int(found[1]) - 1)  # counted from 1
            notes += tail
    return mended, notes


def _reason(error: msgspec.ValidationError) -> str:
    """What is wrong in words, without the decoder's type names where a sentence says it better."""
    if "`$" not in str(error):
        return f"it holds no cells. {_SAVE_AGAIN}"
    return f"{str(error).lower()}. {_SAVE_AGAIN}"


def _damage(text: bytes, error: msgspec.DecodeError) -> str:
    """Say where the file stops being JSON, in lines and columns."""
    found = re.search(r"\(byte (\d+)\)", str(error))
    at = int(found[1]) if found else len(text)
    line, column = text.count(b"\n", 0, at) + 1, at - (text.rfind(b"\n", 0, at) + 1) + 1
    what = "is no JSON" if found else "breaks off before its end"
    return f"The file {what} (line {line}, column {column}). {_SAVE_AGAIN}"


# -- the two passes of the decoder ---------------------------------------------------------------


def _decode(text: bytes, notes: list[str], verbatim: bool, *, odd_cells: bool = False) -> Notebook:
    raw = _raw_notebook(text, odd_cells and text.count(b",") <= _MAX_ODD_ITEMS)
    version = _typed(raw.nbformat, int) or 4
    own, odd = _cells_of([raw])
    sheets, odd_too = _cells_of(raw.worksheets or ())
    if version < 4 or (not own and sheets):
        own = own or sheets
        cells, minor = [_old_cell(cell) for cell in own], 4
    else:
        cells = [_cell(cell, verbatim) for cell in own]
        minor = _typed(raw.nbformat_minor, int) or 0
    if odd + odd_too:
        notes = [*notes, "The list of cells holds something that is no cell; it was left out."]
    metadata = _mapping(raw.metadata)
    if not cells:
        raise NotebookError(f"The notebook has no cells. {_SAVE_AGAIN}")
    total = sum(len(cell.source.encode("utf-8", "replace")) for cell in cells)
    if total > MAX_SOURCE_BYTES:
        raise _too_much_text()
    notes = notes + _remarks(own, metadata, verbatim)
    return Notebook(cells=cells, metadata=metadata, nbformat_minor=minor, notes=notes)


def _cells_of(holders: Iterable[Any]) -> tuple[list[_RawCell], int]:
    """The cells of a notebook or of worksheets, and how many of their items are none."""
    items = [item for holder in holders for item in getattr(holder, "cells", None) or ()]
    cells = [item for item in items if isinstance(item, _RawCell)]
    return cells, len(items) - len(cells)


def _raw_notebook(text: bytes, odd_cells: bool) -> Any:
    """First pass: cut the file into raw cells. Raises before a hostile count of cells piles up.

    With `odd_cells` a list of cells may hold other things too.
    """
    room = iter(range(MAX_CELLS))

    class CountedCell(_RawCell):
        def __post_init__(self) -> None:
            if next(room, None) is None:
                raise _TooManyCells

    cells: Any = list[CountedCell] | None
    sheet: Any = msgspec.defstruct("Worksheet", [("cells", cells, None)])
    sheets: Any = list[sheet] | None
    if odd_cells:
        other = bool | int | float | str | list[msgspec.Raw] | None
        cells = list[CountedCell | other] | None
        sheet = msgspec.defstruct("Worksheet", [("cells", cells, None)])
        sheets = list[sheet | other] | None
    notebook = msgspec.defstruct(
        "RawNotebook",
        [
            ("cells", cells, None),
            ("worksheets", sheets, None),
            ("metadata", msgspec.Raw, _NOTHING),
            ("nbformat", msgspec.Raw, _NOTHING),
            ("nbformat_minor", msgspec.Raw, _NOTHING),
        ],
    )
    return msgspec.json.decode(text, type=notebook)


def _cell(raw: _RawCell, verbatim: bool) -> Cell:
    """Second pass: one cell, with anything of an unexpected type left out."""
    kind = (_typed(raw.cell_type, str) or "").lower()
    kind = {"heading": "markdown", "html": "markdown"}.get(kind, kind)
    return Cell(
        cell_type=kind if kind in ("code", "markdown") else "raw",
        source=_source(raw.source, verbatim),
        metadata=_mapping(raw.metadata),
        id=_typed(raw.id, str) or "",
        attachments=_attachments(raw.attachments, verbatim),
    )


def _source(raw: msgspec.Raw, verbatim: bool) -> str:
    """A source that is a string or a list of lines; what is neither is left out."""
    if len(raw) > _ESCAPED * MAX_SOURCE_BYTES:
        raise _too_much_text()
    given = _typed(raw, Any)
    if isinstance(given, list):
        given = _joined([line for line in given if isinstance(line, str)])
    if not isinstance(given, str):
        return ""
    return given if verbatim else given.replace("\r\n", "\n").replace("\r", "\n")


def _joined(lines: list[str]) -> str:
    """The lines as one text; some programs write them without the line ends that belong there."""
    bare = len(lines) > 1 and all("".join(line.splitlines()) == line for line in lines)
    return ("\n" if bare else "").join(lines)


def _typed(raw: msgspec.Raw, kind: Any) -> Any:
    """The value if it is there and of that type, else None."""
    if not len(raw):
        return None
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError:
        return None


def _mapping(raw: msgspec.Raw, max_bytes: int = MAX_METADATA_BYTES) -> dict[str, Any]:
    return (_typed(raw, dict[str, Any]) or {}) if len(raw) <= max_bytes else {}


def _attachments(raw: msgspec.Raw, verbatim: bool) -> dict[str, Any]:
    """A text cell's attached files: all of the course's own, and a student's pictures."""
    if verbatim:
        return _mapping(raw, MAX_BYTES)
    return dict(raster_pictures(_mapping(raw, MAX_PICTURE_BYTES)))


def _too_much_text() -> NotebookError:
    return NotebookError(
        f"The cells hold more than {MAX_SOURCE_BYTES >> 20} MiB of text and code."
        " Move data out of the cells and submit the notebook again."
    )


def _remarks(cells: list[_RawCell], metadata: dict[str, Any], verbatim: bool) -> list[str]:
    """What a reader of the report should know about a file that is otherwise in order."""
    notes = []
    for key in ("language_info", "kernelspec"):
        found = metadata.get(key)
        field = "name" if key == "language_info" else "language"
        language = found.get(field) if isinstance(found, dict) else None
        if isinstance(language, str) and language.lower() not in ("python", "ipython", ""):
            notes.append(f"The notebook is saved as one of {language[:30]!r}; it is run as Python.")
            break
    if not verbatim:
        notes += [
            f"Cell {number} had attached files, which were left out."
            for number, cell in enumerate(cells, 1)
            if len(_mapping(cell.attachments, MAX_BYTES))
            > len(_attachments(cell.attachments, verbatim))
        ]
    return notes


# -- old formats -----------------------------------------------------------------------------------


def _old_cell(raw: _RawCell) -> Cell:
    """A cell of format 1 (`code`, `text`), 2 or 3 (`input`, `source`), as format 4 has it.

    nbformat could upgrade it too, but makes up random ids, warns about them and needs the outputs.
    """
    kind = _typed(raw.cell_type, str)
    text = next((r for r in (raw.input, raw.source, raw.code, raw.text) if len(r)), _NOTHING)
    source = _source(text, verbatim=False)
    if kind == "heading":
        level = _typed(raw.level, int) or 1
        source = f"{'#' * min(max(level, 1), 6)} {' '.join(source.splitlines())}"
    kind = kind if kind in ("code", "raw") else "markdown"
    return Cell(cell_type=kind, source=source, metadata=_mapping(raw.metadata))
