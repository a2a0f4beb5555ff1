from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from autograder.exercises import catalogue
from benchmarks import demo
from benchmarks.course import MARKER, CommandError, copy_course, run_quietly, sandbox


def catalogue_names() -> list[str]:
    """The assignments of this course."""
    return [assignment.name for assignment in catalogue().assignments]


def test_a_folder_that_was_not_made_here_is_left_alone(tmp_path: Path) -> None:
    grades = tmp_path / "gradebook.db"
    grades.write_text("precious")
    (tmp_path / "nbgrader_config.py").touch()
    with pytest.raises(FileExistsError, match="was not made by this command"):
        copy_course(tmp_path)
    assert grades.read_text() == "precious"


def test_a_course_of_an_earlier_run_is_made_anew(tmp_path: Path) -> None:
    course = copy_course(tmp_path / "demo")
    (course / "gradebook.db").touch()
    copy_course(course)
    assert sorted(path.name for path in course.iterdir()) == [
        MARKER,
        "nbgrader_config.py",
        "source",
    ]


def test_a_command_that_fails_shows_what_it_logged(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"ended with status 3:\nwhat happened"):
        run_quietly(["sh", "-c", "echo what happened >&2; exit 3"], tmp_path)


def test_a_command_that_may_fail_returns_what_it_printed(tmp_path: Path) -> None:
    assert run_quietly(["sh", "-c", "echo said; exit 1"], tmp_path, allowed=(0, 1)) == "said\n"


def test_an_unknown_assignment_ends_the_demo_with_status_1(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSIGNMENT", "no_such_assignment")  # as make hands it on
    assert demo.main(["--folder", str(tmp_path / "demo")]) == 1
    assert "no_such_assignment ended with status" in capfd.readouterr().err


@pytest.mark.extra
@pytest.mark.slow
@pytest.mark.parametrize("assignment", catalogue_names())
def test_the_demo_grades_a_class_and_shows_a_report_and_where_all_is(
    assignment: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    course = tmp_path / "demo"
    monkeypatch.setenv("ASSIGNMENT", assignment)  # as make hands it on
    assert demo.main(["--folder", str(course), "--students", "8"]) == 0
    shown = capfd.readouterr().out
    for command in (
        f"$ nbgrader generate_assignment {assignment}",
        f"$ autograder sample {assignment} --students 8 --seed 1",
        f"$ autograder grade {assignment} --jobs 2 --seed 0 --sandbox {sandbox()}",
        "$ autograder check submitted/",
    ):
        assert command in shown
    for ending in ("loops", "ends its process", "raises", "untouched"):
        assert ending in shown
    assert "[GenerateAssignmentApp" not in shown
    assert "This looks like" in shown
    with closing(sqlite3.connect(course / "gradebook.db")) as gradebook:
        ((graded,),) = gradebook.execute("select count(*) from submitted_notebook").fetchall()
    assert graded == 8
    places = shown.partition("Everything lies in")[2].splitlines()[1:]
    paths = [line.split()[0] for line in places if line.strip()]
    assert len(paths) >= 6
    assert [path for path in paths if not (course / path).exists()] == []
