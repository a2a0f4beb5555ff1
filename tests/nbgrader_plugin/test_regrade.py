"""`autograder grade --exercise`: one exercise graded again, every other cell as it was."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from autograder.cli import app
from autograder.course import Course, UsageError
from autograder.nbgrader_plugin import exercise_writer
from autograder.nbgrader_plugin.grade import Request, Summary
from autograder.nbgrader_plugin.regrade import RegradeRun
from autograder.nbgrader_plugin.trail import Trail
from autograder.results import Status, to_json
from tests.nbgrader_plugin.changed_laws import change_weights
from tests.nbgrader_plugin.classroom import (
    NAME,
    add_first,
    autograded,
    everything,
    grade,
    grade_id_of,
    gradebook,
    hand_in,
    notebook,
    outputs,
    recorded,
    result,
    tree,
)
from tests.nbgrader_plugin.conftest import NewCourse

pytestmark = pytest.mark.slow

NOISE = (".autograder/lock", ".autograder/history/", ".autograder/first-use")
"""Files that any run may touch."""


@pytest.fixture
def root(graded_three: Path, tmp_path: Path) -> Path:
    """A copy of a class of three that was graded before the weights of softmax changed."""
    shutil.copytree(graded_three, tmp_path / "course")
    return tmp_path / "course"


def regrade(root: Path, *exercises: str, **request: Any) -> Summary:
    """`autograder grade --exercise` in this process."""
    course = Course.find(root)
    assert course is not None
    asked_for = Request(assignment=NAME, exercises=exercises or ("softmax",), **request)
    with RegradeRun(course, asked_for) as run:
        list(run.grade())
    return run.summary


def changes(summary: Summary) -> list[tuple[str, str, float | None, float | None]]:
    return [(c.student, c.exercise, c.old, c.new) for c in summary.changes or ()]


def left(summary: Summary) -> dict[str, str]:
    return {item.student: item.reason for item in summary.ungraded}


def files(root: Path) -> dict[str, bytes]:
    """Every file but those that any run may touch."""
    return {name: data for name, data in tree(root).items() if not name.startswith(NOISE)}


def cells(path: Path) -> dict[str, Any]:
    """The cells of a notebook by grade_id, or by number."""
    found = json.loads(path.read_text())["cells"]
    return {grade_id_of(cell) or str(number): cell for number, cell in enumerate(found)}


BOB, EVE = ("bob", "softmax", 9.5, 9.0), ("eve", "softmax", 7.0, 7.5)


def invoke(folder: Path, *arguments: str) -> Result:
    """`autograder grade` in a folder, in this process."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(app, ["grade", NAME, *arguments, "--jobs", "1"])
    finally:
        os.chdir(before)


# -- what is written -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Regraded:
    """A class as it was, the command that graded softmax again, and the same command once more."""

    before: Path
    root: Path
    first: Result
    written: dict[str, bytes]
    second: Result


@pytest.fixture(scope="module")
def regraded(graded_three: Path, tmp_path_factory: pytest.TempPathFactory) -> Regraded:
    """One class graded again with other weights; read only."""
    before, root = tmp_path_factory.mktemp("before") / "c", tmp_path_factory.mktemp("after") / "c"
    shutil.copytree(graded_three, before)
    hand_in(before, "new", notebook(before))
    with gradebook(before) as book:
        book.find_grade("causal_mask", NAME, NAME, "bob").needs_manual_grade = True
        book.find_grade("why-scale", NAME, NAME, "bob").manual_score = 3.0
        book.find_comment("causal_mask-solution", NAME, NAME, "bob").manual_comment = "Well done."
        # a score of another program, which an ordinary run would write over
        book.find_grade("self_attention", NAME, NAME, "bob").auto_score = 1.5
        book.find_grade("softmax", NAME, NAME, "eve").manual_score = 8.0
        given = book.find_grade("softmax", NAME, NAME, "ada")
        given.manual_score, given.needs_manual_grade = 8.0, False
        book.db.commit()
    shutil.copytree(before, root)
    with pytest.MonkeyPatch.context() as patch:
        change_weights(patch)
        first = invoke(root, "--exercise", "softmax")
        written = files(root)
        second = invoke(root, "--exercise", "softmax", "--json")
    return Regraded(before, root, first, written, second)


