"""A course folder of our own making, and commands that run in it as a person would run them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.worker.isolation import SandboxError, choose

ROOT = Path(__file__).resolve().parents[1]
CONFIG_NAME = "nbgrader_config.py"
MARKER = ".scratch-course"
"""Lies in every course that we made and may remove: never in one that holds real grades."""


def sandbox() -> str:
    """The sandbox to grade our own submissions in: what isolates here, else limits on resources.

    Only because the submissions are our own is it right to go on without isolation; it is said.
    """
    try:
        choose("auto")
    except SandboxError as error:
        print(f"Nothing isolates student code here: {error}", file=sys.stderr)
        print("These submissions are our own, so limits on resources will do.", file=sys.stderr)
        return "rlimit"
    return "auto"


class CommandError(Exception):
    """A command ended with a status that was not expected; the message holds what it printed."""


def copy_course(folder: Path) -> Path:
    """Make `folder` a fresh course: our source notebooks and configuration, nothing graded.

    Raises:
        FileExistsError: the folder exists and was not made here.
    """
    empty_course(folder)
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / CONFIG_NAME, folder)
    return folder


def empty_course(folder: Path) -> Path:
    """Make `folder` anew, with nothing in it but our marker.

    Raises:
        FileExistsError: the folder exists and was not made here.
    """
    if folder.exists():
        if not (folder / MARKER).is_file():
            raise FileExistsError(
                f"{folder} exists and was not made by this command. Move it away and run again."
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARKER).touch()
    return folder


def environment() -> dict[str, str]:
    """This process's environment, with the commands of its own Python first on PATH."""
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([here, os.environ.get("PATH", "")])}


def run_quietly(
    command: Sequence[str],
    cwd: Path,
    *,
    allowed: Sequence[int] = (0,),
    variables: Mapping[str, str] | None = None,
) -> str:
    """Run a command and return its standard output; what it logs is shown only if it fails.

    Args:
        command: the command and its arguments.
        cwd: where it runs.
        allowed: the exit statuses that are no failure.
        variables: of the environment, besides our own.

    Raises:
        CommandError: its exit status is not among those allowed.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**environment(), **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in allowed:
        raise CommandError(
            f"{shlex.join(command)} ended with status {done.returncode}:\n"
            f"{done.stdout}{done.stderr}"
        )
    return done.stdout


def run_in_view(command: Sequence[str], cwd: Path) -> None:
    """Run a command whose output goes where ours goes.

    Raises:
        CommandError: it failed.
    """
    status = subprocess.run(command, cwd=cwd, env=environment(), check=False).returncode
    if status:
        raise CommandError(f"{shlex.join(command)} ended with status {status}; see above.")
