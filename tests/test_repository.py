"""The repository is one that a stranger can run: locked, licensed, and tied to no machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))

TIED_TO_A_MACHINE = {
    "a registry's host": r"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org",
    "a package source": r"--(?:extra-)?index-url[ =]|--find-links[ =]|--trusted-host[ =]",
    "a path of one machine": r"(?<![\w.~/-])/(?:work|root|home/\w+|Users/\w+)/",
    "a folder outside the checkout": r"\.\./shared\b",
}
PIN = re.compile(
    r"(?P<requirement>[a-z0-9][a-z0-9.-]*==[^\s;]+(?: ; [^\\]*?)?)(?: --hash=sha256:[0-9a-f]{64})+"
)


def what_ties(text: str) -> set[str]:
    return {what for what, pattern in TIED_TO_A_MACHINE.items() if re.search(pattern, text)}


def tracked_files() -> list[Path]:
    """The files that a commit holds or would hold; outside git, none."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def lines_of(lock_text: str) -> list[str]:
    """The logical lines of a lock, without comments."""
    joined = re.sub(r"\s*\\\n\s*", " ", lock_text)
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def pins() -> list[Requirement]:
    matches = [PIN.fullmatch(line) for lock in LOCKS for line in lines_of(lock.read_text("utf-8"))]
    return [Requirement(match["requirement"]) for match in matches if match]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("https://pypi" + ".org/simple", "a registry's host"),
        ("--find-links" + "=wheels", "a package source"),
        ("see /home" + "/ada/autograder", "a path of one machine"),
        ("read .." + "/shared/design.md", "a folder outside the checkout"),
    ],
)
def test_a_line_tied_to_a_machine_is_recognised(text: str, what: str) -> None:
    assert what_ties(text) == {what}


def test_no_file_is_tied_to_a_machine() -> None:
    files = tracked_files()
    if not files:
        pytest.skip("this is no git checkout, so nothing says which files belong to it")
    tied = {
        str(path.relative_to(ROOT)): what
        for path in files
        if (what := what_ties(path.read_bytes().decode(errors="replace")))
    }
    assert tied == {}


def test_both_locks_are_there() -> None:
    assert [lock.name for lock in LOCKS] == ["dev.txt", "run.txt"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_line_of_a_lock_is_a_pin_with_hashes(lock: Path) -> None:
    loose = [line for line in lines_of(lock.read_text(encoding="utf-8")) if not PIN.fullmatch(line)]
    assert loose == []


@pytest.mark.parametrize(
    "line",
    [
        "numpy==2.0.0",
        "numpy>=2 --hash=sha256:" + "0" * 64,
        "numpy @ file:///wheels/numpy.whl --hash=sha256:" + "0" * 64,
        "--find-links" + " wheels",
    ],
)
def test_a_loose_line_is_no_pin(line: str) -> None:
    assert PIN.fullmatch(line) is None


def test_the_locks_hold_what_the_project_asks_for() -> None:
    asked = [
        Requirement(text)
        for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    ]
    locked: dict[str, list[str]] = {}
    for pin in pins():
        locked.setdefault(canonicalize_name(pin.name), []).append(str(pin.specifier)[2:])
    unmet = [
        str(need)
        for need in asked
        if not (found := locked.get(canonicalize_name(need.name)))
        or not all(need.specifier.contains(version) for version in found)
    ]
    assert unmet == [], "run make lock"


def test_one_environment_never_gets_two_versions_of_a_package() -> None:
    chosen = [pin.name for pin in pins() if pin.marker is None or pin.marker.evaluate()]
    assert len(chosen) == len(set(chosen))


def test_the_installed_packages_fit_together() -> None:
    check = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stdout


@pytest.mark.parametrize("python", ["false", "no-such-python"])
def test_set_up_with_an_unfit_python_says_what_is_needed(python: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    run = subprocess.run(
        ["make", "demo", f"PYTHON={python}"],
        cwd=tmp_path,
        # without the flags of the make that may be running this test
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "Python 3.11 or newer is needed" in run.stderr
    assert not (tmp_path / ".venv").exists()


def test_ci_runs_the_command_that_the_makefile_documents() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_licence_is_the_one_that_the_package_declares() -> None:
    assert PROJECT["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("BSD 3-Clause License")
