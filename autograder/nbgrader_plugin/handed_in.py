"""What a student handed in: which file is the notebook, and what of its folder is worth a note."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from autograder.course import Course
from autograder.nbgrader_plugin.context import refusal
from autograder.nbgrader_plugin.submission_files import TIMESTAMP, read_timestamp
from autograder.notebook import Found, NotebookError, Skeleton, find_notebook


@dataclass(frozen=True, slots=True)
class Submitted:
    """The bytes of a submitted notebook, and notes on where they lay."""

    data: bytes
    notes: tuple[str, ...]


def handed_in(folder: Path, course: Course, assignment: str, notebook: str) -> Found:
    """The file of a submitted folder that stands for a notebook, and notes on the folder."""
    release = course.release(assignment, notebook)
    others = [name for name in course.released(assignment) if name != notebook]
    skeleton = _skeleton(release) if release is not None else None
    found = find_notebook(folder, notebook, skeleton, others)
    if os.path.lexists(folder / TIMESTAMP) and read_timestamp(folder) is None:
        note = f"The file {TIMESTAMP} holds no time; the submission counts as one without a time."
        return replace(found, notes=(*found.notes, note))
    return found


def read_submitted(folder: Path, course: Course, assignment: str, notebook: str) -> Submitted:
    """Read what was handed in for a notebook.

    Raises:
        NotebookError: a person has to choose, or the file must not or can't be opened.
    """
    found = handed_in(folder, course, assignment, notebook)
    reason = found.ambiguous or refusal(found.path)
    if reason:
        raise NotebookError(reason)
    try:
        return Submitted(found.path.read_bytes(), found.notes)
    except OSError as error:
        raise NotebookError(f"it can't be read: {error.strerror}.") from None


@lru_cache(maxsize=8)
def _skeleton(release: bytes) -> Skeleton:
    """The release, read once for a whole class."""
    return Skeleton.from_release(release)
