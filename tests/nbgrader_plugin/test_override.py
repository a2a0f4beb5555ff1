"""Scores by hand from the command line: within bounds, with a reason, into book and history."""

from __future__ import annotations

import json
import sqlite3
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console
from sqlalchemy.exc import SAWarning

from autograder import cli
from autograder.course import Course
from autograder.nbgrader_plugin import database
from autograder.nbgrader_plugin.history import user
from autograder.nbgrader_plugin.override import history_of
from autograder.nbgrader_plugin.trail import ANOTHER_PROGRAM
from autograder.reporting.history import Change, Differing, How, Reopened, What, print_marks
from tests.nbgrader_plugin.classroom import (
    NAME,
    add_first,
    grade,
    gradebook,
    hand_in,
    mistake,
    notebook,
    recorded,
    run,
)


class Run(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line of a refusal."""
        assert (self.status, self.out) == (2, "")
        (line,) = self.err.splitlines()
        return line.removeprefix("autograder: ")


Command = Callable[..., Run]


@pytest.fixture
def command(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run a command line of ours in the course, in this process."""

    def run(*words: str) -> Run:
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["autograder", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return Run(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def book(root: Path) -> Path:
    """A course whose gradebook holds a submission of ada's, with automatic scores."""
    with gradebook(root) as found:
        found.update_or_create_student("ada")
        found.update_or_create_student("bob")
        with warnings.catch_warnings():  # on the order in which nbgrader builds a submission's rows
            warnings.simplefilter("ignore", SAWarning)
            submission = found.update_or_create_submission(NAME, "ada")
        for row in submission.notebooks[0].grades:
            row.auto_score, row.needs_manual_grade = None, True
            if row.cell_type == "code":
                row.auto_score, row.needs_manual_grade = 2.0, False
        found.db.commit()
    return root


def row(root: Path, name: str = "causal_mask") -> Any:
    with gradebook(root) as found:
        grade = found.find_grade(name, NAME, NAME, "ada")
        return (grade.manual_score, grade.auto_score, grade.needs_manual_grade, grade.score)


def changes_of(root: Path, student: str = "ada") -> list[Change]:
    course = Course.find(root)
    assert course is not None
    return list(history_of(course, student, NAME).changes)


WHY = ("--reason", "The idea is right.")


@pytest.mark.usefixtures("book")
def test_an_override_stands_in_the_gradebook_and_in_the_history(
    root: Path, command: Command
) -> None:
    done = command("override", "ada", NAME, "causal_mask", "4.5", *WHY)
    assert done.status == 0
    assert done.out == (
        f"ada, {NAME}, causal_mask: 4.5/5 by hand (by hand before: none; automatic: 2).\n"
    )
    assert row(root) == (4.5, 2.0, False, 4.5)
    change = changes_of(root)[-1]
    assert (change.who, change.how, change.what) == (user(), How.OVERRIDE, What.MANUAL)
    assert (change.cell, change.old, change.new) == ("causal_mask", None, 4.5)
    assert change.reason == "The idea is right."
    assert set(change.versions) == {"autograder", "numpy"}


@pytest.mark.extra
def test_override_and_history_work_on_each_kind_of_database(course: Path) -> None:
    hand_in(course, "ada", notebook(course, {"causal_mask": "def causal_mask(n): return 0"}))
    grade(course)
    for score in ("4.5", "3"):
        done = run(course, "autograder", "override", "ada", NAME, "causal_mask", score, *WHY)
        assert done.returncode == 0, done.stderr
    with gradebook(course) as book:  # as formgrader does
        found = book.find_grade("softmax", NAME, NAME, "ada")
        found.manual_score = 7.0
        book.db.commit()
    shown = run(course, "autograder", "history", "ada", NAME, "--json")
    assert shown.returncode == 0, shown.stderr
    manual = [c for c in json.loads(shown.stdout)["changes"] if c["what"] == "manual"]
    assert [(c["cell"], c["old"], c["new"], c["how"]) for c in manual] == [
        ("causal_mask", None, 4.5, "override"),
        ("causal_mask", 4.5, 3.0, "override"),
        ("softmax", None, 7.0, "found"),
    ]


@pytest.mark.usefixtures("book")
def test_a_written_question_can_be_scored_and_is_then_no_longer_open(
    root: Path, command: Command
) -> None:
    assert row(root, "why-scale")[2]
    assert command("override", "ada", NAME, "why-scale", "4", *WHY).status == 0
    assert row(root, "why-scale") == (4.0, None, False, 4.0)


@pytest.mark.usefixtures("book")
def test_auto_takes_an_override_back_and_only_an_override(root: Path, command: Command) -> None:
    refused = command("override", "ada", NAME, "causal_mask", "auto", *WHY)
    assert refused.complaint == "'ada' has no score by hand for 'causal_mask'."
    command("override", "ada", NAME, "causal_mask", "5", *WHY)
    done = command("override", "ada", NAME, "causal_mask", "auto", "--reason", "Wrong student.")
    assert "the automatic score counts again, 2/5" in done.out
    assert row(root) == (None, 2.0, False, 2.0)
    assert [(c.old, c.new) for c in changes_of(root)[-2:]] == [(None, 5.0), (5.0, None)]


@pytest.mark.usefixtures("book")
def test_extra_credit_stays_and_is_said(root: Path, command: Command) -> None:
    with gradebook(root) as found:
        found.find_grade("causal_mask", NAME, NAME, "ada").extra_credit = 1.0
        found.db.commit()
    done = command("override", "ada", NAME, "causal_mask", "5", *WHY)
    assert done.out.endswith("Extra credit of 1 stays, so it counts 6.\n")
    assert row(root)[3] == 6.0


@pytest.mark.usefixtures("book")
def test_a_late_penalty_stays_and_is_said(root: Path, command: Command) -> None:
    with gradebook(root) as found:
        submitted = found.find_submission_notebook(NAME, NAME, "ada")
        submitted.late_submission_penalty = 1.5
        found.db.commit()
    done = command("override", "ada", NAME, "causal_mask", "5", *WHY)
    assert "The late penalty of 1.5 is that of the score before." in done.out


@pytest.mark.usefixtures("book")
def test_json_is_the_row_as_it_is_now(command: Command) -> None:
    done = command("override", "ada", NAME, "causal_mask", "3", *WHY, "--json")
    found = json.loads(done.out)
    assert (found["manual"], found["automatic"], found["score"]) == (3.0, 2.0, 3.0)
    history = json.loads(command("history", "ada", NAME, "--json").out)
    assert (history["format_version"], history["damaged"]) == (1, 0)
    assert history["changes"][-1]["reason"] == WHY[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("zoe", NAME, "causal_mask", "1"), "There is no student 'zoe' in the gradebook."),
        (("bob", NAME, "causal_mask", "1"), "'bob' has no submission of 'self_attention'"),
        (("ada", "essay", "causal_mask", "1"), "There is no assignment 'essay' in the gradebook."),
        (("ada", NAME, "mask", "1"), "'self_attention' scores no cell 'mask'. It scores: causal_"),
        (("ada", NAME, "causal_mask", "much"), "'much' is no score. Write a number of points"),
        (("ada", NAME, "causal_mask", "4,5"), "'4,5' is no score."),
        (("ada", NAME, "causal_mask", "nan"), "'nan' is no score."),
        (("ada", NAME, "causal_mask", "1e999"), "'1e999' is no score."),
        (("ada", NAME, "causal_mask", "5.01"), "'causal_mask' is worth 0 to 5 points, so 5.01"),
        (("ada", NAME, "causal_mask", "-1"), "'causal_mask' is worth 0 to 5 points, so -1"),
        (("ada", NAME, "causal_mask"), "Missing argument 'SCORE'"),
    ],
)
@pytest.mark.usefixtures("book")
def test_wrong_use_is_one_line_and_writes_nothing(
    root: Path, command: Command, words: tuple[str, ...], complaint: str
) -> None:
    before = (root / "gradebook.db").read_bytes()
    assert command("override", *words, *WHY).complaint.startswith(complaint)
    assert (root / "gradebook.db").read_bytes() == before
    assert not (root / ".autograder" / "history").exists()


@pytest.mark.parametrize("score", ["-0.5", "-1"])
@pytest.mark.usefixtures("book")
def test_a_negative_score_after_two_dashes_is_out_of_bounds(command: Command, score: str) -> None:
    done = command("override", *WHY, "--", "ada", NAME, "causal_mask", score)
    assert "is worth 0 to 5 points" in done.complaint


@pytest.mark.parametrize("reason", ["", "  \t ", "\x1b[2J\u202e"])
@pytest.mark.usefixtures("book")
def test_an_empty_reason_is_none(command: Command, reason: str) -> None:
    done = command("override", "ada", NAME, "causal_mask", "1", "--reason", reason)
    assert "needs a reason" in done.complaint


@pytest.mark.usefixtures("book")
def test_a_reason_is_asked_for(command: Command) -> None:
    assert "Missing option '--reason'" in command("override", "ada", NAME, "softmax", "1").complaint


@pytest.mark.usefixtures("book")
def test_a_reason_cannot_paint_the_terminal_or_break_the_log(root: Path, command: Command) -> None:
    hostile = "\x1b[31mred\x1b[0m [bold]not bold[/bold]\nsecond line"
    command("override", "ada", NAME, "causal_mask", "1", "--reason", hostile)
    assert changes_of(root)[-1].reason == "red [bold]not bold[/bold] second line"
    shown = command("history", "ada", NAME).out
    assert "\x1b" not in shown
    assert "[bold]" in shown


@pytest.mark.usefixtures("book")
def test_an_override_over_formgraders_score_logs_both(root: Path, command: Command) -> None:
    with gradebook(root) as found:
        found.find_grade("causal_mask", NAME, NAME, "ada").manual_score = 1.0
        found.db.commit()
    command("override", "ada", NAME, "causal_mask", "3", *WHY)
    manual = [c for c in changes_of(root) if c.what is What.MANUAL]
    assert [(c.old, c.new) for c in manual] == [(None, 1.0), (1.0, 3.0)]


@pytest.mark.usefixtures("book")
def test_an_override_that_never_reached_the_gradebook_is_told_by_the_next_run(
    root: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("history", "ada", NAME)
    monkeypatch.setattr(database, "PATIENCE_S", 0.2)
    with closing(sqlite3.connect(root / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # others may read, nobody may write
        done = command("override", "ada", NAME, "causal_mask", "4", *WHY)
        assert "has been locked by another program" in done.complaint
    assert row(root)[0] is None
    intended, undone = changes_of(root)[-2:]
    assert (intended.how, intended.new, intended.reason) == (How.OVERRIDE, 4.0, WHY[1])
    assert (undone.how, undone.old, undone.new) == (How.FOUND, 4.0, None)
    assert undone.reason == "The override before never reached the gradebook, or was taken back."
    assert undone.who == ANOTHER_PROGRAM


@pytest.mark.usefixtures("book")
def test_without_a_log_that_can_be_written_nothing_is_overridden(
    root: Path, command: Command
) -> None:
    (root / ".autograder").mkdir(exist_ok=True)
    (root / ".autograder" / "history").write_text("in the way")
    assert "can't be opened" in command("override", "ada", NAME, "causal_mask", "4", *WHY).complaint
    assert row(root)[0] is None


@pytest.mark.usefixtures("book")
def test_an_existing_gradebook_is_copied_before_its_first_override(
    root: Path, command: Command
) -> None:
    done = command("override", "ada", NAME, "causal_mask", "4", *WHY)
    (copy,) = (root / ".autograder" / "backups").iterdir()
    assert str(copy) in done.err
    with closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("SELECT max(manual_score) FROM grade").fetchone() == (None,)
    command("override", "ada", NAME, "causal_mask", "3", *WHY)
    assert len(list((root / ".autograder" / "backups").iterdir())) == 1


def test_a_regrade_lists_overrides_that_are_not_the_automatic_score(
    root: Path, command: Command
) -> None:
    hand_in(root, "ada", notebook(root, {"causal_mask": mistake("causal_mask", "returns_zeros")}))
    grade(root)
    assert command("override", "ada", NAME, "causal_mask", "4", *WHY).status == 0
    assert command("override", "ada", NAME, "softmax", "10", *WHY).status == 0
    hand_in(root, "ada", add_first(notebook(root), "seen = 1"))
    (differing,) = grade(root).overrides
    assert differing == Differing(
        student="ada", cell="causal_mask", manual=4.0, automatic=5.0, before=0.0
    )
    assert recorded(root, "ada").score == 39.0
    assert "causal_mask" in recorded(root, "ada").flagged


def test_what_a_run_says_of_peoples_scores() -> None:
    out = Console(file=StringIO(), width=200)
    print_marks(
        out,
        [Reopened(student="ada", cell="why-scale", manual=4, max_score=5)],
        [Differing(student="eve", cell="softmax", manual=4, automatic=10, before=2.5)],
    )
    assert isinstance(out.file, StringIO)
    shown = out.file.getvalue()
    assert "1 written answer changed after being graded by hand:" in shown
    assert "1 override differs from the automatic score:" in shown
    assert "eve, softmax: 4 by hand counts, automatically it is 10 (it was 2.5)." in shown
    assert "ada, why-scale: the answer changed; its mark of 4/5 was given for another text" in shown
