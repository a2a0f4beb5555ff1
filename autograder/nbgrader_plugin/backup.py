"""Copies of a course's gradebook, made before something is written over."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.api import SubmittedAssignment as Submission
from sqlalchemy import select

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.database import PATIENCE_S, database_errors, parse_url, say

FIRST_USE = "first-use"
"""The file under `.autograder/` that says when we first wrote to this gradebook."""
_NO_COPY = "The gradebook is no SQLite file, so no copy was made before its first use here."


def back_up(course: Course, db_url: str, name: str = "gradebook") -> Path | None:
    """Copy a SQLite gradebook into `.autograder/backups/`, by SQLite's own backup.

    The copy appears whole or not at all, readable by its owner alone.

    Args:
        course: the course it belongs to.
        db_url: nbgrader's address of the database.
        name: what the copy's name begins with; the time follows.

    Returns:
        Where the copy is; None where the gradebook is another kind of database.

    Raises:
        UsageError: it can't be copied; the message says why.
    """
    url = parse_url(db_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    folder = course.state / "backups"
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    path = folder / f"{name}-{stamp}.db"
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            database_errors(db_url),
            closing(sqlite3.connect(url.database, timeout=PATIENCE_S)) as source,
            closing(sqlite3.connect(partial)) as target,
        ):
            partial.chmod(0o600)
            # A writer is waited for here, with a limit; the backup itself would wait for ever
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(target)
        partial.replace(path)
    except UsageError:
        partial.unlink(missing_ok=True)
        raise
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(
            f"The gradebook can't be copied to {folder}: {error}. Nothing was written; mend that "
            "and run again."
        ) from None
    return path


def back_up_or_say(course: Course, db_url: str) -> None:
    """Copy a SQLite gradebook before grades are written over; of another kind, say what to do.

    Raises:
        UsageError: it can't be copied.
    """
    if back_up(course, db_url) is None:
        say(f"no copy of the gradebook is made, for it is no SQLite file. {own_tools(db_url)}")


def own_tools(db_url: str) -> str:
    """How to copy a gradebook that is no SQLite file; its password is left out."""
    url = parse_url(db_url)
    if url.get_backend_name() != "postgresql":
        return "Make one with the database's own tools."
    shown = url.set(drivername="postgresql", password=None).render_as_string()
    return f"Make one: pg_dump --format=custom --file=gradebook.dump '{shown}'"


def back_up_before_first_use(course: Course, gradebook: Gradebook, db_url: str) -> str:
    """Once per course: copy a gradebook that others filled, before we write to it.

    Returns:
        A sentence for whoever runs the command; empty where there is nothing to say.

    Raises:
        UsageError: the gradebook can't be copied.
    """
    mark = course.state / FIRST_USE
    if mark.exists():
        return ""
    said = ""
    if gradebook.db.execute(select(Submission.id).limit(1)).first() is not None:
        copy = back_up(course, db_url, "gradebook-before-first-use")
        said = (
            f"The gradebook as it was before its first use here: {copy}"
            if copy
            else f"{_NO_COPY} {own_tools(db_url)}"
        )
    course.state.mkdir(mode=0o700, exist_ok=True)
    mark.write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S UTC}\n{said}\n", encoding="utf-8")
    return said
