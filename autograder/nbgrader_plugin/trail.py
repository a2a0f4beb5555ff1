"""Keeps the history of an assignment's scores in step with the gradebook.

Formgrader and nbgrader's own commands write to the gradebook without us. So the gradebook's present
scores are compared with the last known ones at every run, and what differs is logged as a change
that somebody else made since.

Log and database can't share a transaction. A run of the grader commits first and logs what it
finds changed; if it dies in between, the next run finds the same difference and logs it then, with
an unknown author. An override is logged first, since nothing but the log holds its reason; if it
dies in between, the next run finds the old score in the gradebook and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Select, select

from autograder import __version__
from autograder.course import Course
from autograder.nbgrader_plugin.history import History, now, user
from autograder.notebook.model import canonical
from autograder.reporting.history import Change, How, Subject, What

ANOTHER_PROGRAM = "formgrader or another program"
NBGRADER = "nbgrader, or a run that was stopped"
BEFORE_THE_LOG = "somebody, before this log began"

_SCORES = (What.AUTOMATIC, What.MANUAL, What.EXTRA_CREDIT)
_OF_PEOPLE = (What.MANUAL, What.EXTRA_CREDIT)
Values = dict[Subject, float | str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What a run of ours changes scores for: by which way, why, and the seed it graded with."""

    how: How
    reason: str = ""
    seed_id: str = ""


@dataclass(frozen=True, slots=True)
class Digests:
    """What a student handed in, as digests: one for each written answer, one for all code.

    They tell whether a mark was given for this text or for another one; the log needs no text.
    """

    answers: Mapping[str, str]
    code: str

    @classmethod
    def of(cls, nb: NotebookNode) -> Digests:
        """Those of an autograded notebook."""
        answers, code = {}, sha256()
        for cell in nb.cells:
            text = canonical(cell.source)
            if utils.is_task(cell) or (utils.is_grade(cell) and utils.is_solution(cell)):
                answers[str(cell.metadata["nbgrader"]["grade_id"])] = _digest(text)
            elif cell.cell_type == "code" and not utils.is_grade(cell):
                code.update(f"{_digest(text)}\n".encode())
        return cls(answers, code.hexdigest()[:16])

    def subjects(self, student: str, notebook: str) -> Values:
        """As the log holds them."""
        values: Values = {
            Subject(student, notebook, name, What.ANSWER): digest
            for name, digest in self.answers.items()
        }
        return values | {Subject(student, notebook, None, What.CODE): self.code}


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(slots=True)
class Trail:
    """The history of one assignment, beside its gradebook."""

    gradebook: Gradebook
    assignment: str
    history: History

    @classmethod
    def of(cls, course: Course, gradebook: Gradebook, assignment: str) -> Trail:
        """The trail of an assignment of a course."""
        return cls(gradebook, assignment, History.of(course, assignment))

    def catch_up(self, student: str | None = None) -> list[Change]:
        """Log what somebody else changed since the last run; return the new lines.

        Args:
            student: only this one's scores; None compares all.

        Raises:
            UsageError: the log can't be read or written.
        """
        with self.history.locked():
            return self._log(self._differences(student))

    def record(self, student: str, notebook: str, digests: Digests | None, cause: Cause) -> None:
        """Log what a run of ours just changed for a student, and what was handed in this time.

        Manual scores and extra credit are never ours: what differs there, somebody else changed
        in the meantime.

        Raises:
            UsageError: the log can't be read or written.
        """
        with self.history.locked():
            ours = []
            for change in self._differences(student):
                if change.what in _OF_PEOPLE or change.notebook != notebook:
                    ours.append(change)
                else:
                    ours.append(self._attributed(change, cause, digests))
            if digests is not None:
                ours += self._handed_in(student, notebook, digests, cause)
            self._log(ours)

    @contextmanager
    def ahead(self, subject: Subject, new: float | None, cause: Cause) -> Iterator[None]:
        """Log a change, then let the caller make it, while no other process may log.

        Raises:
            UsageError: the log can't be read or written; then the change must not be made.
        """
        with self.history.locked():
            self._log(self._differences(subject.student))
            old = self.history.known.get(subject)
            self._log([logged(subject, old=old, new=new, who=user(), cause=cause)])
            yield

    def knows(self, student: str, notebook: str) -> bool:
        """Whether the log says what the scores of a notebook were given for."""
        return Subject(student, notebook, None, What.CODE) in self.history.known

    def remember(self, student: str, notebook: str, digests: Digests) -> None:
        """Log what was handed in before, for scores that were given before the log began.

        Raises:
            UsageError: the log can't be read or written.
        """
        with self.history.locked():
            if not self.knows(student, notebook):
                found = Cause(how=How.FOUND)
                self._log(list(self._handed_in(student, notebook, digests, found)))

    def given_for(self, student: str, notebook: str, cell: str, digests: Digests) -> bool | None:
        """Whether the score of a cell was given for what is handed in now; None if unknown.

        A written answer counts by its own text, a test cell by all code of the notebook.
        """
        if cell in digests.answers:
            known = self.history.known.get(Subject(student, notebook, cell, What.ANSWER))
            return None if known is None else known == digests.answers[cell]
        known = self.history.known.get(Subject(student, notebook, None, What.CODE))
        return None if known is None else known == digests.code

    # -- comparing -----------------------------------------------------------------------------

    def _log(self, changes: list[Change]) -> list[Change]:
        self.history.append(changes)
        return changes

    def _differences(self, student: str | None) -> list[Change]:
        """What the gradebook holds and the log does not say, as changes that others made."""
        present = present_scores(self.gradebook, self.assignment, student)
        gone = {
            subject: None
            for subject in self.history.known
            if subject not in present
            and subject.what not in (What.ANSWER, What.CODE)
            and student in (None, subject.student)
        }
        known = self.history.known
        return [
            self._found(subject, value)
            for subject, value in (present | gone).items()
            if known.get(subject) != value
        ]

    def _found(self, subject: Subject, value: float | str | None) -> Change:
        if self.history.is_empty:
            who = BEFORE_THE_LOG
        else:
            who = ANOTHER_PROGRAM if subject.what in _OF_PEOPLE else NBGRADER
        return logged(
            subject,
            old=self.history.known.get(subject),
            new=value,
            who=who,
            cause=Cause(how=How.FOUND, reason=self._undone(subject, value)),
        )

    def _undone(self, subject: Subject, value: float | str | None) -> str:
        """Says so where the gradebook holds what it held before an override of ours."""
        if subject.what is not What.MANUAL:
            return ""
        last = next((c for c in reversed(self.history.changes) if c.subject == subject), None)
        if last is None or last.how is not How.OVERRIDE or last.old != value:
            return ""
        return "The override before never reached the gradebook, or was taken back."

    def _attributed(self, change: Change, cause: Cause, digests: Digests | None) -> Change:
        reason = cause.reason or self._occasion(change, digests)
        return logged(
            change.subject,
            old=change.old,
            new=change.new,
            who=user(),
            cause=replace(cause, reason=reason),
        )

    def _occasion(self, change: Change, digests: Digests | None) -> str:
        """Why a run graded: what was handed in is new, changed, or the same."""
        if digests is None:
            return "Nothing was handed in."
        known = self.history.known.get(Subject(change.student, change.notebook, None, What.CODE))
        if known is None:
            return "Graded for the first time."
        return "Graded again." if known == digests.code else "The code that was handed in changed."

    def _handed_in(
        self, student: str, notebook: str, digests: Digests, cause: Cause
    ) -> Iterator[Change]:
        for subject, digest in digests.subjects(student, notebook).items():
            old = self.history.known.get(subject)
            if old == digest:
                continue
            manual = None
            if old is not None and subject.what is What.ANSWER:
                manual = self.history.known.get(subject._replace(what=What.MANUAL))
            reason = ""
            if manual is not None:
                reason = f"The manual score of {manual:g} was given for another text."
            who = BEFORE_THE_LOG if cause.how is How.FOUND else user()
            yield logged(subject, old=old, new=digest, who=who, cause=replace(cause, reason=reason))


