"""A notebook that ran in a worker: its cells, what became of them, and the sentences about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from autograder.results import Status
from autograder.worker.wire import cell_name

_SYNTAX_ERRORS: Final = ("SyntaxError", "IndentationError", "TabError")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell. `index` counts from 0; notes and tracebacks, for people, count from 1.

    It is the student's own count. Cells that the student has not, because the release gave them,
    have an index from `wire.RELEASED_CELLS` on; people read no number there.
    """

    index: int
    source: str


@dataclass(frozen=True, slots=True)
class CellRun:
    """How a cell ended.

    Args:
        index: the cell's index.
        status: passed, exception, or what ended the worker: the cell was then left out.
        outputs: those of a notebook file; their texts are hostile, but free of control characters.
        detail: the first exception, or a whole sentence on what ended the worker.
        line: the line of the cell that raised, 0 where unknown.
        tampered: a hint that something which test cells rely on had been replaced.
    """

    index: int
    status: Status
    outputs: tuple[dict[str, Any], ...] = ()
    detail: str = ""
    line: int = 0
    tampered: bool = False

    @property
    def is_no_python(self) -> bool:
        """Whether the cell could not even be compiled."""
        return self.detail.partition(":")[0] in _SYNTAX_ERRORS

    def note(self) -> str:
        """A sentence on a cell that did not run to its end, else nothing."""
        if self.status is Status.PASSED:
            return ""
        if self.status is not Status.EXCEPTION:
            return f"{self.detail} It was skipped."
        cell = sentence_start(cell_name(self.index))
        place = f" in line {self.line}" if self.line else ""
        if self.is_no_python:
            return f"{cell} is not valid Python{place} and defines nothing: {self.detail}."
        return f"{cell} raised an exception{place}: {self.detail}."


def sentence_start(text: str) -> str:
    """The text with a capital in front."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A notebook that has run.

    Args:
        cell_runs: one for each cell, in order.
        functions: what can be called, with the index of the cell that defined it.
        placeholders: modules that were imported but are not available.
        notes: whole sentences for the report.
    """

    cell_runs: tuple[CellRun, ...]
    functions: Mapping[str, int]
    placeholders: tuple[str, ...]
    notes: tuple[str, ...]

    def why_missing(self, name: str) -> str:
        """A sentence on why there is no function of that name."""
        failed = [run.index for run in self.cell_runs if run.status is not Status.PASSED]
        if not failed:
            return f"No cell defines {name}."
        return f"No cell defines {name}. Not run to their end: {', '.join(map(cell_name, failed))}."
