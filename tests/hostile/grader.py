"""A grader process of its own: it grades what comes on its standard input, one after the other.

So an attack that reaches the grader reaches a process that the tests can watch from outside. It
adopts the orphans among its descendants, so that none can hide, and holds a secret in its memory.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import psutil

from autograder.course import Course, PlanSpec
from autograder.grader_process import Graded, Job, grade_job, start_grader

_PR_SET_CHILD_SUBREAPER = 36
_LIMITS = [name for name in dir(resource) if name.startswith("RLIMIT_")]


class State(msgspec.Struct, frozen=True):
    """What an attack might change in a grader process."""

    nice: int
    affinity: list[int]
    limits: dict[str, tuple[int, int]]
    folder: str
    mask: int
    threads: int
    files: int
    descendants: dict[int, str]


class Answer(msgspec.Struct, frozen=True):
    """What came of one job; `error` is what `grade_job` raised, which it never may."""

    state: State
    seconds: float = 0.0
    graded: Graded | None = None
    error: str = ""


def serve(root: Path) -> None:
    """Answer job after job; the first line is a secret that stays in this process's memory."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    secret = requests.readline()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    course = Course.find(root)
    if course is None or not secret:
        raise SystemExit("no course, or no secret")
    start_grader(
        PlanSpec(
            assignment="self_attention",
            settings=course.settings,
            seed=course.seed(create=False),
            release=course.release("self_attention"),
            corpora=course.corpora,
        )
    )
    send(replies, Answer(state()))
    while True:
        job = receive(requests, Job)
        if job is None:
            return
        send(replies, answer(job))


def answer(job: Job) -> Answer:
    """Grade a job and say how this process is afterwards."""
    began = time.monotonic()
    try:
        graded, error = grade_job(job), ""
    except Exception as raised:
        graded, error = None, f"{type(raised).__name__}: {raised}"
    return Answer(state(), time.monotonic() - began, graded, error)


def state() -> State:
    """How this process is now, after its dead descendants had a moment to go."""
    me = psutil.Process()
    mask = os.umask(0o022)
    os.umask(mask)
    return State(
        nice=me.nice(),
        affinity=me.cpu_affinity(),
        limits={name: resource.getrlimit(getattr(resource, name)) for name in _LIMITS},
        folder=str(Path.cwd()),
        mask=mask,
        threads=threading.active_count(),
        files=len(os.listdir("/proc/self/fd")),
        descendants=dict(living(me)),
    )


def living(process: psutil.Process) -> list[tuple[int, str]]:
    """Descendants that still run, each with its nice value and processors."""
    found = []
    for child in process.children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                found.append((child.pid, f"nice {child.nice()}, on {child.cpu_affinity()}"))
        except psutil.Error:
            continue
    return found


def send(target: BinaryIO, message: Any) -> None:
    """Write a message with its length."""
    data = msgspec.msgpack.encode(message)
    target.write(len(data).to_bytes(8, "big") + data)
    target.flush()


def receive(source: BinaryIO, kind: type[Any]) -> Any:
    """Read a message, or None at the end."""
    header = source.read(8)
    if len(header) < 8:
        return None
    return msgspec.msgpack.decode(source.read(int.from_bytes(header, "big")), type=kind)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