def test_scores_reports_and_results_of_the_exercise_follow_its_laws(regraded: Regraded) -> None:
    for name, score in {"ada": 10.0, "bob": 9.0, "eve": 7.5}.items():
        assert recorded(regraded.root, name).scores["softmax"] == score
        assert outputs(regraded.root, name, "softmax").startswith(f"softmax   {score:g}/10\n")
        old, now = result(regraded.before, name), result(regraded.root, name)
        assert now.exercises[0].score == score
        assert now.score == old.score - old.exercises[0].score + score
        assert now.exercises[1:] == old.exercises[1:]
        assert (now.timing, now.basis, now.notes) == (old.timing, old.basis, old.notes)
        assert now.regraded["softmax"].basis.exercises.keys() == {"softmax"}
    comment = recorded(regraded.root, "bob").comments["softmax-solution"] or ""
    assert comment.startswith("softmax   9/10")


def test_every_other_cell_stays_as_it_was(regraded: Regraded) -> None:
    rows, now = everything(regraded.before), everything(regraded.root)
    touched = {key.replace(f"/{NAME}/{NAME}/", " ") for key in now if now[key] != rows[key]}
    cells_of_softmax = ("softmax", "softmax-solution comment")
    assert touched == {f"{name} {what}" for name in ("bob", "eve") for what in cells_of_softmax}
    for name in ("ada", "bob", "eve"):
        path = autograded(regraded.root, name)
        old, new = cells(autograded(regraded.before, name)), cells(path)
        assert {key for key in old if new[key] != old[key]} <= {"softmax"}
        assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_a_manual_score_stays_and_is_flagged_over_another_automatic_one(
    regraded: Regraded,
) -> None:
    with gradebook(regraded.root) as book:
        hidden = book.find_grade("softmax", NAME, NAME, "eve")
        assert (hidden.auto_score, hidden.manual_score) == (7.5, 8.0)
        assert hidden.needs_manual_grade
        assert not book.find_grade("softmax", NAME, NAME, "ada").needs_manual_grade


def test_the_command_prints_what_changed_what_was_left_and_where_the_list_is(
    regraded: Regraded,
) -> None:
    assert regraded.first.exit_code == 1
    printed = regraded.first.stdout
    rows = [line for line in printed.splitlines() if line.startswith("│")]
    assert [row.split("│")[1].strip() for row in rows] == ["bob", "eve"]
    assert "down 0.5" in rows[0]
    assert "up 0.5; hidden by the manual score 8" in rows[1]
    assert "3 scores: 1 up, 1 down, 1 same." in printed
    assert "1 left as it was:\n  new: it was not graded before" in printed
    (path,) = (regraded.root / ".autograder" / "regrades").iterdir()
    assert str(path) in printed


