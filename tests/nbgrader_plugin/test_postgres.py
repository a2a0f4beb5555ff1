"""A course whose gradebook is a PostgreSQL database, beside what SQLite gives.

The server is a real one. What a person and a grader do at the same time stands in
test_gradebook_truth.py, for both kinds of database.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin import database
from autograder.nbgrader_plugin.grade import GradeRun, Request
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    autograde,
    everything,
    grade,
    hand_in,
    mistake,
    notebook,
    recorded,
    result,
    run,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.nbgrader_plugin.postgres import Server

pytestmark = pytest.mark.slow
LONG_NAME = "l" * 200


def point_to(root: Path, db_url: str) -> None:
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.CourseDirectory.db_url = {db_url!r}\n")


def fill(root: Path) -> None:
    unscaled = mistake("self_attention_loop", "no_mask_argument")
    hand_in(root, "ada", notebook(root), timestamp="2024-01-01 00:00:00 UTC")
    hand_in(root, "bob", notebook(root, {"self_attention_loop": unscaled}))
    hand_in(root, "cyd", b"{")
    (root / "submitted" / "dan" / NAME).mkdir(parents=True)


# -- addresses that can't be used: no server is needed to say so -----------------------------------


def one_line(done: object) -> str:
    """What a refused command says, beside the banner of the sandbox."""
    assert done.returncode == 2, done.stderr  # type: ignore[attr-defined]
    assert "Traceback" not in done.stderr  # type: ignore[attr-defined]
    said = [
        line
        for line in done.stderr.splitlines()  # type: ignore[attr-defined]
        if line.startswith("autograder: ")
    ]
    assert len(said) == 1
    return str(said[0])


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_without_a_driver_is_refused_with_the_one_to_write(scheme: str) -> None:
    with pytest.raises(UsageError) as refused:
        database.parse_url(f"{scheme}://ta:secret@host/course")
    assert "Write postgresql+psycopg://" in str(refused.value)
    assert "pip install 'attention-autograder[postgres]'" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert database.parse_url("postgresql+psycopg://ta@host/course").host == "host"


@pytest.mark.parametrize("text", ["", "gradebook.db", "postgresql+psycopg://ta@host:port/course"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no database URL"):
        database.parse_url(text)


@pytest.mark.parametrize(
    "driver", ["mysql+no_such_driver", "no_such_database", "postgresql+pygresql"]
)
def test_a_driver_that_is_not_installed_is_named(driver: str) -> None:
    with pytest.raises(UsageError, match=r"The driver of the gradebook at .* can't be loaded"):
        database.has_tables(f"{driver}://ta:secret@host/course")


def test_a_server_that_does_not_answer_is_one_line_without_the_password(root: Path) -> None:
    pytest.importorskip("psycopg")
    hand_in(root, "ada", notebook(root))
    point_to(root, "postgresql+psycopg://ta:secret@127.0.0.1:9/course?connect_timeout=5")
    said = one_line(run(root, "autograder", "grade", NAME))
    assert "postgresql+psycopg://ta:***@127.0.0.1:9/course can't be used" in said
    assert "onnection refused" in said
    assert "secret" not in said


# -- a server --------------------------------------------------------------------------------------


@pytest.mark.extra
def test_both_ways_and_both_databases_hold_the_same(
    new_course: NewCourse, new_course_on_postgres: NewCourse
) -> None:
    roots = new_course(), new_course_on_postgres()
    for root in roots:
        fill(root)
    done = [run(root, "autograder", "grade", NAME, "--jobs", "2") for root in roots]
    assert [d.returncode for d in done] == [1, 1], done[1].stderr
    sqlite, postgres = roots
    assert not (postgres / "gradebook.db").exists()
    before = everything(postgres)
    assert before == everything(sqlite)
    assert recorded(postgres, "ada").scores == FULL_MARKS | {"why-scale": 0.0}

    autograde(postgres, "ada", "bob")
    assert everything(postgres) == before


@pytest.mark.extra
def test_the_round_of_nbgrader_goes_on(new_course_on_postgres: NewCourse) -> None:
    root = new_course_on_postgres()
    fill(root)
    grade(root)
    assert run(root, "nbgrader", "generate_feedback", NAME).returncode == 0
    page = (root / "feedback" / "bob" / NAME / f"{NAME}.html").read_text()
    assert "4.5" in page
    assert run(root, "nbgrader", "export", "--to", "grades.csv").returncode == 0
    header, *rows = (root / "grades.csv").read_text().splitlines()
    exported = [dict(zip(header.split(","), row.split(","), strict=True)) for row in rows]
    assert {row["student_id"]: row["score"] for row in exported} == {
        "ada": "40.0",
        "bob": "34.5",
        "cyd": "0.0",
        "dan": "0.0",
    }


@pytest.mark.extra
def test_force_says_how_to_make_a_copy_and_that_works(
    new_course_on_postgres: NewCourse, postgres: Server
) -> None:
    root = new_course_on_postgres()
    hand_in(root, "ada", notebook(root))
    first = run(root, "autograder", "grade", NAME, "--jobs", "1")
    assert "pg_dump" not in first.stderr
    done = run(root, "autograder", "grade", NAME, "--jobs", "1", "--force")
    assert done.returncode == 0, done.stderr
    (said,) = [line for line in done.stderr.splitlines() if "pg_dump" in line]
    assert said.startswith("autograder: no copy of the gradebook is made")
    program, *arguments = shlex.split(said[said.index("pg_dump") :])
    postgres.run(program, *arguments)  # as told
    assert "submitted_notebook" in postgres.run("pg_restore", "--list", "gradebook.dump")


@pytest.mark.extra
def test_a_database_without_the_assignment_is_refused_and_left_empty(
    new_course: NewCourse, postgres: Server
) -> None:
    root = new_course()
    hand_in(root, "ada", notebook(root))
    postgres.run("createdb", "empty")
    point_to(root, postgres.url("empty"))
    with pytest.raises(UsageError, match="nbgrader generate_assignment"):
        grade(root)
    assert postgres.sql("empty", "SELECT count(*) FROM pg_tables WHERE schemaname='public'") == (
        "0\n"
    )


def grading(root: Path, interrupt: Callable[[], object]) -> GradeRun:
    """Grade with one process and do something after the first student."""
    course = Course.find(root)
    assert course is not None
    with GradeRun(course, Request(assignment=NAME)) as going:
        for number, _ in enumerate(going.grade()):
            if number == 0:
                interrupt()
    return going


@pytest.mark.extra
def test_a_server_that_starts_anew_meanwhile_stops_nothing(
    new_course_on_postgres: NewCourse, postgres: Server
) -> None:
    root = new_course_on_postgres()
    for student in ("ada", "bob", "eve"):
        hand_in(root, student, notebook(root))

    def restart() -> None:
        postgres.stop()
        postgres.start()

    going = grading(root, restart)
    assert going.summary.ungraded == []
    for student in ("ada", "bob", "eve"):
        assert recorded(root, student).score == 40.0


@pytest.mark.extra
def test_a_server_that_goes_stops_the_run_and_the_next_completes_it(
    new_course_on_postgres: NewCourse, postgres: Server
) -> None:
    root = new_course_on_postgres()
    for student in ("ada", "bob"):
        hand_in(root, student, notebook(root))
    try:
        with pytest.raises(UsageError, match="finished grades are kept"):
            grading(root, postgres.stop)
    finally:
        postgres.start()
    assert recorded(root, "ada").score == 40.0
    assert [r.score for r in grade(root).results] == [40.0, 40.0]
    assert recorded(root, "bob").score == 40.0


@pytest.mark.extra
def test_a_name_that_the_database_does_not_take_concerns_its_student_alone(
    new_course_on_postgres: NewCourse,
) -> None:
    root = new_course_on_postgres()
    for student in ("ada", LONG_NAME, "zoe"):
        hand_in(root, student, notebook(root))
    summary = grade(root)
    assert [item.student for item in summary.ungraded] == [LONG_NAME]
    assert "the gradebook does not take it" in summary.ungraded[0].reason
    assert [r.student for r in summary.results] == ["ada", "zoe"]
    assert recorded(root, "zoe").score == 40.0
    assert result(root, "zoe").score == 40.0


@pytest.mark.extra
def test_rows_locked_for_ever_stop_the_run_with_one_line(
    new_course_on_postgres: NewCourse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import psycopg

    root = new_course_on_postgres()
    hand_in(root, "ada", notebook(root))
    grade(root)
    before = everything(root)
    monkeypatch.setattr(database, "PATIENCE_S", 2.0)
    monkeypatch.setattr(database, "ANNOUNCED_AFTER_S", 0.5)
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "returns_uniform")}))
    course = Course.find(root)
    assert course is not None
    with GradeRun(course, Request(assignment=NAME)) as going:
        address = going.directory.db_url.replace("+psycopg", "")
        with psycopg.connect(address) as other:
            other.execute("SELECT id FROM grade FOR UPDATE")
            with pytest.raises(UsageError, match="locked by another program for 2 s"):
                list(going.grade())
    assert "waiting for the gradebook at postgresql+psycopg://" in capsys.readouterr().err
    assert everything(root) == before
    grade(root)
    assert recorded(root, "ada").scores["softmax"] == 0.0
