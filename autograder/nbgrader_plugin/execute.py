"""Pass 2 of autograde: run the student's cells in a worker, check every exercise, report."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor
from nbgrader.preprocessors.execute import Execute
from traitlets import Float, Integer, Unicode

from autograder.course import PlanSpec, build_plan
from autograder.grader_process import read_submission
from autograder.grading.submission import Plan, check, sha256
from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.conversion import from_node, to_node
from autograder.nbgrader_plugin.gradebook import cell_facts
from autograder.nbgrader_plugin.handed_in import read_submitted
from autograder.notebook import NotebookError
from autograder.reporting.notebook import render
from autograder.settings import Settings
from autograder.worker.hygiene import clean_text

VERDICTS = "attention_autograder"
"""The private key of `resources` under which `SaveGrades` finds what was checked.

A text there says why the submission can't be graded.
"""


class PropertyGrader(NbGraderPreprocessor):
    """Checks every exercise of a notebook and writes outputs and reports into its cells.

    It never raises on a student's fault. Scores travel to `SaveGrades` through `resources`,
    never through a cell's output.
    """

    _defaults = Settings()
    seed = Integer(None, allow_none=True, help="The secret seed.").tag(config=True)
    cases = Integer(_defaults.cases, help="Cases drawn for each law.").tag(config=True)
    time_limit = Float(None, allow_none=True, help="Seconds for one case.").tag(config=True)
    cell_time_limit = Float(None, allow_none=True, help="Seconds for one cell.").tag(config=True)
    total_time_limit = Float(None, allow_none=True, help="Seconds for one submission.").tag(
        config=True
    )
    memory_limit = Integer(None, allow_none=True, help="MiB for one worker.").tag(config=True)
    sandbox = Unicode(_defaults.sandbox, help="The sandbox that holds student code.").tag(
        config=True
    )
    round_to = Float(_defaults.round_to, help="Step that scores are rounded up to.").tag(
        config=True
    )
    shrink_evaluations = Integer(
        _defaults.shrink_evaluations, help="Cases tried to shrink a counterexample."
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook with outputs and reports; the verdicts go into `resources`.

        `nbgrader autograde --no-execute` runs nothing and leaves no verdict.
        """
        if not Execute(parent=self.parent).enabled:
            return nb, resources
        context = Context.of(self, resources, self._settings())
        plan = plan_for(context)
        try:
            data = _submission(context, plan)
        except NotebookError as error:
            said = clean_text(f"{context.student}: {error}", 500)
            self.log.error("Not graded, needs a person: %s", said)
            getattr(self.parent, "ungraded", []).append(said)
            resources[VERDICTS] = str(error)
            return nb, resources
        notebook = from_node(nb, verbatim=True)  # rebuilt by us: the course's own files stay
        checked = check(notebook, plan, student=context.student, submission_sha256=sha256(data))
        resources[VERDICTS] = checked
        return to_node(render(notebook, checked)), resources

    def _settings(self) -> Settings:
        """What the configuration sets; a trait also reads a value of nbgrader's command line."""
        section = self.config.get("PropertyGrader", {})
        return Settings.from_config(
            {name: getattr(self, name, value) for name, value in section.items()}
        )


def _submission(context: Context, plan: Plan) -> bytes:
    """The submitted file, once more: by now nbgrader holds a rebuilt notebook.

    Raises:
        NotebookError: it must not be opened, can't be read, or belongs to another assignment.
    """
    folder = context.folder(context.directory.submitted_directory)
    data = read_submitted(folder, context.course, context.assignment, context.notebook).data
    read_submission(data, plan)
    return data


def plan_for(context: Context) -> Plan:
    """The plan of a run, built once per process for a notebook of a course."""
    course = context.course
    with Gradebook(context.db_url, context.course_id) as gradebook:
        facts = cell_facts(gradebook, context.assignment, context.notebook)
    release = course.release(context.assignment, context.notebook)
    return _plan(
        PlanSpec(
            assignment=context.assignment,
            notebook=context.notebook,
            settings=course.settings,
            seed=course.seed(create=True),
            release=release,
            facts=tuple(sorted((facts or {}).items())),
            corpora=course.corpora,
        )
    )


@lru_cache(maxsize=4)
def _plan(spec: PlanSpec) -> Plan:
    return build_plan(spec)
