"""The trusted end of warm processes: each forks one confined worker at a time, on request."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Collection
from typing import Final, TypeVar

import psutil

from autograder.worker import wire
from autograder.worker.isolation.backend import Exit, SandboxError, hide_from_others
from autograder.worker.isolation.bubblewrap import SCRATCH, bubblewrap_command
from autograder.worker.isolation.plain import ENTRY, PYTHON_OPTIONS, child_environment
from autograder.worker.isolation.seccomp import OWN_PID, compiled_filter
from autograder.worker.isolation.visible import PYTHON, visible

_START_SECONDS: Final = 60.0
_ANSWER_SECONDS: Final = 30.0
_PACKET: Final = 1 << 16
_NOBODY: Final = 65534
_SAID_BYTES: Final = 1 << 14
_PRELOAD: Final = {"matplotlib": ["matplotlib.pyplot", "matplotlib.backends.backend_agg"]}

R = TypeVar("R", wire.Warm, wire.Forked, wire.Reaped)


class _LostError(Exception):
    """A warm process is no more, or answers no more."""


class Zygote:
    """One warm process.

    Args:
        wrapped: whether bubblewrap goes around it.
        allowed: the distributions that notebooks may import.

    Raises:
        SandboxError: it could not be started; the message tells what it said.
    """

    def __init__(self, allowed: Collection[str], *, wrapped: bool) -> None:
        seen = visible(allowed)
        around = bubblewrap_command(seen) if wrapped else []
        orders = wire.Confinement(
            readable=[str(path) for path in seen.readable()],
            listed=[str(path) for path in seen.listed],
            scratch=SCRATCH if wrapped else "",
            filter=compiled_filter(),
            pid_mark=OWN_PID,
            user=-1 if wrapped or os.geteuid() else _NOBODY,
            preload=[name for key in sorted(allowed) for name in _PRELOAD.get(key, ())],
        )
        parent = 0 if wrapped else os.getpid()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_SECONDS)
        with (
            tempfile.TemporaryDirectory(prefix="autograder-") as outside,
            tempfile.TemporaryFile() as said,
        ):
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our interpreter, our file
                    [
                        *around,
                        *(str(PYTHON), *PYTHON_OPTIONS, "-S", str(ENTRY), "worker.zygote"),
                        *(str(theirs.fileno()), str(parent)),
                        *(str(folder) for folder in seen.packages),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    cwd="/",
                    env=child_environment(orders.scratch or outside),
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            try:
                self._warm_up(orders)
            except _LostError:
                self.close()
                raise SandboxError(_last_words(said.fileno())) from None

    def _warm_up(self, orders: wire.Confinement) -> None:
        with contextlib.suppress(OSError):  # it has ended already; why, its output tells
            self._control.send(wire.encode(orders))
        pidfd = self._receive_process(wire.Warm, _START_SECONDS)
        self.pid = _pid_of(pidfd)
        os.close(pidfd)
        process = psutil.Process(self.pid)
        if process.num_threads() != 1:
            self.close()
            raise SandboxError("a warm process has more than one thread, so it must not fork.")
        self._address_space = int(process.memory_info().vms)

    def fork(self, done: Callable[[Zygote], None]) -> Worker:
        """Fork a worker; `done` is called when it has ended and another one may be forked."""
        socket_, theirs = socket.socketpair()
        output, written = os.pipe()
        try:
            with theirs:
                order = wire.encode(wire.Fork(self._address_space))
                socket.send_fds(self._control, [order], [theirs.fileno(), written])
            pidfd = self._receive_process(wire.Forked, _ANSWER_SECONDS)
        except (_LostError, OSError):
            socket_.close()
            os.close(output)
            raise _LostError from None
        finally:
            os.close(written)
        return Worker(self, socket_, output, pidfd, done)

    def reaped(self) -> Exit:
        """How the worker ended. A warm process that does not tell is ended itself."""
        try:
            report, _ = self._receive(wire.Reaped, _ANSWER_SECONDS)
        except _LostError:
            self.close()
            return Exit(-signal.SIGKILL, 0.0)
        return Exit(report.status, report.cpu_seconds)

    @property
    def closed(self) -> bool:
        """Whether it has been ended."""
        return self._process.returncode is not None

    def close(self) -> None:
        """End the process and the worker that it may have; does nothing the second time."""
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _receive_process(self, kind: type[R], seconds: float) -> int:
        """The descriptor of a process that its next report brings along; raises _LostError."""
        _, descriptors = self._receive(kind, seconds)
        if not descriptors:
            raise _LostError
        return descriptors[0]

    def _receive(self, kind: type[R], seconds: float) -> tuple[R, list[int]]:
        """Its next report and the descriptors that came along; raises _LostError."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        try:
            if not poll.poll(seconds * 1000):
                raise _LostError
            data, descriptors, _, _ = socket.recv_fds(
                self._control, _PACKET, 1, socket.MSG_CMSG_CLOEXEC
            )
            report = wire.decode_report(data)
        except (OSError, wire.ProtocolError):
            raise _LostError from None
        if not isinstance(report, kind):
            raise _LostError
        return report, descriptors


