"""A grader that is killed, or that cannot write, loses no grade, and the next run completes.

The grader is killed by SIGKILL before each of its steps in turn (crashing.py says what a step is).
What it leaves must be, for every student, the whole of what was or the whole of what comes; and the
next run must end where an undisturbed one ends, byte for byte.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import psutil
import pytest

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.history import History
from autograder.nbgrader_plugin.trail import present_scores
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    REPOSITORY,
    add_first,
    autograded,
    cell,
    everything,
    grade,
    gradebook,
    hand_in,
    mistake,
    notebook,
    recorded,
    run,
    tree,
    variables,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.nbgrader_plugin.test_gradebook_truth import enter_by_hand, late_policy
from tests.nbgrader_plugin.test_interruption import grading, wait_for

pytestmark = pytest.mark.slow

STUDENTS = ["ada", "bob", "cyd", "dan", "eve"]
MOST_STEPS = 140
"""More than there are; steps that are not reached are counted, not passed over in silence."""


# -- a class in the middle of the term -------------------------------------------------------------


@pytest.fixture(scope="module")
def term(new_course: NewCourse) -> Path:
    """Some were graded before, a person has entered marks, and new submissions have come in."""
    root = new_course()
    late_policy(root, "policy_of_the_crashes", "return 0.1 * score")
    for student in ("ada", "cyd", "dan"):
        answered = notebook(root)
        cell(answered, "why-scale")["source"] = "Otherwise softmax saturates."
        hand_in(root, student, answered, timestamp="2023-12-31 00:00:00 UTC")
    grade(root)
    enter_by_hand(root)
    # One that needs no search for a small counterexample: that may stop early on a busy machine
    undone = {"softmax": "pass"}
    hand_in(root, "ada", notebook(root, undone), timestamp="2024-01-02 00:00:00 UTC")
    (root / "source" / NAME / "data.csv").write_text("1,2")
    hand_in(root, "bob", notebook(root), timestamp="2024-01-02 00:00:00 UTC")
    (root / "submitted" / "dan" / NAME / f"{NAME}.ipynb").unlink()
    hand_in(root, "eve", b"{")
    return root


class Killer:
    """A program that has imported everything and forks one grader after another."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.nbgrader_plugin.crashing"],
            cwd=REPOSITORY,
            env={**variables(REPOSITORY), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def grade(self, root: Path, *, force: bool, step: int = 0) -> int | None:
        """Grade and die at a step; gives the signal that it died by, None if it came to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{step} {force:d} {root}\n")
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status)
        assert os.WEXITSTATUS(status) == 0, "the grader raised; see its standard error"
        return None

    def close(self) -> None:
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    killer = Killer()
    yield killer
    killer.close()


def graded_state(root: Path) -> dict[str, Any]:
    """All that a run is for: the gradebook, the autograded folders, the results."""
    results = {}
    for path in sorted((root / ".autograder" / "results").rglob("*.json")):
        result = json.loads(path.read_text())
        del result["timing"]
        results[str(path.relative_to(root))] = result
    return {
        "gradebook": everything(root),
        "autograded": tree(root / "autograded"),
        "results": results,
    }


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.extra)],
    ids=["plain", "force"],
)
def undisturbed(
    request: pytest.FixtureRequest, term: Path, killer: Killer, tmp_path_factory: Any
) -> tuple[bool, list[str], dict[str, Any]]:
    """Whether all is graded again, the steps of a run that nobody kills, and where it ends."""
    root = copy_of(term, tmp_path_factory.mktemp("undisturbed"))
    assert killer.grade(root, force=request.param) is None
    steps = (root.parent / "steps").read_text().splitlines()
    return request.param, steps, graded_state(root)


def copy_of(term: Path, folder: Path) -> Path:
    root = folder / "course"
    shutil.copytree(term, root)
    return root


# -- killed at every step --------------------------------------------------------------------------


@pytest.mark.extra
def test_the_steps_are_those_of_the_writer(
    undisturbed: tuple[bool, list[str], dict[str, Any]],
) -> None:
    _, steps, _ = undisturbed
    assert 40 < len(steps) < MOST_STEPS
    for part in ("os.rename /autograded/", "os.remove /.autograder/results", "os.mkdir", "commit"):
        assert any(step.startswith(part) for step in steps), part
    for part in ("UPDATE grade", "INSERT INTO grade", "UPDATE submitted_notebook", "BEGIN"):
        assert any(step.startswith(part) for step in steps), part


@pytest.mark.parametrize(
    "step",
    [pytest.param(k, marks=pytest.mark.extra) for k in range(2, MOST_STEPS, 6)],
)
def test_a_grader_killed_at_any_step_loses_nothing_and_the_next_completes(
    undisturbed: tuple[bool, list[str], dict[str, Any]],
    term: Path,
    killer: Killer,
    tmp_path: Path,
    step: int,
) -> None:
    force, steps, after = undisturbed
    if step > len(steps):
        pytest.skip(f"there are {len(steps)} steps")
    before = graded_state(term)
    root = copy_of(term, tmp_path)
    assert killer.grade(root, force=force, step=step) == signal.SIGKILL, steps[step - 1]
    whole(root, before, after)
    assert killer.grade(root, force=force) is None
    assert differences(graded_state(root), after) == {}, steps[step - 1]
    assert [p for p in (root / "autograded").rglob("*") if "partial" in p.name] == []
    logged(root)


def whole(root: Path, before: dict[str, Any], after: dict[str, Any]) -> None:
    """What was left is sound, and old or new for each student, never something in between."""
    with closing(sqlite3.connect(root / "gradebook.db")) as found:
        assert found.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for student in STUDENTS:
        left = of(student, everything(root))
        old, new = of(student, before["gradebook"]), of(student, after["gradebook"])
        created = {key for key in left if not old and "comment" not in key and key.count("/") > 2}
        untouched = all(left[key][:3] == (None, None, None) for key in created)
        assert left in (old, new) or (not old and untouched), student
    left = tree(root / "autograded")
    for path in left:
        if "partial" not in path:  # nbgrader looks into a student's assignments alone
            assert left[path] in (before["autograded"].get(path), after["autograded"].get(path))
    for path in before["autograded"]:
        assert path in left
    for result in (root / ".autograder" / "results").rglob("*.json"):
        json.loads(result.read_text())


def differences(one: Any, other: Any, where: str = "") -> dict[str, Any]:
    """What differs between two states, by its place."""
    if isinstance(one, dict) and isinstance(other, dict):
        found: dict[str, Any] = {}
        for key in one.keys() | other.keys():
            found |= differences(one.get(key), other.get(key), f"{where}/{key}")
        return found
    return {} if one == other else {where: (one, other)}


def of(student: str, ledger: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in ledger.items() if key.startswith(f"{student}/")}


def logged(root: Path) -> None:
    """The log of scores can be read, and says what the gradebook says."""
    course = Course.find(root)
    assert course is not None
    history = History.of(course, NAME)
    with gradebook(root) as book, history.locked():
        known, present = history.known, present_scores(book, NAME)
    assert {subject: known.get(subject) for subject in present} == present


# -- the processes that grade ----------------------------------------------------------------------


def pool_processes(pid: int) -> list[psutil.Process]:
    """The grader processes that were started by a run."""
    children = psutil.Process(pid).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


@pytest.mark.extra
def test_a_grader_process_that_is_killed_is_replaced(root: Path) -> None:
    for student in STUDENTS:
        hand_in(root, student, add_first(notebook(root), "import time\ntime.sleep(1)"))
    with grading(root, "--jobs", "2") as process:
        wait_for(lambda: len(pool_processes(process.pid)) == 2, "the pool")
        results = root / ".autograder" / "results"
        wait_for(lambda: any(results.rglob("*.json")), "the first result")
        pool_processes(process.pid)[0].kill()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    assert "Traceback" not in err
    for student in STUDENTS:
        assert recorded(root, student).scores == FULL_MARKS | {"why-scale": 0.0}


@pytest.mark.extra
def test_a_worker_that_is_killed_from_outside_is_no_verdict_on_its_student(root: Path) -> None:
    for student in ("ada", "bob"):
        hand_in(root, student, notebook(root))
    with grading(root, "--jobs", "1") as process:
        workers = psutil.Process(process.pid).children
        wait_for(lambda: bool(workers()), "the first worker")
        workers()[0].kill()  # before it has read a line of the student's
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1, out + err
    assert "Traceback" not in err
    assert set(recorded(root, "ada").scores.values()) == {None}
    assert recorded(root, "bob").score == 40.0
    assert not grade(root).needs_person
    assert recorded(root, "ada").scores == FULL_MARKS | {"why-scale": 0.0}


# -- a disk that is full, a folder that can't be written -------------------------------------------


@contextmanager
def small_disk(where: Path, size: int) -> Iterator[None]:
    """A file system of so many bytes; skips where none can be mounted."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(where)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(where)], check=True)


def leave(root: Path, kilobytes: int) -> Path:
    """Fill the disk but for so much."""
    ballast = root.parent / "ballast"
    free = os.statvfs(root)
    room = free.f_bavail * free.f_frsize - 1024 * kilobytes
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room)
    return ballast


