"""A course of its own, installed for commands in processes of their own: like pip, but aside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def install(project: Path, site: Path) -> dict[str, str]:
    """Install a project for the commands run in the environment that comes back.

    Like `pip install --editable`: the entry points are pip's, the code is that of the folder. This
    process's own environment stays as it is.
    """
    command = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target"]
    subprocess.run(
        [sys.executable, "-m", "pip", *command, str(site), str(project)],
        check=True,
        capture_output=True,
        text=True,
    )
    for entry in site.iterdir():
        if entry.is_dir() and not entry.name.endswith(".dist-info"):
            shutil.rmtree(entry)
    for left in ("build", *(path.name for path in project.glob("*.egg-info"))):
        shutil.rmtree(project / left, ignore_errors=True)
    return plain_environment() | {"PYTHONPATH": os.pathsep.join([str(project), str(site)])}


def plain_environment() -> dict[str, str]:
    """This process's environment, with the commands of its own Python first on PATH."""
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": commands, "NO_COLOR": "1"}
