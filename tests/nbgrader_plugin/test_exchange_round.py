"""The whole round through nbgrader's exchange: out to the students, back, graded, and home."""

from __future__ import annotations

import csv
import json
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import (
    ExchangeFetchAssignment,
    ExchangeFetchFeedback,
    ExchangeSubmit,
)
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.nbgrader_plugin.submission_files import read_secret
from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    NAME,
    cell,
    grade,
    gradebook,
    mistake,
    nbgrader_api,
    notebook,
    recorded,
    run,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.nbgrader_plugin.pages import text_of

pytestmark = pytest.mark.slow

MOODLE = (
    r".*/(?P<student_id>[^/_]+)_(?P<number>[0-9]+)_assignsubmission_file_?/?(?P<file_id>.*\.ipynb)"
)
"""How Moodle names what students uploaded: by their full names, with blanks."""


@dataclass(frozen=True)
class Round:
    """A course and its students' homes, which share nothing but the exchange."""

    course: Path
    exchange: Path
    homes: Path

    @classmethod
    def new(cls, course: Path) -> Round:
        """Set up an exchange beside a course."""
        found = cls(course, course.parent / "exchange", course.parent / "homes")
        found.exchange.mkdir()
        found.exchange.chmod(0o777)
        with (course / "nbgrader_config.py").open("a") as config:
            config.write(f"c.Exchange.root = {str(found.exchange)!r}\n")
            config.write(f"c.FileNameCollectorPlugin.named_regexp = {MOODLE!r}\n")
        return found

    def home(self, student: str) -> Path:
        """A student's own folder, where nbgrader knows the exchange and nothing of the course."""
        home = self.homes / student
        if not home.exists():
            home.mkdir(parents=True)
            lines = [f"c.{key} = {value!r}" for key, value in self.settings(student).items()]
            (home / "nbgrader_config.py").write_text("\n".join(["c = get_config()", *lines, ""]))
        return home

    def settings(self, student: str) -> Mapping[str, str]:
        """What a student's nbgrader is told."""
        return {
            "CourseDirectory.course_id": "attention",
            "CourseDirectory.student_id": student,
            "Exchange.root": str(self.exchange),
            "Exchange.cache": str(self.homes / student / "cache"),
        }

    def work(self, student: str) -> Path:
        """The notebook that a student fetched."""
        return self.home(student) / NAME / f"{NAME}.ipynb"

    def solve(self, student: str, changes: Mapping[str, str] | None = None) -> None:
        """Fill the fetched notebook with answers."""
        path = self.work(student)
        path.chmod(0o644)
        nb = notebook(self.course, changes)
        cell(nb, "why-scale")["source"] = "The variance of a score grows with $d_k$."
        path.write_text(json.dumps(nb))

    def teacher(self, *command: str) -> str:
        """Run a command of nbgrader's or ours in the course; it has to succeed."""
        return said_by(self.course, *command)

    def student(self, student: str, *command: str) -> str:
        """Run a command of nbgrader's in a student's home; it has to succeed."""
        return said_by(self.home(student), *command)

    def feedback(self, student: str) -> str:
        """The one feedback page that a student fetched."""
        (page,) = (self.home(student) / NAME / "feedback").rglob("*.html")
        return page.read_text()


def said_by(folder: Path, *command: str) -> str:
    done = run(folder, *command)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


def late(course: Path, student: str) -> bool:
    with gradebook(course) as book:
        return bool(book.find_submission(NAME, student).total_seconds_late > 0)


# -- without starting a process for each step ------------------------------------------------------


def exchange(step: type[Any], round_: Round, student: str) -> None:
    """A step of a student's in this process."""
    config = Config()
    for key, value in round_.settings(student).items():
        section, name = key.split(".")
        config[section][name] = value
    config.CourseDirectory.root = str(round_.home(student))
    config.CourseDirectory.assignment_id = NAME
    config.Exchange.assignment_dir = str(round_.home(student))
    step(
        coursedir=CourseDirectory(config=config),
        authenticator=Authenticator(config=config),
        config=config,
    ).start()


