"""Who grades: root or an ordinary user, with a Python that either of them can read."""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.submissions import ROOT

_SYSTEM_PYTHON = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"


@contextlib.contextmanager
def ordinary_user() -> Iterator[int]:
    """The id of a user without any rights, made for this run; needs root."""
    name = f"hostile{secrets.token_hex(4)}"
    subprocess.run(
        ["useradd", "--system", "--no-create-home", "--user-group", name],
        check=True,
        capture_output=True,
    )
    try:
        yield pwd.getpwnam(name).pw_uid
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)


@contextlib.contextmanager
def readable_python() -> Iterator[str]:
    """A Python with this environment's packages that every user may read.

    This one, if its files lie where everybody may go. Otherwise a virtual environment made of the
    system's Python, with the same packages linked into it.

    Raises:
        LookupError: the system has no Python of this version.
    """
    if all(map(_open_to_all, (sys.executable, os.path.realpath(sys.executable), sys.prefix))):
        yield sys.executable
        return
    if not os.path.exists(_SYSTEM_PYTHON):
        raise LookupError(f"{sys.executable} is private, and there is no {_SYSTEM_PYTHON}")
    folder = Path(tempfile.mkdtemp(prefix="hostile-python-"))
    try:
        folder.chmod(0o755)
        subprocess.run(
            [_SYSTEM_PYTHON, "-m", "venv", "--without-pip", folder], check=True, capture_output=True
        )
        (packages,) = folder.glob("lib/python*/site-packages")
        packages.rmdir()
        shutil.copytree(sysconfig.get_path("purelib"), packages, copy_function=_link, symlinks=True)
        yield str(folder / "bin" / "python")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _open_to_all(path: str) -> bool:
    folders = [parent for parent in Path(path).absolute().parents if parent != Path("/")]
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)


def refusal(sandbox: str, python: str, user: int | None) -> str:
    """Why a sandbox can't be had by that user with that Python; empty where it can."""
    ask = (
        "import sys\nfrom autograder.worker.isolation import SandboxError, choose\n"
        "try: choose(sys.argv[1])\nexcept SandboxError as error: print(error)\n"
    )
    asked = subprocess.run(
        [python, "-c", ask, sandbox],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", ""), "HOME": "/", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    return asked.stdout.strip()
