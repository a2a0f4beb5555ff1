"""Whether whoever grades may write a course's files, and nobody else read its secrets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.reporting.doctor import Finding, Level

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def file_findings(place: CourseAssignment) -> Iterator[Finding]:
    """All that the permissions of a course's files show."""
    root, directory = place.course.root, place.directory
    gradebook = _sqlite_file(directory.db_url)
    written = [root, root / directory.autograded_directory, root / directory.feedback_directory]
    if gradebook is not None:
        written += [gradebook, gradebook.parent]  # SQLite makes its journal beside the file
    for path in dict.fromkeys(written):
        if path.exists() and not os.access(path, os.W_OK):
            yield _finding(
                Level.CONFLICT,
                path,
                "Grading writes here, but you may not.",
                f"chmod u+w {path}, or grade as its owner.",
            )
    submitted = root / directory.submitted_directory
    if submitted.exists() and not os.access(submitted, os.R_OK | os.X_OK):
        yield _finding(Level.CONFLICT, submitted, "You may not read it.", f"chmod u+rx {submitted}")
    yield from _secrets(place.course.state)
    yield from _readable(root / directory.source_directory, gradebook)


def _secrets(state: Path) -> Iterator[Finding]:
    for path in (state, state / "seeds", state / "history", state / "backups"):
        if path.exists() and path.stat().st_mode & _OTHERS:
            yield _finding(
                Level.CONFLICT,
                path,
                "Others on this machine can look into it: seed, results and history are secret.",
                f"chmod -R go= {state}",
            )
            return  # one command mends them all


def _readable(source: Path, gradebook: Path | None) -> Iterator[Finding]:
    """Hidden tests and grades that every user of the machine can read."""
    for path in (source, gradebook):
        if path is None or not path.exists() or not path.stat().st_mode & stat.S_IROTH:
            continue
        if all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents):
            yield _finding(
                Level.NOTE,
                path,
                "Every user of this machine can read it: hidden tests, solutions or grades.",
                f"chmod -R o= {path}, if students have accounts here.",
            )


def _sqlite_file(db_url: str) -> Path | None:
    try:
        url = make_url(db_url)
    except ArgumentError:
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    path = Path(url.database)
    return path if path.is_file() else None


def _finding(level: Level, path: Path, problem: str, remedy: str) -> Finding:
    return Finding(
        level=level, check="permissions", where=str(path), problem=problem, remedy=remedy
    )
