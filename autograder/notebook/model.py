"""The notebook as this package sees it: cells with text, and little else."""

from __future__ import annotations

from typing import Any

import msgspec


class NotebookError(ValueError):
    """A file cannot be read as a notebook. The message is one sentence or two for a person."""


class Cell(msgspec.Struct, kw_only=True):
    """One cell. `id` is empty where the file has none; `outputs` are nbformat's output dicts."""

    cell_type: str
    source: str = ""
    metadata: dict[str, Any] = {}
    id: str = ""
    outputs: list[dict[str, Any]] = []
    execution_count: int | None = None
    attachments: dict[str, Any] = {}

    @property
    def is_code(self) -> bool:
        """Whether a kernel would run it."""
        return self.cell_type == "code"


class Notebook(msgspec.Struct, kw_only=True):
    """A notebook. `notes` say what was odd about the file it was read from; no file holds them."""

    cells: list[Cell]
    metadata: dict[str, Any] = {}
    nbformat: int = 4
    nbformat_minor: int = 5
    notes: list[str] = []


def nbgrader_of(cell: Cell) -> dict[str, Any]:
    """The cell's nbgrader metadata; empty where there is none or it is no mapping."""
    found = cell.metadata.get("nbgrader")
    return found if isinstance(found, dict) else {}


def grade_id_of(cell: Cell) -> str | None:
    """The cell's grade_id, or None."""
    found = nbgrader_of(cell).get("grade_id")
    return found if isinstance(found, str) and found else None


def id_of(cell: Cell) -> str:
    """The cell's id; Colab, which writes a format without ids, keeps it among the metadata."""
    kept = cell.metadata.get("id")
    return cell.id or (kept if isinstance(kept, str) else "")


def canonical(text: str) -> str:
    """The text without what editors change unasked: line ends, trailing blanks, outer space."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def same_text(left: str, right: str) -> bool:
    """Whether two sources are equal up to what editors change unasked."""
    return left == right or canonical(left) == canonical(right)
