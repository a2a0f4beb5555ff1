"""The release notebook as the frame that every submission is put into."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from autograder.notebook.model import (
    Cell,
    NotebookError,
    grade_id_of,
    nbgrader_of,
    same_text,
)
from autograder.notebook.names import names_bound
from autograder.notebook.reading import read

DEMO_TAG = "demo"
_FLAGS = ("grade", "solution", "locked", "task")


class Role(StrEnum):
    """What a cell is for, by nbgrader's flags."""

    TEST = "test"
    SOLUTION = "solution"
    WRITTEN = "written"
    TASK = "task"
    LOCKED = "locked"
    PLAIN = "plain"


_SCORED = (Role.TEST, Role.WRITTEN, Role.TASK)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFacts:
    """What the gradebook holds on one cell: its source_cell and, if it is scored, its grade_cell.

    `source` is the instructor's, hidden tests included; `points` is None for unscored cells.
    """

    cell_type: str
    source: str
    checksum: str | None
    locked: bool
    grade: bool = False
    solution: bool = False
    task: bool = False
    points: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkeletonCell:
    """One cell of the release.

    `cell` is what a rebuilt notebook starts from, with the gradebook's facts in place; `released`
    and `released_points` are what students were given. `demo` cells are not run when grading.
    """

    cell: Cell
    released: str
    grade_id: str | None
    role: Role
    demo: bool
    released_points: float | None

    @property
    def editable(self) -> bool:
        """Whether the student's text stands in it, rather than the release's."""
        if self.role is Role.TASK:
            return not nbgrader_of(self.cell).get("locked", False)
        return self.role in (Role.SOLUTION, Role.WRITTEN, Role.PLAIN)

    @property
    def idle(self) -> bool:
        """Whether it is left out when the student's cells run: tests and demonstrations are."""
        return self.demo or self.role is Role.TEST

    @property
    def functions(self) -> frozenset[str]:
        """The functions and classes that the student is to write in it."""
        is_stub = self.role is Role.SOLUTION and self.cell.is_code
        return names_bound(self.released).defined if is_stub else frozenset()

    def has_flags_of(self, cell: Cell) -> bool:
        """Whether a submitted cell still has this cell's nbgrader flags and points."""
        ours, theirs = nbgrader_of(self.cell), nbgrader_of(cell)
        if any(ours.get(key, False) != theirs.get(key, False) for key in _FLAGS):
            return False
        return _points_of(cell) in (self.released_points, _points_of(self.cell))

    def is_unchanged(self, text: str) -> bool:
        """Whether a text is what the release, or a rebuilt notebook, has in this cell."""
        return same_text(text, self.released) or same_text(text, self.cell.source)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The cells of a release in order, and its notebook metadata."""

    cells: tuple[SkeletonCell, ...]
    metadata: dict[str, Any]

    @classmethod
    def from_release(cls, data: bytes, facts: Mapping[str, CellFacts] | None = None) -> Skeleton:
        """Read a release notebook.

        With `facts` (by grade_id) every cell they name gets its points, checksum, type and, if it
        is locked, its source from the gradebook, so that nbgrader's own OverwriteCells finds
        nothing left to change.

        Raises:
            NotebookError: it is no notebook, or two of its cells have the same grade_id.
        """
        notebook = read(data, verbatim=True)
        known = facts or {}
        taken: set[str] = set()
        cells = []
        for cell in notebook.cells:
            cell.id = cell.id if _is_id(cell.id, taken) else fresh_id(cell, taken)
            taken.add(cell.id)
            cells.append(_skeleton_cell(cell, known))
        names = [c.grade_id for c in cells if c.grade_id is not None]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise NotebookError(
                f"The release notebook has two cells with the grade_id {twice[0]!r}."
                " Rename one in the source notebook and generate the assignment again."
            )
        return cls(cells=tuple(cells), metadata=notebook.metadata)

    @property
    def grade_ids(self) -> frozenset[str]:
        """Every grade_id of the release."""
        return frozenset(c.grade_id for c in self.cells if c.grade_id is not None)

    def mismatch(self, ids_and_points: Mapping[str, float]) -> str | None:
        """Where the release and the gradebook's scored cells disagree, in a sentence; else None."""
        released = {
            c.grade_id: c.released_points
            for c in self.cells
            if c.grade_id is not None and c.role in _SCORED
        }
        remedy = "Generate the assignment again."
        for name in sorted(released.keys() | ids_and_points.keys()):
            if name not in released:
                return f"The gradebook scores a cell {name!r} that the release lacks. {remedy}"
            if name not in ids_and_points:
                return f"The release scores a cell {name!r} that the gradebook lacks. {remedy}"
            if released[name] != ids_and_points[name]:
                return (
                    f"The cell {name!r} is worth {released[name]} points in the release, but"
                    f" {ids_and_points[name]} in the gradebook. {remedy}"
                )
        return None


def role_of(cell: Cell) -> Role:
    """The role that the cell's own nbgrader flags give it."""
    flags = nbgrader_of(cell)
    if flags.get("task") is True:
        return Role.TASK
    if flags.get("grade") is True:
        return Role.WRITTEN if flags.get("solution") is True else Role.TEST
    if flags.get("solution") is True:
        return Role.SOLUTION
    return Role.LOCKED if flags.get("locked") is True else Role.PLAIN


def fresh_id(cell: Cell, taken: set[str]) -> str:
    """A valid cell id that depends on the cell's text and, if that is taken, on a count."""
    count = 0
    while True:
        text = f"{cell.cell_type}\0{cell.source}\0{count}"
        made = "extra-" + sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        if made not in taken:
            return made
        count += 1


def _is_id(text: str, taken: set[str]) -> bool:
    """Whether nbformat 4.5 accepts the id and no cell before has it."""
    plain = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return plain and len(text) <= 64 and text not in taken


def _skeleton_cell(cell: Cell, known: Mapping[str, CellFacts]) -> SkeletonCell:
    role = role_of(cell)
    released, points = cell.source, _points_of(cell)
    if role is Role.PLAIN:
        # A left-over flag block names no cell of the gradebook; nbgrader would cut it down.
        cell.metadata.pop("nbgrader", None)
    grade_id = grade_id_of(cell)
    facts = known.get(grade_id or "")
    if facts is not None:
        _apply(facts, cell)
    tags = cell.metadata.get("tags")
    return SkeletonCell(
        cell=cell,
        released=released,
        grade_id=grade_id,
        role=role,
        demo=isinstance(tags, list) and DEMO_TAG in tags,
        released_points=points,
    )


def _points_of(cell: Cell) -> float | None:
    points = nbgrader_of(cell).get("points")
    return float(points) if isinstance(points, (int, float)) else None


def _apply(facts: CellFacts, cell: Cell) -> None:
    """Put the gradebook's facts into a cell, as OverwriteCells would."""
    flags = nbgrader_of(cell)
    cell.cell_type = facts.cell_type
    if facts.checksum is not None:
        flags["checksum"] = facts.checksum
    if facts.points is not None and _points_of(cell) != facts.points:
        flags["points"] = facts.points
    if facts.locked:
        cell.source = facts.source
        if role_of(cell) is not Role.TEST:  # a test is locked without the flag
            flags["locked"] = True


def copy_of(cell: Cell, source: str, cell_type: str) -> Cell:
    """A skeleton's cell with another text; no two notebooks share its metadata."""
    return Cell(
        cell_type=cell_type,
        source=source,
        metadata=deepcopy(cell.metadata),
        id=cell.id,
        attachments={} if cell_type == "code" else deepcopy(cell.attachments),
    )
