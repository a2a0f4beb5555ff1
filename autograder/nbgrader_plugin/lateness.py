"""The late penalty of a submission, by the plugin that the course's configuration names.

`autograder grade` asks for it before it writes; under nbgrader's own commands it is a step.
"""

from __future__ import annotations

import math
import sys
from contextlib import redirect_stdout
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.database import transaction
from autograder.worker.hygiene import clean_text


class LatePolicyError(Exception):
    """The course's late penalty plugin gave no penalty: a sentence for a TA."""


def late_penalty(
    config: Config, directory: CourseDirectory, *, student: str, score: float, seconds: float
) -> float | None:
    """The points that lateness costs, within 0 and the score; None where there is no penalty.

    The plugin is code of the course. It is asked outside of any transaction, so it may take its
    time and look into the gradebook, and what it prints does not mix with our output.

    Args:
        config: the course's configuration, which names the plugin.
        directory: the course's folders.
        student: the student's id.
        score: the notebook's score before the penalty.
        seconds: how late it was handed in; not above 0 is on time.

    Raises:
        LatePolicyError: the plugin raised, or gave what is no number of points.
    """
    if seconds <= 0:
        return None
    try:
        with redirect_stdout(sys.stderr):
            penalties: Any = AssignLatePenalties(parent=directory, config=config)
            penalties.init_plugin()
            penalty = penalties.plugin_inst.late_submission_penalty(student, score, seconds)
        points = None if penalty is None else float(penalty)
    except (Exception, SystemExit) as error:
        said = clean_text(f"{type(error).__name__}: {error}", 200)
        raise LatePolicyError(f"the late penalty plugin failed ({said})") from None
    if points is None:
        return None
    if math.isnan(points):
        raise LatePolicyError("the late penalty plugin gave nan points")
    return min(max(0.0, points), score)


class LatePenalties(AssignLatePenalties):
    """Pass 2 of autograde: the late penalty, by the plugin of `c.AssignLatePenalties`.

    Where the plugin fails, nbgrader's own step would end in an error that takes the autograded
    notebook with it. Here the penalty stays as it was, and the submission is listed for a person.
    """

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Save the penalty; the notebook is returned as it came."""
        context = Context.of(self, resources)
        where = (context.notebook, context.assignment, context.student)
        with Gradebook(context.db_url, context.course_id) as gradebook:
            submitted: Any = gradebook.find_submission_notebook(*where)
            score, late = float(submitted.score), submitted.assignment.total_seconds_late
            try:
                penalty = late_penalty(
                    self.config,
                    context.directory,
                    student=context.student,
                    score=score,
                    seconds=float(late),
                )
            except LatePolicyError as error:
                context.course.result_path(
                    context.assignment, context.student, context.notebook
                ).unlink(missing_ok=True)  # so the next run asks again
                said = f"{context.student}: {error}; its penalty is as it was."
                self.log.error(said)
                getattr(self.parent, "ungraded", []).append(clean_text(said, 500))
                return nb, resources
            with transaction(gradebook):
                submitted = gradebook.find_submission_notebook(*where)
                submitted.late_submission_penalty = penalty
        return nb, resources
