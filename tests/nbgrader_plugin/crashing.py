"""Kills a grader between any two of its steps. Run as a program: it forks a grader per step.

A step is whatever changes the course: a file opened for writing, renamed, removed or made, a
statement that changes the database, a commit. Python's audit events and SQLAlchemy's own report
them before they happen, so a grader killed at step k has done exactly the k - 1 steps before.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.nbgrader_plugin.classroom import grade

CHANGING = {
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Steps:
    """Counts the steps that change a course, and ends the process before one of them."""

    def __init__(self, root: Path, last: int) -> None:
        self.root, self.last = str(root), last
        self.taken: list[str] = []
        self.process = os.getpid()
        sys.addaudithook(self._audited)
        event.listen(Engine, "before_cursor_execute", self._executed)
        event.listen(Engine, "commit", lambda connection: self.step("commit"))

    def step(self, what: str) -> None:
        if os.getpid() != self.process:
            return
        self.taken.append(what)
        if len(self.taken) == self.last:
            os.kill(self.process, signal.SIGKILL)

    def _audited(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & _WRITING
        else:
            path, writes = (arguments[0] if arguments else None), name in CHANGING
        if writes and isinstance(path, str | bytes | os.PathLike):
            path = os.fsdecode(path)
            if path.startswith(self.root):
                self.step(f"{name} {path.removeprefix(self.root)}")

    def _executed(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        word = statement.split(maxsplit=1)[0].upper()
        if word not in ("SELECT", "PRAGMA", "SHOW", "SET"):
            self.step(" ".join(statement.split())[:60])


def graded_by_a_child(root: Path, force: bool, last: int) -> int:
    """Grade in a child that dies at a step; gives its wait status."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            warnings.simplefilter("ignore")
            steps = Steps(root, last)
            grade(root, force=force)
            (root.parent / "steps").write_text("\n".join(steps.taken))
            os._exit(0)
        except BaseException as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(3)
    return os.waitpid(child, 0)[1]


def serve() -> None:
    """Answer lines of `STEP FORCE COURSE` with the wait status of the grader that died there."""
    for line in sys.stdin:
        step, force, root = line.rstrip("\n").split(" ", 2)
        status = graded_by_a_child(Path(root), force == "1", int(step))
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
