"""The trusted end of one worker: messages with deadlines, and a certain end.

Whatever a worker does wrong ends it and raises `Died` with a status that can be graded. While a
message is awaited, what the worker prints is drained, so that it never waits for us.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator
from typing import Final

from autograder.results import Status
from autograder.worker import wire
from autograder.worker.isolation import Exit, Spawned

_CHUNK: Final = 1 << 18
_PRINTED_KEPT: Final = 64 << 10
_PRINTED_LIMIT: Final = 64 << 20
_LAST_BREATH: Final = 2.0
"""Seconds a worker that closed its connection has to end by itself, for an exact exit status."""


class Died(Exception):  # noqa: N818 - an outcome that is graded, not an error
    """The worker is no more.

    Args:
        status: what it is graded as.
        detail: completes a sentence that names what it ran.
        cpu_seconds: what it had worked.
        killed: whether a signal ended it, which may have come from outside.
    """

    def __init__(
        self, status: Status, detail: str, cpu_seconds: float = 0.0, *, killed: bool = False
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.cpu_seconds = cpu_seconds
        self.killed = killed


class Budget:
    """The seconds that a submission may keep the grader waiting, over all its workers."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._spent = 0.0

    @property
    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self.seconds - self._spent)

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Charge the time that the body takes."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._spent += time.monotonic() - began


class Channel:
    """Sends and receives messages; every wait has a deadline on the monotonic clock."""

    def __init__(self, spawned: Spawned) -> None:
        self.spawned = spawned
        self.exit: Exit | None = None
        self._frames = wire.FrameReader()
        self._printed = 0
        self._tail = b""
        self._poll = select.poll()
        self._poll.register(spawned.output, select.POLLIN)
        self._output_open = True
        if spawned.pidfd is not None:
            self._poll.register(spawned.pidfd, select.POLLIN)

    @property
    def printed(self) -> str:
        """The last of what the worker wrote to its file descriptors 1 and 2."""
        return self._tail.decode("utf-8", "replace")

    def send(self, message: wire.Request, deadline: float) -> None:
        """Send a message; raises Died."""
        data = memoryview(wire.frame(message))
        while data:
            try:
                data = data[self.spawned.socket.send(data) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                raise self._gone() from None

    def receive(self, deadline: float) -> wire.Reply:
        """The next message, complete before the deadline; raises Died."""
        try:
            while True:
                data = self._frames.next()
                if data is not None:
                    return wire.decode_reply(data)
                self._fill(deadline)
        except wire.ProtocolError as error:
            raise self.end(Status.PROTOCOL, f"sent what is no answer: {error}") from None

    def expect_silence(self) -> None:
        """Raises Died if the worker said more than it was asked."""
        with contextlib.suppress(BlockingIOError, OSError):
            self._frames.feed(self.spawned.socket.recv(_CHUNK))
        if self._frames.pending:
            raise self.end(Status.PROTOCOL, "sent more than it was asked for")

    def _fill(self, deadline: float) -> None:
        while True:
            try:
                data = self.spawned.socket.recv(_CHUNK)
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except OSError:
                raise self._gone() from None
            if not data:
                raise self._gone()
            self._frames.feed(data)
            return

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the socket is ready, draining what is printed; raises Died."""
        connection, pidfd = self.spawned.socket.fileno(), self.spawned.pidfd
        self._poll.register(connection, event)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self.end(Status.TIMEOUT, "took too long")
            ready = dict(self._poll.poll(left * 1000))
            if self._output_open and self.spawned.output in ready:
                self._drain()
            if connection in ready:
                return
            # the process has ended; a copy that it forked may still hold the connection open
            if pidfd is not None and pidfd in ready:
                raise self._gone()

    def _drain(self) -> None:
        try:
            data = os.read(self.spawned.output, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._output_open = False
            self._poll.unregister(self.spawned.output)
            return
        self._printed += len(data)
        self._tail = (self._tail + data)[-_PRINTED_KEPT:]
        if self._printed > _PRINTED_LIMIT:
            raise self.end(Status.OUTPUT_LIMIT, "wrote more than 64 MiB of text")

    def _gone(self) -> Died:
        """Say how a worker ended that did not wait for us."""
        ended = self._ended_by_itself()
        if self._output_open:
            self._drain()  # its last words may have come after its connection broke
        died = self.end(Status.PROTOCOL, "closed its connection to the grader")
        if ended and self.exit is not None:
            died.detail = f"ended the process ({self.exit})"
            if self.exit.status == -int(signal.SIGXCPU):  # our own limit, none from outside
                died.status = Status.TIMEOUT
            else:
                died.status, died.killed = Status.CRASHED, self.exit.status < 0
        return died

    def _ended_by_itself(self) -> bool:
        if self.spawned.pidfd is None:
            time.sleep(_LAST_BREATH)
            return True
        poll = select.poll()
        poll.register(self.spawned.pidfd, select.POLLIN)
        return bool(poll.poll(_LAST_BREATH * 1000))

    def end(self, status: Status, detail: str) -> Died:
        """Kill the worker and build what is to be raised about it."""
        self.close()
        cpu_seconds = self.exit.cpu_seconds if self.exit is not None else 0.0
        return Died(status, detail, cpu_seconds)

    def close(self) -> None:
        """Kill and reap the worker; does nothing the second time."""
        if self.exit is None:
            self.spawned.kill()
            self.exit = self.spawned.reap()