def logged(
    subject: Subject, *, old: float | str | None, new: float | str | None, who: str, cause: Cause
) -> Change:
    """A line of the log, of now and of these versions."""
    return Change(
        when=now(),
        who=who,
        how=cause.how,
        student=subject.student,
        notebook=subject.notebook,
        cell=subject.cell,
        what=subject.what,
        old=old,
        new=new,
        reason=cause.reason,
        versions=_versions(),
        seed_id=cause.seed_id,
    )


@cache  # it is asked of the installation, which takes as long as writing a line
def _versions() -> dict[str, str]:
    return {"autograder": __version__, "numpy": version("numpy")}


def present_scores(gradebook: Gradebook, assignment: str, student: str | None = None) -> Values:
    """Every score that the gradebook holds of an assignment now, None for those it lacks.

    It asks for columns, not for objects, so it sees what other programs committed.
    """
    owner: tuple[Any, ...] = (SubmittedAssignment.student_id, Notebook.name)
    scores: tuple[Any, ...] = (Grade.auto_score, Grade.manual_score, Grade.extra_credit)
    cells: Select[Any] = select(*owner, BaseCell.name, *scores)
    cells = cells.join_from(Grade, BaseCell, Grade.cell_id == BaseCell.id)
    cells = cells.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
    notebooks: Select[Any] = select(*owner, SubmittedNotebook.late_submission_penalty)
    notebooks = notebooks.select_from(SubmittedNotebook)
    values: Values = {}
    gradebook.db.rollback()  # ends what reading began, here and below
    for name, notebook, cell, *found in _rows(gradebook, cells, assignment, student):
        for what, score in zip(_SCORES, found, strict=True):
            values[Subject(name, notebook, cell, what)] = _points(score)
    for name, notebook, penalty in _rows(gradebook, notebooks, assignment, student):
        values[Subject(name, notebook, None, What.LATE_PENALTY)] = _points(penalty)
    gradebook.db.rollback()
    return values


def _rows(
    gradebook: Gradebook, query: Select[Any], assignment: str, student: str | None
) -> Iterable[Any]:
    """The rows of a query on submitted notebooks that belong to an assignment, by student."""
    query = (
        query.join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .where(Assignment.name == assignment)
        .order_by(SubmittedAssignment.student_id, Notebook.name)
    )
    if student is not None:
        query = query.where(SubmittedAssignment.student_id == student)
    return gradebook.db.execute(query)


def _points(value: float | None) -> float | None:
    """Points as the log writes them; a database may hold numbers that JSON does not know."""
    return float(value) if value is not None and math.isfinite(value) else None
