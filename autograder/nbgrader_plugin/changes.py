"""What the gradebook holds of a submission's scores, to compare with what a run finds."""

from __future__ import annotations

from nbgrader.api import Gradebook, MissingEntry

from autograder.nbgrader_plugin.database import reading
from autograder.reporting.changes import OnRecord


def scores_on_record(
    gradebook: Gradebook, *, student: str, assignment: str, notebook: str
) -> dict[str, OnRecord]:
    """The scores of a submitted notebook by grade_id; empty where it was never graded."""
    with reading(gradebook):
        try:
            submitted = gradebook.find_submission_notebook(notebook, assignment, student)
        except MissingEntry:
            return {}
        return {g.name: OnRecord(g.auto_score, g.manual_score) for g in submitted.grades}
