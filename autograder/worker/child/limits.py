"""What a process takes from itself: its life without the grader, memory, time, files."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from functools import cache
from typing import Any

from .. import wire

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
OPEN_FILES = 64


def prctl(option: int, value: int, argument: Any = 0) -> None:
    """Linux alone: change something about this process; raises OSError."""
    if _libc().prctl(option, value, argument, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}, {value}): {os.strerror(number)}")


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return libc


def die_with(parent: int) -> None:
    """Be killed when the parent ends; end at once if it has ended already."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def apply(load: wire.Load, address_space: int) -> None:
    """Set the resource limits; a limit of 0 in the message is none.

    Args:
        load: the limits.
        address_space: bytes in use already: interpreter and libraries are not the student's doing.
    """
    if load.cpu_seconds:
        # the hard limit kills even what ignores the signal of the soft one
        lower(resource.RLIMIT_CPU, load.cpu_seconds, load.cpu_seconds + 1)
    if load.file_bytes:
        lower(resource.RLIMIT_FSIZE, load.file_bytes)
    if load.memory_bytes:
        apply_constant()
        lower(resource.RLIMIT_AS, address_space + load.memory_bytes)


def apply_constant() -> None:
    """Set the limits that are the same for every submission."""
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    lower(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        lower(resource.RLIMIT_MSGQUEUE, 0)


def lower(kind: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit; never above the hard limit that is in force already."""
    ceiling = resource.getrlimit(kind)[1]
    wanted = soft if hard is None else hard
    highest = wanted if ceiling == resource.RLIM_INFINITY else min(wanted, ceiling)
    resource.setrlimit(kind, (min(soft, highest), highest))


def address_space() -> int:
    """Bytes of address space in use."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
