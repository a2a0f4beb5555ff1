"""The system calls that student code may not make, compiled into a filter on the trusted side.

The compiled filter travels to the worker as bytes, so that no compiler of filters lies in there.
libseccomp's own rule holds too: a call through a foreign ABI (32 bits, x32) kills.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import tempfile
import termios
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from autograder.worker.isolation.backend import SandboxError

OWN_PID: Final = 0x5EED_F00D
"""Stands in the filter for the process id that the worker puts there."""

# fmt: off
DENIED: Final = (
    # other machines and other processes
    "socket", "connect", "bind", "listen", "accept", "accept4", "ptrace", "process_vm_readv",
    "process_vm_writev", "process_madvise", "pidfd_getfd", "pidfd_open", "pidfd_send_signal",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "kcmp", "tkill",
    # namespaces and mounts
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
    "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr",
    # parts of the kernel that no notebook needs
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
    "io_uring_enter", "io_uring_register", "open_by_handle_at", "name_to_handle_at", "personality",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "swapon",
    "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime",
    "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "vhangup", "iopl", "ioperm",
    "modify_ldt", "syslog", "lookup_dcookie", "fanotify_init", "memfd_create", "memfd_secret",
    "landlock_create_ruleset",
    # memory and messages shared with other processes
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop",
    "semctl", "semtimedop", "mq_open", "mq_unlink",
    # new processes and threads
    "execve", "execveat", "fork", "vfork", "clone",
    # other users and priorities
    "setuid", "setgid", "setresuid", "setresgid", "setreuid", "setregid", "setfsuid", "setfsgid",
    "setgroups", "capset", "sched_setscheduler", "sched_setattr", "sched_setparam", "setpriority",
    "ioprio_set", "migrate_pages", "move_pages",
    # what Landlock does not cover, or did not at first
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime",
    "utimes", "futimesat", "utimensat", "truncate", "mknod", "mknodat", "setxattr", "lsetxattr",
    "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
)
MAY_BE_UNKNOWN: Final = frozenset({
    # newer than libseccomp 2.5.4
    "fchmodat2",
    # x86 alone
    "iopl", "ioperm", "modify_ldt",
    # replaced by calls that name a folder or a clock; younger architectures never had them
    "fork", "vfork", "chmod", "chown", "lchown", "utime", "utimes", "futimesat", "mknod",
    # gone from newer kernels and libraries
    "lookup_dcookie",
})
"""Names that a libseccomp need not know. Calls from `_NEWER` on are denied by number anyway."""
# fmt: on

_NEWER: Final = range(463, 601)
"""Calls that came later. From 424 on the numbers are the same on all architectures."""
_FIOSETOWN: Final = 0x8901
_SIOCSPGRP: Final = 0x8902
_F_SETSIG: Final = 10
_F_SETOWN_EX: Final = 15
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_CHILD_SUBREAPER: Final = 36
_INT: Final = 0xFFFF_FFFF

DENIED_VALUES: Final = (
    ("ioctl", 1, (termios.TIOCSTI, _FIOSETOWN, _SIOCSPGRP)),
    ("fcntl", 1, (fcntl.F_SETOWN, _F_SETSIG, _F_SETOWN_EX)),
    (
        "prctl",
        0,
        (_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER),
    ),
)
"""Calls denied for some values of an argument, of which the kernel reads the lower 32 bits."""
_SOCKET_TYPE: Final = 0xF
DENIED_PAIRS: Final = tuple(kind for kind in range(_SOCKET_TYPE + 1) if kind != socket.SOCK_STREAM)
"""Kinds of socket pairs that are denied: from a datagram pair one can send to any path."""
DENIED_UNLESS: Final = (
    ("kill", OWN_PID),
    ("tgkill", OWN_PID),
    ("prlimit64", 0),
    ("sched_setaffinity", 0),
)
"""Calls denied unless their first argument is this process."""


@lru_cache
def compiled_filter() -> bytes:
    """The filter as the kernel takes it, with `OWN_PID` in place of a process id.

    Raises:
        SandboxError: libseccomp is missing, or too old to know a call that must be denied.
    """
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise SandboxError(
            f"system calls cannot be filtered: {error}. Install libseccomp2 and pyseccomp."
        ) from None
    deny = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for number in _denied_numbers():
        rules.add_rule(deny, number)
    for name, argument, values in DENIED_VALUES:
        for value in values:
            lower = pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, _INT, value)
            rules.add_rule(deny, name, lower)
    for kind in DENIED_PAIRS:
        rules.add_rule(
            deny, "socketpair", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, _SOCKET_TYPE, kind)
        )
    for name, self_ in DENIED_UNLESS:
        rules.add_rule(deny, name, pyseccomp.Arg(0, pyseccomp.NE, self_))
    # callers take "no such call" as a reason to fall back to an older one
    unknown = pyseccomp.ERRNO(errno.ENOSYS)
    rules.add_rule(unknown, "clone3")
    for number in _NEWER:
        rules.add_rule(unknown, number)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _denied_numbers() -> Iterator[int]:
    import pyseccomp

    for name in DENIED:
        number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
        # below 0: known, but not on this architecture; -1: not known at all
        if number >= 0:
            yield number
        elif name not in MAY_BE_UNKNOWN:
            raise SandboxError(
                f"libseccomp on this machine ({os.uname().machine}) does not know the system call "
                f"{name!r}, which must be denied. Install libseccomp2 2.5.4 or newer."
            )