@pytest.mark.extra
@pytest.mark.parametrize("kilobytes", range(0, 240, 20))
def test_a_full_disk_is_one_line_and_keeps_every_grade(
    term: Path, undisturbed: tuple[bool, list[str], dict[str, Any]], tmp_path: Path, kilobytes: int
) -> None:
    force, _, after = undisturbed
    before = graded_state(term)
    with small_disk(tmp_path, 16 << 20):
        root = copy_of(term, tmp_path)
        ballast = leave(root, kilobytes)
        options = ["--force"] if force else []
        done = run(root, "autograder", "grade", NAME, "--jobs", "1", *options, TMPDIR=gettempdir())
        assert done.returncode in (1, 2)  # 1: it had room enough, and eve waits for a person
        assert "Traceback" not in done.stderr
        if done.returncode == 2:
            said = [x for x in done.stderr.splitlines() if x.startswith("autograder: ")]
            assert any("full" in line or "No space left" in line for line in said), said
            assert done.stdout == ""
        whole(root, before, after)
        ballast.unlink()
        done = run(root, "autograder", "grade", NAME, "--jobs", "1", *options)
        assert done.returncode == 1, done.stderr
        assert differences(graded_state(root), after) == {}
        logged(root)


def test_a_folder_that_cant_be_written_concerns_its_student_alone(root: Path) -> None:
    for student in ("ada", "bob", "cyd"):
        hand_in(root, student, notebook(root))
    (root / "autograded").mkdir()
    (root / "autograded" / "bob").write_text("a file where a folder should be")
    summary = grade(root)
    assert [item.student for item in summary.ungraded] == ["bob"]
    assert "it can't be written:" in summary.ungraded[0].reason
    assert os.strerror(errno.ENOTDIR) in summary.ungraded[0].reason
    assert [r.student for r in summary.results] == ["ada", "cyd"]
    (root / "autograded" / "bob").unlink()
    assert not grade(root).needs_person
    assert recorded(root, "bob").score == 40.0


@pytest.mark.extra
def test_a_read_only_autograded_folder_stops_with_one_line(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    grade(root)
    before = graded_state(root)
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "returns_uniform")}))
    folder = root / "autograded"
    kept = shutil.copytree(folder, root / "kept")
    with small_disk(folder, 1 << 20):
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with pytest.raises(UsageError, match="Read-only file system"):
            grade(root)
        assert graded_state(root) == before
    shutil.rmtree(kept)
    grade(root)
    assert recorded(root, "ada").scores["softmax"] == 0.0
    assert autograded(root, "ada").is_file()
