"""What was changed in a gradebook, and how a history of it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.reporting.text import counted, points
from autograder.results import FORMAT_VERSION
from autograder.worker.hygiene import clean_text


class What(StrEnum):
    """What changed. The last two are no scores: digests of what was handed in."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"
    EXTRA_CREDIT = "extra_credit"
    LATE_PENALTY = "late_penalty"
    ANSWER = "answer"
    CODE = "code"


class How(StrEnum):
    """By which way it changed; `found` is a difference that a later run came upon."""

    GRADE = "grade"
    AUTOGRADE = "autograde"
    OVERRIDE = "override"
    FOUND = "found"


class Subject(NamedTuple):
    """What a line is about. `cell` is None for what belongs to a whole notebook."""

    student: str
    notebook: str
    cell: str | None
    what: What


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the log.

    Args:
        when: UTC, ISO 8601, to the second.
        who: the user of the operating system, or what other program it must have been.
        how: by which way.
        student: the student's id.
        notebook: the notebook's name.
        cell: the grade_id of the scored cell; None for the whole notebook.
        what: which of its values.
        old: the value before; points, or a digest; None for no value.
        new: the value after.
        reason: why, in a sentence; may be empty.
        versions: of autograder and numpy, by name.
        seed_id: the hash of the seed that the cases came from; empty where none played a part.
    """

    when: str
    who: str
    how: How
    student: str
    notebook: str
    cell: str | None
    what: What
    old: float | str | None
    new: float | str | None
    reason: str = ""
    versions: dict[str, str] = {}
    seed_id: str = ""

    @property
    def subject(self) -> Subject:
        """What it is about."""
        return Subject(self.student, self.notebook, self.cell, self.what)


class Reopened(msgspec.Struct, frozen=True, kw_only=True):
    """A written answer that was graded by hand and is another text now."""

    student: str
    cell: str
    manual: float
    max_score: float


class Differing(msgspec.Struct, frozen=True, kw_only=True):
    """An override beside the automatic score that it hides; `before` is the one it had hidden."""

    student: str
    cell: str
    manual: float
    automatic: float
    before: float | None


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """What an override made of a score: a row of the gradebook, points throughout.

    Args:
        student: the student's id.
        assignment: the assignment's name.
        notebook: the notebook's name.
        exercise: the grade_id of the scored cell.
        before: the manual score until now; None if there was none.
        manual: the manual score; None where it was taken back.
        automatic: the automatic score; None where there is none.
        extra_credit: what is added to either.
        late_penalty: what is taken off the whole notebook.
        score: what the cell counts.
        max_score: what it is worth.
    """

    student: str
    assignment: str
    notebook: str
    exercise: str
    before: float | None
    manual: float | None
    automatic: float | None
    extra_credit: float
    late_penalty: float
    score: float
    max_score: float


class StudentHistory(msgspec.Struct, frozen=True, kw_only=True):
    """What `autograder history --json` prints.

    Args:
        student: the student's id.
        assignment: the assignment's name.
        changes: the lines of the log that concern the student, the oldest first.
        damaged: how many lines of the whole log can't be read.
        log: the log's file.
    """

    format_version: int = FORMAT_VERSION
    student: str
    assignment: str
    changes: tuple[Change, ...]
    damaged: int
    log: str


def reopened_line(item: Reopened) -> str:
    """A sentence on a written answer that a person has to grade again."""
    return (
        f"{clean_text(item.student, 80)}, {item.cell}: the answer changed; its mark of "
        f"{points(item.manual)}/{points(item.max_score)} was given for another text. It stays "
        "until somebody grades the new one."
    )


def differing_line(item: Differing) -> str:
    """A sentence on an override and what the grader says now."""
    line = (
        f"{clean_text(item.student, 80)}, {item.cell}: {points(item.manual)} by hand counts, "
        f"automatically it is {points(item.automatic)}"
    )
    if item.before is not None and item.before != item.automatic:
        line += f" (it was {points(item.before)})"
    return line + "."


def override_lines(done: Override) -> Iterator[str]:
    """What an override did, and what it left as it was."""
    where = f"{clean_text(done.student, 80)}, {done.assignment}, {done.exercise}"
    before, automatic = _value(done.before), _value(done.automatic)
    if done.manual is None:
        yield f"{where}: the automatic score counts again, {automatic}/{points(done.max_score)}."
    else:
        yield (
            f"{where}: {points(done.manual)}/{points(done.max_score)} by hand "
            f"(by hand before: {before}; automatic: {automatic})."
        )
    if done.extra_credit:
        yield (
            f"Extra credit of {points(done.extra_credit)} stays, so it counts {points(done.score)}."
        )
    if done.late_penalty:
        yield (
            f"The late penalty of {points(done.late_penalty)} is that of the score before. To have "
            f"it set anew: autograder grade {done.assignment} --student "
            f"{clean_text(done.student, 80)} --force"
        )


def print_marks(out: Console, reopened: Sequence[Reopened], differing: Sequence[Differing]) -> None:
    """What a run has to say on scores that people gave, a line each."""
    if reopened:
        out.print(f"{counted(len(reopened), 'written answer')} changed after being graded by hand:")
    for item in sorted(reopened, key=lambda item: item.student):
        out.print(f"  {reopened_line(item)}", soft_wrap=True)
    if differing:
        differ = "differs" if len(differing) == 1 else "differ"
        out.print(f"{counted(len(differing), 'override')} {differ} from the automatic score:")
    for other in sorted(differing, key=lambda item: item.student):
        out.print(f"  {differing_line(other)}", soft_wrap=True)


def print_history(out: Console, history: StudentHistory) -> None:
    """The changes as a table, the oldest first; what was handed in shows only where it changed."""
    table = Table(title=Text(f"{clean_text(history.student, 80)}, {history.assignment}"))
    for column in ("when (UTC)", "who", "cell", "what", "change", "reason"):
        table.add_column(column, overflow="fold")
    for change in history.changes:
        if change.old is None and change.what in (What.ANSWER, What.CODE):
            continue
        table.add_row(*map(Text, _row(change)))
    out.print(table)
    if history.damaged:
        out.print(damaged_line(history.damaged, history.log), soft_wrap=True)


def damaged_line(count: int, log: str) -> str:
    """A sentence on lines that a crash cut off."""
    lines = "1 line" if count == 1 else f"{count} lines"
    return (
        f"{lines} of {log} can't be read, as after a crash, and were left out; what they said "
        "of a score was compared with the gradebook and logged again."
    )


def _row(change: Change) -> Iterator[str]:
    yield change.when.replace("T", " ").removesuffix("Z")
    yield f"{clean_text(change.who, 60)} ({change.how})"
    yield clean_text(change.cell or "the notebook", 80)
    yield _NAMES[change.what]
    yield f"{_value(change.old)} → {_value(change.new)}"
    yield clean_text(change.reason, 1000)


_NAMES = {
    What.AUTOMATIC: "automatic",
    What.MANUAL: "by hand",
    What.EXTRA_CREDIT: "extra credit",
    What.LATE_PENALTY: "late penalty",
    What.ANSWER: "text handed in",
    What.CODE: "code handed in",
}


def _value(value: float | str | None) -> str:
    if isinstance(value, str):
        return clean_text(value, 6)
    return "none" if value is None else points(value)
