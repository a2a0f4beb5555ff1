"""What `autograder doctor` shows: what holds on this machine, and what in a course does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from autograder.results import FORMAT_VERSION
from autograder.worker.hygiene import clean_text
from autograder.worker.isolation import guarantees

_CONTAINER = (
    "No backend isolates here, so grade refuses. Mend one of the above, or grade in a container: "
    "docs/threat-model.md has the command."
)


class BackendReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the self-test found of a backend; `problem` is why it can't be used, and a remedy."""

    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    problem: str


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """The machine.

    Args:
        backend: what `--sandbox auto` takes; None where it refuses.
        enforced: what that backend enforces.
        missing: what it does not.
        backends: every backend by name, the strongest first.
    """

    backend: str | None
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    backends: dict[str, BackendReport]


def doctor_text(report: DoctorReport) -> str:
    """The report as lines of text: a table, then what is wrong and how to mend it."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: DoctorReport) -> Iterator[str]:
    yield f"sandbox auto takes: {report.backend or 'nothing'}"
    yield ""
    width = max(map(len, guarantees.ALL)) + 2
    yield "".ljust(width) + "".join(name.ljust(12) for name in report.backends).rstrip()
    for item in guarantees.ALL:
        marks = [_mark(item, found) for found in report.backends.values()]
        yield item.ljust(width) + "".join(mark.ljust(12) for mark in marks).rstrip()
    problems = {name: found.problem for name, found in report.backends.items() if found.problem}
    if problems:
        yield ""
    for name, problem in problems.items():
        yield f"{name}: {problem}"
    if report.backend is None:
        yield _CONTAINER


def _mark(item: str, found: BackendReport) -> str:
    return "yes" if item in found.enforced else "no"


# -- a course --------------------------------------------------------------------------------------


class Level(StrEnum):
    """How much a finding matters: a conflict has to be mended, a note is to be known."""

    CONFLICT = "conflict"
    NOTE = "note"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing in a course that does not go with this grader.

    Args:
        level: conflict or note.
        check: which check found it, a fixed word for programs.
        where: the setting, file or cell.
        problem: what is wrong, in a sentence or two.
        remedy: what to do.
    """

    level: Level
    check: str
    where: str
    problem: str
    remedy: str


class CourseReport(msgspec.Struct, frozen=True, kw_only=True):
    """A course.

    Args:
        course: its folder.
        assignments: the assignments that were looked at.
        findings: the conflicts, then the notes.
    """

    format_version: int = FORMAT_VERSION
    course: str
    assignments: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def conflicts(self) -> tuple[Finding, ...]:
        """What has to be mended."""
        return tuple(item for item in self.findings if item.level is Level.CONFLICT)


def course_text(report: CourseReport) -> str:
    """The report as lines of text: each finding with its place and its remedy."""
    return "\n".join(_course_lines(report)) + "\n"


def _course_lines(report: CourseReport) -> Iterator[str]:
    conflicts = len(report.conflicts)
    notes = len(report.findings) - conflicts
    yield f"course {report.course}: {_count(conflicts, 'conflict')}, {_count(notes, 'note')}"
    yield f"assignments: {', '.join(report.assignments) or 'none'}"
    for item in report.findings:
        yield ""
        yield f"{item.level}: {clean_text(item.where, 300)}"
        yield f"    {clean_text(item.problem, 1000)}"
        yield f"    do: {clean_text(item.remedy, 1000)}"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
