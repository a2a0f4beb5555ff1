"""What nbgrader's own `autograde` needs around it so that no submission stops or changes another.

nbgrader has no setting for these, and its commands make the converter themselves. So the exporter,
which is a setting, puts them on the one converter that it belongs to; they end with its run.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.context import source_folder, unfit_name
from autograder.nbgrader_plugin.gradebook import flag_for_person
from autograder.nbgrader_plugin.handed_in import handed_in
from autograder.nbgrader_plugin.lock import course_lock
from autograder.nbgrader_plugin.submission_files import TIMESTAMP, read_timestamp
from autograder.settings import Settings
from autograder.worker.hygiene import clean_text


def around(converter: Any, ungraded: list[str]) -> None:
    """Put ourselves around the run of a converter that is about to begin.

    The run holds the course's lock; it takes a renamed notebook for the one it is; a timestamp
    that is none counts as no timestamp; and it copies no file of a student's but the notebooks and
    the timestamp. At its end, submissions that a person has to look at make it fail.

    Args:
        converter: nbgrader's `Autograde`, which has no annotations.
        ungraded: a list that the steps of the run fill with sentences on such submissions.
    """
    convert = converter.convert_notebooks
    course = Course(Path(converter.coursedir.root), Settings())

    def guarded() -> None:
        try:
            with course_lock(course.state):
                _take_in_renamed(converter, course, ungraded)
                with _tolerant(converter):
                    convert()
        except UsageError as error:
            converter.log.error(str(error))
            raise NbGraderException(str(error)) from None
        if ungraded:
            listed = "\n  ".join([f"{len(ungraded)} not graded; a person has to look:", *ungraded])
            converter.log.error(listed)
            raise NbGraderException(listed)

    converter.convert_notebooks = guarded


@contextmanager
def _tolerant(converter: Any) -> Iterator[None]:
    """Read timestamps with care and pass over stray files, until the run ends."""
    directory: CourseDirectory = converter.coursedir
    ignored = list(directory.ignore)
    hook: Callable[[], None] = converter.run_pre_convert_hook

    def before_each() -> None:
        directory.ignore = [*ignored, *_strays(converter, directory)]
        hook()

    changes: list[tuple[Any, str, Any]] = [
        (directory, "get_existing_timestamp", lambda folder: read_timestamp(Path(folder))),
        (converter, "run_pre_convert_hook", before_each),
    ]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        directory.ignore = ignored
        for owner, name, _ in changes:
            delattr(owner, name)


def _strays(converter: Any, directory: CourseDirectory) -> list[str]:
    """Patterns for the files of a student's folder that nbgrader is not to copy.

    Among them are links to what lies elsewhere, pipes, and files without end. A name that the
    course's own files bear as well stays: nbgrader would not copy the course's either.
    """
    folder = Path(converter.notebooks[0]).parent
    source = source_folder(directory, directory.assignment_id)
    ours = {name for _, _, files in os.walk(source) for name in files}
    names = {name for _, _, files in os.walk(folder) for name in files} - ours
    if _is_file(folder / TIMESTAMP):
        names.discard(TIMESTAMP)
    return [glob.escape(name) for name in sorted(names) if not name.endswith(".ipynb")]


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _take_in_renamed(converter: Any, course: Course, ungraded: list[str]) -> None:
    """List the right name where a notebook was handed in under another; the exporter finds it.

    Where a person has to choose, nbgrader does not get to see the submission: it would score it 0.
    Nor does it where the folder bears a name that is not graded.
    """
    directory = converter.coursedir
    submitted, assignment = directory.submitted_directory, directory.assignment_id
    form = directory.format_path(submitted, "(?P<student>.*)", assignment, escape=True)
    for folder in glob.glob(directory.format_path(submitted, directory.student_id, assignment)):
        named = re.match(form, folder)
        if named and (unfit := unfit_name(named["student"])):
            converter.assignments.pop(folder, None)
            ungraded.append(clean_text(f"{named['student']}: {unfit}", 500))
            continue
        for name in fnmatch.filter(course.released(assignment), directory.notebook_id):
            exact = Path(folder) / f"{name}.ipynb"
            found = handed_in(exact.parent, course, assignment, name)
            if found.ambiguous and named:
                converter.assignments.pop(folder, None)
                _leave_to_person(directory, named["student"], exact.parent)
                ungraded.append(clean_text(f"{named['student']}: {found.ambiguous}", 500))
                break
            if found.path != exact:
                converter.assignments.setdefault(folder, []).append(str(exact))


def _leave_to_person(directory: CourseDirectory, student: str, folder: Path) -> None:
    """Make sure that the submission is in the gradebook, and flag it."""
    assignment, timestamp = directory.assignment_id, read_timestamp(folder)
    known = {} if timestamp is None else {"timestamp": timestamp}
    with Gradebook(directory.db_url, directory.course_id) as gradebook, catch_warnings():
        # SQLAlchemy 2.1 remarks on the order in which nbgrader builds a submission's rows
        simplefilter("ignore", SAWarning)
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(assignment, student, **known)
        flag_for_person(gradebook, student=student, assignment=assignment)
