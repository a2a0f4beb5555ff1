"""What we read from nbgrader's gradebook, and the one way in which grades get into it.

Both the stock pipeline (through `SaveGrades`) and `autograder grade` save through here, so that
the two can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from math import fsum
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Grade, Gradebook, MissingEntry
from sqlalchemy import select

from autograder.nbgrader_plugin.database import reading, transaction
from autograder.notebook import CellFacts
from autograder.results import CellGrade, SubmissionResult


def notebook_names(gradebook: Gradebook, assignment: str) -> list[str]:
    """The notebooks of a released assignment, in the order of their names."""
    try:
        known = gradebook.find_assignment(assignment)
    except MissingEntry:
        return []
    return sorted(str(notebook.name) for notebook in known.notebooks)


def cell_facts(gradebook: Gradebook, assignment: str, notebook: str) -> dict[str, CellFacts] | None:
    """What the gradebook knows of a released notebook's cells, by grade_id; None if unreleased."""
    try:
        known = gradebook.find_notebook(notebook, assignment)
    except MissingEntry:
        return None
    points = {cell.name: float(cell.max_score) for cell in (*known.grade_cells, *known.task_cells)}
    graded = {cell.name for cell in known.grade_cells}
    solutions = {cell.name for cell in known.solution_cells}
    tasks = {cell.name for cell in known.task_cells}
    return {
        cell.name: CellFacts(
            source=cell.source,
            cell_type=cell.cell_type,
            locked=bool(cell.locked),
            checksum=cell.checksum,
            grade=cell.name in graded,
            solution=cell.name in solutions,
            task=cell.name in tasks,
            points=points.get(cell.name),
        )
        for cell in known.source_cells
    }


def save_grades(
    gradebook: Gradebook,
    nb: NotebookNode,
    *,
    student: str,
    assignment: str,
    notebook: str,
    grades: Mapping[str, CellGrade],
    comments: Mapping[str, str],
    also: Callable[[Any], None] = lambda submitted: None,
    settled: Collection[str] = (),
) -> None:
    """Write every automatic score and comment of one submitted notebook, in one transaction.

    A scored cell without a verdict gets no score and is flagged for manual grading: silence is
    never full marks. Manually graded cells keep nbgrader's own rule, but for `settled` ones.
    Manual scores, manual comments and extra credit are not touched, and a person who enters some at
    the same moment comes wholly before or wholly after.

    Args:
        gradebook: an open gradebook; what its session holds uncommitted is dropped.
        nb: the autograded notebook.
        student: the student's id.
        assignment: the assignment's name.
        notebook: the notebook's name.
        grades: verdicts by grade_id of a test cell.
        comments: automatic comments by grade_id of a solution cell.
        also: what else belongs into the transaction; called with the submitted notebook.
        settled: cells whose manual score was given for just this; a person need not look again
            unless the automatic score changes.
    """
    by_id = _cells_by_grade_id(nb)
    with transaction(gradebook):
        submitted = _locked(gradebook, notebook, assignment, student)
        for grade in submitted.grades:
            _save_score(
                grade,
                by_id.get(grade.name),
                grades.get(grade.name),
                settled=grade.name in settled,
            )
        for comment in submitted.comments:
            comment.auto_comment = comments.get(comment.name) or _no_response(
                by_id.get(comment.name)
            )
        also(submitted)


def score_once_saved(
    gradebook: Gradebook,
    nb: NotebookNode,
    *,
    student: str,
    assignment: str,
    notebook: str,
    grades: Mapping[str, CellGrade],
) -> float:
    """The score that a submitted notebook will have, manual scores and extra credit counted."""
    by_id = _cells_by_grade_id(nb)

    def score(grade: Any) -> float:
        automatic, _ = _automatic(by_id.get(grade.name), grades.get(grade.name))
        earned = grade.manual_score if grade.manual_score is not None else automatic
        return 0.0 if earned is None else earned + (grade.extra_credit or 0.0)

    with reading(gradebook):
        submitted = gradebook.find_submission_notebook(notebook, assignment, student)
        return fsum(map(score, submitted.grades))


