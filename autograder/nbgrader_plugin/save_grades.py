"""Pass 2 of autograde: save scores and comments into the gradebook."""

from __future__ import annotations

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.grading.submission import Checked
from autograder.nbgrader_plugin.backup import back_up_before_first_use
from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.execute import VERDICTS
from autograder.nbgrader_plugin.gradebook import flag_for_person, save_grades
from autograder.nbgrader_plugin.marks import Marks
from autograder.nbgrader_plugin.trail import Cause, Digests, Trail
from autograder.reporting.history import How, differing_line, reopened_line
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
            said = back_up_before_first_use(context.course, gradebook, context.db_url)
            if said:
                self.log.warning(said)
            trail = Trail.of(context.course, gradebook, context.assignment)
            trail.catch_up(context.student)
            if isinstance(checked, str):
                flag_for_person(
                    gradebook,
                    student=context.student,
                    assignment=context.assignment,
                    notebook=context.notebook,
                )
                return nb, resources
            self._save(nb, checked, context, trail)
        if checked is not None:
            context.course.write_result(checked.result)
        return nb, resources

    def _save(
        self, nb: NotebookNode, checked: Checked | None, context: Context, trail: Trail
    ) -> None:
        """Save scores and comments, log what that changed, and tell what a person has to see to."""
        student, notebook = context.student, context.notebook
        digests = Digests.of(nb)
        marks = Marks.before(trail, student, notebook, digests)
        save_grades(
            trail.gradebook,
            nb,
            student=student,
            assignment=context.assignment,
            notebook=notebook,
            grades=checked.grades if checked else {},
            comments=comments(checked) if checked else {},
            settled=marks.settled,
        )
        seed_id = checked.result.seed_id if checked else ""
        trail.record(student, notebook, digests, Cause(how=How.AUTOGRADE, seed_id=seed_id))
        differing = marks.differing_now(trail, student, notebook)
        for line in (*map(reopened_line, marks.reopened), *map(differing_line, differing)):
            self.log.warning(line)
