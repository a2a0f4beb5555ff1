"""A fault of ours costs nobody a point, and a person hears of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from autograder.results import Status
from tests.nbgrader_plugin.classroom import (
    REPOSITORY,
    autograde,
    autograded,
    grade,
    hand_in,
    nbgrader_api,
    notebook,
    outputs,
    recorded,
    result,
    run,
)
from tests.nbgrader_plugin.test_mixed_courses import scored, solution, write_source

pytestmark = pytest.mark.slow

NAME = "doubling"
TEST = """assert twice(1) == 2
### BEGIN HIDDEN TESTS
from autograder import grade
grade("twice", twice)
### END HIDDEN TESTS
"""
RIGHT = "def twice(x):\n    return 2 * x"
WRONG = "def twice(x):\n    return 3 * x"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The course package that holds the fault, installed; gives the path that makes it so."""
    folder = tmp_path / "broken_course-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-course\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(
        "[autograder.exercises]\nbroken = tests.nbgrader_plugin.broken_course:catalogue\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"{tmp_path}:{REPOSITORY}"


@pytest.fixture
def course(released: Path, tmp_path: Path, installed: str) -> Path:
    root = tmp_path / "course"
    shutil.copytree(released, root)
    write_source(root, NAME, [solution("twice", RIGHT), scored("twice", TEST, 5)])
    done = nbgrader_api(root).generate_assignment(NAME)
    assert done["success"], done
    return root


def test_an_internal_error_costs_no_point_and_waits_for_a_person(
    course: Path, installed: str
) -> None:
    hand_in(course, "ada", notebook(course, {"twice": RIGHT}, name=NAME), name=NAME)
    hand_in(course, "bob", notebook(course, {"twice": WRONG}, name=NAME), name=NAME)
    done = run(course, "autograder", "grade", NAME, "--jobs", "2", "--json", PYTHONPATH=installed)
    assert done.returncode == 1, done.stderr
    assert {item["student"] for item in json.loads(done.stdout)["ungraded"]} == {"ada", "bob"}

    (twice,) = result(course, "ada", name=NAME).exercises
    assert twice.status is Status.INTERNAL_ERROR
    assert (twice.score, twice.max_score) == (5.0, 5.0)
    broken = next(law for law in twice.properties if law.name == "broken")
    assert broken.status is Status.INTERNAL_ERROR
    assert broken.points == broken.max_points == 2.0

    (twice,) = result(course, "bob", name=NAME).exercises
    assert twice.score < 5.0  # the law that could be judged still counts

    for student in ("ada", "bob"):
        kept = recorded(course, student, name=NAME)
        assert kept.scores == {"twice": None}
        assert kept.flagged == {"twice"}


def test_both_ways_agree_and_the_next_run_tries_again(course: Path) -> None:
    hand_in(course, "ada", notebook(course, {"twice": RIGHT}, name=NAME), name=NAME)
    assert grade(course, NAME).needs_person
    before = recorded(course, "ada", name=NAME)
    written = autograded(course, "ada", name=NAME).read_bytes()
    shown = outputs(course, "ada", "twice", name=NAME)
    assert "a fault of the grader, which costs no point" in shown
    assert "LookupError" not in shown
    autograde(course, "ada", name=NAME)
    assert recorded(course, "ada", name=NAME) == before
    assert autograded(course, "ada", name=NAME).read_bytes() == written
    marked = autograded(course, "ada", name=NAME).stat().st_mtime_ns
    assert grade(course, NAME).needs_person
    assert autograded(course, "ada", name=NAME).stat().st_mtime_ns > marked
