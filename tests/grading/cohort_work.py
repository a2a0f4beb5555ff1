"""What the processes of the cohort's tests do: a pool finds it by name, as it finds a grader."""

from __future__ import annotations

import os
import signal
from pathlib import Path

started: list[str] = []


def start(word: str) -> None:
    started.append(word)


def fail_to_start() -> None:
    raise RuntimeError("no plan can be built")


def double(job: int) -> tuple[int, int]:
    return 2 * job, os.getpid()


def started_with(job: int) -> list[str]:
    return list(started)


def refuse_odd(job: int) -> int:
    if job % 2:
        raise ValueError(f"{job} is odd")
    return job


def die_on_three(job: int) -> int:
    if job == 3:
        os._exit(1)
    return job


def die_once(job: str) -> str:
    """The job is a path: the first process that sees it leaves a mark there and dies."""
    mark = Path(job)
    if not mark.exists():
        mark.touch()
        os._exit(1)
    return mark.name


class _Interrupted:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def interrupted_in_a_finalizer(job: int) -> int:
    _Interrupted()
    return job
