"""One grader at a time, and one that is stopped loses nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from autograder.course import UsageError
from autograder.nbgrader_plugin.lock import course_lock
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    add_first,
    arguments,
    autograded,
    grade,
    gradebook,
    hand_in,
    notebook,
    recorded,
    run,
    variables,
)

pytestmark = pytest.mark.slow

STUDENTS = ["ada", "bob", "cyd", "dan", "eve"]


def fill(root: Path) -> None:
    """Hand in submissions that take a second each."""
    for student in STUDENTS:
        slow = add_first(notebook(root), "import time\ntime.sleep(1)")
        hand_in(root, student, slow)


def finished(root: Path) -> set[str]:
    folder = root / ".autograder" / "results" / NAME
    return {path.parent.name for path in folder.glob("*/*.json")}


@contextmanager
def grading(root: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`autograder grade` in a process group of its own; whatever is left of it is ended."""
    process = subprocess.Popen(
        arguments("autograder", "grade", NAME, *options),
        cwd=root,
        env=variables(root),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for left in family(process.pid):
            left.kill()
        process.communicate(timeout=30)


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it started, now."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def key_press(process: subprocess.Popen[str]) -> None:
    """Ctrl-C reaches every process of the terminal's group."""
    os.killpg(process.pid, signal.SIGINT)


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()


@pytest.mark.parametrize(
    ("stop", "jobs"),
    [
        pytest.param(key_press, 1, marks=pytest.mark.extra),
        pytest.param(key_press, 2, marks=pytest.mark.extra),
        (kill, 2),
    ],
)
def test_a_stopped_run_keeps_what_is_finished_and_the_next_completes_it(
    root: Path, stop: Callable[[subprocess.Popen[str]], None], jobs: int
) -> None:
    fill(root)
    with grading(root, "--jobs", str(jobs)) as process:
        wait_for(lambda: bool(finished(root)), "the first result")
        time.sleep(0.3)  # into the middle of the next submission
        everyone = family(process.pid)
        assert len(everyone) >= 1 + jobs
        stop(process)
        out, err = process.communicate(timeout=30)
        _, survivors = psutil.wait_procs(everyone[1:], timeout=10)
        assert survivors == []
    assert "Traceback" not in out + err
    if stop is key_press:
        assert process.returncode == 130
        assert "stopped; every finished submission is recorded." in err

    done = finished(root)
    assert done
    assert done < set(STUDENTS)
    with gradebook(root) as book:
        for submission in book.assignment_submissions(NAME):
            scores = {g.auto_score for g in submission.notebooks[0].grades}
            assert scores == {None} or None not in scores
    for student in done:
        assert recorded(root, student).scores == FULL_MARKS | {"why-scale": 0.0}
        assert autograded(root, student).is_file()
    before = {student: autograded(root, student).stat().st_mtime_ns for student in done}

    summary = grade(root)
    assert [r.student for r in summary.results] == STUDENTS
    assert finished(root) == set(STUDENTS)
    for student in STUDENTS:
        assert recorded(root, student).scores == FULL_MARKS | {"why-scale": 0.0}
    for student in done:
        assert autograded(root, student).stat().st_mtime_ns == before[student]


# -- the lock --------------------------------------------------------------------------------------


def test_a_second_grader_is_told_who_holds_the_course(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    with course_lock(root / ".autograder"):
        done = run(root, "autograder", "grade", NAME)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    said = done.stderr.splitlines()[-1]
    assert re.search(rf"being graded by \S+, process {os.getpid()} on \S+, since \d{{4}}-", said)
    assert "Wait until it is done, or stop it." in said
    assert not (root / "autograded").exists()


def test_the_lock_is_free_again_however_its_holder_ended(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), course_lock(tmp_path):
        raise ZeroDivisionError
    with (
        course_lock(tmp_path),
        pytest.raises(UsageError, match=f"process {os.getpid()}"),
        course_lock(tmp_path),
    ):
        pass
    with course_lock(tmp_path):
        assert f"process {os.getpid()}" in (tmp_path / "lock").read_text()
