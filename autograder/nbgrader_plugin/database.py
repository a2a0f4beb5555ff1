"""The database under nbgrader's gradebook: opened, waited for and written with care.

nbgrader gives up on a locked SQLite file after five seconds, and a TA with formgrader open is
another writer. So a gradebook is opened here with patience, a wait is announced, a set of scores
is one transaction that nobody else can come between, and an error of the database becomes a
sentence: one that stops the run where nothing could be recorded any more, and one that names the
student where only this submission is concerned.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import URL, Connection, Engine, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.orm.exc import StaleDataError

from autograder.course import UsageError
from autograder.worker.hygiene import clean_text

PATIENCE_S = 120.0
"""How long a lock of another program is waited for."""

ANNOUNCED_AFTER_S = 5.0
"""How long a wait stays silent."""

KEPT = "then run again; finished grades are kept."
_FULL_OR_FAILING = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG}
_LOCKED = ("database is locked", "lock timeout")
_OTHER_SCHEMA = ("no such column", "no such table", "does not exist")


class GradebookError(UsageError):
    """The database does not serve us any more: one sentence that says why and what to do.

    Args:
        message: the sentence.
        passing: whether the same again may well succeed, on a new connection.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class NotRecordedError(Exception):
    """One submission could not be recorded, for a reason that concerns it alone: a sentence."""


def say(line: str) -> None:
    """Tell whoever waits at the terminal; standard output belongs to the results."""
    sys.stderr.write(f"autograder: {line}\n")
    sys.stderr.flush()


# -- opening ---------------------------------------------------------------------------------------


