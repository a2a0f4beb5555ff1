"""Where a preprocessor stands: which course, assignment, notebook and student it works on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.course import Course
from autograder.notebook import MAX_BYTES
from autograder.settings import Settings

_RUNS_IN_A_PAGE = re.compile(r"[<>\"\\\x00-\x1f\x7f]")


def unfit_name(student: str) -> str:
    """Why a folder of that name is not graded; empty where it is.

    nbgrader takes the name for the student's id and puts it into formgrader's pages as it stands.
    """
    if _RUNS_IN_A_PAGE.search(student):
        return (
            "the name of its folder could run a script in formgrader's pages. Rename the folder "
            'without any of < > " \\ and control characters.'
        )
    return ""


def refusal(path: Path) -> str:
    """Why a submitted file is not even opened; empty where it is."""
    if any(part.is_symlink() for part in (path.parent.parent, path.parent)):
        return "the folder is a link to another one; a notebook must be handed in itself."
    if path.is_symlink() or not path.is_file():
        return f"{path.name} is no ordinary file; a notebook must be handed in itself."
    if path.stat().st_size > MAX_BYTES:
        return f"{path.name} is larger than {MAX_BYTES >> 20} MiB; clear its outputs."
    return ""


def student_folder(directory: CourseDirectory, step: str, student: str, assignment: str) -> Path:
    """A student's folder of an assignment in `submitted` or `autograded`."""
    return Path(directory.format_path(step, student, assignment))


def source_folder(directory: CourseDirectory, assignment: str) -> Path:
    """The course's own folder of an assignment."""
    return Path(directory.format_path(directory.source_directory, ".", assignment))


@dataclass(frozen=True, slots=True)
class Context:
    """What nbgrader says of the submission in work, and the course it belongs to."""

    course: Course
    directory: CourseDirectory
    assignment: str
    notebook: str
    student: str
    db_url: str

    @classmethod
    def of(
        cls,
        preprocessor: NbGraderPreprocessor,
        resources: dict[str, Any],
        settings: Settings | None = None,
    ) -> Context:
        """Read it from a preprocessor's parents and its resources.

        A preprocessor's parent is the exporter, and the exporter's parent is the converter,
        which knows the course directory from the command line and through NbGraderAPI alike.
        """
        converter: Any = preprocessor.parent and preprocessor.parent.parent
        directory: CourseDirectory = converter.coursedir
        names = resources["nbgrader"]
        return cls(
            course=Course(Path(directory.root), settings or Settings()),
            directory=directory,
            assignment=names["assignment"],
            notebook=names["notebook"],
            student=names["student"],
            db_url=names["db_url"],
        )

    @property
    def course_id(self) -> str:
        """The id that the gradebook knows the course by."""
        return str(self.directory.course_id)

    def folder(self, step: str) -> Path:
        """The student's folder of this assignment in `submitted` or `autograded`."""
        return student_folder(self.directory, step, self.student, self.assignment)

    @property
    def source(self) -> Path:
        """The course's own folder of this assignment."""
        return source_folder(self.directory, self.assignment)
