"""Nothing that a person or an earlier run put into the gradebook is lost, on SQLite and PostgreSQL.

A TA enters grades in formgrader meanwhile, another program holds the database, the late penalty
plugin fails, submissions change. What a crash leaves is the matter of test_crashes.py.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Course
from autograder.nbgrader_plugin import database
from autograder.nbgrader_plugin.grade import GradeRun, Request
from autograder.nbgrader_plugin.gradebook import save_grades
from autograder.results import CellGrade
from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    FULL_MARKS,
    NAME,
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
from tests.nbgrader_plugin.formgrader import Formgrader, formgrader

pytestmark = pytest.mark.slow

STUDENTS = ["ada", "bob", "cyd", "dan", "eve"]
UNIFORM = "returns_uniform"


def answered(root: Path, text: str = "Otherwise softmax saturates.", **changes: str) -> Any:
    nb = notebook(root, changes)
    cell(nb, "why-scale")["source"] = text
    return nb


# -- a person in formgrader, at the same moment ----------------------------------------------------


class Assistant(threading.Thread):
    """A TA who goes from student to student and enters something for every cell, all the time."""

    def __init__(self, server: Formgrader) -> None:
        super().__init__()
        self.server = server
        self.entered: dict[tuple[str, str], tuple[float | None, float | None]] = {}
        self.said: dict[tuple[str, str], str] = {}
        self.stop = threading.Event()
        self.failed: list[BaseException] = []
        self.written = 0

    def run(self) -> None:
        try:
            for turn in itertools.count(1):
                for student, submission in sorted(self.server.submissions().items()):
                    self._visit(turn, student, submission)
                    if self.stop.is_set():
                        return
        except BaseException as error:
            self.failed.append(error)

    def _visit(self, turn: int, student: str, submission: str) -> None:
        for number, (name, found) in enumerate(self.server.grades(submission).items()):
            manual = None if name == "self_attention" else (turn + number) % 5 + 0.25
            self.server.mark(found, manual=manual, extra=turn % 3 + 0.5)
            self.entered[student, name] = (manual, turn % 3 + 0.5)
            self.written += 1
        for name, found in self.server.comments(submission).items():
            self.said[student, name] = f"Turn {turn}: see me."
            self.server.remark(found, self.said[student, name])
            self.written += 1


@pytest.mark.extra
def test_what_a_ta_enters_while_grading_goes_on_is_neither_lost_nor_in_the_way(
    course: Path,
) -> None:
    for student in STUDENTS[:-1]:
        hand_in(course, student, answered(course))
    grade(course)
    for student in STUDENTS:  # the last one is new
        softmax = mistake("softmax", UNIFORM)
        hand_in(course, student, answered(course, "Another text.", softmax=softmax))
    with formgrader(course) as server:
        assistant = Assistant(server)
        assistant.start()
        try:
            done = run(course, "autograder", "grade", NAME, "--jobs", "2")
        finally:
            assistant.stop.set()
            assistant.join(60)
        assert assistant.failed == []
        # 1 where the TA had marked a written answer by then: another text opens it again
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        assert assistant.written > 20
        shown = {s: server.grades(i) for s, i in server.submissions().items()}
    with gradebook(course) as book:
        for (student, name), entered in assistant.entered.items():
            found = book.find_grade(name, NAME, NAME, student)
            assert (found.manual_score, found.extra_credit) == entered, (student, name)
        for (student, name), said in assistant.said.items():
            assert book.find_comment(name, NAME, NAME, student).comment == said
    for student in STUDENTS:
        scores = recorded(course, student).scores
        assert scores == FULL_MARKS | {"softmax": 0.0, "why-scale": None}
        assert shown[student]["softmax"]["auto_score"] == 0.0  # formgrader shows nothing stale


def test_a_manual_score_entered_a_moment_ago_decides_what_is_flagged(course: Path) -> None:
    hand_in(course, "ada", notebook(course))
    grade(course)
    with gradebook(course) as ours, gradebook(course) as theirs:
        rows = ours.find_submission_notebook(NAME, NAME, "ada").grades
        assert {row.manual_score for row in rows} == {None}  # and the session remembers that
        found = theirs.find_grade("softmax", NAME, NAME, "ada")
        found.manual_score, found.needs_manual_grade = 3.0, False
        theirs.db.commit()
        save_grades(
            ours,
            _autograded(course),
            student="ada",
            assignment=NAME,
            notebook=NAME,
            grades={name: CellGrade(score=7.0, max_score=15.0) for name in EXERCISES},
            comments={},
        )
        assert rows  # they live until here
    with gradebook(course) as book:
        found = book.find_grade("softmax", NAME, NAME, "ada")
        assert (found.auto_score, found.manual_score) == (7.0, 3.0)
        assert found.needs_manual_grade


def _autograded(root: Path) -> Any:
    import nbformat

    return nbformat.read(autograded(root, "ada"), as_version=nbformat.NO_CONVERT)


# -- another program holds the database ------------------------------------------------------------


@contextmanager
def locked(root: Path, seconds: float | None = None) -> Iterator[None]:
    """Hold a SQLite gradebook as a writer in mid-commit does: nobody reads, nobody writes."""
    path = root / "gradebook.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        free = threading.Timer(seconds or 0, other.rollback)
        if seconds is not None:
            free.start()
        try:
            yield
        finally:
            free.cancel()
            if seconds is not None:
                free.join()
            other.rollback()


@pytest.mark.parametrize(
    "again", [False, pytest.param(True, marks=pytest.mark.extra)], ids=["first", "force"]
)
def test_a_lock_is_waited_for_and_the_wait_is_announced(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    again: bool,
) -> None:
    monkeypatch.setattr(database, "ANNOUNCED_AFTER_S", 0.3)
    for student in ("ada", "bob"):
        hand_in(root, student, notebook(root))
    with locked(root, 1.5):
        summary = grade(root, force=again)
    assert [r.score for r in summary.results] == [40.0, 40.0]
    assert summary.ungraded == []
    said = capsys.readouterr().err.splitlines()
    assert said
    assert all("gradebook.db: another program has it locked" in line for line in said)


@pytest.mark.extra
def test_a_lock_taken_between_two_students_is_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in STUDENTS[:3]:
        hand_in(root, student, notebook(root))
    course = Course.find(root)
    assert course is not None
    with GradeRun(course, Request(assignment=NAME)) as going:
        graded = going.grade()
        next(graded)
        with locked(root, 1.0):
            next(graded)
        list(graded)
    assert going.summary.ungraded == []
    assert {recorded(root, student).score for student in STUDENTS[:3]} == {40.0}


IMPATIENT = (
    "from autograder.nbgrader_plugin import database as d;"
    "d.PATIENCE_S, d.ANNOUNCED_AFTER_S = 1.0, 0.2;"
    "from autograder.cli import main; main()"
)


@pytest.mark.extra
@pytest.mark.parametrize("options", [[], ["--force"]], ids=["plain", "force"])
def test_a_lock_for_ever_is_one_line_and_keeps_every_grade(root: Path, options: list[str]) -> None:
    hand_in(root, "ada", notebook(root))
    grade(root)
    before, files = everything(root), tree(root / "autograded")
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", UNIFORM)}))
    with locked(root):
        done = subprocess.run(
            [sys.executable, "-c", IMPATIENT, "grade", NAME, "--jobs", "1", *options],
            cwd=root,
            env=variables(root),
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    *waits, last = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert "gradebook.db has been locked by another program for 1 s. Wait for that" in last
    assert "then run again; finished grades are kept." in last
    assert all("waiting for the gradebook" in line for line in waits)
    assert "Traceback" not in done.stderr
    assert everything(root) == before
    assert tree(root / "autograded") == files
    grade(root)
    assert recorded(root, "ada").scores["softmax"] == 0.0


@pytest.mark.extra
def test_a_lock_of_thirty_seconds_stops_neither_grade_nor_a_patient_autograde(root: Path) -> None:
    for student in ("ada", "bob"):
        hand_in(root, student, notebook(root))
    with locked(root, 30.0):
        done = run(root, "autograder", "grade", NAME, "--jobs", "2")
    assert done.returncode == 0, done.stderr
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert said.startswith("autograder: waiting for the gradebook at sqlite:///")
    assert {recorded(root, student).score for student in ("ada", "bob")} == {40.0}
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(
            f"c.CourseDirectory.db_url = 'sqlite:///{root / 'gradebook.db'}?timeout=120'\n"
        )
    with locked(root, 12.0):
        done = run(root, "nbgrader", "autograde", NAME, "--force")
    assert done.returncode == 0, done.stderr
    assert {recorded(root, student).score for student in ("ada", "bob")} == {40.0}


# -- regrading -------------------------------------------------------------------------------------


def enter_by_hand(root: Path) -> None:
    """Grade the written answer, another cell too, give extra credit and a comment."""
    with gradebook(root) as book:
        written = book.find_grade("why-scale", NAME, NAME, "ada")
        written.manual_score, written.needs_manual_grade = 4.0, False
        other = book.find_grade("softmax", NAME, NAME, "ada")
        other.manual_score, other.extra_credit, other.needs_manual_grade = 6.5, 1.5, False
        book.find_comment("softmax-solution", NAME, NAME, "ada").manual_comment = "Nice."
        book.find_comment("why-scale", NAME, NAME, "ada").manual_comment = "Good."
        book.db.commit()


@pytest.mark.extra
@pytest.mark.parametrize("change", ["force", "resubmitted", "damaged", "missing"])
def test_manual_scores_comments_and_extra_credit_survive(course: Path, change: str) -> None:
    hand_in(course, "ada", answered(course))
    grade(course)
    enter_by_hand(course)
    if change == "resubmitted":
        hand_in(course, "ada", answered(course, softmax=mistake("softmax", UNIFORM)))
    elif change == "damaged":
        hand_in(course, "ada", b"{")
    elif change == "missing":
        (course / "submitted" / "ada" / NAME / f"{NAME}.ipynb").unlink()
    grade(course, force=change == "force")
    with gradebook(course) as book:
        written = book.find_grade("why-scale", NAME, NAME, "ada")
        other = book.find_grade("softmax", NAME, NAME, "ada")
        assert (written.manual_score, written.score) == (4.0, 4.0)
        assert (other.manual_score, other.extra_credit, other.score) == (6.5, 1.5, 8.0)
        assert book.find_comment("softmax-solution", NAME, NAME, "ada").comment == "Nice."
        assert book.find_comment("why-scale", NAME, NAME, "ada").comment == "Good."
        expected = {"force": 10.0, "resubmitted": 0.0, "damaged": 10.0, "missing": 0.0}
        assert other.auto_score == expected[change]


@pytest.mark.extra
def test_a_second_run_changes_nothing_and_a_forced_one_gives_the_same(course: Path) -> None:
    late_policy(course, "every_hour", "return 0.1 * score")
    unscaled = mistake("self_attention_loop", "no_mask_argument")
    hand_in(course, "ada", answered(course), timestamp="2024-01-02 00:00:00 UTC")
    hand_in(course, "bob", notebook(course, {"self_attention_loop": unscaled}))
    hand_in(course, "cyd", b"{")
    (course / "submitted" / "dan" / NAME).mkdir(parents=True)
    grade(course)
    before, files = everything(course), tree(course / "autograded")
    assert before[f"ada/{NAME}/{NAME}"][1] == 4.0
    assert {before[f"dan/{NAME}/{NAME}/{name}"][0] for name in EXERCISES} == {0.0}
    assert before[f"ada/{NAME}/{NAME}/why-scale"] == (None, None, None, True)
    grade(course)
    assert everything(course) == before
    grade(course, force=True)
    assert everything(course) == before
    assert tree(course / "autograded") == files


# -- the late penalty plugin -----------------------------------------------------------------------

POLICY = """
from pathlib import Path

