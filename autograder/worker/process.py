"""One worker process: the questions that may be put to it, each with its deadline.

Every method raises `Died` when the worker ends, and then the worker is gone for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
import psutil

from autograder.results import CaseReply, Raised, Returned, Status
from autograder.worker import wire
from autograder.worker.channel import Budget, Channel, Died
from autograder.worker.codec import decode_outcome, decode_value, encode_value
from autograder.worker.isolation import Launcher

_START_SECONDS: Final = 60.0
_STAND_INS_PER_CASE: Final = 1000
_STAND_IN_LENGTH: Final = 512
_STAND_IN_ENTRIES: Final = 1 << 16

R = TypeVar("R", wire.CellDone, wire.NamesResolved)
StandIns = Mapping[str, Callable[..., Any]]


class WorkerError(Exception):
    """A worker could not be started: a fault of this machine or of ours, never a student's."""


class WorkerProcess:
    """A worker that has set its limits and waits for cells."""

    def __init__(self, launcher: Launcher, load: wire.Load, budget: Budget) -> None:
        self._budget = budget
        self._channel = Channel(launcher.spawn())
        self._request = 0
        self._load = load
        self.idle = True
        """Whether all that was asked has been answered."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._channel.spawned.pid

    def private_memory_bytes(self) -> int:
        """Memory that would be free if this worker ended."""
        return int(psutil.Process(self.pid).memory_full_info().uss)

    def _cpu_seconds(self) -> float:
        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def start(self) -> None:
        """Wait until the worker is ready; raises WorkerError."""
        deadline = time.monotonic() + _START_SECONDS
        try:
            self._channel.send(self._load, deadline)
            reply = self._channel.receive(deadline)
        except Died as death:
            raise WorkerError(
                f"the worker {death.detail} before it was ready. It said: {self._channel.printed}"
            ) from None
        if not isinstance(reply, wire.Ready):
            raise WorkerError(f"the worker began with {type(reply).__name__}")

    def close(self) -> None:
        """End the worker."""
        self._channel.close()

    # -- questions ---------------------------------------------------------------------------------

    def run_cell(self, index: int, source: str, seconds: float) -> wire.CellDone:
        """Run a code cell. A `Died` carries the processor time that the cell alone took."""
        before = self._cpu_seconds()
        try:
            request = self._next_request()
            return self._ask(wire.RunCell(request, index, source), wire.CellDone, seconds)
        except Died as death:
            death.cpu_seconds -= before
            raise

    def resolve(self, seconds: float) -> list[wire.Found]:
        """Look up the functions, after all cells."""
        request = self._next_request()
        return self._ask(wire.ResolveNames(request), wire.NamesResolved, seconds).found

    def run_cases(
        self,
        function: str,
        cases: Sequence[tuple[bytes, int]],
        stand_ins: StandIns,
        seconds: float,
    ) -> Iterator[CaseReply]:
        """Run encoded cases (bytes, number of steps) in one request; one reply each."""
        request = self._next_request()
        raw = [msgspec.Raw(data) for data, _ in cases]
        self._tell(wire.RunBatch(request, function, raw, list(stand_ins)), seconds)
        self.idle = False
        for number, (_, steps) in enumerate(cases):
            reply = self._case_reply(request, stand_ins, seconds)
            if not isinstance(reply, wire.CaseDone) or reply.case != number:
                raise self._disorder(reply)
            checked = self._checked(reply, steps)
            if number == len(cases) - 1:
                # before the last reply is handed out: nobody need come back for the end
                self._end_of_batch(request, seconds)
            yield checked

    def _end_of_batch(self, request: int, seconds: float) -> None:
        with self._budget.running():
            end = self._channel.receive(self._deadline(seconds))
        if not isinstance(end, wire.BatchDone) or end.request != request:
            raise self._disorder(end)
        self.idle = True

    # -- how ---------------------------------------------------------------------------------------

    def _next_request(self) -> int:
        self._channel.expect_silence()
        self._request += 1
        return self._request

    def _deadline(self, seconds: float) -> float:
        return time.monotonic() + min(seconds, self._budget.left)

    def _tell(self, message: wire.Request, seconds: float) -> None:
        with self._budget.running():
            self._channel.send(message, self._deadline(seconds))

    def _ask(self, message: wire.RunCell | wire.ResolveNames, kind: type[R], seconds: float) -> R:
        with self._budget.running():
            deadline = self._deadline(seconds)
            self._channel.send(message, deadline)
            reply = self._channel.receive(deadline)
        if not isinstance(reply, kind) or reply.request != message.request:
            raise self._disorder(reply)
        return reply

    def _case_reply(self, request: int, stand_ins: StandIns, seconds: float) -> wire.Reply:
        """The next reply, after answering for the stand-ins on the same deadline."""
        with self._budget.running():
            deadline = self._deadline(seconds)
            for _ in range(_STAND_INS_PER_CASE):
                reply = self._channel.receive(deadline)
                if getattr(reply, "request", request) != request:
                    raise self._disorder(reply)
                if not isinstance(reply, wire.StandInRequest):
                    return reply
                if reply.name not in stand_ins:
                    raise self._disorder(reply)
                answer = self._stand_in_reply(reply, stand_ins[reply.name])
                self._channel.send(answer, deadline)
        raise self._channel.end(Status.PROTOCOL, "asked for a stand-in without end")

    def _stand_in_reply(
        self, asked: wire.StandInRequest, answer: Callable[..., Any]
    ) -> wire.StandInReply:
        try:
            args = [decode_value(value) for value in asked.args]
            kwargs = {name: decode_value(value) for name, value in asked.kwargs.items()}
        except wire.ProtocolError as error:
            raise self._channel.end(Status.PROTOCOL, str(error)) from None
        try:
            _check_small([*args, *kwargs.values()])
            with np.errstate(all="ignore"):
                value = encode_value(answer(*args, **kwargs))
                return wire.StandInReply(asked.request, value)
        except Exception as error:  # the arguments are the student's: any error is their answer
            text = str(error)[: wire.MAX_MESSAGE]
            raised = wire.Raised(type(error).__name__[: wire.MAX_NAME], text, 0, -1)
            return wire.StandInReply(asked.request, None, raised)

    def _checked(self, reply: wire.CaseDone, steps: int) -> CaseReply:
        """A case's reply, if its outcomes fit its steps and its status."""
        try:
            outcomes = tuple(decode_outcome(outcome) for outcome in reply.outcomes)
        except wire.ProtocolError as error:
            raise self._channel.end(Status.PROTOCOL, str(error)) from None
        if not _fits(reply.status, outcomes, steps):
            raise self._disorder(reply)
        return CaseReply(Status(reply.status), outcomes, _DETAILS.get(reply.status, ""))

    def _disorder(self, reply: wire.Reply) -> Died:
        return self._channel.end(
            Status.PROTOCOL, f"sent {type(reply).__name__}, which may not come there"
        )


_DETAILS: Final = {
    "memory": "More memory was needed than a submission may use.",
    "output_limit": "The result has more than 8 MiB.",
}


def _fits(status: str, outcomes: Sequence[Returned | Raised], steps: int) -> bool:
    """Whether the outcomes are those of so many steps, up to the first that raised."""
    raised = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Raised)]
    if status == "passed":
        return len(outcomes) == steps and not raised
    if status == "output_limit":
        return not outcomes
    return len(outcomes) <= steps and raised == [len(outcomes) - 1]


def _check_small(values: Sequence[Any]) -> None:
    """Bound what a stand-in may cost the grader."""
    for value in values:
        if isinstance(value, list | tuple):
            _check_small(value)
        elif isinstance(value, np.ndarray) and (
            value.size > _STAND_IN_ENTRIES or any(n > _STAND_IN_LENGTH for n in value.shape)
        ):
            raise ValueError("the input is larger than any this exercise uses")
