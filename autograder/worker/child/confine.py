"""How a forked worker locks itself in, before it reads anything of a submission.

What can be made ready is made in the warm process: the Landlock ruleset and the seccomp filter.
Every step raises where it fails; a worker that is not locked in must not go on.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys

import landlockpy
from landlockpy import AccessFS

from .. import wire
from . import limits

_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_INSTRUCTION = struct.Struct("=HBBI")
_CONNECTION = 3
_HIGHEST_DESCRIPTOR = 1 << 16
_FILE_BYTES = 16 << 20

_READ = AccessFS.READ_FILE | AccessFS.READ_DIR
_DEVICES = {
    "/dev/null": AccessFS.READ_FILE | AccessFS.WRITE_FILE,
    "/dev/zero": AccessFS.READ_FILE | AccessFS.WRITE_FILE,
    "/dev/urandom": AccessFS.READ_FILE,
}
_NOT_IN_SCRATCH = (
    AccessFS.EXECUTE
    | AccessFS.MAKE_SOCK
    | AccessFS.MAKE_FIFO
    | AccessFS.MAKE_BLOCK
    | AccessFS.MAKE_CHAR
    | AccessFS.IOCTL_DEV
    | AccessFS.RESOLVE_UNIX
)


class _Program(ctypes.Structure):
    """`struct sock_fprog` of the kernel."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


class Confiner:
    """Built once in a warm process; `confine` is called in each process forked from it.

    Raises:
        OSError: the kernel has no Landlock, or a path that must be readable is not there.
    """

    def __init__(self, orders: wire.Confinement) -> None:
        self._orders = orders
        self._ruleset = _ruleset(orders)
        self._parent = os.getpid()

    def confine(self, connection: int, output: int) -> None:
        """Lock this process in. The connection becomes descriptor 3, the output 1 and 2."""
        os.setsid()
        self._close_descriptors(connection, output)
        _default_signals()
        os.chdir(self._orders.scratch or "/")
        self._lower_limits()
        if self._orders.user >= 0:
            _become(self._orders.user)
        # after the change of user, which clears it
        limits.die_with(self._parent)
        self._ruleset.restrict(no_new_privs=True)
        self._ruleset.close()
        _check_readable(os.__file__, ctypes.__file__, landlockpy.__file__, wire.__file__)
        # what is hidden now must look as if it did not exist
        sys.path_importer_cache.clear()
        self._filter_system_calls()
        for name in [name for name in sys.modules if name.partition(".")[0] == "landlockpy"]:
            del sys.modules[name]

    def _close_descriptors(self, connection: int, output: int) -> None:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(connection, _CONNECTION)
        os.set_inheritable(_CONNECTION, False)
        kept = self._ruleset.fileno()
        os.closerange(_CONNECTION + 1, kept)
        os.closerange(kept + 1, _HIGHEST_DESCRIPTOR)

    def _lower_limits(self) -> None:
        limits.apply_constant()
        limits.lower(resource.RLIMIT_FSIZE, _FILE_BYTES)
        limits.lower(resource.RLIMIT_NPROC, 0)

    def _filter_system_calls(self) -> None:
        """Load the filter with this process's id in it."""
        own = os.getpid()
        code = b"".join(
            _INSTRUCTION.pack(*head, own if value == self._orders.pid_mark else value)
            for *head, value in _INSTRUCTION.iter_unpack(self._orders.filter)
        )
        program = _Program(len(code) // _INSTRUCTION.size, code)
        limits.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program))


def _ruleset(orders: wire.Confinement) -> landlockpy.Ruleset:
    """Everything that this kernel's Landlock can deny, but for what the orders let through."""
    abi = landlockpy.abi_version()
    if not abi:
        raise OSError("this kernel has no Landlock, or it is switched off at boot")
    ruleset = landlockpy.Ruleset(
        handled_fs=landlockpy.fs_for_abi(abi),
        handled_net=landlockpy.net_for_abi(abi),
        scoped=landlockpy.scope_for_abi(abi),
        best_effort=False,
    )
    for path in orders.readable:
        ruleset.allow_path(path, _READ if os.path.isdir(path) else AccessFS.READ_FILE)
    for path in orders.listed:
        ruleset.allow_path(path, AccessFS.READ_DIR)
    for path, access in _DEVICES.items():
        ruleset.allow_path(path, access)
    if orders.scratch:
        ruleset.allow_path(orders.scratch, ruleset.handled_fs & ~_NOT_IN_SCRATCH)
    return ruleset


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)) and number != signal.SIGINT:
            signal.signal(number, signal.SIG_DFL)


def _check_readable(*paths: str) -> None:
    """A worker that cannot read the Python it runs on would break at its next import."""
    for path in paths:
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise OSError(f"the user {os.getuid()} may not read {path}: {error.strerror}") from None


def _become(user: int) -> None:
    """Give up root for good: root could raise its limits again."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
