"""What one grader process does: build its plan once, then grade job after job.

A job carries bytes and names; records, which hold functions, are loaded here by name. So a job
can travel to a process on this machine or on another.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autograder.course import PlanSpec, build_plan
from autograder.grading.submission import Plan, check, rebuilt, sha256
from autograder.notebook import Notebook, NotebookError, assignment_of, defines, read, write
from autograder.reporting.notebook import comments, render
from autograder.results import CellGrade, SubmissionResult

_plan: Plan | None = None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One submission to grade; `notes` say what was odd about where its file lay."""

    student: str
    data: bytes
    notes: tuple[str, ...] = ()


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job.

    Args:
        student: the student's id.
        notebook: the autograded notebook as it is to be written; empty if unreadable.
        grades: verdicts by grade_id of a test cell.
        comments: automatic comments by grade_id of a solution cell.
        result: the full result; None if unreadable.
        unreadable: why the submission could not be read, for a TA; empty if it could.
    """

    student: str
    notebook: bytes = b""
    grades: dict[str, CellGrade] = {}
    comments: dict[str, str] = {}
    result: SubmissionResult | None = None
    unreadable: str = ""


def start_grader(spec: PlanSpec) -> None:
    """Build this process's plan. Called once before the first job."""
    global _plan
    _plan = build_plan(spec)


def grade_job(job: Job) -> Graded:
    """Grade one submission with this process's plan."""
    if _plan is None:
        raise RuntimeError("start_grader was not called in this process")
    try:
        submitted = read_submission(job.data, _plan, job.notes)
    except NotebookError as error:
        return Graded(student=job.student, unreadable=str(error))
    notebook = rebuilt(submitted, _plan.skeleton)
    checked = check(notebook, _plan, student=job.student, submission_sha256=sha256(job.data))
    return Graded(
        student=job.student,
        notebook=write(render(notebook, checked)),
        grades=checked.grades,
        comments=comments(checked),
        result=checked.result,
    )


def read_submission(data: bytes, plan: Plan, notes: Sequence[str] = ()) -> Notebook:
    """Read a submitted notebook; `notes` on its file come before those on its content.

    Raises:
        NotebookError: it can't be read, is empty, or belongs to another assignment.
    """
    notebook = read(data)
    wrong = belongs_elsewhere(notebook, plan)
    if wrong:
        raise NotebookError(wrong)
    return msgspec.structs.replace(notebook, notes=[*notes, *notebook.notes])


def belongs_elsewhere(notebook: Notebook, plan: Plan) -> str:
    """Why a notebook is not one of this assignment, or an empty text.

    It belongs here if it holds one of the assignment's cells or defines one of its functions.
    """
    wanted = set(plan.assignment.exercises)
    wanted |= {question.name for question in plan.assignment.written}
    if plan.skeleton is not None:
        wanted |= set(plan.skeleton.grade_ids)
    found = assignment_of(notebook)
    if found & wanted:
        return ""
    sources = [cell.source for cell in notebook.cells]
    if any(defines(source, name) for name in plan.assignment.exercises for source in sources):
        return ""
    ids = ", ".join(repr(name[:40]) for name in sorted(found)[:3])  # repr: text of the submission
    other = f" (its cells are {ids})" if found else ""
    return (
        f"this is no notebook of assignment {plan.assignment.name!r}{other}: it has none of its "
        "cells and defines none of its functions. Hand in the right one."
    )
