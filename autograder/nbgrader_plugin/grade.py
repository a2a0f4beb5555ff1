"""`autograder grade`: the submissions of an assignment, N grader processes, one writer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors.latesubmissions import AssignLatePenalties
from sqlalchemy.engine import make_url
from traitlets import TraitError
from traitlets.config import Config

from autograder.course import (
    Course,
    PlanSpec,
    UsageError,
    assignment_named,
    build_plan,
    read_config,
)
from autograder.grader_process import Graded, Job, grade_job, start_grader
from autograder.grading import cohort
from autograder.grading.corpus import seed_id
from autograder.grading.submission import sha256
from autograder.nbgrader_plugin.context import refusal, student_folder
from autograder.nbgrader_plugin.gradebook import cell_facts, holds
from autograder.nbgrader_plugin.lock import course_lock
from autograder.nbgrader_plugin.writer import Writer, read_timestamp
from autograder.results import FORMAT_VERSION, SubmissionResult, from_json
from autograder.worker.hygiene import clean_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a TA asked for on the command line."""

    assignment: str
    students: Sequence[str] = ()
    jobs: int = 1
    force: bool = False
    dry_run: bool = False


class Ungraded(msgspec.Struct, frozen=True):
    """A submission that could not be graded, and why, in a sentence for a TA."""

    student: str
    reason: str


class Summary(msgspec.Struct, kw_only=True):
    """What a run did: `format_version`, every result, what stayed ungraded."""

    format_version: int = FORMAT_VERSION
    results: list[SubmissionResult] = []
    ungraded: list[Ungraded] = []

    @property
    def needs_person(self) -> bool:
        """Whether something of the run needs a person: exit status 1."""
        return bool(self.ungraded) or any(result.needs_person for result in self.results)


