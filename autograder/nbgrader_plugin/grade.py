"""`autograder grade`: the submissions of an assignment, N grader processes, one writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from autograder.course import Course, PlanSpec, UsageError, assignment_named, build_plan
from autograder.grader_process import Graded, Job, grade_job, start_grader
from autograder.grading import cohort
from autograder.grading.corpus import seed_id
from autograder.grading.submission import sha256
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.backup import back_up_or_say
from autograder.nbgrader_plugin.changes import scores_on_record
from autograder.nbgrader_plugin.context import refusal, unfit_name
from autograder.nbgrader_plugin.database import NotRecordedError, parse_url, record, say, shown
from autograder.nbgrader_plugin.gradebook import holds
from autograder.nbgrader_plugin.lock import course_lock
from autograder.nbgrader_plugin.submission_files import read_timestamp
from autograder.nbgrader_plugin.writer import Writer
from autograder.reporting.changes import Comparison, ScoreChange
from autograder.reporting.history import Differing, Reopened
from autograder.results import FORMAT_VERSION, SubmissionResult
from autograder.worker.hygiene import clean_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a TA asked for on the command line.

    Args:
        assignment: the assignment's name.
        students: only these; empty for all.
        jobs: how many grader processes.
        force: grade again what is graded.
        dry_run: write nothing.
        diff: with `dry_run`: grade everything and compare with the gradebook.
        exercises: grade these again and leave all others as they are.
        raise_only: with `exercises`: write only what goes up.

    Raises:
        UsageError: the options do not fit together.
    """

    assignment: str
    students: Sequence[str] = ()
    jobs: int = 1
    force: bool = False
    dry_run: bool = False
    diff: bool = False
    exercises: Sequence[str] = ()
    raise_only: bool = False

    def __post_init__(self) -> None:
        if self.diff and not self.dry_run:
            raise UsageError("--diff shows what a run would change. Add --dry-run to it.")
        if self.raise_only and not self.exercises:
            raise UsageError("--raise-only needs --exercise NAME: say which one to grade again.")
        if self.force and self.exercises:
            raise UsageError(
                "--exercise grades again what is graded, and nothing else. Leave --force out."
            )


class Ungraded(msgspec.Struct, frozen=True):
    """A submission that could not be graded, and why, in a sentence for a TA."""

    student: str
    reason: str


class Summary(msgspec.Struct, kw_only=True):
    """What a run did: every result, what stayed ungraded, and which scores change.

    `changes` is None where scores were not compared. `reopened` and `overrides` are scores that
    people gave, of submissions that were graded now: for another text, or beside another score.
    """

    format_version: int = FORMAT_VERSION
    results: list[SubmissionResult] = []
    ungraded: list[Ungraded] = []
    changes: list[ScoreChange] | None = None
    reopened: list[Reopened] = []
    overrides: list[Differing] = []

    @property
    def needs_person(self) -> bool:
        """Whether something of the run needs a person: exit status 1."""
        outdated = any(item.automatic != item.before for item in self.overrides)
        faulty = any(result.needs_person for result in self.results)
        return bool(self.ungraded or self.reopened) or outdated or faulty


@dataclass
class GradeRun:
    """One run of `grade` over one assignment of one course.

    Use it as a context manager: it holds the course's lock. Iterate `grade()`, which yields each
    student as its submission is done, once for each notebook of the assignment; `summary` then
    holds the results.
    """

    course: Course
    request: Request
    summary: Summary = field(default_factory=Summary)
    already_graded: list[str] = field(default_factory=list)
    compared: Comparison = field(default_factory=Comparison)

    def __enter__(self) -> GradeRun:
        """Check the request, take the lock, build the plans.

        Raises:
            UsageError: unknown assignment, nothing submitted, nothing released, course in use.
            autograder.worker.isolation.SandboxError: the sandbox can't be had here.
        """
        writes = not self.request.dry_run
        if not self.course.released(self.request.assignment):
            assignment_named(self.request.assignment)
        self.place = CourseAssignment(self.course, self.request.assignment)
        self.students = self.place.submitted(self.request.students)
        self.place.refuse_broken_late_policy()
        with ExitStack() as stack:
            if writes:
                stack.enter_context(course_lock(self.course.state))
            self.gradebook = stack.enter_context(self.place.open_gradebook())
            self.notebooks = self.place.notebooks(self.gradebook)
            seed = self.course.seed(create=writes)
            self.specs = [_tried(each.spec(seed, keep_corpus=writes)) for each in self.notebooks]
            if self.request.force and writes:
                back_up_or_say(self.course, self.directory.db_url)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def directory(self) -> CourseDirectory:
        """nbgrader's own view of the course's folders."""
        return self.place.directory

    @property
    def database(self) -> str:
        """Where the scores are, without a password."""
        return shown(parse_url(self.directory.db_url))

    @property
    def steps(self) -> int:
        """How many times `grade` yields."""
        return len(self.students) * len(self.notebooks)

    def grade(self) -> Iterator[str]:
        """Grade what is not graded yet (with `force` or `diff`: everything); yield each student."""
        writers = Writer.of(self.notebooks, self.gradebook)
        if not self.request.dry_run and (said := writers[0].begin()):
            say(said)
        for spec, writer in zip(self.specs, writers, strict=True):
            yield from _NotebookRun(self, spec, writer).grade()
            self.summary.reopened += writer.reopened
            self.summary.overrides += writer.differing
        self.summary.results.sort(key=lambda result: (result.student or "", result.notebook))
        if self.request.diff:
            self.compared.sort()
            self.summary.changes = self.compared.changes

    def report_ungraded(self, student: str, reason: str) -> None:
        """List a submission that a person has to see to; what is listed already, only once."""
        item = Ungraded(clean_text(student, 200), clean_text(reason, 500))
        if item not in self.summary.ungraded:
            self.summary.ungraded.append(item)


