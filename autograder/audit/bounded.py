"""A bound on what a mutant may take, so that none can hang an audit."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 5.0
"""More than fifty times what checking a right answer takes."""


class TookTooLong(Exception):  # noqa: N818 - as good as any exception of the mutant's own
    """Raised inside code that ran past its bound; it counts as an exception of that code."""


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Interrupt Python code that takes longer, by an exception inside of it.

    It repeats, so that code that catches the first is interrupted again. Outside the main thread
    there is no bound: only there does Python take signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TookTooLong("this took longer than any right answer")
