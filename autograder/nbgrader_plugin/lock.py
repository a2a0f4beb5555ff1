"""One grader at a time per course: a lock that says who holds it."""

from __future__ import annotations

import fcntl
import getpass
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from autograder.course import UsageError


@contextmanager
def course_lock(state: Path) -> Iterator[None]:
    """Hold the course for this process; the system lets go when the process ends, however it ends.

    Raises:
        UsageError: another grader holds it; the message says who, where and since when.
    """
    state.mkdir(mode=0o700, exist_ok=True)
    path = state / "lock"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another grader"
            raise UsageError(
                f"This course is being graded by {holder}. Wait until it is done, or stop it."
            ) from None
        file.truncate(0)
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.write(
            f"{getpass.getuser()}, process {os.getpid()} on {socket.gethostname()}, since {since}\n"
        )
        file.flush()
        yield
