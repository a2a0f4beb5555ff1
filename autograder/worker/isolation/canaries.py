"""What a confined worker must not be able to do, tried from inside.

This file is never imported by the grader: its text runs as a cell of a notebook, with PARAMETERS
above it, in a worker like every other. It prints one JSON object: for each guarantee what was
reached, or an empty text. Whatever succeeds must do no harm, since then nothing stood in its way.
"""

import contextlib
import ctypes
import importlib
import importlib.machinery
import json
import mmap
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

_CLONE_NEWUSER = 0x1000_0000
_PTRACE_SEIZE = 0x4206
_DENIED = (OSError, RuntimeError, MemoryError, ImportError)

p: dict[str, Any] = globals()["PARAMETERS"]
libc = ctypes.CDLL(None, use_errno=True)


def reached(*attempts: Callable[[], Any]) -> str:
    """The first attempt that was not denied, in words; empty where all were."""
    for attempt in attempts:
        with contextlib.suppress(*_DENIED):
            found = attempt()
            return f"{attempt.__doc__ or attempt.__name__} was possible ({found!r:.60})"
    return ""


def read(path: str) -> Callable[[], Any]:
    """Read a file."""

    def reading() -> bytes:
        with open(path, "rb") as file:
            return file.read(8)

    reading.__doc__ = f"reading {path}"
    return reading


def write(path: str, mode: str = "ab") -> Callable[[], Any]:
    """Write to a file."""

    def writing() -> int:
        with open(path, mode) as file:
            return file.write(b"x")

    writing.__doc__ = f"writing {path}"
    return writing


def call(name: str, *args: Any) -> Callable[[], Any]:
    """Call a function of `os`."""

    def calling() -> Any:
        return getattr(os, name)(*args)

    calling.__doc__ = f"os.{name}{args!r:.60}"
    return calling


def foreign(name: str, *args: Any) -> Callable[[], Any]:
    """Call a function of libc."""

    def calling() -> int:
        result: int = getattr(libc, name)(*args)
        if result < 0:
            raise OSError(ctypes.get_errno(), name)
        return result

    calling.__doc__ = f"{name}{args!r:.60}"
    return calling


def connect(family: int, kind: int, address: Any) -> Callable[[], Any]:
    """Reach a listener."""

    def connecting() -> str:
        with socket.socket(family, kind) as connection:
            if kind == socket.SOCK_DGRAM:
                connection.sendto(b"x", tuple(address))
            else:
                connection.connect(tuple(address) if family == socket.AF_INET else address)
        return "connected"

    connecting.__doc__ = f"a connection to {address!r}"
    return connecting


def forking() -> int:
    """a new process"""
    pid = os.fork()
    if not pid:
        os._exit(0)
    return pid


def threading_() -> str:
    """a new thread"""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return "started"


def importing(name: str) -> Callable[[], Any]:
    """Import a package of the grader's, past everything that only Python puts in the way."""

    def attempt() -> str:
        kept = list(sys.meta_path), list(sys.path)
        sys.meta_path[:] = [
            importlib.machinery.BuiltinImporter,
            importlib.machinery.FrozenImporter,
            importlib.machinery.PathFinder,
        ]
        sys.path += p["path"]
        try:
            return importlib.import_module(name).__name__
        finally:
            sys.meta_path[:], sys.path[:] = kept

    attempt.__doc__ = f"import {name}"
    return attempt


def allocating() -> int:
    """more memory than is allowed"""
    with mmap.mmap(-1, p["memory_bytes"]) as block:
        return len(block)


def filling() -> int:
    """more disk space than is allowed"""
    written, names = 0, [os.path.join(f, f"full{n}") for n in range(4) for f in p["writable"]]
    for name in names:
        with contextlib.suppress(*_DENIED), open(name, "wb") as file:
            while written < p["disk_bytes"]:
                written += file.write(bytes(1 << 20))
    for name in names:
        with contextlib.suppress(*_DENIED):
            os.unlink(name)
    if written < p["disk_bytes"]:
        raise OSError("full")
    return written


file, folder = p["file"], p["folder"]
beside = os.path.join(folder, "new")
grader = p["grader"]
parent = os.getppid()
proc = [f"/proc/{grader}/{name}" for name in ("environ", "mem", "maps", "cmdline", "status")]

answers = {
    "file contents hidden": reached(
        read(file), call("listdir", folder), *[read(path) for path in p["hidden"]]
    ),
    "the grader's packages hidden": reached(
        *[importing(name) for name in p["packages"]], *[read(path) for path in p["sources"]]
    ),
    "no write or chmod outside": reached(
        write(file),
        write(file, "wb"),
        write(beside, "xb"),
        call("mkdir", beside),
        call("symlink", file, beside),
        call("link", file, beside),
        call("rename", file, beside),
        call("chmod", file, 0o600),
        call("chown", file, os.getuid(), os.getgid()),
        call("utime", file),
        call("truncate", file, 0),
        call("setxattr", file, "user.canary", b"x"),
        call("mkfifo", beside),
        call("unlink", file),
    ),
    "no network": reached(
        connect(socket.AF_INET, socket.SOCK_STREAM, p["tcp"]),
        connect(socket.AF_INET, socket.SOCK_DGRAM, p["udp"]),
        *[connect(socket.AF_UNIX, socket.SOCK_STREAM, name) for name in p["unix"]],
    ),
    "no fork": reached(
        forking,
        threading_,
        call("posix_spawn", sys.executable, [sys.executable, "-c", ""], {}),
        call("execv", "/bin/true", ["true"]),
    ),
    "no signals": reached(
        call("kill", grader, 0),
        call("kill", parent, 0),
        call("kill", -1, 0),
        call("pidfd_open", parent),
        call("setpriority", os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent)),
        call("sched_setaffinity", parent, os.sched_getaffinity(0)),
        foreign("prlimit", parent, 0, None, ctypes.create_string_buffer(16)),
        foreign("ptrace", _PTRACE_SEIZE, parent, None, None),
    ),
    "grader's /proc closed": reached(call("listdir", "/proc"), *[read(name) for name in proc]),
    "no new namespaces": reached(
        foreign("unshare", _CLONE_NEWUSER),
        foreign("setresuid", 0, 0, 0),
        foreign("chroot", b"/"),
    ),
    "memory cap": reached(allocating),
    "total disk cap": reached(filling),
    "existence, size and mtime of files hidden": reached(
        call("stat", file), call("stat", p["hidden"][0]), call("stat", "/etc/passwd")
    ),
}
print(json.dumps(answers))  # noqa: T201 - to the grader