def save_exercises(
    gradebook: Gradebook,
    *,
    student: str,
    assignment: str,
    notebook: str,
    scores: Mapping[str, float | None],
    comments: Mapping[str, str],
    also: Callable[[Any], None] = lambda submitted: None,
) -> None:
    """Write some automatic scores and comments, in one transaction; every other row stays.

    A manual score over an automatic one that changes is flagged for manual grading.

    Args:
        gradebook: an open gradebook; what its session holds uncommitted is dropped.
        student: the student's id.
        assignment: the assignment's name.
        notebook: the notebook's name.
        scores: by grade_id of a test cell.
        comments: automatic comments by grade_id of a solution cell.
        also: what else belongs into the transaction; called with the submitted notebook.
    """
    with transaction(gradebook):
        submitted = _locked(gradebook, notebook, assignment, student)
        for grade in submitted.grades:
            if grade.name in scores and grade.auto_score != scores[grade.name]:
                grade.auto_score = scores[grade.name]
                grade.needs_manual_grade = grade.manual_score is not None
        for comment in submitted.comments:
            if comment.name in comments:
                comment.auto_comment = comments[comment.name]
        also(submitted)


def _locked(gradebook: Gradebook, notebook: str, assignment: str, student: str) -> Any:
    """The submitted notebook, its grades locked on a server: they decide what is flagged."""
    submitted = gradebook.find_submission_notebook(notebook, assignment, student)
    rows = select(Grade.id).where(Grade.notebook_id == submitted.id)  # type: ignore[var-annotated]
    gradebook.db.execute(rows.order_by(Grade.id).with_for_update())
    return submitted


def _cells_by_grade_id(nb: NotebookNode) -> dict[str, NotebookNode]:
    return {
        cell.metadata["nbgrader"]["grade_id"]: cell
        for cell in nb.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id")
    }


def _automatic(cell: NotebookNode | None, verdict: CellGrade | None) -> tuple[float | None, bool]:
    """The automatic score of a cell, and whether the verdict asks for a person."""
    if cell is not None and (utils.is_solution(cell) or utils.is_task(cell)):
        return (utils.determine_grade(cell)[0] if utils.is_grade(cell) else None), False
    if verdict is not None:
        return verdict.score, verdict.needs_person
    return None, False


def _save_score(
    grade: Any, cell: NotebookNode | None, verdict: CellGrade | None, *, settled: bool
) -> None:
    before = grade.auto_score
    grade.auto_score, person = _automatic(cell, verdict)
    if settled and grade.auto_score == before and not person:
        return
    grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None or person


def _no_response(cell: NotebookNode | None) -> str | None:
    """nbgrader's own comment for an answer that is still the stub."""
    if cell is None or utils.is_task(cell):
        return None
    unchanged = cell.metadata["nbgrader"].get("checksum") == utils.compute_checksum(cell)
    return "No response." if unchanged else None


def holds(
    gradebook: Gradebook, result: SubmissionResult, *, student: str, timestamp: datetime | None
) -> bool:
    """Whether the gradebook has these automatic scores, for a submission of that time."""
    name, assignment = result.notebook, result.assignment
    with reading(gradebook):
        try:
            submitted = gradebook.find_submission_notebook(name, assignment, student)
        except MissingEntry:
            return False
        scores = {grade.name: grade.auto_score for grade in submitted.grades}
        if any(scores.get(exercise.name) != exercise.score for exercise in result.exercises):
            return False
        return timestamp is None or submitted.assignment.timestamp == timestamp


def flag_for_person(
    gradebook: Gradebook, *, student: str, assignment: str, notebook: str | None = None
) -> None:
    """Flag every cell of a notebook that can't be read, or of all: a person must look.

    What an earlier, readable submission earned stays until then; nothing graded is lost.
    """
    with transaction(gradebook):
        submission = gradebook.find_submission(assignment, student)
        for submitted in submission.notebooks:
            if notebook in (None, submitted.name):
                for grade in submitted.grades:
                    grade.needs_manual_grade = True


def score_missing(gradebook: Gradebook, *, student: str, assignment: str, notebook: str) -> None:
    """Score a notebook that was not handed in 0, as nbgrader does."""
    with transaction(gradebook):
        submitted = gradebook.find_submission_notebook(notebook, assignment, student)
        for grade in submitted.grades:
            grade.auto_score = 0.0
            grade.needs_manual_grade = False
