"""Whatever a worker says, and however slowly, the grader ends it and has a status for it.

Here the whole conversation is forged, by a process that never ran a worker's code.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.exercise import Budgets, Call
from autograder.results import CaseReply, Status
from autograder.worker import wire
from autograder.worker.channel import Budget, Died
from autograder.worker.client import Cell, Session
from autograder.worker.process import WorkerError, WorkerProcess
from tests.hostile.puppet import Puppet

FUZZED = settings(deadline=None, derandomize=True, max_examples=60)
LOAD = wire.Load(1 << 30, 10, 1 << 20, 1 << 16, ["f"], [])
RESULT = wire.array_to_wire(np.arange(3.0), "<f8")
HONEST = (
    [wire.Ready()],
    [wire.CellDone(1, [wire.Stream("stdout", "hello")], None, [], False)],
    [wire.NamesResolved(2, [wire.Found("f", 0)])],
    [
        wire.CaseDone(3, 0, "passed", [wire.Returned(RESULT)]),
        wire.CaseDone(3, 1, "exception", [wire.Raised("ValueError", "no", 1, 0)]),
        wire.BatchDone(3),
    ],
)
ANSWERS = [b"".join(map(wire.frame, messages)) for messages in HONEST]
CASE = wire.encode([wire.Call("f", [RESULT], {}, False, [])])
DIED = {Status.CRASHED, Status.PROTOCOL, Status.TIMEOUT, Status.OUTPUT_LIMIT}
FORGED = [
    wire.Ready(),
    wire.BatchDone(3),
    wire.CaseDone(3, 0, "passed", []),
    wire.CaseDone(3, 0, "exception", [wire.Returned(RESULT)]),
    wire.CaseDone(3, 0, "memory", []),
    wire.CaseDone(3, 1, "passed", [wire.Returned(RESULT)]),
    wire.CaseDone(4, 0, "passed", [wire.Returned(RESULT)]),
    wire.CaseDone(3, 0, "passed", [wire.Returned(RESULT)] * 2),
    wire.StandInRequest(3, "f", [RESULT], {}),
    wire.StandInRequest(3, "softmax", [], {"z": wire.Items("list", [RESULT] * 9)}),
    wire.NamesResolved(3, [wire.Found("g", 7)]),
    wire.CellDone(3, [], wire.Raised("E", "m", 0, -1), ["torch"], True),
]


def converse(puppet: Puppet, seconds: float = 2.0) -> list[CaseReply]:
    """Ask a puppet all that a worker is asked; raises Died or WorkerError, and nothing else."""
    budget = Budget(seconds)
    worker = WorkerProcess(puppet, LOAD, budget)
    try:
        worker.start()
        worker.run_cell(0, "x = 1", seconds)
        worker.resolve(seconds)
        return list(worker.run_cases("f", [(CASE, 1), (CASE, 1)], {}, seconds))
    finally:
        worker.close()
        with pytest.raises(ProcessLookupError):
            os.kill(worker.pid, 0)


def ended(puppet: Puppet, seconds: float = 2.0) -> Status | None:
    """The status of a conversation that went wrong; None for one that did not."""
    try:
        converse(puppet, seconds)
    except WorkerError:
        return Status.INTERNAL_ERROR
    except Died as death:
        return death.status
    return None


def test_an_honest_conversation_is_understood_in_one_piece_and_in_crumbs():
    for size in (0, 1, 7):
        first, second = converse(Puppet(ANSWERS, size=size), seconds=20)
        assert first.answers[0].tolist() == [0.0, 1.0, 2.0]
        assert second.status is Status.EXCEPTION


@st.composite
def damaged(draw: st.DrawFn) -> list[bytes]:
    """The honest answers, one of them after `Ready` flipped, cut, lengthened or repeated."""
    answers = list(ANSWERS)
    at = draw(st.integers(1, len(answers) - 1))
    data = bytearray(answers[at])
    what = draw(st.sampled_from(["flip", "cut", "lengthen", "repeat", "replace", "length"]))
    if what == "flip":
        for _ in range(draw(st.integers(1, 5))):
            data[draw(st.integers(0, len(data) - 1))] ^= draw(st.integers(1, 255))
    elif what == "cut":
        del data[draw(st.integers(0, len(data) - 1)) :]
    elif what == "lengthen":
        data += draw(st.binary(min_size=1, max_size=50))
    elif what == "repeat":
        data *= 2
    elif what == "length":
        data[:4] = draw(st.integers(0, 2**32 - 1)).to_bytes(4, "big")
    else:
        data[:] = draw(st.binary(max_size=100))
    answers[at] = bytes(data)
    return answers


@FUZZED
@given(damaged(), st.sampled_from([0, 1, 5]), st.booleans())
def test_a_damaged_conversation_ends_in_a_status_that_can_be_graded(answers, size, stays):
    began = time.monotonic()
    assert ended(Puppet(answers, size=size, stays=stays), seconds=0.3) in {None, *DIED}
    assert time.monotonic() - began < 10


@FUZZED
@given(st.lists(st.sampled_from(FORGED), min_size=1, max_size=4))
def test_forged_messages_in_any_order_end_in_a_status_that_can_be_graded(messages):
    answers = [*ANSWERS[:3], b"".join(map(wire.frame, messages))]
    assert ended(Puppet(answers), seconds=1.0) in DIED


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\xff\xff\xff\xff" + bytes(100), Status.PROTOCOL),
        (wire.HEADER.pack(wire.MAX_FRAME + 1), Status.PROTOCOL),
        (wire.HEADER.pack(0), Status.PROTOCOL),
        (wire.HEADER.pack(wire.MAX_FRAME) + b"half", Status.TIMEOUT),
        (b"\0\0", Status.TIMEOUT),
        (b"", Status.TIMEOUT),
        (wire.frame(wire.Ready()) * 1000, Status.PROTOCOL),
        (wire.frame(wire.Returned(None)), Status.PROTOCOL),
        (wire.HEADER.pack(3) + b"\xc1\xc1\xc1", Status.PROTOCOL),
        (wire.HEADER.pack(200_000) + b"\x91" * 200_000, Status.PROTOCOL),
        (wire.HEADER.pack(9) + b"\x92\xa5ready\xc0", Status.TIMEOUT),
        (wire.HEADER.pack(8) + b"\x92\xa5ready\xc0", Status.PROTOCOL),
    ],
)
def test_bytes_that_are_no_answer_get_their_status(at, data, status):
    assert ended(Puppet([*ANSWERS[:at], data], stays=True), seconds=0.3) is status


def test_a_message_that_trickles_in_ends_at_the_deadline_and_not_with_the_last_byte():
    slow = wire.frame(wire.CellDone(1, [wire.Stream("stdout", "x" * 1000)], None, [], False))
    began = time.monotonic()
    assert ended(Puppet([ANSWERS[0], slow], pause=0.01, size=1), seconds=0.5) is Status.TIMEOUT
    assert time.monotonic() - began < 5


def test_a_worker_that_ends_in_the_middle_has_crashed():
    assert ended(Puppet(ANSWERS[:2])) is Status.CRASHED
    assert ended(Puppet([*ANSWERS[:3], ANSWERS[3][:-3]])) is Status.CRASHED


def test_no_bytes_before_a_worker_is_ready_count_against_a_submission():
    for data in (b"", os.urandom(64), ANSWERS[1]):
        assert ended(Puppet([data])) is Status.INTERNAL_ERROR


@settings(FUZZED, max_examples=10)
@given(damaged())
def test_a_session_gives_a_status_to_every_case_whatever_its_workers_say(answers):
    with session(Puppet(answers), seconds=0.1) as graded:
        loaded = graded.load()
        assert [run.index for run in loaded.cell_runs] == [0]
        replies = list(graded.run("f", [[Call(1.0)], [Call(2.0)]], defaults={}))
    assert len(replies) == 2
    assert all(reply.status is not Status.INTERNAL_ERROR for reply in replies)


def session(puppet: Puppet, seconds: float) -> Session:
    """A session of one cell whose workers are all this puppet."""
    return Session(
        puppet,
        [Cell(0, "x = 1")],
        ["f"],
        budgets=Budgets(cell_seconds=seconds, case_seconds=seconds, total_seconds=seconds),
        allowed_imports={"numpy"},
    )


def test_a_worker_that_dies_at_the_look_up_of_names_is_not_started_without_end():
    puppet = Puppet(ANSWERS[:2])
    with session(puppet, seconds=0.1) as graded:
        graded.load()
    assert puppet.started <= 5
