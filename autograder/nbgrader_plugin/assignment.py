"""A notebook of an assignment as nbgrader knows it: its folders, its gradebook, its plan."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors.latesubmissions import AssignLatePenalties
from traitlets import TraitError
from traitlets.config import Config

from autograder.course import Course, PlanSpec, UsageError, read_config
from autograder.grader_process import Job
from autograder.nbgrader_plugin.context import student_folder
from autograder.nbgrader_plugin.database import has_tables, open_gradebook
from autograder.nbgrader_plugin.gradebook import cell_facts, notebook_names
from autograder.nbgrader_plugin.handed_in import handed_in
from autograder.notebook import CellFacts, Found
from autograder.results import SubmissionResult, from_json


@dataclass
class CourseAssignment:
    """A notebook of an assignment of a course on disk; nothing is opened before it is asked for.

    Args:
        course: the course.
        name: the assignment's name.
        notebook: the notebook's name; empty where it is the assignment's.
        facts: what the gradebook knows of the notebook's cells, by grade_id.
    """

    course: Course
    name: str
    notebook: str = ""
    facts: dict[str, CellFacts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notebook = self.notebook or self.name

    @cached_property
    def config(self) -> Config:
        """The course's configuration, with its root filled in."""
        config = Config(read_config(self.course.root))
        config.CourseDirectory.root = str(self.course.root)
        return config

    @cached_property
    def directory(self) -> CourseDirectory:
        """nbgrader's own view of the course's folders."""
        return CourseDirectory(config=self.config)

    # -- files -------------------------------------------------------------------------------------

    def folder(self, student: str) -> Path:
        """Where the student's submission lies."""
        step = self.directory.submitted_directory
        return student_folder(self.directory, step, student, self.name)

    def found(self, student: str) -> Found:
        """Which file of the student's folder is the notebook, or why a person has to say so."""
        return handed_in(self.folder(student), self.course, self.name, self.notebook)

    def file(self, student: str) -> Path:
        """The submitted notebook, or where it ought to lie."""
        return self.found(student).path

    def job(self, student: str) -> Job:
        """The submission as a grader process takes it.

        Raises:
            OSError: the notebook can't be read.
        """
        found = self.found(student)
        return Job(student=student, data=found.path.read_bytes(), notes=found.notes)

    def autograded(self, student: str) -> Path:
        """The autograded notebook."""
        step = self.directory.autograded_directory
        return student_folder(self.directory, step, student, self.name) / f"{self.notebook}.ipynb"

    def stored(self, student: str) -> SubmissionResult | None:
        """The result of an earlier run; None where there is none.

        Raises:
            msgspec.DecodeError: the file holds something else.
        """
        try:
            path = self.course.result_path(self.name, student, self.notebook)
            return from_json(path.read_bytes())
        except FileNotFoundError:
            return None

    def submitted(self, asked_for: Sequence[str] = ()) -> list[str]:
        """The students who handed in this assignment, or those asked for.

        Raises:
            UsageError: nobody has, or one asked for has not.
        """
        root = self.course.root / self.directory.submitted_directory
        found = sorted(
            folder.name
            for folder in (root.iterdir() if root.is_dir() else ())
            if self.folder(folder.name).is_dir()
        )
        if not found:
            raise UsageError(
                f"There are no submissions of {self.name!r} in {root}. Collect "
                f"them first, or write a sample class: autograder sample "
                f"{self.name} --students 24"
            )
        unknown = [student for student in asked_for if student not in found]
        if unknown:
            raise UsageError(
                f"{unknown[0]!r} has not submitted {self.name!r}: there is no "
                f"{self.folder(unknown[0])}."
            )
        return [student for student in found if student in (asked_for or found)]

    # -- the gradebook and the plan ----------------------------------------------------------------

    def open_gradebook(self) -> Gradebook:
        """The course's gradebook, in which the assignment stands.

        Raises:
            UsageError: the assignment was not released yet, or the database can't be used.
        """
        url, course_id = self.directory.db_url, self.directory.course_id
        _put_interpreter_on_path()
        if has_tables(url):
            gradebook = open_gradebook(url, course_id)
            if notebook_names(gradebook, self.name):
                return gradebook
            gradebook.close()
        raise UsageError(
            f"Assignment {self.name!r} is not in the gradebook. Release it first: "
            f"nbgrader generate_assignment {self.name}{self._anew}"
        )

    @property
    def _anew(self) -> str:
        """nbgrader skips an assignment whose release folder is there, gradebook or not."""
        return " --force" if self.course.released(self.name) else ""

    def notebooks(self, gradebook: Gradebook) -> list[CourseAssignment]:
        """Every notebook of the assignment that was released, with what is known of its cells."""
        return [
            replace(self, notebook=name, facts=cell_facts(gradebook, self.name, name) or {})
            for name in notebook_names(gradebook, self.name)
        ]

    @property
    def test_cells(self) -> list[str]:
        """The grade_ids of the cells that are scored automatically."""
        return [name for name, fact in self.facts.items() if fact.grade and not fact.solution]

    def spec(self, seed: int, *, keep_corpus: bool) -> PlanSpec:
        """What a grader process builds its plan from; `notebooks` gave the facts.

        Raises:
            UsageError: there is no release notebook.
        """
        release = self.course.release(self.name, self.notebook)
        if release is None:
            raise UsageError(
                f"There is no release of {self.notebook!r} under {self.course.root / 'release'}. "
                f"Make it: nbgrader generate_assignment {self.name}{self._anew}"
            )
        return PlanSpec(
            assignment=self.name,
            notebook=self.notebook,
            settings=self.course.settings,
            seed=seed,
            release=release,
            facts=tuple(sorted(self.facts.items())),
            corpora=self.course.corpora,
            keep_corpus=keep_corpus,
        )

    def refuse_broken_late_policy(self) -> None:
        """Raise UsageError where the course's late penalty plugin can't be imported."""
        _let_import_from(self.course.root)
        try:
            AssignLatePenalties(config=self.config)
        except TraitError:
            name = self.config.AssignLatePenalties.plugin_class
            raise UsageError(
                f"The late penalty plugin {name!r} can't be imported. Correct "
                "c.AssignLatePenalties.plugin_class in nbgrader_config.py, or put the module "
                "beside that file."
            ) from None


def _let_import_from(root: Path) -> None:
    """Late penalty plugins of the course lie beside its configuration, which put it on the path."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def _put_interpreter_on_path() -> None:
    """nbgrader runs `alembic` by name when it first makes a gradebook."""
    folder = str(Path(sys.executable).parent)
    if shutil.which("alembic", path=folder):
        os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "")
