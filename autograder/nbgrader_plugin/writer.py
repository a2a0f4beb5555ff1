"""The one writer of `autograder grade`: files into `autograded/`, rows into the gradebook.

The order makes an interruption harmless at any point: the autograded notebook appears whole, the
gradebook row is one transaction, and the full result, written last, is what marks a submission
as done. A submission without that mark is graded again by the next run.
"""

from __future__ import annotations

import os
import shutil
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.course import Course
from autograder.grader_process import Graded
from autograder.nbgrader_plugin.context import source_folder, student_folder
from autograder.nbgrader_plugin.gradebook import flag_for_person, save_grades, score_missing

TIMESTAMP = "timestamp.txt"


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes graded submissions of one assignment into one course."""

    course: Course
    directory: CourseDirectory
    gradebook: Gradebook
    config: Config
    assignment: str

    def folder(self, step: str, student: str) -> Path:
        """A student's folder of this assignment in `submitted` or `autograded`."""
        return student_folder(self.directory, step, student, self.assignment)

    def write(self, graded: Graded) -> None:
        """Record one submission: notebook, scores, comments, late penalty, result."""
        self._open_submission(graded.student)
        if graded.result is None:
            flag_for_person(self.gradebook, student=graded.student, assignment=self.assignment)
            return
        self._unmark(graded.student)
        self._write_notebook(graded)
        save_grades(
            self.gradebook,
            nbformat.reads(graded.notebook.decode(), as_version=nbformat.NO_CONVERT),
            student=graded.student,
            assignment=self.assignment,
            notebook=self.assignment,
            grades=graded.grades,
            comments=graded.comments,
        )
        self._penalise_lateness(graded.student)
        self.course.write_result(graded.result)

    def write_missing(self, student: str) -> None:
        """Record a submission folder that holds no notebook: 0, as nbgrader does."""
        self._open_submission(student)
        self._unmark(student)
        score_missing(
            self.gradebook, student=student, assignment=self.assignment, notebook=self.assignment
        )

    def _unmark(self, student: str) -> None:
        """Take back the mark of an earlier run before anything that it stands for changes."""
        path = self.course.result_path(self.assignment, student, self.assignment)
        path.unlink(missing_ok=True)

    def _open_submission(self, student: str) -> None:
        """Make sure that the student and the submission exist; take over the timestamp."""
        self.gradebook.update_or_create_student(student)
        timestamp = read_timestamp(self.folder(self.directory.submitted_directory, student))
        known = {} if timestamp is None else {"timestamp": timestamp}
        with warnings.catch_warnings():
            # SQLAlchemy 2.1 remarks on the order in which nbgrader builds a submission's rows
            warnings.simplefilter("ignore", SAWarning)
            self.gradebook.update_or_create_submission(self.assignment, student, **known)

    def _write_notebook(self, graded: Graded) -> None:
        """Put the autograded notebook, and nothing else of the student's, into its folder."""
        folder = self.folder(self.directory.autograded_directory, graded.student)
        submitted = self.folder(self.directory.submitted_directory, graded.student)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._copy_course_files(folder)
        timestamp = read_timestamp(submitted)
        if timestamp is not None:
            _place(folder / TIMESTAMP, f"{timestamp}\n".encode())
        _place(folder / f"{self.assignment}.ipynb", graded.notebook)

    def _copy_course_files(self, folder: Path) -> None:
        """Lay the course's own extra files (data sets) beside the notebook, as nbgrader does."""
        source = source_folder(self.directory, self.assignment)
        ignored = [*self.directory.ignore, "*.ipynb"]
        for name in utils.find_all_files(str(source), ignored):
            target = folder / Path(name).relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, target)

    def _penalise_lateness(self, student: str) -> None:
        """Apply the course's late penalty plugin, through nbgrader's own preprocessor."""
        submission = self.gradebook.find_submission(self.assignment, student)
        notebook = self.gradebook.find_submission_notebook(
            self.assignment, self.assignment, student
        )
        if submission.total_seconds_late <= 0:
            notebook.late_submission_penalty = None  # type: ignore[assignment]
            self.gradebook.db.commit()
            return
        names = {
            "student": student,
            "assignment": self.assignment,
            "notebook": self.assignment,
            "db_url": self.directory.db_url,
        }
        penalties = AssignLatePenalties(parent=self.directory, config=self.config)
        penalties.preprocess(nbformat.v4.new_notebook(), ResourcesDict(nbgrader=names))
        self.gradebook.db.expire_all()


def _place(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all, read-only as nbgrader leaves its own."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(data)
    partial.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    partial.replace(path)


def read_timestamp(folder: Path) -> Any:
    """The time of a submission from its `timestamp.txt`; None where there is no usable one."""
    path = folder / TIMESTAMP
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > 200:
            return None
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        return utils.parse_utc(text) if text else None
    except (OSError, ValueError, OverflowError):
        return None
