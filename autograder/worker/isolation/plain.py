"""A fresh Python process per submission: resource control, no isolation.

Serves the backends `rlimit` and `none`. No process is shared between submissions, because without
isolation one of them could change what the next one finds there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from autograder.worker.isolation.backend import Exit, hide_from_others

ENTRY: Final = Path(__file__).resolve().parent.parent / "child" / "__main__.py"
"""The script that every process of a worker starts with."""
PYTHON_OPTIONS: Final = ("-s", "-P", "-B")
"""No packages of a user, no folder of the script on the path, no files written."""


def child_environment(scratch: str) -> dict[str, str]:
    """The whole environment of a worker: nothing of the grader's own gets in.

    One BLAS thread keeps results repeatable; a fixed hash seed makes sets print alike.
    """
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "IPYTHONDIR": f"{scratch}/.ipython",
        "MPLCONFIGDIR": f"{scratch}/.matplotlib",
        "MPLBACKEND": "Agg",
        "MPL_IGNORE_SYSTEM_FONTS": "1",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    if "OPENBLAS_CORETYPE" in os.environ:
        environment["OPENBLAS_CORETYPE"] = os.environ["OPENBLAS_CORETYPE"]
    return environment


def _lend_font_cache(folder: Path) -> None:
    """Copy Matplotlib's list of fonts, which takes a second to build, where there is one."""
    configured = os.environ.get("MPLCONFIGDIR")
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for cache in Path(configured or os.path.join(caches, "matplotlib")).glob("fontlist-*.json"):
        folder.mkdir(exist_ok=True)
        shutil.copy(cache, folder)


class PlainProcess:
    """One process in a session of its own, with a scratch folder as its working directory."""

    def __init__(self) -> None:
        self._scratch = tempfile.mkdtemp(prefix="autograder-")
        with contextlib.suppress(OSError):
            _lend_font_cache(Path(self._scratch, ".matplotlib"))
        self.socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our interpreter, our file
                [
                    *(sys.executable, *PYTHON_OPTIONS, str(ENTRY), "worker.child.serve"),
                    *(str(theirs.fileno()), str(os.getpid())),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=self._scratch,
                env=child_environment(self._scratch),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.socket.setblocking(False)
        self.pid = self._process.pid
        self.pidfd = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)

    def kill(self) -> None:
        """End the process by its descriptor, and its process group with it."""
        with contextlib.suppress(ProcessLookupError):
            if self.pidfd is not None and hasattr(signal, "pidfd_send_signal"):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            else:
                self._process.kill()
        # not reaped yet, so the number still names the group that this process leads
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def reap(self) -> Exit:
        """Wait for the end, close everything and remove the scratch folder."""
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.socket.close()
        if self.pidfd is not None:
            os.close(self.pidfd)
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
        return Exit(self._process.returncode, usage.ru_utime + usage.ru_stime)


class PlainLauncher:
    """Starts plain processes; `limited` ones set resource limits on themselves."""

    def __init__(self, *, limited: bool) -> None:
        self.limited = limited
        hide_from_others()

    def spawn(self) -> PlainProcess:
        """Start a fresh process. Call it from the main thread."""
        return PlainProcess()

    def close(self) -> None:
        """Nothing is held."""
