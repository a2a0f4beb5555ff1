"""Which automatic scores a run changes, or would change: student by student, up or down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.reporting.text import counted, points
from autograder.worker.hygiene import clean_text

_STYLES = {"up": "green", "down": "red", "first": "", "person": "yellow"}
_SAID = {
    "up": "up",
    "down": "down",
    "first": "for the first time",
    "person": "left to a person",
}


class ScoreChange(msgspec.Struct, frozen=True, kw_only=True):
    """One score that changes.

    Args:
        student: the student's id.
        exercise: the grade_id of the test cell.
        old: the automatic score on record; None where there is none.
        new: the automatic score of this run; None where a person has to score the cell.
        manual: the manual score that hides both; None where there is none.
    """

    student: str
    exercise: str
    old: float | None
    new: float | None
    manual: float | None = None

    @property
    def direction(self) -> str:
        """Which way it goes: `up`, `down`, `first` (there was none) or `person` (none now)."""
        if self.new is None:
            return "person"
        if self.old is None:
            return "first"
        return "up" if self.new > self.old else "down"


@dataclass(frozen=True, slots=True)
class OnRecord:
    """What is on record for one test cell: its automatic and its manual score."""

    automatic: float | None = None
    manual: float | None = None


@dataclass(slots=True)
class Comparison:
    """The changes of a run, and how many scores stay as they are."""

    changes: list[ScoreChange] = field(default_factory=list)
    same: int = 0

    def add(
        self, student: str, before: Mapping[str, OnRecord], after: Mapping[str, float | None]
    ) -> list[ScoreChange]:
        """Compare the scores of one student, those of `after` alone; return what changes."""
        found = []
        for exercise, new in after.items():
            old = before.get(exercise, OnRecord())
            if old.automatic != new:
                found.append(
                    ScoreChange(
                        student=clean_text(student, 200),
                        exercise=exercise,
                        old=old.automatic,
                        new=new,
                        manual=old.manual,
                    )
                )
        self.changes += found
        self.same += len(after) - len(found)
        return found

    def sort(self) -> None:
        """By student; a student's exercises keep their order."""
        self.changes.sort(key=lambda change: change.student)


def print_changes(out: Console, title: str, compared: Comparison) -> None:
    """A row for every score that goes up or down, and a line with the totals.

    First scores are counted only: a class that was never graded is no list of changes.
    """
    shown = [change for change in compared.changes if change.direction != "first"]
    if shown:
        table = Table(title=title)
        for heading, justify in (
            ("student", "left"), ("exercise", "left"), ("old", "right"), ("new", "right"),
        ):  # fmt: skip
            table.add_column(heading, justify=justify)  # type: ignore[arg-type]
        table.add_column("")
        for change in shown:
            table.add_row(*_row(change))
        out.print(table)
    out.print(totals(compared.changes, compared.same))


def _row(change: ScoreChange) -> Sequence[Text]:
    way = change.direction
    remark = f"{_SAID[way]} {_step(change)}".rstrip()
    if change.manual is not None:
        remark += f"; hidden by the manual score {points(change.manual)}"
    return [
        Text(change.student),
        Text(change.exercise),
        Text(_points(change.old)),
        Text(_points(change.new)),
        Text(remark, style=_STYLES[way]),
    ]


def _points(value: float | None) -> str:
    return "none" if value is None else points(value)


def _step(change: ScoreChange) -> str:
    if change.old is None or change.new is None:
        return ""
    return points(abs(change.new - change.old))


def totals(changes: Iterable[ScoreChange], same: int) -> str:
    """The totals in a line: `96 scores: 3 up, 1 down, 92 same.`"""
    ways = Counter(change.direction for change in changes)
    parts = [f"{ways['up']} up", f"{ways['down']} down"]
    if ways["first"]:
        parts.append(f"{ways['first']} given for the first time")
    if ways["person"]:
        parts.append(f"{ways['person']} left to a person")
    return f"{counted(ways.total() + same, 'score')}: {', '.join(parts)}, {same} same."
