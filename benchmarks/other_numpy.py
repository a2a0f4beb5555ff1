"""An environment with another NumPy: only what drawing cases and judging answers needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.course import ROOT

AS_HERE = ("hypothesis", "msgspec")
"""In the versions of this environment, so that the cases are drawn alike."""

FITTING = ("scipy", "matplotlib")
"""In whatever version fits that NumPy."""


class UnavailableError(Exception):
    """This NumPy cannot be had here; the message says why in one line."""


class OtherNumpy:
    """A virtual environment in `folder` with a NumPy of that version: `1.26` is the newest 1.26.

    Raises:
        UnavailableError: there is no such NumPy for this Python, or nothing can be installed.
    """

    def __init__(self, numpy: str, folder: Path) -> None:
        self._python = folder / "bin" / "python"
        pinned = [f"{name}=={version(name)}" for name in AS_HERE]
        self._run([sys.executable, "-m", "venv", str(folder)])
        install = [str(self._python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        self._run([*install, f"numpy=={numpy}.*", *pinned, *FITTING])

    def run_module(self, module: str, arguments: Sequence[str]) -> str:
        """What a module of ours prints there; what it says besides goes where ours goes.

        Raises:
            subprocess.CalledProcessError: it ended with a status above 1.
        """
        command = [str(self._python), "-m", module, *arguments]
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode > 1:
            raise subprocess.CalledProcessError(done.returncode, command)
        return done.stdout

    @staticmethod
    def _run(command: Sequence[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise UnavailableError(said[-1] if said else f"{command[0]} failed without a word")
