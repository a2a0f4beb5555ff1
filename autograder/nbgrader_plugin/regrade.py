"""`autograder grade --exercise`: some exercises graded again, every other cell as it was.

A submission is graded in full again, because foundations and rules that are charged once reach
across exercises, from the seed and the stored cases of its own grade. Of that, the named exercises
alone are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec
from nbgrader.api import MissingEntry

from autograder.course import (
    Course,
    UsageError,
    assignment_named,
    build_plan,
    exercises_released,
)
from autograder.exercise import Exercise
from autograder.grader_process import Graded, Job, grade_job, start_grader
from autograder.grading import cohort
from autograder.grading.regraded import charged_twice, merged
from autograder.grading.submission import sha256
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.backup import back_up_or_say
from autograder.nbgrader_plugin.changes import scores_on_record
from autograder.nbgrader_plugin.context import refusal
from autograder.nbgrader_plugin.database import NotRecordedError, record, say
from autograder.nbgrader_plugin.exercise_writer import ExerciseWriter
from autograder.nbgrader_plugin.grade import Request, Summary, Ungraded
from autograder.nbgrader_plugin.lock import course_lock
from autograder.nbgrader_plugin.regrade_list import RegradeList
from autograder.nbgrader_plugin.submission_files import read_timestamp
from autograder.nbgrader_plugin.writer import Writer
from autograder.reporting.changes import Comparison, OnRecord, ScoreChange
from autograder.results import ExerciseResult, Status, SubmissionResult
from autograder.worker.hygiene import clean_text

_ORDINARY = "an ordinary run, without --exercise, grades it"


class _Left(Exception):  # noqa: N818 - no error: a submission that is left alone, and why
    """Raised where a submission is left as it is; the message says why, for a TA."""


@dataclass
class RegradeRun:
    """One run of `grade --exercise` over one assignment of one course.

    Use it as a context manager, like `GradeRun`. Afterwards `summary` holds the results as they
    stand now, what was left alone and why, and the scores that changed.
    """

    course: Course
    request: Request
    summary: Summary = field(default_factory=Summary)
    compared: Comparison = field(default_factory=Comparison)
    rewritten: list[str] = field(default_factory=list)
    """The students whose grade or report is another one now."""
    withheld: int = 0
    """How many scores would go down, and stay because of `raise_only`."""

    def __enter__(self) -> RegradeRun:
        """Check the request and take the lock.

        Raises:
            UsageError: unknown assignment or exercise, nothing graded yet, nothing released, course
                in use.
        """
        if not self.course.released(self.request.assignment):
            assignment_named(self.request.assignment)
        self.place = CourseAssignment(self.course, self.request.assignment)
        self.place.refuse_broken_late_policy()
        self.list = RegradeList(
            self.course.state,
            self.place.name,
            tuple(self.request.exercises),
            raise_only=self.request.raise_only,
        )
        with ExitStack() as stack:
            if not self.request.dry_run:
                stack.enter_context(course_lock(self.course.state))
            self.gradebook = stack.enter_context(self.place.open_gradebook())
            self.notebooks = self.place.notebooks(self.gradebook)
            self.place, self.exercises = self._named_exercises()
            self.students = self._known_students()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _known_students(self) -> list[str]:
        """Who was graded or handed something in, or those asked for."""
        name = self.place.name
        results = self.course.state / "results" / name
        graded = {path.parent.name for path in results.glob(f"*/{self.place.notebook}.json")}
        if not graded:
            raise UsageError(
                f"Nothing of {name!r} has been graded yet. Grade it first: autograder grade {name}"
            )
        unknown = set(self.request.students) - graded
        if unknown or not self.request.students:
            graded.update(self.place.submitted(sorted(unknown)))
        return sorted(graded & set(self.request.students or graded))

    @property
    def steps(self) -> int:
        """How many times `grade` yields."""
        return len(self.students)

    def _named_exercises(self) -> tuple[CourseAssignment, dict[str, Exercise]]:
        """The notebook that holds the exercises asked for, and all of its exercises by name."""
        known = [
            {e.name: e for e in exercises_released(place.spec(0, keep_corpus=False))}
            for place in self.notebooks
        ]
        asked = set(self.request.exercises)
        for place, exercises in zip(self.notebooks, known, strict=True):
            if asked <= exercises.keys():
                return place, exercises
        every = [name for exercises in known for name in exercises]
        unknown = [name for name in self.request.exercises if name not in every]
        if unknown:
            raise UsageError(
                f"{self.place.name!r} has no exercise {unknown[0]!r}. "
                f"It has: {', '.join(every) or 'none'}."
            )
        raise UsageError(
            f"{' and '.join(self.request.exercises)} stand in different notebooks of "
            f"{self.place.name!r}. Grade those of one notebook at a time."
        )

    # -- grading -----------------------------------------------------------------------------------

    def grade(self) -> Iterator[str]:
        """Grade the exercises of what was graded before; yield each student when done."""
        writers = Writer.of(self.notebooks, self.gradebook)
        self.writer = next(each for each in writers if each.notebook == self.place.notebook)
        if not self.request.dry_run and (said := self.writer.begin()):
            say(said)
        stored: dict[str, SubmissionResult] = {}
        by_seed: dict[int, list[str]] = {}
        for student in self.students:
            try:
                stored[student] = self._graded_before(student)
                by_seed.setdefault(self._seed(stored[student]), []).append(student)
            except _Left as reason:
                self._leave(student, str(reason), stored.get(student))
                yield student
        for seed, students in by_seed.items():
            for graded in self._grade_again(seed, students):
                self._record(graded, stored[graded.student])
                yield graded.student
        self.summary.results.sort(key=lambda result: result.student or "")
        self.compared.sort()
        self.summary.changes = self.compared.changes

    def _grade_again(self, seed: int, students: list[str]) -> Iterator[Graded]:
        """Grade submissions whose cases came from one seed, from the stored cases."""
        writes = not self.request.dry_run
        spec = self.place.spec(seed, keep_corpus=writes)
        spec = replace(spec, sandbox=build_plan(spec).sandbox)
        finished = cohort.run(
            self._jobs(students),
            grade_job,
            processes=min(self.request.jobs, len(students)),
            start=start_grader,
            start_args=(spec,),
        )
        with closing(finished):
            for done in finished:
                yield done.result or Graded(student=done.job.student, unreadable=done.reason)

    def _jobs(self, students: list[str]) -> Iterator[Job]:
        """Read the submissions one by one, as they are asked for; one that is gone is left."""
        for student in students:
            try:
                job = self.place.job(student)
            except OSError as error:
                self._leave(student, f"it can't be read: {error.strerror}.")
            else:
                yield job

    def _graded_before(self, student: str) -> SubmissionResult:
        """The result of an earlier run on what is handed in now."""
        try:
            result = self.place.stored(student)
        except (OSError, msgspec.DecodeError):
            raise _Left("its stored result can't be read; grade it with --force.") from None
        if result is None:
            raise _Left(f"it was not graded before; {_ORDINARY}.")
        if reason := self._changed(student, result):
            raise _Left(reason)
        missing = [name for name in self.request.exercises if result.exercise_named(name) is None]
        if missing:
            raise _Left(f"it was graded before {missing[0]} was an exercise; {_ORDINARY} anew.")
        return result

    def _changed(self, student: str, result: SubmissionResult) -> str:
        """Why the result is not that of what is handed in now; empty where it is."""
        found = self.place.found(student)
        if refused := found.ambiguous or refusal(found.path):
            return refused
        try:
            unchanged = sha256(found.path.read_bytes()) == result.sha256
        except OSError:
            unchanged = False
        if not (unchanged and self._in_time(student)):
            return f"it is another submission than the one that was graded; {_ORDINARY}."
        if not self.place.autograded(student).is_file() or not self._in_gradebook(student):
            return f"its autograded notebook or its grades are gone; {_ORDINARY} anew."
        return ""

    def _in_time(self, student: str) -> bool:
        """Whether the gradebook has the time at which it was handed in."""
        timestamp = read_timestamp(self.place.folder(student))
        try:
            known = self.gradebook.find_submission(self.place.name, student)
        except MissingEntry:
            return True  # what is not in the gradebook is told apart elsewhere
        return timestamp is None or known.timestamp == timestamp

    def _in_gradebook(self, student: str) -> dict[str, OnRecord]:
        return scores_on_record(
            self.gradebook,
            student=student,
            assignment=self.place.name,
            notebook=self.place.notebook,
        )

    def _seed(self, result: SubmissionResult) -> int:
        """The seed that the result's cases were drawn from: nobody gets others by a regrade."""
        seed = self.course.seed_named(result.seed_id)
        if seed is None:
            raise _Left(
                "the seed of its cases is lost. Give it with --seed, or grade anew with --force."
            )
        return seed

    # -- writing -----------------------------------------------------------------------------------

    def _record(self, graded: Graded, stored: SubmissionResult) -> None:
        """Compare and write one submission; one that can't be recorded is listed, and no other."""
        before = self._in_gradebook(graded.student)
        try:
            names = self._to_write(graded, stored, before)
            self._write(graded, stored, names, before)
        except (_Left, NotRecordedError) as reason:
            self._leave(graded.student, str(reason), stored)

    def _to_write(
        self, graded: Graded, stored: SubmissionResult, before: dict[str, OnRecord]
    ) -> list[str]:
        """Which of the exercises are other ones now, in report or score."""
        if graded.result is None:
            raise _Left(f"it can't be graded now: {graded.unreadable}")
        if graded.result.sha256 != stored.sha256:
            raise _Left(f"it was handed in again just now; {_ORDINARY}.")
        names = []
        for name in dict.fromkeys(self.request.exercises):
            old, new = stored.exercise_named(name), graded.result.exercise_named(name)
            if old is None or new is None:
                raise _Left(f"it was graded before {name} was an exercise; {_ORDINARY} anew.")
            if new.status is Status.INTERNAL_ERROR:
                raise _Left(f"{name} failed through a fault of ours; its grade is as it was.")
            known = before[name].automatic
            if self.request.raise_only and not _goes_up(old, new, known):
                self.withheld += new.score < old.score
                continue
            if new != old or known != new.score:
                names.append(name)
        return names

    def _write(
        self,
        graded: Graded,
        stored: SubmissionResult,
        names: list[str],
        before: dict[str, OnRecord],
    ) -> None:
        if graded.result is None:  # for the type checker: refused before
            return
        result = merged(stored, graded.result, names) if names else stored
        twice = charged_twice(result, self.exercises) if names else None
        if twice is not None:
            raise _Left(
                f"{twice[0]} and {twice[1]} would both pay for a rule that is charged once. Give "
                f"both: --exercise {twice[0]} --exercise {twice[1]}"
            )
        new = {e.name: e.score for e in result.exercises if e.name in names}
        changes = self.compared.add(graded.student, _scores_of(stored, before), new)
        self.compared.same += len(set(self.request.exercises)) - len(names)
        problem = None
        if names and not self.request.dry_run:
            self._back_up_once()
            problem = record(
                self.gradebook, partial(self._write_now, graded, result, names, changes)
            )
        if names:
            self.rewritten.append(graded.student)
        self.summary.results.append(result)
        if problem:
            self._report(graded.student, problem)

    def _write_now(
        self,
        graded: Graded,
        result: SubmissionResult,
        names: list[str],
        changes: list[ScoreChange],
    ) -> str:
        self.list.add(changes)
        return ExerciseWriter(self.place, self.writer).write(graded, result, names)

    def _back_up_once(self) -> None:
        if not self.rewritten:
            back_up_or_say(self.course, self.place.directory.db_url)

    def _leave(self, student: str, reason: str, stored: SubmissionResult | None = None) -> None:
        """List a submission that is left as it is."""
        self._report(student, reason)
        if stored is not None:
            self.summary.results.append(stored)

    def _report(self, student: str, reason: str) -> None:
        self.summary.ungraded.append(Ungraded(clean_text(student, 200), clean_text(reason, 500)))


def _goes_up(old: ExerciseResult, new: ExerciseResult, known: float | None) -> bool:
    """Whether a score rises; after an interruption the gradebook may hold the new one already."""
    if old.status is Status.INTERNAL_ERROR or known is None:
        return True  # it has no score yet
    return new.score > old.score and new.score >= known


def _scores_of(stored: SubmissionResult, before: dict[str, OnRecord]) -> dict[str, OnRecord]:
    """What was on record: after an interruption the gradebook may hold the new score already."""
    return {
        exercise.name: OnRecord(
            None if exercise.status is Status.INTERNAL_ERROR else exercise.score,
            before[exercise.name].manual,
        )
        for exercise in stored.exercises
        if exercise.name in before
    }
