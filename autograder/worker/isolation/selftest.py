"""Whether a backend keeps its word on this machine, now: canaries that a real worker goes after."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import autograder
from autograder.worker import wire
from autograder.worker.channel import Budget, Died
from autograder.worker.imports import importable_modules
from autograder.worker.isolation import guarantees
from autograder.worker.isolation.backend import DEFAULT_IMPORTS, Launcher, SandboxError
from autograder.worker.process import WorkerError, WorkerProcess

_CELL: Final = Path(__file__).with_name("canaries.py")
_SECONDS: Final = 20.0
_MEMORY_BYTES: Final = 256 << 20
_FILE_BYTES: Final = 16 << 20
_NOBODY: Final = 65534
_OFTEN_WRITABLE: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where nothing may be written


_HIDDEN_PACKAGES: Final = ("reference", "autograder", "autograder.laws", "hypothesis", "nbgrader")


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What held, in the order of `guarantees.ALL`, and the first thing that did not, if needed."""

    enforced: tuple[str, ...]
    problem: str


def self_test(launcher: Launcher) -> SelfTest:
    """Let a worker try everything that a backend must deny.

    Raises:
        SandboxError: no worker could be started, or it ended while it tried.
    """
    with _bait() as bait:
        found = _try_in_worker(launcher, bait.parameters)
        if bait.reached():
            found[guarantees.NO_NETWORK] = "a connection arrived"
        if bait.changed():
            found[guarantees.NO_WRITES] = "a file was changed"
    broken = [
        f"{item!r} does not hold: {found[item]}" for item in guarantees.REQUIRED if found[item]
    ]
    enforced = tuple(item for item in guarantees.ALL if not found[item])
    return SelfTest(enforced, broken[0] if broken else "")


def _try_in_worker(launcher: Launcher, parameters: dict[str, Any]) -> dict[str, str]:
    """Run the canaries as a student's cell: what each reached, empty where it reached nothing."""
    load = wire.Load(
        memory_bytes=_MEMORY_BYTES if launcher.limited else 0,
        cpu_seconds=int(_SECONDS),
        file_bytes=_FILE_BYTES,
        output_bytes=wire.MAX_TEXT,
        names=[],
        allowed_imports=list(importable_modules(DEFAULT_IMPORTS)),
    )
    worker = WorkerProcess(launcher, load, Budget(_SECONDS))
    try:
        worker.start()
        source = f"PARAMETERS = {parameters!r}\n{_CELL.read_text(encoding='utf-8')}"
        done = worker.run_cell(0, source, _SECONDS)
    except WorkerError as error:
        raise SandboxError(_reason(str(error))) from None
    except Died as death:
        raise SandboxError(f"the worker of the self-test {death.detail}") from None
    finally:
        worker.close()
    if done.error is not None:
        raise SandboxError(f"the self-test broke: {done.error.type_name}: {done.error.message}")
    printed = [o.text for o in done.outputs if isinstance(o, wire.Stream) and o.name == "stdout"]
    answers: dict[str, str] = json.loads("".join(printed))
    return answers


def _reason(text: str) -> str:
    """The last line of a worker's traceback."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip().removeprefix("OSError: ")


class _Bait:
    """What canaries go after: an open file in an open folder, listeners, this very process."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o777)  # only the sandbox may stand in the way
        self._file = folder / "canary.txt"
        self._file.write_text("secret", encoding="ascii")
        self._file.chmod(0o666)
        if not os.geteuid():
            os.chown(folder, _NOBODY, _NOBODY)
            os.chown(self._file, _NOBODY, _NOBODY)
        self._state = self._look()
        path = str(folder / "listener")
        name = f"\0autograder-{os.getpid()}-{folder.name}"
        self._listeners = [
            _listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _listener(socket.AF_UNIX, socket.SOCK_STREAM, path),
            _listener(socket.AF_UNIX, socket.SOCK_STREAM, name),
        ]
        Path(path).chmod(0o777)
        package = Path(autograder.__file__).parent
        self.parameters = {
            "file": str(self._file),
            "folder": str(folder),
            "hidden": [str(package / "exercise.py"), str(package / "cli.py"), "/etc/passwd"],
            "path": [str(package.parent), *filter(None, sys.path)],
            "packages": list(_HIDDEN_PACKAGES),
            "sources": [spec.origin for spec in map(find_spec, _HIDDEN_PACKAGES) if spec],
            "tcp": self._listeners[0].getsockname(),
            "udp": self._listeners[1].getsockname(),
            "unix": [path, name],
            "grader": os.getpid(),
            "writable": [".", *_OFTEN_WRITABLE],
            "memory_bytes": 2 * _MEMORY_BYTES,
            "disk_bytes": 2 * _FILE_BYTES,
        }

    def _look(self) -> tuple[Any, ...]:
        status = self._file.stat()
        names = sorted(os.listdir(self._file.parent))
        content = self._file.read_bytes()
        return status.st_mode, status.st_mtime_ns, status.st_uid, names, content

    def changed(self) -> bool:
        """Whether the file or its folder is another one than before; ask once."""
        os.unlink(self._listeners[2].getsockname())
        return self._look() != self._state

    def reached(self) -> bool:
        """Whether anything arrived at a listener."""
        for listener in self._listeners:
            with contextlib.suppress(BlockingIOError):
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(1)
                else:
                    listener.accept()[0].close()
                return True
        return False

    def close(self) -> None:
        for listener in self._listeners:
            listener.close()


def _listener(family: int, kind: int, address: Any) -> socket.socket:
    listener = socket.socket(family, kind)
    listener.setblocking(False)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen()
    return listener


@contextlib.contextmanager
def _bait() -> Iterator[_Bait]:
    folder = Path(tempfile.mkdtemp(prefix="autograder-"))
    try:
        bait = _Bait(folder)
        try:
            yield bait
        finally:
            bait.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
