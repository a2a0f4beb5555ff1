"""Pass 2 of autograde: save scores and comments into the gradebook."""

from __future__ import annotations

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.grading.submission import Checked
from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.execute import VERDICTS
from autograder.nbgrader_plugin.gradebook import flag_for_person, save_grades
from autograder.reporting.notebook import comments


class SaveGrades(NbGraderPreprocessor):
    """Writes the verdicts that `PropertyGrader` left, and nothing that a cell printed.

    Without verdicts (`--no-execute`, or a configuration that leaves `PropertyGrader` out) every
    automatic score is None and flagged for manual grading.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Save; the notebook is returned as it came."""
        context = Context.of(self, resources)
        checked: Checked | str | None = resources.get(VERDICTS)
        with Gradebook(context.db_url, context.course_id) as gradebook:
            if isinstance(checked, str):
                flag_for_person(gradebook, student=context.student, assignment=context.assignment)
                return nb, resources
            save_grades(
                gradebook,
                nb,
                student=context.student,
                assignment=context.assignment,
                notebook=context.notebook,
                grades=checked.grades if checked else {},
                comments=comments(checked) if checked else {},
            )
        if checked is not None:
            context.course.write_result(checked.result)
        return nb, resources