def parse_url(db_url: str) -> URL:
    """A course's `db_url`, which has to name the driver of a server.

    Raises:
        UsageError: it is no URL, or names no driver.
    """
    try:
        url = make_url(db_url)
    except (ArgumentError, ValueError):
        raise UsageError(
            "c.CourseDirectory.db_url is no database URL. Write sqlite:////path/gradebook.db or "
            "postgresql+psycopg://user@host/database."
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        # which driver this means depends on the release of SQLAlchemy
        raise UsageError(
            f"c.CourseDirectory.db_url starts with {url.drivername}://, which names no driver. "
            "Write postgresql+psycopg://, and install the driver: "
            "pip install 'attention-autograder[postgres]'"
        )
    return url


def shown(url: URL) -> str:
    """A database's address for people, without a password."""
    return url.set(query={}).render_as_string(hide_password=True)


def patient(db_url: str) -> str:
    """The URL with which SQLite waits for a lock instead of giving up; others as they are.

    Raises:
        UsageError: it is no URL, or names no driver.
    """
    url = parse_url(db_url)
    if url.get_backend_name() == "sqlite" and "timeout" not in url.query:
        url = url.update_query_dict({"timeout": f"{PATIENCE_S:g}"})
    return url.render_as_string(hide_password=False)


def has_tables(db_url: str) -> bool:
    """Whether there is a database with anything in it; nothing is made to find out.

    Raises:
        UsageError: its driver is not installed, or it can't be used.
    """
    url = parse_url(db_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return False
    try:
        engine = create_engine(patient(db_url))
    except (ImportError, NoSuchModuleError) as error:
        raise UsageError(
            f"The driver of the gradebook at {shown(url)} can't be loaded: {_sentence(error)} "
            "For PostgreSQL: pip install 'attention-autograder[postgres]'"
        ) from None
    _prepare(engine)
    try:
        with announced(url):
            return bool(inspect(engine).get_table_names())
    finally:
        engine.dispose()


def open_gradebook(db_url: str, course_id: str) -> Gradebook:
    """nbgrader's gradebook, with patience, whose errors are a `GradebookError`.

    Raises:
        UsageError: it can't be opened; the message says why.
    """
    has_tables(db_url)  # says what is wrong with it before nbgrader makes its own noise
    with database_errors(db_url):
        gradebook = Gradebook(patient(db_url), course_id)
    _prepare(gradebook.engine)
    return gradebook


def _prepare(engine: Engine) -> None:
    """Limit what a server waits for, and put the database's errors into words."""

    @event.listens_for(engine, "handle_error")
    def translate(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError):
            raise _translated(engine.url, error) from None

    if engine.dialect.name == "postgresql":
        # In the transaction, not in the connection: a pooler hands that on to others
        @event.listens_for(engine, "begin")
        def limit(connection: Connection) -> None:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {PATIENCE_S * 1000:.0f}")


# -- reading and writing ---------------------------------------------------------------------------


@contextmanager
def reading(gradebook: Gradebook) -> Iterator[None]:
    """Read what others have committed by now; afterwards no transaction is left open.

    A grader waits for minutes between two looks at the gradebook, and a server does not like a
    transaction that idles.
    """
    gradebook.db.rollback()  # also forgets what an earlier look found
    try:
        with announced(gradebook.engine.url):
            yield
    finally:
        gradebook.db.rollback()


@contextmanager
def transaction(gradebook: Gradebook) -> Iterator[Any]:
    """One transaction, of which others see all or nothing; gives the session.

    What is read inside is fresh, not what this session remembers. On SQLite nobody else writes
    meanwhile. On a server, lock the rows that a decision rests on.
    """
    session = gradebook.db
    session.rollback()  # ends a transaction that reading began, and forgets what it read
    try:
        with announced(gradebook.engine.url):
            if gradebook.engine.dialect.name == "sqlite":
                session.execute(text("BEGIN IMMEDIATE"))
            yield session
            session.commit()
    except BaseException:
        session.rollback()
        raise


def record(gradebook: Gradebook, write: Callable[[], str | None]) -> str | None:
    """Record one submission, in files and database; gives what `write` gives.

    A lost connection or a deadlock is tried once more, so `write` must bear to be run again.

    Raises:
        UsageError: nothing can be recorded any more; the run has to stop.
        NotRecordedError: this submission can't be recorded; the others can.
    """
    try:
        try:
            return write()
        except GradebookError as error:
            gradebook.db.rollback()
            if not error.passing:
                raise
            return write()
    except OSError as error:
        gradebook.db.rollback()
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        if error.errno in _FULL_OR_FAILING:
            raise UsageError(f"It can't be written: {what}. Mend that, {KEPT}") from None
        raise NotRecordedError(f"it can't be written: {what}. Mend that, {KEPT}") from None
    except (
        *(DataError, IntegrityError, StaleDataError),
        *(InvalidEntry, MissingEntry, UnicodeError),
    ) as error:
        gradebook.db.rollback()
        raise NotRecordedError(f"the gradebook does not take it: {_sentence(error)}") from None


# -- errors ----------------------------------------------------------------------------------------


@contextmanager
def database_errors(db_url: str) -> Iterator[None]:
    """Announce a long wait for a database that we did not open, and put its errors into words.

    Raises:
        GradebookError: it is locked for too long, full, read-only, gone, damaged or too old.
    """
    url = parse_url(db_url)
    try:
        with announced(url):
            yield
    except (DBAPIError, sqlite3.Error) as error:
        raise _translated(url, error) from None


@contextmanager
def announced(url: URL) -> Iterator[None]:
    """Say so where the database keeps us waiting."""
    line = (
        f"waiting for the gradebook at {shown(url)}: another program has it locked. "
        f"It goes on when that program is done, and stops after {PATIENCE_S:g} s."
    )
    timer = Timer(ANNOUNCED_AFTER_S, say, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _translated(url: URL, error: DBAPIError | sqlite3.Error) -> GradebookError:
    said, where = _sentence(error), f"The gradebook at {shown(url)}"
    if any(words in said for words in _LOCKED):
        return GradebookError(
            f"{where} has been locked by another program for {PATIENCE_S:g} s. Wait for that "
            f"program or stop it, {KEPT}"
        )
    if any(words in said for words in _OTHER_SCHEMA):
        return GradebookError(f"{where} does not fit: {said} Run: nbgrader db upgrade")
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return GradebookError(
        f"{where} can't be used: {said} Mend that, {KEPT}",
        passing=lost or "deadlock" in said,
    )


def _sentence(error: BaseException) -> str:
    """The first line of what a library says, ended by a full stop."""
    said = str(getattr(error, "orig", None) or error).strip().splitlines() or [""]
    line = clean_text(said[0], 300).rstrip(". ")
    return f"{line or type(error).__name__}."
