"""The isolating backends keep their word whoever grades, and wherever Python lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from autograder.worker.isolation import ISOLATING, examine, guarantees
from tests.submissions import ROOT

EXAMINE = """
import json, sys
from autograder.worker.isolation import examine
found = examine(sys.argv[1])
print(json.dumps([found.problem, found.sandbox.enforced, found.sandbox.missing]))
"""


def run_as(user: int | None, command: Sequence[str], **variables: str) -> str:
    """Run a command as that user, None for this one; its output. A failure shows what it said."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        | variables,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def user_of(who: str, request: pytest.FixtureRequest) -> int | None:
    if who == "ordinary":
        user: int | None = request.getfixturevalue("somebody")
        return user
    if os.geteuid():
        pytest.skip("only root can grade as root")
    return None


@pytest.mark.parametrize("backend", ISOLATING)
@pytest.mark.parametrize("who", ["ordinary", "root"])
def test_nothing_that_is_required_is_missing(
    backend: str, who: str, anybodys_python: str, request: pytest.FixtureRequest
) -> None:
    output = run_as(user_of(who, request), [anybodys_python, "-c", EXAMINE, backend])
    problem, enforced, missing = json.loads(output)
    if problem and ("bwrap" in problem or "Landlock" in problem):
        pytest.skip(f"{backend}: {problem}")
    assert not problem
    assert set(guarantees.REQUIRED) <= set(enforced)
    assert missing == ([] if backend == "bubblewrap" else [guarantees.NAMES_HIDDEN])


def test_root_is_told_that_nobody_else_may_read_this_python(anybodys_python: str) -> None:
    if os.geteuid() or anybodys_python == sys.executable:
        pytest.skip("this Python serves everybody, or the tests do not run as root")
    problem = examine("landlock").problem
    if "Landlock" in problem:
        pytest.skip(f"landlock: {problem}")
    assert "the user 65534 may not read " in problem
    assert "/usr/bin/python3" in problem


@pytest.mark.extra
@pytest.mark.parametrize("backend", ISOLATING)
@pytest.mark.parametrize("who", ["ordinary", "root"])
def test_all_tests_of_workers_pass(
    backend: str, who: str, anybodys_python: str, request: pytest.FixtureRequest
) -> None:
    pytest_ = [anybodys_python, "-m", "pytest", "-q", "-m", "not extra", f"--rootdir={ROOT}"]
    without = ["-p", "no:cacheprovider", "-p", "no:cov", "--ignore-glob=*/isolation/*"]
    user = user_of(who, request)
    run_as(user, [*pytest_, *without, str(ROOT / "tests/worker")], TESTED_SANDBOX=backend)