@dataclass
class GradeRun:
    """One run of `grade` over one assignment of one course.

    Use it as a context manager: it holds the course's lock. Iterate `grade()`, which yields each
    student as its submission is done; `summary` then holds the results.
    """

    course: Course
    request: Request
    summary: Summary = field(default_factory=Summary)
    already_graded: list[str] = field(default_factory=list)

    def __enter__(self) -> GradeRun:
        """Check the request, take the lock, build the plan.

        Raises:
            UsageError: unknown assignment, nothing submitted, nothing released, course in use.
            autograder.worker.isolation.SandboxError: the sandbox can't be had here.
        """
        if self.course.release(self.request.assignment) is None:
            assignment_named(self.request.assignment)
        self.students = self._submitted()
        _put_interpreter_on_path()
        _let_import_from(self.course.root)
        self._refuse_broken_late_policy()
        with ExitStack() as stack:
            if not self.request.dry_run:
                stack.enter_context(course_lock(self.course.state))
            self.gradebook = stack.enter_context(self._open_gradebook())
            self.spec = self._spec()
            plan = build_plan(self.spec)  # refuses what can't be graded, draws the corpus once
            self.spec = replace(self.spec, sandbox=plan.sandbox)
            if self.request.force and not self.request.dry_run:
                self._back_up()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # -- what there is to grade --------------------------------------------------------------------

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

    def _folder(self, student: str) -> Path:
        step = self.directory.submitted_directory
        return student_folder(self.directory, step, student, self.request.assignment)

    def _notebook(self, student: str) -> Path:
        return self._folder(student) / f"{self.request.assignment}.ipynb"

    def _submitted(self) -> list[str]:
        """The students who handed in this assignment, or those asked for."""
        root = self.course.root / self.directory.submitted_directory
        found = sorted(
            folder.name
            for folder in (root.iterdir() if root.is_dir() else ())
            if self._folder(folder.name).is_dir()
        )
        if not found:
            raise UsageError(
                f"There are no submissions of {self.request.assignment!r} in {root}. Collect "
                f"them first, or write a sample class: autograder sample "
                f"{self.request.assignment} --students 24"
            )
        unknown = [student for student in self.request.students if student not in found]
        if unknown:
            raise UsageError(
                f"{unknown[0]!r} has not submitted {self.request.assignment!r}: there is no "
                f"{self._folder(unknown[0])}."
            )
        return [student for student in found if student in (self.request.students or found)]

    def _refuse_broken_late_policy(self) -> None:
        """Raise UsageError where the course's late penalty plugin can't be imported."""
        try:
            AssignLatePenalties(config=self.config)
        except TraitError:
            name = self.config.AssignLatePenalties.plugin_class
            raise UsageError(
                f"The late penalty plugin {name!r} can't be imported. Correct "
                "c.AssignLatePenalties.plugin_class in nbgrader_config.py, or put the module "
                "beside that file."
            ) from None

    def _open_gradebook(self) -> Gradebook:
        """The course's gradebook.

        Raises:
            UsageError: the assignment was not released yet.
        """
        name = self.request.assignment
        not_released = UsageError(
            f"Assignment {name!r} is not in the gradebook. Release it first: "
            f"nbgrader generate_assignment {name}"
        )
        url = make_url(self.directory.db_url)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
            raise not_released
        gradebook = Gradebook(self.directory.db_url, self.directory.course_id)
        facts = cell_facts(gradebook, name, name)
        if facts is None:
            gradebook.close()
            raise not_released
        self._facts = facts
        return gradebook

    def _spec(self) -> PlanSpec:
        name = self.request.assignment
        release = self.course.release(name)
        if release is None:
            raise UsageError(
                f"There is no release of {name!r} under {self.course.root / 'release'}. Make it: "
                f"nbgrader generate_assignment {name}"
            )
        return PlanSpec(
            assignment=name,
            settings=self.course.settings,
            seed=self.course.seed(create=not self.request.dry_run),
            release=release,
            facts=tuple(sorted(self._facts.items())),
            corpora=None if self.request.dry_run else self.course.corpora,
        )

    # -- grading -----------------------------------------------------------------------------------

    def grade(self) -> Iterator[str]:
        """Grade what is not graded yet (with `force`: everything); yield each student when done."""
        writer = Writer(
            self.course, self.directory, self.gradebook, self.config, self.request.assignment
        )
        todo = []
        for student in self.students:
            stored = None if self.request.force else self._stored(student)
            if stored is not None:
                self.already_graded.append(student)
                self.summary.results.append(stored)
                yield student
            elif not os.path.lexists(self._notebook(student)):
                self._report_ungraded(
                    student, "the folder holds no notebook of that name: 0 points"
                )
                if not self.request.dry_run:
                    writer.write_missing(student)
                yield student
            elif reason := refusal(self._notebook(student)):
                self._record(writer, student, None, reason)
                yield student
            else:
                todo.append(student)
        finished = cohort.run(
            self._jobs(todo, writer),
            grade_job,
            processes=min(self.request.jobs, max(1, len(todo))),
            start=start_grader,
            start_args=(self.spec,),
        )
        with closing(finished):
            for done in finished:
                self._record(writer, done.job.student, done.result, done.reason)
                yield done.job.student
        self.summary.results.sort(key=lambda result: result.student or "")

    def _jobs(self, students: Sequence[str], writer: Writer) -> Iterator[Job]:
        """Read the submissions one by one, as they are asked for."""
        for student in students:
            try:
                data = self._notebook(student).read_bytes()
            except OSError as error:
                self._record(writer, student, None, f"it can't be read: {error.strerror}.")
            else:
                yield Job(student=student, data=data)

    def _record(self, writer: Writer, student: str, graded: Graded | None, reason: str) -> None:
        if graded is None:
            graded = Graded(student=student, unreadable=reason)
        if graded.result is None:
            self._report_ungraded(student, graded.unreadable)
        else:
            self.summary.results.append(graded.result)
            for name, grade in graded.grades.items():
                if grade.needs_person:
                    self._report_ungraded(student, f"cell {name} has no score; grade it by hand.")
        if not self.request.dry_run:
            writer.write(graded)

    def _report_ungraded(self, student: str, reason: str) -> None:
        self.summary.ungraded.append(Ungraded(clean_text(student, 200), clean_text(reason, 500)))

    def _stored(self, student: str) -> SubmissionResult | None:
        """The result of an earlier run on the same bytes and seed, if it was recorded in full."""
        name = self.request.assignment
        try:
            result = from_json(self.course.result_path(name, student, name).read_bytes())
            unchanged = result.sha256 == sha256(self._notebook(student).read_bytes())
        except (OSError, msgspec.DecodeError):
            return None
        if not unchanged or result.seed_id != seed_id(self.spec.seed) or result.needs_person:
            return None
        step = self.directory.autograded_directory
        autograded = student_folder(self.directory, step, student, name)
        recorded = (autograded / f"{name}.ipynb").is_file() and holds(
            self.gradebook,
            result,
            student=student,
            timestamp=read_timestamp(self._folder(student)),
        )
        return result if recorded else None

    def _back_up(self) -> None:
        """Copy a SQLite gradebook before grades are written over, by SQLite's own backup."""
        url = make_url(self.directory.db_url)
        if url.get_backend_name() != "sqlite" or not url.database:
            return
        folder = self.course.state / "backups"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
        with (
            closing(sqlite3.connect(url.database)) as source,
            closing(sqlite3.connect(folder / f"gradebook-{stamp}.db")) as target,
        ):
            source.backup(target)


def _let_import_from(root: Path) -> None:
    """Late penalty plugins of the course lie beside its configuration, which put it on the path."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def _put_interpreter_on_path() -> None:
    """nbgrader runs `alembic` by name when it first makes a gradebook."""
    folder = str(Path(sys.executable).parent)
    if shutil.which("alembic", path=folder):
        os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "")