class Worker:
    """A forked worker; it has the form of `Spawned`."""

    def __init__(
        self,
        zygote: Zygote,
        socket_: socket.socket,
        output: int,
        pidfd: int,
        done: Callable[[Zygote], None],
    ) -> None:
        self._zygote = zygote
        self._done = done
        self.socket, self.output, self.pidfd = socket_, output, pidfd
        self.socket.setblocking(False)
        os.set_blocking(self.output, False)
        self.pid = _pid_of(pidfd)

    def kill(self) -> None:
        """End the process. It can have started no other."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def reap(self) -> Exit:
        """Learn how the process ended and close everything."""
        ended = self._zygote.reaped()
        self.socket.close()
        os.close(self.output)
        os.close(self.pidfd)
        self._done(self._zygote)
        return ended


class ZygoteLauncher:
    """Starts workers of an isolating backend, from a warm process each that waits for its next.

    Args:
        allowed: the distributions that notebooks may import.
        wrapped: whether bubblewrap goes around the warm processes.
    """

    limited = True

    def __init__(self, allowed: Collection[str], *, wrapped: bool) -> None:
        self._allowed = frozenset(allowed)
        self._wrapped = wrapped
        self._idle: list[Zygote] = []
        hide_from_others()
        atexit.register(self.close)

    def spawn(self) -> Worker:
        """Start a fresh worker. Call it from the main thread.

        Raises:
            SandboxError: no warm process can be started, or two in turn were lost.
        """
        while self._idle:
            with contextlib.suppress(_LostError):
                return self._forked(self._idle.pop())
        try:
            return self._forked(Zygote(self._allowed, wrapped=self._wrapped))
        except _LostError:
            raise SandboxError("a warm process ended before it could fork a worker.") from None

    def _forked(self, zygote: Zygote) -> Worker:
        try:
            return zygote.fork(self._take_back)
        except _LostError:
            zygote.close()
            raise

    def _take_back(self, zygote: Zygote) -> None:
        if not zygote.closed:
            self._idle.append(zygote)

    def close(self) -> None:
        """End the warm processes that have no worker."""
        while self._idle:
            self._idle.pop().close()


def _pid_of(pidfd: int) -> int:
    """The process id as this process sees it, whatever namespace the process lives in."""
    with open(f"/proc/self/fdinfo/{pidfd}", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("Pid:"):
                return int(line.split()[1])
    raise OSError(f"descriptor {pidfd} names no process")


def _last_words(descriptor: int) -> str:
    """The last line that a process wrote to a file, as the reason of its end."""
    said = os.pread(descriptor, _SAID_BYTES, max(0, os.fstat(descriptor).st_size - _SAID_BYTES))
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else "a warm process did not start, and said nothing."
