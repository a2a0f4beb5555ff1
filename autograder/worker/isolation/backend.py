"""What a backend offers: a record of what it enforces, and a launcher of confined processes."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Protocol

from autograder.results import Sandbox
from autograder.worker.child.limits import PR_SET_DUMPABLE, prctl


class SandboxError(Exception):
    """No process can be confined as asked. The message is one sentence and its remedy."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: `status` is its exit status, negative for the signal that ended it."""

    status: int
    cpu_seconds: float

    def __str__(self) -> str:
        if self.status >= 0:
            return f"exit status {self.status}"
        words = signal.strsignal(-self.status) or "unknown"
        return f"signal {-self.status}, {words.lower()}"


class Spawned(Protocol):
    """One process that will run student code. Its first message is `wire.Load`."""

    @property
    def socket(self) -> socket.socket:
        """Our end of the connection, not blocking."""
        ...

    @property
    def output(self) -> int:
        """The file descriptor that gives what the process wrote to its fds 1 and 2."""
        ...

    @property
    def pidfd(self) -> int | None:
        """A descriptor that becomes readable when the process ends; None where there is none."""
        ...

    @property
    def pid(self) -> int:
        """The process id, valid until `reap`."""
        ...

    def kill(self) -> None:
        """End the process and what it started, for certain; nothing where it ended before."""
        ...

    def reap(self) -> Exit:
        """Wait for the end of the process, remove its scratch folder, close everything."""
        ...


def hide_from_others() -> None:
    """Close this process's memory and environment to processes of the same user.

    So a grader holds its seed and its references for itself even where no backend isolates. Linux
    alone; root is kept out by no such thing.
    """
    if sys.platform == "linux":
        prctl(PR_SET_DUMPABLE, 0)


class Launcher(Protocol):
    """Starts processes of one backend."""

    @property
    def limited(self) -> bool:
        """Whether a process must limit its own memory, time and files before it reads cells."""
        ...

    def spawn(self) -> Spawned:
        """Start a fresh process. Call it from the main thread: the process dies with its thread."""
        ...

    def close(self) -> None:
        """Give back what the launcher itself holds."""
        ...


StartLauncher = Callable[[frozenset[str]], Launcher]
DEFAULT_IMPORTS: Final = frozenset({"numpy", "matplotlib"})
"""What an assignment allows that says nothing else."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to hold student code, and what it does and does not enforce.

    `banner` is what a person must read before grading under a weak backend, else empty.
    """

    name: str
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    banner: str
    start: StartLauncher

    def launcher(self, allowed: Collection[str] = DEFAULT_IMPORTS) -> Launcher:
        """A launcher of workers that may read the packages of these distributions."""
        return self.start(frozenset(allowed))

    def record(self) -> Sandbox:
        """The record that goes into a result."""
        return Sandbox(backend=self.name, enforced=self.enforced, missing=self.missing)