# nbgrader 0.9.6 misspells an argument and leaves a file open where it releases feedback
@pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in.*FileIO")
def test_a_notebook_goes_out_comes_back_and_its_feedback_gets_home(
    new_course: NewCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = Round.new(new_course())
    monkeypatch.chdir(round_.home("ada"))
    api = nbgrader_api(round_.course)
    assert api.release_assignment(NAME)["success"]
    exchange(ExchangeFetchAssignment, round_, "ada")
    round_.solve("ada", {"softmax": mistake("softmax", "no_max_shift")})
    exchange(ExchangeSubmit, round_, "ada")
    assert api.collect(NAME)["success"]
    grade(round_.course)
    assert recorded(round_.course, "ada").scores["softmax"] == 7.0
    for done in (api.generate_feedback(NAME, "ada"), api.release_feedback(NAME, "ada")):
        assert done["success"], done
    exchange(ExchangeFetchFeedback, round_, "ada")
    text = text_of(round_.feedback("ada"))
    assert "softmax   7/10" in text
    assert "HIDDEN TESTS" not in text


def test_only_a_secret_of_the_exchange_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "submission_secret.txt"
    assert read_secret(tmp_path) is None
    path.write_text("5d41402abc4b2a76b9719d911017c592")
    assert read_secret(tmp_path) == b"5d41402abc4b2a76b9719d911017c592"
    for odd in ("", "../../x", "a" * 201, "<script>"):
        path.write_text(odd)
        assert read_secret(tmp_path) is None
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert read_secret(tmp_path) is None


# -- with the commands that people type ------------------------------------------------------------


@pytest.fixture(scope="module")
def walked(new_course: NewCourse, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The round up to and with the grading, with two ways of handing in and two of grading."""
    round_ = Round.new(new_course())
    round_.teacher("nbgrader", "generate_assignment", NAME, "--force")
    due = ["--duedate", "2026-01-01 00:00 UTC"]
    round_.teacher("nbgrader", "db", "assignment", "add", NAME, *due)
    round_.teacher("nbgrader", "release_assignment", NAME)

    assert NAME in round_.student("ada", "nbgrader", "list")
    for student in ("ada", "eve"):
        round_.student(student, "nbgrader", "fetch_assignment", NAME)
    round_.solve("ada", {"softmax": mistake("softmax", "no_max_shift")})
    round_.solve("eve")
    round_.student("eve", "nbgrader", "validate", f"{NAME}/{NAME}.ipynb")
    for student in ("ada", "eve"):
        round_.student(student, "nbgrader", "submit", NAME)
    assert "ada" in round_.teacher("nbgrader", "list", "--inbound")
    round_.teacher("nbgrader", "collect", NAME)
    _upload_to_moodle(round_)
    round_.teacher("nbgrader", "zip_collect", NAME)

    round_.teacher("nbgrader", "autograde", NAME, "--student", "eve")
    round_.teacher("autograder", "grade", NAME)
    return round_


def _upload_to_moodle(round_: Round) -> None:
    """What Moodle gives for download: one archive for all who handed in there."""
    folder = round_.course / "downloaded" / NAME / "archive"
    folder.mkdir(parents=True)
    wrong = {"causal_mask": "def causal_mask(n):\n    return np.ones((n, n), bool)"}
    with zipfile.ZipFile(folder / "attention-self attention-1234.zip", "w") as archive:
        for number, (student, changes) in enumerate({"Ben van Dam": {}, "Zoë Ü": wrong}.items()):
            data = json.dumps(notebook(round_.course, changes))
            archive.writestr(f"{student}_{number}_assignsubmission_file_/{NAME}.ipynb", data)


@pytest.mark.extra
def test_validate_tells_stubs_from_right_answers(walked: Round) -> None:
    walked.student("nia", "nbgrader", "fetch_assignment", NAME)
    stubs = walked.student("nia", "nbgrader", "validate", f"{NAME}/{NAME}.ipynb")
    assert "VALIDATION FAILED" in stubs
    assert "NotImplementedError" in stubs
    right = walked.student("eve", "nbgrader", "validate", f"{NAME}/{NAME}.ipynb")
    assert "Success! Your notebook passes all the tests." in right


@pytest.mark.extra
def test_every_way_of_handing_in_is_graded(walked: Round) -> None:
    found = {student.name for student in (walked.course / "submitted").iterdir()}
    assert found == {"ada", "eve", "Ben van Dam", "Zoë Ü"}
    scores = {student: recorded(walked.course, student).scores for student in found}
    assert {name: scores["ada"][name] for name in EXERCISES} == {
        "softmax": 7.0,
        "self_attention_loop": 10.0,
        "self_attention": 15.0,
        "causal_mask": 5.0,
    }
    assert sum(filter(None, scores["eve"].values())) == 40.0
    assert sum(filter(None, scores["Ben van Dam"].values())) == 40.0
    assert scores["Zoë Ü"]["causal_mask"] == 0.0
    comment = recorded(walked.course, "ada").comments["softmax-solution"]
    assert comment is not None
    assert "softmax   7/10" in comment


@pytest.mark.extra
def test_what_came_after_the_due_date_is_late(walked: Round) -> None:
    assert late(walked.course, "ada")
    assert late(walked.course, "eve")
    assert not late(walked.course, "Ben van Dam")  # Moodle's archive tells no time


@pytest.mark.extra
def test_grades_by_hand_feedback_and_export_complete_the_round(walked: Round) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        with gradebook(walked.course) as book:
            question = book.find_grade("why-scale", NAME, NAME, "ada")
            question.manual_score, question.needs_manual_grade = 4.0, False
            book.find_comment("why-scale", NAME, NAME, "ada").manual_comment = "And the gradient?"
            book.db.commit()
    walked.teacher("autograder", "grade", NAME, "--force")
    assert recorded(walked.course, "ada").score == 41.0

    walked.teacher("nbgrader", "generate_feedback", NAME)
    for student in ("ada", "eve"):  # nbgrader has no way home for what came through Moodle
        walked.teacher("nbgrader", "release_feedback", NAME, "--student", student)
    walked.student("ada", "nbgrader", "fetch_feedback", NAME)
    text = text_of(walked.feedback("ada"))
    assert f"{NAME} (Score: 41.0 / 45.0)" in text
    assert "And the gradient?" in text
    assert "softmax   7/10" in text
    assert "eve" not in text.split()

    walked.teacher("nbgrader", "export", "--to", "grades.csv")
    with (walked.course / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {student: float(rows[student]["score"]) for student in rows} == {
        "ada": 41.0,
        "eve": 40.0,
        "Ben van Dam": 40.0,
        "Zoë Ü": 35.0,
    }
    assert rows["ada"]["max_score"] == "45.0"
    assert rows["ada"]["timestamp"] > rows["ada"]["duedate"]
