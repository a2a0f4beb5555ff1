"""Ordinary test cells: scored cells that name no exercise, as stock nbgrader grades them.

They run after the student's cells in the same sandboxed worker and are scored by nbgrader's own
rule, with two differences: stderr is information, and after signs of tampering a person decides.
Test and student share one interpreter here, so such a score can be forged; the report says so.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.notebook import Notebook, Role, Skeleton
from autograder.notebook.skeleton import role_of
from autograder.results import CellGrade, Status
from autograder.worker.client import CellRun, Session
from autograder.worker.wire import RELEASED_CELLS


@dataclass(slots=True)
class PlainTests:
    """What the ordinary test cells of a notebook gave."""

    grades: dict[str, CellGrade] = field(default_factory=dict)
    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def scores(self) -> list[float]:
        """What each cell earned; nothing where a person must decide."""
        return [grade.score or 0.0 for grade in self.grades.values()]

    @property
    def max_scores(self) -> list[float]:
        """What each cell is worth."""
        return [grade.max_score for grade in self.grades.values()]


def run(
    notebook: Notebook, skeleton: Skeleton | None, exercises: Collection[str], session: Session
) -> PlainTests:
    """Run every scored code cell that names no exercise, and score it."""
    found = PlainTests()
    if skeleton is None:
        return found
    for index, grade_id, points in _scored_cells(notebook):
        if grade_id in exercises:
            continue
        ran = session.run_cell(notebook.cells[index].source, index=RELEASED_CELLS + index)
        earned = points_for(ran, points)
        shown = "no score" if earned is None else f"{earned:g} of {points:g} points"
        found.outputs[index] = list(ran.outputs)
        found.grades[grade_id] = CellGrade(
            score=earned, max_score=points, needs_person=earned is None
        )
        found.notes.append(
            f"{grade_id} is an ordinary test cell ({shown}): it shares its interpreter with the "
            "student's code, so its score can be forged."
        )
    return found


def _scored_cells(notebook: Notebook) -> Iterator[tuple[int, str, float]]:
    """The test cells of a rebuilt notebook: index, grade_id, points, all of the skeleton."""
    for index, cell in enumerate(notebook.cells):
        if cell.is_code and role_of(cell) is Role.TEST:
            flags = cell.metadata["nbgrader"]
            yield index, flags["grade_id"], float(flags["points"])


def points_for(ran: CellRun, points: float) -> float | None:
    """The points of an ordinary test cell; None where what it says can't be trusted.

    nbgrader's rule, less its holes: an error anywhere earns nothing, else the number that the
    last line evaluates to is the score, kept within 0 and the points; silence earns everything.
    What a student's function shows while it is tested comes before that number.
    """
    failed = any(output["output_type"] == "error" for output in ran.outputs)
    if failed or ran.status is not Status.PASSED:
        return 0.0
    if ran.tampered:
        return None
    for output in reversed(ran.outputs):
        if output["output_type"] == "execute_result":
            value = _number(output.get("data", {}).get("text/plain", ""))
            if value is not None:
                return min(max(value, 0.0), points)
    return points


def _number(text: str | Sequence[str]) -> float | None:
    try:
        value = float(text if isinstance(text, str) else "".join(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
