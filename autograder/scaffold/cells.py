"""The cells that an exercise takes in a source notebook: a text, the stub and the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autograder.course import UsageError
from autograder.notebook import Cell, Notebook, NotebookError, read, write
from autograder.notebook.model import grade_id_of
from autograder.scaffold.names import Function

_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def source_with_cells(path: Path, function: Function, texts: dict[str, str], points: int) -> bytes:
    """The source notebook at `path`, or a new one, with the exercise's cells at its end.

    Args:
        path: the notebook, which need not exist.
        function: what students write.
        texts: the sources of the cells `text`, `solution` and `test`.
        points: what the test cell is worth.

    Raises:
        UsageError: the notebook can't be read, or has such a cell already.
    """
    notebook = _existing(path) if path.exists() else _empty(path.stem)
    taken = {grade_id_of(cell) for cell in notebook.cells} | {cell.id for cell in notebook.cells}
    cells = exercise_cells(function, texts, points)
    for cell in cells:
        if cell.id in taken:
            raise UsageError(f"{path} has a cell {cell.id!r} already. Nothing is written over.")
    return write(
        Notebook(
            cells=[*notebook.cells, *cells],
            metadata=notebook.metadata,
            nbformat=notebook.nbformat,
            nbformat_minor=notebook.nbformat_minor,
        )
    )


def exercise_cells(function: Function, texts: dict[str, str], points: int) -> list[Cell]:
    """The cells with the ids and flags that nbgrader and the grader go by."""
    name = function.name
    return [
        Cell(cell_type="markdown", source=texts["text"], metadata={}, id=f"{name}-text"),
        _graded(f"{name}-solution", texts["solution"], solution=True),
        _graded(name, texts["test"], grade=True, locked=True, points=points),
    ]


def _graded(grade_id: str, source: str, **flags: Any) -> Cell:
    off = {"grade": False, "locked": False, "solution": False, "task": False}
    nbgrader = off | {"grade_id": grade_id, "schema_version": 3} | flags
    return Cell(cell_type="code", source=source, metadata={"nbgrader": nbgrader}, id=grade_id)


def _existing(path: Path) -> Notebook:
    try:
        notebook = read(path.read_bytes(), verbatim=True)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except NotebookError as error:
        raise UsageError(f"{path}: {error}") from None
    if notebook.notes:
        raise UsageError(f"{path} is damaged: {notebook.notes[0]} Mend it first.")
    return notebook


def _empty(name: str) -> Notebook:
    title = name.replace("_", " ").capitalize()
    return Notebook(
        cells=[
            Cell(cell_type="markdown", source=f"# {title}", metadata={}, id="title"),
            Cell(cell_type="code", source="import numpy as np", metadata={}, id="imports"),
        ],
        metadata=_KERNEL,
        nbformat=4,
        nbformat_minor=5,
    )