def test_the_list_of_changes_is_a_file_for_its_owner_alone(regraded: Regraded) -> None:
    (path,) = (regraded.root / ".autograder" / "regrades").iterdir()
    assert path.name.endswith(f"Z-{NAME}-softmax.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_text())
    assert kept["exercises"] == ["softmax"]
    assert kept["raise_only"] is False
    assert kept["changes"] == [
        {"student": "bob", "exercise": "softmax", "old": 9.5, "new": 9.0, "manual": None},
        {"student": "eve", "exercise": "softmax", "old": 7.0, "new": 7.5, "manual": 8.0},
    ]


def test_the_gradebook_is_backed_up_before_the_first_change_and_only_then(
    regraded: Regraded,
) -> None:
    (copy,) = (regraded.root / ".autograder" / "backups").glob("gradebook-2*.db")
    with closing(sqlite3.connect(copy)) as kept:
        scores = kept.execute("SELECT auto_score FROM grade").fetchall()
    assert {(7.0,), (9.5,)} <= set(scores)
    assert not {(7.5,), (9.0,)} & set(scores)


def test_a_second_run_changes_nothing_and_prints_results_as_they_stand(
    regraded: Regraded,
) -> None:
    assert files(regraded.root) == regraded.written
    printed = json.loads(regraded.second.stdout)
    assert printed["changes"] == []
    assert [one["score"] for one in printed["results"]] == [40.0, 39.0, 37.5]
    assert [item["student"] for item in printed["ungraded"]] == ["new"]


def test_raise_only_writes_what_goes_up_and_says_what_it_withholds(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = result(root, "bob"), autograded(root, "bob").read_bytes(), recorded(root, "bob")
    change_weights(monkeypatch)
    done = invoke(
        root, "--exercise", "softmax", "--raise-only", "--student", "bob", "--student", "eve"
    )
    assert done.exit_code == 0
    assert "2 scores: 1 up, 0 down, 1 same." in done.stdout
    assert "1 would go down and stay as they are (--raise-only)." in done.stdout
    assert recorded(root, "eve").scores["softmax"] == 7.5
    assert (result(root, "bob"), autograded(root, "bob").read_bytes(), recorded(root, "bob")) == bob


@pytest.mark.extra
def test_a_dry_run_lists_the_changes_and_writes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    before = tree(root)
    assert changes(regrade(root, dry_run=True)) == [BOB, EVE]
    assert tree(root) == before


@pytest.mark.extra
def test_several_exercises_are_graded_again_together(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    assert changes(regrade(root, "softmax", "causal_mask", students=["eve"])) == [EVE]
    assert result(root, "eve").exercises[3].score == 5.0
    assert recorded(root, "bob").scores["softmax"] == 9.5


@pytest.mark.extra
def test_the_late_penalty_is_applied_to_the_new_score(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "half_off.py").write_text(
        "from nbgrader.plugins import BasePlugin\n\n\nclass HalfOff(BasePlugin):\n"
        "    def late_submission_penalty(self, student_id, score, total_seconds_late):\n"
        "        return score / 2\n"
    )
    with (root / "nbgrader_config.py").open("a") as config:
        config.write('c.AssignLatePenalties.plugin_class = "half_off.HalfOff"\n')
    with gradebook(root) as book:
        book.update_or_create_assignment(NAME, duedate="2024-01-01 00:00:00 UTC")
        book.find_submission(NAME, "eve").timestamp = book.find_assignment(NAME).duedate.replace(
            year=2025
        )
        book.db.commit()
    change_weights(monkeypatch)
    regrade(root)
    assert recorded(root, "eve").penalty == (recorded(root, "eve").score) / 2 == 18.75
    assert recorded(root, "bob").penalty is None


# -- what is left alone ----------------------------------------------------------------------------


def test_what_was_not_graded_before_or_changed_since_is_left_and_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(root, "new", notebook(root))
    hand_in(root, "bob", add_first(notebook(root), "# handed in again"))
    autograded(root, "ada").unlink()
    before = files(root)
    change_weights(monkeypatch)
    summary = regrade(root, students=["ada", "bob", "new"])
    assert left(summary)["new"].startswith("it was not graded before")
    assert left(summary)["bob"].startswith("it is another submission than the one that was graded")
    assert left(summary)["ada"].startswith("its autograded notebook or its grades are gone")
    assert summary.needs_person
    assert files(root) == before


def test_a_result_whose_seed_is_lost_is_left(root: Path) -> None:
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.PropertyGrader.seed = 7\n", ""))
    summary = regrade(root, students=["eve"])
    assert "the seed of its cases is lost" in left(summary)["eve"]
    assert changes(summary) == []


@pytest.mark.extra
def test_a_lost_seed_can_be_given(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.PropertyGrader.seed = 7\n", ""))
    change_weights(monkeypatch)
    course = Course.find(root)
    assert course is not None
    asked_for = Request(assignment=NAME, exercises=["softmax"], students=["eve"])
    with RegradeRun(course.with_settings(seed=7, sandbox=None), asked_for) as run:
        list(run.grade())
    assert changes(run.summary) == [EVE]


@pytest.mark.extra
def test_a_fault_of_ours_leaves_the_grade_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.grading import checker

    def broken(*_: object) -> object:
        raise ZeroDivisionError("ours")

    before = files(root)
    monkeypatch.setattr(checker.Property, "judge", broken)
    summary = regrade(root, students=["eve"])
    assert "softmax failed through a fault of ours" in left(summary)["eve"]
    assert result(root, "eve").exercises[0].status is not Status.INTERNAL_ERROR
    assert files(root) == before


@pytest.mark.extra
def test_a_student_keeps_the_cases_of_the_seed_that_graded_them(
    graded_three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "course"
    shutil.copytree(graded_three, root)
    config = root / "nbgrader_config.py"
    config.write_text(
        config.read_text().replace("c.PropertyGrader.seed = 7", "c.PropertyGrader.cases = 4")
    )
    seeds = root / ".autograder" / "seeds"
    seeds.write_text("7\n8\n")
    hand_in(root, "new", notebook(root))
    grade(root, students=["new"])
    corpora = sorted((root / ".autograder" / "corpus").iterdir())
    change_weights(monkeypatch)
    monkeypatch.setattr("autograder.grading.corpus.draw", _never)
    assert changes(regrade(root)) == [BOB, EVE]
    assert (
        result(root, "new").seed_id
        != result(root, "bob").seed_id
        == result(graded_three, "bob").seed_id
    )
    assert sorted((root / ".autograder" / "corpus").iterdir()) == corpora


def _never(*_: object, **__: object) -> None:
    raise AssertionError("a stored corpus was drawn anew")


# -- interruptions ---------------------------------------------------------------------------------


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "what", "raise_only"),
    [
        (Course, "write_result", True),
        pytest.param(Course, "write_result", False, marks=pytest.mark.extra),
        pytest.param(exercise_writer, "save_exercises", False, marks=pytest.mark.extra),
        pytest.param(exercise_writer, "save_exercises", True, marks=pytest.mark.extra),
        pytest.param(Trail, "record", False, marks=pytest.mark.extra),
        pytest.param(Trail, "record", True, marks=pytest.mark.extra),
    ],
)
def test_the_same_command_completes_an_interrupted_run(
    root: Path, regraded: Regraded, monkeypatch: pytest.MonkeyPatch, where: object, what: str,
    raise_only: bool,
) -> None:  # fmt: skip
    change_weights(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(where, what, _interrupt)
        with pytest.raises(KeyboardInterrupt):
            regrade(root, students=["bob", "eve"][raise_only:], raise_only=raise_only)
    again = regrade(root, students=["bob", "eve"][raise_only:], raise_only=raise_only)
    assert changes(again) == [BOB, EVE][raise_only:]
    for name in ("bob", "eve")[raise_only:]:
        assert recorded(root, name).scores["softmax"] == {"bob": 9.0, "eve": 7.5}[name]
        assert to_json(result(root, name)) == to_json(result(regraded.root, name))
        assert autograded(root, name).read_bytes() == autograded(regraded.root, name).read_bytes()
    listed = [json.loads(p.read_text()) for p in (root / ".autograder" / "regrades").iterdir()]
    assert len(listed) == 2
    assert all(one["changes"] for one in listed)


@pytest.mark.extra
def test_an_ordinary_run_grades_an_interrupted_submission_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(Course, "write_result", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            regrade(root, students=["eve"])
    grade(root)
    assert result(root, "eve").exercises[0].score == recorded(root, "eve").scores["softmax"] == 7.5
    assert result(root, "eve").regraded == {}


# -- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--exercise", "sofmax"],
            "has no exercise 'sofmax'. It has: softmax, self_attention_loop",
        ),
        (["--raise-only"], "--raise-only needs --exercise NAME"),
        (["--exercise", "softmax", "--force"], "Leave --force out"),
        (["--exercise", "softmax", "--student", "bo"], "'bo' has not submitted"),
    ],
)
def test_wrong_use_is_one_line(root: Path, options: list[str], said: str) -> None:
    before = files(root)
    done = invoke(root, *options)
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert said in line
    assert files(root) == before


def test_an_assignment_that_was_never_graded_is_refused(new_course: NewCourse) -> None:
    root = new_course()
    hand_in(root, "ada", notebook(root))
    with pytest.raises(UsageError, match=f"autograder grade {NAME}"):
        regrade(root)
    assert not (root / "autograded").exists()
    assert os.listdir(root / "submitted") == ["ada"]
