"""Many submissions: a pool of grader processes, one stream of graded submissions.

A job carries bytes and names; the work function is a module-level function of the top floor, so
that this module knows no exercise. Results come as they are finished; the caller writes them.
Only so many jobs are in flight as keep the processes busy, so memory stays flat.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import Any, Generic, TypeVar

_PR_SET_PDEATHSIG = 1
TRIES = 2
"""How often a job may be started again after its grader process died."""

J = TypeVar("J")
R = TypeVar("R")


class Finished(Generic[J, R]):
    """A job and what came of it: a result, or the reason why there is none."""

    def __init__(self, job: J, result: R | None, reason: str = "") -> None:
        self.job, self.result, self.reason = job, result, reason


def run(
    jobs: Iterable[J],
    work: Callable[[J], R],
    *,
    processes: int,
    start: Callable[..., None],
    start_args: tuple[Any, ...],
) -> Generator[Finished[J, R], None, None]:
    """Do every job, in this process or in `processes` spawned ones; yield them as they finish.

    A job that raises, or whose process dies twice, is yielded with a reason; the others go on.

    Args:
        jobs: what to do; taken lazily.
        work: a picklable function of one job.
        processes: how many grader processes; 1 works in this one.
        start: called once in each process before its first job.
        start_args: its arguments; picklable.
    """
    if processes <= 1:
        start(*start_args)
        with _interrupts() as stop_if_interrupted:
            for job in jobs:
                yield _attempt(job, work)
                stop_if_interrupted()
        return
    waiting = iter(jobs)
    again: list[tuple[J, int]] = []
    broken = True
    while broken:
        with _Pool(processes, start, start_args) as pool:
            broken = yield from pool.drain(waiting, again, work)


@contextmanager
def _interrupts() -> Iterator[Callable[[], None]]:
    """Yields a function that raises KeyboardInterrupt if Ctrl-C was pressed since.

    Python raises it wherever it is, and drops it inside of callbacks such as those of the garbage
    collector; a work function that runs in this process may have some.
    """
    pressed: list[int] = []
    before, report = signal.getsignal(signal.SIGINT), sys.unraisablehook
    main = threading.current_thread() is threading.main_thread()
    if not main or before is not signal.default_int_handler:
        yield lambda: None  # nobody interrupts us, or somebody else sees to it
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    def stop_if_interrupted() -> None:
        if pressed:
            raise KeyboardInterrupt

    def unless_dropped(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            report(unraisable)

    signal.signal(signal.SIGINT, note)
    sys.unraisablehook = unless_dropped
    try:
        yield stop_if_interrupted
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = report


def _attempt(job: J, work: Callable[[J], R]) -> Finished[J, R]:
    try:
        return Finished(job, work(job))
    except Exception as error:
        return Finished(job, None, f"{type(error).__name__}: {error}")


class _Pool:
    """One executor; it is thrown away when one of its processes dies."""

    def __init__(
        self, processes: int, start: Callable[..., None], start_args: tuple[Any, ...]
    ) -> None:
        self.executor = ProcessPoolExecutor(
            processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_process,
            initargs=(start, start_args),
        )
        self.slots = 2 * processes

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:  # interrupted: what is half graded is not waited for
            for process in list((self.executor._processes or {}).values()):
                process.kill()
        # Waited for: when Python ends, an executor still closing its pipes makes Python print
        # a traceback (concurrent.futures.process._python_exit writes to them without a lock).
        self.executor.shutdown(wait=True, cancel_futures=True)

    def drain(
        self, waiting: Iterator[J], again: list[tuple[J, int]], work: Callable[[J], R]
    ) -> Generator[Finished[J, R], None, bool]:
        """Yield finished jobs; returns True if the pool broke, False when none is left.

        Jobs to be tried again run one at a time, so that a second death names its cause.
        """
        flying: dict[Future[R], tuple[J, int]] = {}
        while True:
            if again and not flying:
                job, tries = again.pop()
                flying[self.executor.submit(work, job)] = (job, tries)
            elif not again:
                for job in islice(waiting, self.slots - len(flying)):
                    flying[self.executor.submit(work, job)] = (job, 1)
            if not flying:
                return False
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for future in done:
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    break
                job, _ = flying.pop(future)
                if error is not None:
                    yield Finished(job, None, f"{type(error).__name__}: {error}")
                else:
                    yield Finished(job, future.result())
            else:
                continue
            for job, tries in flying.values():
                if tries < TRIES:
                    again.append((job, tries + 1))
                else:
                    yield Finished(job, None, "the grader process died twice on it")
            return True


def _start_process(start: Callable[..., None], start_args: tuple[Any, ...]) -> None:
    """Prepare a spawned grader process: it dies with its parent and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGKILL") and hasattr(ctypes, "CDLL"):
        prctl = getattr(ctypes.CDLL(None), "prctl", None)
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os._exit(1)  # it died before it could be told that we are to die with it
    start(*start_args)