def _tried(spec: PlanSpec) -> PlanSpec:
    """Build the plan once: it refuses what can't be graded, draws the corpus, tries the sandbox."""
    return replace(spec, sandbox=build_plan(spec).sandbox)


@dataclass(slots=True)
class _NotebookRun:
    """The part of a run that concerns one notebook of the assignment."""

    run: GradeRun
    spec: PlanSpec
    writer: Writer

    @property
    def place(self) -> CourseAssignment:
        return self.writer.place

    @property
    def gradebook(self) -> Gradebook:
        return self.writer.gradebook

    @property
    def request(self) -> Request:
        return self.run.request

    def grade(self) -> Iterator[str]:
        """Grade this notebook of every student; yield each."""
        again = self.request.force or self.request.diff
        todo = []
        for student in self.run.students:
            stored = None if again or unfit_name(student) else self._stored(student)
            if stored is not None:
                self.run.already_graded.append(student)
                self.run.summary.results.append(stored)
                yield student
            elif self._is_gradable(student):
                todo.append(student)
            else:
                yield student
        finished = cohort.run(
            self._jobs(todo),
            grade_job,
            processes=min(self.request.jobs, max(1, len(todo))),
            start=start_grader,
            start_args=(self.spec,),
        )
        with closing(finished):
            for done in finished:
                self._record(done.job.student, done.result, done.reason)
                yield done.job.student

    def _is_gradable(self, student: str) -> bool:
        """Whether there is something to grade; if not, that is recorded."""
        if unfit := unfit_name(student):  # it gets into no gradebook either
            self.run.report_ungraded(student, unfit)
            return False
        found = self.place.found(student)
        if found.ambiguous:
            self._record(student, None, found.ambiguous)
            return False
        if not os.path.lexists(found.path):
            reason = f"the folder holds no {found.path.name}: 0 points"
            self.run.report_ungraded(student, reason)
            self._compare(student, dict.fromkeys(self.place.test_cells, 0.0))
            self._write(student, partial(self.writer.write_missing, student))
            return False
        if reason := refusal(found.path):
            self._record(student, None, reason)
            return False
        return True

    def _jobs(self, students: Sequence[str]) -> Iterator[Job]:
        """Read the submissions one by one, as they are asked for."""
        for student in students:
            try:
                job = self.place.job(student)
            except OSError as error:
                self._record(student, None, f"it can't be read: {error.strerror}.")
            else:
                yield job

    def _record(self, student: str, graded: Graded | None, reason: str) -> None:
        if graded is None:
            graded = Graded(student=student, unreadable=reason)
        if graded.result is None:
            self.run.report_ungraded(student, graded.unreadable)
        if not self._write(student, partial(self.writer.write, graded)) or graded.result is None:
            return
        self.run.summary.results.append(graded.result)
        self._compare(student, {name: grade.score for name, grade in graded.grades.items()})
        for name, grade in graded.grades.items():
            if grade.needs_person:
                said = f"cell {name} has no score; grade it by hand."
                self.run.report_ungraded(student, said)

    def _write(self, student: str, write: Callable[[], str | None]) -> bool:
        """Write what concerns one student; one that can't be recorded is listed, and no other."""
        if self.request.dry_run:
            return True
        try:
            problem = record(self.gradebook, write)
        except NotRecordedError as error:
            self.run.report_ungraded(student, str(error))
            return False
        if problem:
            self.run.report_ungraded(student, problem)
        return True

    def _compare(self, student: str, scores: dict[str, float | None]) -> None:
        """With `diff`: compare with what the gradebook holds."""
        if self.request.diff:
            before = scores_on_record(
                self.gradebook,
                student=student,
                assignment=self.place.name,
                notebook=self.place.notebook,
            )
            self.run.compared.add(student, before, scores)

    def _stored(self, student: str) -> SubmissionResult | None:
        """The result of an earlier run on the same bytes and seed, if it was recorded in full."""
        try:
            result = self.place.stored(student)
            if result is None or result.sha256 != sha256(self.place.file(student).read_bytes()):
                return None
        except (OSError, msgspec.DecodeError):
            return None
        if result.seed_id != seed_id(self.spec.seed) or result.needs_person:
            return None
        recorded = self.place.autograded(student).is_file() and holds(
            self.gradebook,
            result,
            student=student,
            timestamp=read_timestamp(self.place.folder(student)),
        )
        return result if recorded else None
