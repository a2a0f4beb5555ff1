"""The filter denies what it must on every architecture, and nothing that a notebook needs."""

from __future__ import annotations

import os
import struct
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("Linux filters system calls like this", allow_module_level=True)
pyseccomp = pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))

from autograder.exercise import Call  # noqa: E402 - after the skip
from autograder.worker.isolation.seccomp import (  # noqa: E402 - after the skip
    DENIED,
    MAY_BE_UNKNOWN,
    OWN_PID,
    compiled_filter,
)
from tests.worker.sessions import NewSession  # noqa: E402

CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def f(number, *arguments):
    arguments = [ctypes.c_ulong(a) for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return (result, ctypes.get_errno() if result < 0 else 0)
"""
EPERM, ENOSYS = 1, 38


@pytest.mark.parametrize("architecture", ["X86_64", "AARCH64"])
def test_every_denied_call_has_a_number_or_is_known_to_have_none(architecture: str) -> None:
    code = getattr(pyseccomp.Arch, architecture)
    unknown = {name for name in DENIED if pyseccomp.resolve_syscall(code, name) < 0}
    assert unknown <= MAY_BE_UNKNOWN


def test_a_name_is_listed_once() -> None:
    assert len(set(DENIED)) == len(DENIED)
    assert set(DENIED) >= MAY_BE_UNKNOWN


def test_the_filter_holds_a_place_for_the_process_id() -> None:
    values = [value for *_, value in struct.iter_unpack("=HBBI", compiled_filter())]
    assert OWN_PID in values


def numbers(*names: str) -> list[int]:
    return [pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in names]


def outcomes(new_session: NewSession, calls: list[tuple[int, ...]]) -> list[tuple[int, int]]:
    session = new_session(CALL)
    session.load()
    return [
        reply.answers[0] for reply in session.run("f", [[Call(*c)] for c in calls], defaults={})
    ]


@pytest.fixture
def isolated(sandbox: str) -> None:
    if sandbox == "rlimit":
        pytest.skip("nothing filters system calls under rlimit")


@pytest.mark.usefixtures("isolated")
def test_denied_calls_fail_and_newer_ones_do_not_exist(new_session: NewSession) -> None:
    known = [number for number in numbers(*DENIED) if number >= 0]
    found = outcomes(new_session, [(number, 0, 0, 0, 0, 0, 0) for number in known])
    assert [error for _, error in found] == [EPERM] * len(known)
    newer = outcomes(new_session, [(n, 0) for n in (463, 466, 469, 600, *numbers("clone3"))])
    assert [error for _, error in newer] == [ENOSYS] * 5


@pytest.mark.usefixtures("isolated")
def test_signals_reach_only_the_process_itself(new_session: NewSession) -> None:
    session = new_session(
        CALL + "def h(kill, tgkill):\n"
        "    own = os.getpid()\n    return f(kill, own, 0), f(tgkill, own, own, 0)",
        names=("f", "h"),
    )
    session.load()
    kill, tgkill = numbers("kill", "tgkill")
    (own,) = session.run("h", [[Call(kill, tgkill)]], defaults={})
    assert own.answers == [((0, 0), (0, 0))]
    elsewhere = [(kill, 1, 0), (kill, os.getpid(), 0), (kill, 2**64 - 1, 0), (kill, 0, 0)]
    assert [error for _, error in outcomes(new_session, elsewhere)] == [EPERM] * 4


@pytest.mark.usefixtures("isolated")
def test_an_argument_is_judged_by_the_bits_that_the_kernel_reads(new_session: NewSession) -> None:
    ioctl, fcntl, prctl, prlimit = numbers("ioctl", "fcntl", "prctl", "prlimit64")
    high = 1 << 32
    found = outcomes(
        new_session,
        [
            (ioctl, 0, 0x5412 | high, 0),  # TIOCSTI
            (fcntl, 0, 8 | high, 0),  # F_SETOWN
            (prctl, 1 | high, 0, 0, 0, 0),  # PR_SET_PDEATHSIG
            (prctl, 4, 0, 0, 0, 0),  # PR_SET_DUMPABLE
            (prlimit, 1, 0, 0, 0),
        ],
    )
    assert [error for _, error in found] == [EPERM] * 5


@pytest.mark.usefixtures("isolated")
def test_only_pairs_of_connected_streams_can_be_made(new_session: NewSession) -> None:
    (socketpair,) = numbers("socketpair")
    unix, close_on_exec, datagram, in_order = 1, 0o2000000, 2, 5
    found = outcomes(
        new_session,
        [
            (socketpair, unix, datagram, 0, 0),
            (socketpair, unix, datagram | close_on_exec, 0, 0),
            (socketpair, unix, in_order, 0, 0),
        ],
    )
    assert [error for _, error in found] == [EPERM] * 3


@pytest.mark.usefixtures("isolated")
def test_what_notebooks_need_is_allowed(new_session: NewSession) -> None:
    session = new_session(
        "import asyncio, os, socket, tempfile, threading\n"
        "def f():\n"
        "    a, b = socket.socketpair()\n"
        "    a.sendall(b'x')\n"
        "    asyncio.run(asyncio.sleep(0))\n"
        "    return b.recv(1) == b'x', len(os.urandom(4)), threading.Lock().acquire()",
        "import asyncio\nawait asyncio.sleep(0)",
    )
    loaded = session.load()
    assert [run.detail for run in loaded.cell_runs] == ["", ""]
    (reply,) = session.run("f", [[Call()]], defaults={})
    assert reply.answers == [(True, 4, True)]
