"""Writes some exercises of a graded submission, and leaves every other cell as it is.

The order is that of the writer of whole submissions, but the mark of the earlier run stays until
the new result takes its place: interrupted before that, gradebook and result disagree, so the same
command writes this submission once more, and an ordinary run grades it anew.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import fsum
from typing import Any

from autograder.grader_process import Graded
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.database import transaction
from autograder.nbgrader_plugin.gradebook import save_exercises
from autograder.nbgrader_plugin.lateness import LatePolicyError, late_penalty
from autograder.nbgrader_plugin.staging import Staging
from autograder.nbgrader_plugin.trail import Cause
from autograder.nbgrader_plugin.writer import Writer
from autograder.reporting.history import How
from autograder.reporting.notebook import with_outputs_of
from autograder.results import SubmissionResult


@dataclass(frozen=True, slots=True)
class ExerciseWriter:
    """Writes exercises into submissions that were recorded before."""

    place: CourseAssignment
    writer: Writer

    def write(self, graded: Graded, result: SubmissionResult, names: Collection[str]) -> str:
        """Record these exercises: report, score, comment, late penalty, result.

        Args:
            graded: the whole submission, graded again.
            result: the stored result with these exercises in place.
            names: the exercises.

        Returns:
            What a person has to see to before the next run tries again; empty where nothing is.
        """
        autograded = self.place.autograded(graded.student)
        notebook = with_outputs_of(autograded.read_bytes(), graded.notebook, names)
        with Staging(autograded.parent) as staging:
            staging.write(autograded.name, notebook)
            penalty, problem = self._penalty(graded, names)
            (staging.aside / autograded.name).replace(autograded)
        solutions = {f"{name}-solution" for name in names}

        def save_penalty(submitted: Any) -> None:
            if not problem:
                submitted.late_submission_penalty = penalty

        save_exercises(
            self.writer.gradebook,
            student=graded.student,
            assignment=self.place.name,
            notebook=self.place.notebook,
            scores={name: graded.grades[name].score for name in names},
            comments={k: text for k, text in graded.comments.items() if k in solutions},
            also=save_penalty,
        )
        self.writer.trail.record(
            graded.student,
            self.place.notebook,
            None,
            Cause(
                how=How.GRADE,
                reason=f"Graded again on its own: {', '.join(names)}.",
                seed_id=result.seed_id,
            ),
        )
        if not problem:
            self.place.course.write_result(result)
        return problem

    def _penalty(self, graded: Graded, names: Collection[str]) -> tuple[float | None, str]:
        """What lateness costs with the new scores, or why the course's plugin does not say."""
        with transaction(self.writer.gradebook):
            submitted: Any = self.writer.gradebook.find_submission_notebook(
                self.place.notebook, self.place.name, graded.student
            )
            seconds = float(submitted.assignment.total_seconds_late)
            score = fsum(_score_once_saved(grade, graded, names) for grade in submitted.grades)
        try:
            penalty = late_penalty(
                self.place.config,
                self.place.directory,
                student=graded.student,
                score=score,
                seconds=seconds,
            )
        except LatePolicyError as error:
            return None, f"{error}; its penalty is as it was. Mend the plugin, then run again."
        return penalty, ""


def _score_once_saved(grade: Any, graded: Graded, names: Collection[str]) -> float:
    automatic = graded.grades[grade.name].score if grade.name in names else grade.auto_score
    earned = grade.manual_score if grade.manual_score is not None else automatic
    return (earned or 0.0) + (grade.extra_credit or 0.0)
