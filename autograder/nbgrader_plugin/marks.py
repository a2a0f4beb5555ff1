"""What people gave, when a submission is graded again: which of their scores still stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nbgrader.api import MissingEntry

from autograder.nbgrader_plugin.trail import Digests, Trail
from autograder.reporting.history import Differing, Reopened


@dataclass(slots=True)
class Marks:
    """The manual scores of one submission, before and after it is graded.

    Args:
        settled: cells whose manual score was given for just what is handed in now; they stay as
            they are, unless the automatic score changes.
        reopened: written answers that were graded by hand and changed.
    """

    settled: frozenset[str] = frozenset()
    reopened: list[Reopened] = field(default_factory=list)
    _automatic: dict[str, float | None] = field(default_factory=dict)

    @classmethod
    def before(cls, trail: Trail, student: str, notebook: str, digests: Digests) -> Marks:
        """Look at the gradebook before it is written.

        Args:
            trail: the history of the assignment.
            student: the student's id.
            notebook: the notebook's name.
            digests: what is handed in now.
        """
        marks = cls()
        settled = set()
        for grade in _by_hand(trail, student, notebook):
            marks._automatic[grade.name] = grade.auto_score
            same = trail.given_for(student, notebook, grade.name, digests)
            if same and not grade.needs_manual_grade:
                settled.add(grade.name)
            if same is False and grade.name in digests.answers:
                marks.reopened.append(
                    Reopened(
                        student=student,
                        cell=grade.name,
                        manual=grade.manual_score,
                        max_score=grade.max_score,
                    )
                )
        marks.settled = frozenset(settled)
        return marks

    def differing_now(self, trail: Trail, student: str, notebook: str) -> list[Differing]:
        """After the gradebook was written: the overrides that are not the automatic score."""
        return [
            Differing(
                student=student,
                cell=grade.name,
                manual=grade.manual_score,
                automatic=grade.auto_score,
                before=self._automatic.get(grade.name),
            )
            for grade in _by_hand(trail, student, notebook)
            if grade.auto_score is not None and grade.auto_score != grade.manual_score
        ]


def _by_hand(trail: Trail, student: str, notebook: str) -> list[Any]:
    """The rows of a submission that a person scored."""
    try:
        submitted: Any = trail.gradebook.find_submission_notebook(
            notebook, trail.assignment, student
        )
    except MissingEntry:
        return []
    rows = (grade for grade in submitted.grades if grade.manual_score is not None)
    return sorted(rows, key=lambda grade: str(grade.name))
