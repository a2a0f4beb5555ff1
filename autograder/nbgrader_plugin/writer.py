"""The one writer of `autograder grade`: files into `autograded/`, rows into the gradebook.

The order makes an interruption harmless at any point. What needs room is written aside first. Then
the mark of an earlier run goes, each file of the autograded folder appears whole, scores, comments,
time and late penalty are one transaction, and the full result, written last, marks the submission
as done. A submission without that mark is graded again by the next run.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning

from autograder.course import Course
from autograder.grader_process import Graded
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.backup import back_up_before_first_use
from autograder.nbgrader_plugin.context import source_folder, student_folder
from autograder.nbgrader_plugin.database import database_errors
from autograder.nbgrader_plugin.gradebook import (
    flag_for_person,
    save_grades,
    score_missing,
    score_once_saved,
)
from autograder.nbgrader_plugin.lateness import LatePolicyError, late_penalty
from autograder.nbgrader_plugin.marks import Marks
from autograder.nbgrader_plugin.staging import Staging
from autograder.nbgrader_plugin.submission_files import (
    SECRET,
    TIMESTAMP,
    read_secret,
    read_timestamp,
)
from autograder.nbgrader_plugin.trail import Cause, Digests, Trail
from autograder.reporting.history import Differing, How, Reopened


@dataclass(slots=True)
class Writer:
    """Writes graded submissions of one notebook into one course, and logs what that changes.

    Args:
        place: the notebook.
        gradebook: the open gradebook.
        trail: the history of the assignment.
        others: the other notebooks of the assignment, which lie in the same folders.
        reopened: written answers of this run that a person has to grade again.
        differing: overrides of this run that hide another automatic score.
    """

    place: CourseAssignment
    gradebook: Gradebook
    trail: Trail
    others: Collection[str] = ()
    reopened: list[Reopened] = field(default_factory=list, init=False)
    differing: list[Differing] = field(default_factory=list, init=False)

    @classmethod
    def of(cls, places: Sequence[CourseAssignment], gradebook: Gradebook) -> list[Writer]:
        """One writer for each of an assignment's notebooks; they share its history."""
        trail = Trail.of(places[0].course, gradebook, places[0].name)
        names = [place.notebook for place in places]
        return [
            cls(place, gradebook, trail, [name for name in names if name != place.notebook])
            for place in places
        ]

    @property
    def course(self) -> Course:
        """The course."""
        return self.place.course

    @property
    def directory(self) -> CourseDirectory:
        """nbgrader's own view of the course's folders."""
        return self.place.directory

    @property
    def assignment(self) -> str:
        """The assignment's name."""
        return self.place.name

    @property
    def notebook(self) -> str:
        """The notebook's name."""
        return self.place.notebook

    def begin(self) -> str:
        """Before the first write: back up an existing gradebook, log what others changed in it.

        Returns:
            A sentence for whoever runs the command; empty where there is nothing to say.

        Raises:
            UsageError: the gradebook can't be copied or read, or the log not be written.
        """
        db_url = self.directory.db_url
        with database_errors(db_url):
            said = back_up_before_first_use(self.course, self.gradebook, db_url)
            self.trail.catch_up()
        return said

    def folder(self, step: str, student: str) -> Path:
        """A student's folder of this assignment in `submitted` or `autograded`."""
        return student_folder(self.directory, step, student, self.assignment)

    def write(self, graded: Graded) -> str:
        """Record one submission: notebook, scores, comments, late penalty, result.

        Returns:
            What a person has to see to before the next run tries again; empty where nothing is.
        """
        student = graded.student
        if graded.result is None:
            self._open_submission(student)
            flag_for_person(
                self.gradebook,
                student=student,
                assignment=self.assignment,
                notebook=self.notebook,
            )
            return ""
        nb = _nbformat(graded)
        digests = Digests.of(nb)
        with self._staged(graded) as staging:
            self._unmark(student)
            self._open_submission(student)
            late = self._lateness(graded)
            self._remember_earlier(student)
            marks = Marks.before(self.trail, student, self.notebook, digests)
            staging.move_in()
        save_grades(
            self.gradebook,
            nb,
            student=student,
            assignment=self.assignment,
            notebook=self.notebook,
            grades=graded.grades,
            comments=graded.comments,
            also=late.save,
            settled=marks.settled,
        )
        self._log(student, digests, marks, graded.result.seed_id)
        if not late.problem:
            self.course.write_result(graded.result)
        return late.problem

    def write_missing(self, student: str) -> None:
        """Record a submission folder that holds no notebook: 0, as nbgrader does."""
        self._unmark(student)
        self._open_submission(student)
        score_missing(
            self.gradebook, student=student, assignment=self.assignment, notebook=self.notebook
        )
        self.trail.record(student, self.notebook, None, Cause(how=How.GRADE))

    def _remember_earlier(self, student: str) -> None:
        """Log what the autograded notebook holds, where its scores are older than the log."""
        if self.trail.knows(student, self.notebook):
            return
        try:
            text = self.place.autograded(student).read_text(encoding="utf-8")
            earlier = Digests.of(nbformat.reads(text, as_version=nbformat.NO_CONVERT))
        except (OSError, ValueError, KeyError, AttributeError):  # there is none, or none of ours
            return
        self.trail.remember(student, self.notebook, earlier)

    def _log(self, student: str, digests: Digests, marks: Marks, seed_id: str) -> None:
        """Log what was just committed, and keep what a person has to hear of it."""
        cause = Cause(how=How.GRADE, seed_id=seed_id)
        self.trail.record(student, self.notebook, digests, cause)
        self.reopened += marks.reopened
        self.differing += marks.differing_now(self.trail, student, self.notebook)

    def _unmark(self, student: str) -> None:
        """Take back the mark of an earlier run before anything that it stands for changes."""
        path = self.course.result_path(self.assignment, student, self.notebook)
        path.unlink(missing_ok=True)

    def _open_submission(self, student: str) -> None:
        """Make sure that the student and the submission exist.

        The time of one that exists changes with its scores alone, not before.
        """
        self.gradebook.update_or_create_student(student)
        with warnings.catch_warnings():
            # SQLAlchemy 2.1 remarks on the order in which nbgrader builds a submission's rows
            warnings.simplefilter("ignore", SAWarning)
            try:
                self.gradebook.find_submission(self.assignment, student)
            except MissingEntry:
                timestamp = self._timestamp(student)
                known: Any = {} if timestamp is None else {"timestamp": timestamp}
                self.gradebook.add_submission(self.assignment, student, **known)

    @contextmanager
    def _staged(self, graded: Graded) -> Iterator[Staging]:
        """The autograded notebook, and nothing else of the student's, ready to be moved in."""
        folder = self.folder(self.directory.autograded_directory, graded.student)
        with Staging(folder, keep=[f"{name}.ipynb" for name in self.others]) as staging:
            source = source_folder(self.directory, self.assignment)
            for name in utils.find_all_files(str(source), [*self.directory.ignore, "*.ipynb"]):
                # the course's own extra files (data sets) lie beside the notebook, as in nbgrader
                staging.copy(Path(name).relative_to(source), Path(name))
            timestamp = self._timestamp(graded.student)
            if timestamp is not None:
                staging.write(TIMESTAMP, f"{timestamp}\n".encode())
            secret = read_secret(self.folder(self.directory.submitted_directory, graded.student))
            if secret is not None:  # without it, nbgrader releases nobody's feedback
                staging.write(SECRET, secret)
            staging.write(f"{self.notebook}.ipynb", graded.notebook)
            yield staging

    def _timestamp(self, student: str) -> datetime | None:
        folder = self.folder(self.directory.submitted_directory, student)
        return cast("datetime | None", read_timestamp(folder))

    def _lateness(self, graded: Graded) -> _Lateness:
        """When it was handed in, and what the course's plugin takes off for that."""
        submission: Any = self.gradebook.find_submission(self.assignment, graded.student)
        timestamp = self._timestamp(graded.student) or submission.timestamp
        due = submission.duedate
        seconds = (timestamp - due).total_seconds() if timestamp and due else 0.0
        score = score_once_saved(
            self.gradebook,
            _nbformat(graded),
            student=graded.student,
            assignment=self.assignment,
            notebook=self.notebook,
            grades=graded.grades,
        )
        try:
            penalty = late_penalty(
                self.place.config,
                self.directory,
                student=graded.student,
                score=score,
                seconds=seconds,
            )
        except LatePolicyError as error:
            problem = f"{error}; its penalty is as it was. Mend the plugin, then run again."
            return _Lateness(timestamp, problem=problem)
        return _Lateness(timestamp, penalty)


@dataclass(frozen=True, slots=True)
class _Lateness:
    timestamp: datetime | None
    penalty: float | None = None
    problem: str = ""

    def save(self, submitted: Any) -> None:
        """Put it into the transaction that saves the scores."""
        submitted.assignment.timestamp = self.timestamp
        if not self.problem:
            submitted.late_submission_penalty = self.penalty


def _nbformat(graded: Graded) -> Any:
    return nbformat.reads(graded.notebook.decode(), as_version=nbformat.NO_CONVERT)
