"""The history of an assignment's scores: a log that is only ever appended to.

One JSON record a line, in `.autograder/history/<assignment>.jsonl`. What a line says never
changes; a later line says what came after. So the last line about a score holds its last known
value, and the log needs no second file beside it.
"""

from __future__ import annotations

import fcntl
import os
import pwd
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.course import Course, UsageError
from autograder.reporting.history import Change, Subject


@dataclass(slots=True)
class History:
    """The log of one assignment: every change in order, and what is known last.

    A line that can't be read (the last one, cut off by a crash) is left out and counted. Nothing
    is written until something is appended. What the log says is known within `locked` alone, and
    stays as it was then.
    """

    path: Path
    changes: list[Change] = field(default_factory=list)
    known: dict[Subject, float | str | None] = field(default_factory=dict)
    damaged: int = 0
    _offset: int = 0

    @classmethod
    def of(cls, course: Course, assignment: str) -> History:
        """The log of an assignment of a course; it is read when it is locked."""
        return cls(course.state / "history" / f"{assignment}.jsonl")

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever logged."""
        return not self.changes and not self.damaged

    def _refresh(self) -> None:
        """Read what was appended since the last time."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except OSError as error:
            raise UsageError(f"{self.path} can't be read: {error.strerror}.") from None
        self._offset += len(data)
        for line in filter(None, data.split(b"\n")):
            try:
                change = msgspec.json.decode(line, type=Change)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.damaged += 1
            else:
                self.changes.append(change)
                self.known[change.subject] = change.new

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from appending, and know all that they appended before.

        Raises:
            UsageError: the log can't be opened; the message says why.
        """
        descriptor = self._open()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._refresh()
            yield
        finally:
            os.close(descriptor)  # which also unlocks

    def append(self, changes: Sequence[Change]) -> None:
        """Append lines, and return once they are on the disk. Call it while `locked`.

        Raises:
            UsageError: they can't be written; a line that was cut off is left out when read.
        """
        if not changes:
            return
        lines = b"".join(msgspec.json.encode(change) + b"\n" for change in changes)
        descriptor = self._open()
        try:
            if self._ends_within_a_line(descriptor):
                lines = b"\n" + lines
            while lines:
                lines = lines[os.write(descriptor, lines) :]
            os.fsync(descriptor)
        except OSError as error:
            raise UsageError(
                f"{self.path} can't be written: {error.strerror}. Mend that and run again; what "
                "the gradebook holds is kept."
            ) from None
        finally:
            os.close(descriptor)
        self._refresh()

    def _open(self) -> int:
        """Open the log for appending; readable by its owner alone."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self.path, flags, 0o600)
        except OSError as error:
            raise UsageError(f"{self.path} can't be opened: {error.strerror}.") from None

    @staticmethod
    def _ends_within_a_line(descriptor: int) -> bool:
        size = os.fstat(descriptor).st_size
        return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def now() -> str:
    """The time in UTC, as the log writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user() -> str:
    """The user of the operating system that this process runs as, whatever its environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a user without a name, as containers have them
        return f"uid {os.getuid()}"
