"""`autograder override` and `autograder history`: a person's score, and the trail of all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nbgrader.api import Assignment, Gradebook, MissingEntry
from sqlalchemy import select

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.backup import back_up_before_first_use
from autograder.nbgrader_plugin.database import (
    database_errors,
    has_tables,
    open_gradebook,
    say,
    transaction,
)
from autograder.nbgrader_plugin.trail import Cause, Trail
from autograder.reporting.history import How, Override, StudentHistory, Subject, What
from autograder.reporting.text import points
from autograder.worker.hygiene import clean_text

AUTOMATIC = "auto"
"""The SCORE that takes an override back."""
_REASON_LENGTH = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideRequest:
    """What was asked for on the command line, as it was written there."""

    student: str
    assignment: str
    exercise: str
    score: str
    reason: str


def override(course: Course, request: OverrideRequest) -> Override:
    """Set the manual score of one scored cell, as formgrader does, and log who did it and why.

    Points above the cell's maximum are extra credit, which nbgrader keeps apart: it stays as it is.

    Raises:
        UsageError: unknown assignment, student or exercise, no such score, no reason, or a
            gradebook or log that can't be written.
    """
    score = _score_of(request.score)
    reason = " ".join(clean_text(request.reason, _REASON_LENGTH).split())
    if not reason:
        raise UsageError("An override needs a reason that others understand: --reason TEXT")
    with _opened(course, request.assignment) as trail:
        notebook, cell = _cell(trail.gradebook, request)
        grade = _grade(trail.gradebook, request, notebook, cell)
        if score is not None and not 0 <= score <= grade.max_score:
            raise UsageError(
                f"{cell!r} is worth 0 to {points(grade.max_score)} points, so {points(score)} "
                "can't be its score. Points beyond that are extra credit: enter it in formgrader."
            )
        before = grade.manual_score
        if score is None and before is None:
            raise UsageError(f"{request.student!r} has no score by hand for {cell!r}.")
        subject = Subject(request.student, notebook, cell, What.MANUAL)
        cause = Cause(how=How.OVERRIDE, reason=reason)
        said = back_up_before_first_use(course, trail.gradebook, _db_url(course))
        with trail.ahead(subject, score, cause), transaction(trail.gradebook):
            grade = _grade(trail.gradebook, request, notebook, cell)
            grade.manual_score = score
            grade.needs_manual_grade = score is None and grade.auto_score is None
        if said:
            say(said)
        return _done(trail.gradebook, request, notebook, cell, before)


def history_of(course: Course, student: str, assignment: str) -> StudentHistory:
    """Every change of a student's scores in an assignment, what formgrader did included.

    Raises:
        UsageError: unknown assignment or student, or a gradebook or log that can't be read.
    """
    with _opened(course, assignment) as trail:
        trail.catch_up()
        log = trail.history
        changes = tuple(change for change in log.changes if change.student == student)
        if not changes:
            _refuse_unknown_student(trail.gradebook, student)
        return StudentHistory(
            student=student,
            assignment=assignment,
            changes=changes,
            damaged=log.damaged,
            log=str(log.path),
        )


def _score_of(text: str) -> float | None:
    """The points that were asked for; None for the automatic score."""
    if text == AUTOMATIC:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise UsageError(
            f"{clean_text(text, 40)!r} is no score. Write a number of points, such as 4.5, or "
            f"{AUTOMATIC} to let the automatic score count again."
        )
    return score


@contextmanager
def _opened(course: Course, assignment: str) -> Iterator[Trail]:
    """The trail of an assignment that stands in the gradebook."""
    directory = CourseAssignment(course, assignment).directory
    with database_errors(directory.db_url):
        gradebook = None
        if has_tables(directory.db_url):
            gradebook = open_gradebook(directory.db_url, directory.course_id)
        if gradebook is None:
            raise _unknown_assignment(assignment, [])
        with gradebook:
            known: list[str] = sorted(gradebook.db.scalars(select(Assignment.name)))
            if assignment not in known:
                raise _unknown_assignment(assignment, known)
            yield Trail.of(course, gradebook, assignment)


def _db_url(course: Course) -> str:
    return str(CourseAssignment(course, "").directory.db_url)


def _unknown_assignment(name: str, known: list[str]) -> UsageError:
    listed = (
        ", ".join(known) or "none; release one first: nbgrader generate_assignment NAME --force"
    )
    return UsageError(f"There is no assignment {name!r} in the gradebook. There are: {listed}.")


def _refuse_unknown_student(gradebook: Gradebook, student: str) -> None:
    try:
        gradebook.find_student(student)
    except MissingEntry:
        raise UsageError(
            f"There is no student {clean_text(student, 80)!r} in the gradebook. Use the name of "
            "their folder under submitted/."
        ) from None


def _cell(gradebook: Gradebook, request: OverrideRequest) -> tuple[str, str]:
    """The notebook and grade_id of the scored cell that `cell` or `notebook/cell` names.

    Raises:
        UsageError: there is none, or several notebooks have one.
    """
    assignment: Any = gradebook.find_assignment(request.assignment)
    cells = [
        (notebook.name, cell.name)
        for notebook in assignment.notebooks
        for cell in (*notebook.grade_cells, *notebook.task_cells)
    ]
    asked = request.exercise
    found = [one for one in cells if asked in (one[1], "/".join(one))]
    if not found:
        names = ", ".join(sorted({cell for _, cell in cells})) or "none"
        raise UsageError(
            f"{request.assignment!r} scores no cell {clean_text(asked, 80)!r}. It scores: {names}."
        )
    if len(found) > 1:
        choices = " or ".join("/".join(one) for one in sorted(found))
        raise UsageError(f"Several notebooks score a cell {asked!r}. Say which: {choices}")
    return found[0]


def _grade(gradebook: Gradebook, request: OverrideRequest, notebook: str, cell: str) -> Any:
    """The row of a student's score.

    Raises:
        UsageError: unknown student, or one who has no submission in the gradebook.
    """
    try:
        return gradebook.find_grade(cell, notebook, request.assignment, request.student)
    except MissingEntry:
        _refuse_unknown_student(gradebook, request.student)
        raise UsageError(
            f"{request.student!r} has no submission of {request.assignment!r} in the gradebook. "
            f"Grade it first: autograder grade {request.assignment} --student {request.student}"
        ) from None


def _done(
    gradebook: Gradebook, request: OverrideRequest, notebook: str, cell: str, before: float | None
) -> Override:
    """What the gradebook holds after an override."""
    with transaction(gradebook):
        grade = _grade(gradebook, request, notebook, cell)
        return Override(
            student=request.student,
            assignment=request.assignment,
            notebook=notebook,
            exercise=cell,
            before=before,
            manual=grade.manual_score,
            automatic=grade.auto_score,
            extra_credit=grade.extra_credit or 0.0,
            late_penalty=grade.notebook.late_submission_penalty or 0.0,
            score=grade.score,
            max_score=grade.max_score,
        )