from nbgrader.plugins import BasePlugin


class Policy(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        print("Late:", student_id)
        if student_id == "bob" and Path(__file__).with_name("broken").exists():
            raise LookupError("no such student in my table")
        {rule}
"""


def late_policy(root: Path, module: str, rule: str) -> None:
    """A policy of the course's own, and a due date that everybody is late for."""
    (root / f"{module}.py").write_text(POLICY.format(rule=rule))
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.AssignLatePenalties.plugin_class = "{module}.Policy"\n')
    with gradebook(root) as book:
        book.update_or_create_assignment(NAME, duedate="2024-01-01 00:00:00 UTC")
        book.db.commit()


def test_a_late_policy_that_fails_for_one_student_waits_for_a_person_and_stops_nobody(
    course: Path,
) -> None:
    late_policy(course, f"fails_{course.parent.name}", "return 2.0")
    for student in ("ada", "bob", "cyd"):
        hand_in(course, student, notebook(course), timestamp="2024-01-02 00:00:00 UTC")
    (course / "broken").touch()
    done = run(course, "autograder", "grade", NAME, "--jobs", "1", "--json")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    (item,) = json.loads(done.stdout)["ungraded"]
    assert item["student"] == "bob"
    assert "the late penalty plugin failed (LookupError: no such student" in item["reason"]
    penalties = {s: recorded(course, s).penalty for s in ("ada", "bob", "cyd")}
    assert penalties == {"ada": 2.0, "bob": None, "cyd": 2.0}
    assert recorded(course, "bob").scores == FULL_MARKS | {"why-scale": 0.0}
    assert autograded(course, "bob").is_file()

    assert [item.student for item in grade(course).ungraded] == ["bob"]  # it does not pass unseen
    (course / "broken").unlink()
    assert not grade(course).needs_person
    assert recorded(course, "bob").penalty == 2.0


@pytest.mark.extra
def test_under_nbgraders_own_command_too_a_late_policy_that_fails_loses_nothing(
    course: Path,
) -> None:
    late_policy(course, f"stock_{course.parent.name}", "return 2.0")
    for student in ("bob", "cyd"):
        hand_in(course, student, notebook(course), timestamp="2024-01-02 00:00:00 UTC")
    grade(course)
    before = {student: recorded(course, student) for student in ("bob", "cyd")}
    assert {one.penalty for one in before.values()} == {2.0}
    (course / "broken").touch()
    done = run(course, "nbgrader", "autograde", NAME, "--force")
    assert done.returncode != 0
    assert "bob: the late penalty plugin failed (LookupError: no such student" in done.stderr
    assert {student: recorded(course, student) for student in ("bob", "cyd")} == before
    assert autograded(course, "bob").is_file()
    (course / "broken").unlink()
    assert run(course, "nbgrader", "autograde", NAME, "--force").returncode == 0


@pytest.mark.extra
def test_an_earlier_penalty_stays_while_the_policy_fails(course: Path) -> None:
    late_policy(course, f"stays_{course.parent.name}", "return 3.0")
    hand_in(course, "bob", notebook(course), timestamp="2024-01-02 00:00:00 UTC")
    grade(course)
    (course / "broken").touch()
    assert grade(course, force=True).needs_person
    assert recorded(course, "bob").penalty == 3.0
    hand_in(course, "bob", notebook(course), timestamp="2023-12-31 00:00:00 UTC")
    assert not grade(course).needs_person  # on time: there is nothing to ask the policy
    assert recorded(course, "bob").penalty is None
