"""`autograder grade`: what it refuses, what it leaves alone, what it does again."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from autograder.cli import app
from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.grade import GradeRun, Request
from tests.nbgrader_plugin.changed_laws import change_weights
from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    FULL_MARKS,
    NAME,
    autograded,
    grade,
    gradebook,
    hand_in,
    mistake,
    nbgrader_api,
    notebook,
    recorded,
    result,
    tree,
)
from tests.nbgrader_plugin.conftest import NewCourse

pytestmark = pytest.mark.slow

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run `autograder grade` in a folder, in this process."""

    def call(folder: Path, *arguments: str) -> Result:
        monkeypatch.chdir(folder)
        return CliRunner().invoke(app, ["grade", *arguments, "--jobs", "1"])

    return call


def refused(done: Result) -> str:
    """The one line that a refusal consists of, beside the banner of a weak sandbox."""
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    others = [line for line in done.stderr.splitlines() if not line.startswith("autograder: ")]
    assert len(lines) == 1
    assert "Traceback" not in done.stderr
    assert all("trust" in line or "protected" in line.lower() for line in others)
    return lines[0]


# -- wrong use -------------------------------------------------------------------------------------


def test_an_unknown_assignment_is_refused_with_those_there_are(root: Path, invoke: Invoke) -> None:
    said = refused(invoke(root, "no_such_assignment"))
    assert "'no_such_assignment'" in said
    assert "self_attention" in said


def test_nothing_submitted_is_refused_with_the_way_to_a_sample(root: Path, invoke: Invoke) -> None:
    assert "autograder sample self_attention" in refused(invoke(root, NAME))
    (root / "submitted" / "ada").mkdir(parents=True)
    assert "no submissions" in refused(invoke(root, NAME))


def test_an_unknown_student_is_refused(root: Path, invoke: Invoke) -> None:
    hand_in(root, "ada", notebook(root))
    assert "'bob' has not submitted" in refused(invoke(root, NAME, "--student", "bob"))
    assert not (root / "autograded").exists()


def test_what_was_not_released_is_refused_with_the_command_that_does_it(
    root: Path, invoke: Invoke
) -> None:
    hand_in(root, "ada", notebook(root))
    remedy = f"nbgrader generate_assignment {NAME}"
    shutil.move(root / "release", root / "elsewhere")
    assert remedy in refused(invoke(root, NAME))
    shutil.move(root / "elsewhere", root / "release")
    (root / "gradebook.db").unlink()
    assert remedy in refused(invoke(root, NAME))
    assert not (root / "gradebook.db").exists()


def test_a_release_that_contradicts_the_points_is_refused(root: Path, invoke: Invoke) -> None:
    hand_in(root, "ada", notebook(root))
    source = root / "source" / NAME / f"{NAME}.ipynb"
    released = root / "release" / NAME / f"{NAME}.ipynb"
    before = released.read_bytes()
    assert b'"points": 15' in before
    released.chmod(0o644)
    released.write_bytes(before.replace(b'"points": 15', b'"points": 14'))
    said = refused(invoke(root, NAME))
    assert "'self_attention' has 14 points, the assignment 15" in said
    assert "generate_assignment" in said
    released.write_bytes(before)
    with gradebook(root) as book:
        book.find_graded_cell("softmax", NAME, NAME).max_score = 11
        book.db.commit()
    said = refused(invoke(root, NAME))
    assert "'softmax' is worth 10.0 points in the release, but 11.0 in the gradebook" in said
    assert source.is_file()


def test_outside_of_a_course_grade_is_refused(tmp_path: Path, invoke: Invoke) -> None:
    assert "This is no course: there is no nbgrader_config.py" in refused(invoke(tmp_path, NAME))


# -- submissions that can't be graded --------------------------------------------------------------


@pytest.fixture(scope="module")
def troubled(new_course: NewCourse) -> tuple[Path, Result]:
    """A class with one good submission and one of each kind that nobody can read."""
    root = new_course()
    hand_in(root, "good", notebook(root))
    secret = root / "secret.ipynb"
    secret.write_text(json.dumps(notebook(root)))
    hand_in(root, "links", b"").unlink()
    (root / "submitted" / "links" / NAME / f"{NAME}.ipynb").symlink_to(secret)
    hand_in(root, "empties", b"")
    hand_in(root, "damages", b'{"cells": [{"cell_type": "co')
    hand_in(root, "lists", b"[1, 2]")
    other = {**notebook(root), "cells": notebook(root)["cells"][:2]}
    other["cells"][0]["metadata"] = {"nbgrader": {"grade_id": "convolution", "grade": True}}
    hand_in(root, "confuses", other)
    too_large = hand_in(root, "overflows", b"")
    os.truncate(too_large, (64 << 20) + 1)
    hand_in(root, "nests", b"").unlink()
    (root / "submitted" / "nests" / NAME / f"{NAME}.ipynb").mkdir()
    (root / "submitted" / "forgets" / NAME).mkdir(parents=True)
    here = os.getcwd()
    os.chdir(root)
    try:
        return root, CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("links", "is no ordinary file"),
        ("empties", "The file is empty"),
        ("damages", "breaks off before its end"),
        ("lists", "no notebook"),
        ("confuses", "no notebook of assignment 'self_attention' (its cells are 'convolution')"),
        ("overflows", "is larger than 64 MiB"),
        ("nests", "is no ordinary file"),
    ],
)
def test_what_cant_be_read_is_listed_and_flagged(
    troubled: tuple[Path, Result], student: str, reason: str
) -> None:
    root, done = troubled
    assert done.exit_code == 1
    (line,) = [line for line in done.stdout.splitlines() if line.strip().startswith(f"{student}:")]
    assert reason in line
    kept = recorded(root, student)
    assert set(kept.scores.values()) == {None}
    assert kept.flagged == {*EXERCISES, "why-scale"}
    assert not autograded(root, student).exists()


def test_a_folder_without_the_notebook_gets_zero_as_in_nbgrader(
    troubled: tuple[Path, Result],
) -> None:
    root, done = troubled
    assert "forgets: the folder holds no self_attention.ipynb: 0 points" in done.stdout
    assert set(recorded(root, "forgets").scores.values()) == {0.0}


def test_the_others_are_graded(troubled: tuple[Path, Result]) -> None:
    root, done = troubled
    assert "8 submissions need a person." in done.stdout
    assert recorded(root, "good").scores == FULL_MARKS | {"why-scale": 0.0}


def test_an_unreadable_resubmission_loses_nothing_that_was_graded(
    troubled: tuple[Path, Result],
) -> None:
    root, _ = troubled
    before, written = recorded(root, "good"), autograded(root, "good").read_bytes()
    hand_in(root, "good", b"{")
    summary = grade(root, students=["good"])
    assert [item.student for item in summary.ungraded] == ["good"]
    kept = recorded(root, "good")
    assert kept.scores == before.scores
    assert kept.flagged == {*EXERCISES, "why-scale"}
    assert autograded(root, "good").read_bytes() == written
    assert result(root, "good").score == 40.0


# -- what is done again, and what is not -----------------------------------------------------------


def newly_graded(root: Path, **request: object) -> list[str]:
    course = Course.find(root)
    assert course is not None
    with GradeRun(course, Request(assignment=NAME, **request)) as run:  # type: ignore[arg-type]
        list(run.grade())
    known = set(run.already_graded)
    return [r.student or "" for r in run.summary.results if r.student not in known]


def test_only_what_changed_is_graded_again(root: Path) -> None:
    for student in ("ada", "bob", "eve"):
        hand_in(root, student, notebook(root), timestamp="2024-01-01 00:00:00 UTC")
    assert newly_graded(root, students=["ada", "bob"]) == ["ada", "bob"]
    assert not (root / "autograded" / "eve").exists()
    assert newly_graded(root) == ["eve"]
    assert newly_graded(root) == []

    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "returns_uniform")}))
    assert newly_graded(root) == ["ada"]
    assert recorded(root, "ada").scores["softmax"] == 0.0
    hand_in(root, "bob", notebook(root), timestamp="2024-02-01 00:00:00 UTC")
    assert newly_graded(root) == ["bob"]
    autograded(root, "eve").unlink()
    assert newly_graded(root) == ["eve"]
    with gradebook(root) as book:
        book.find_grade("softmax", NAME, NAME, "eve").auto_score = None
        book.db.commit()
    assert newly_graded(root) == ["eve"]


def test_a_new_gradebook_is_filled_again(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    assert newly_graded(root) == ["ada"]
    (root / "gradebook.db").unlink()
    done = nbgrader_api(root).generate_assignment(NAME)
    assert done["success"], done
    assert newly_graded(root) == ["ada"]
    assert recorded(root, "ada").scores["softmax"] == 10.0


def test_a_submission_interrupted_between_gradebook_and_result_is_graded_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(root, "ada", notebook(root))
    assert newly_graded(root) == ["ada"]
    with monkeypatch.context() as patch:
        patch.setattr(Course, "write_result", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            newly_graded(root, force=True)
    assert newly_graded(root) == ["ada"]


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_force_backs_the_gradebook_up_before_it_grades(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    assert newly_graded(root) == ["ada"]
    assert not (root / ".autograder" / "backups").exists()
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "returns_uniform")}))
    assert newly_graded(root, force=True) == ["ada"]
    assert recorded(root, "ada").scores["softmax"] == 0.0
    (backup,) = (root / ".autograder" / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as kept:
        scores = kept.execute("SELECT auto_score FROM grade ORDER BY auto_score").fetchall()
    assert scores == [(0.0,), (5.0,), (10.0,), (10.0,), (15.0,)]


def test_a_dry_run_writes_nothing(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    hand_in(root, "eve", b"{")
    shutil.rmtree(root / ".autograder")
    before = tree(root)
    summary = grade(root, dry_run=True, force=True)
    assert [r.score for r in summary.results] == [40.0]
    assert [item.student for item in summary.ungraded] == ["eve"]
    assert tree(root) == before


@pytest.fixture(scope="module")
def compared(graded_three: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What `--dry-run --diff` prints after the weights of softmax changed."""
    root = tmp_path_factory.mktemp("compared") / "course"
    shutil.copytree(graded_three, root)
    hand_in(root, "new", notebook(root))
    (root / "submitted" / "forgets" / NAME).mkdir(parents=True)
    with gradebook(root) as book:
        book.find_grade("softmax", NAME, NAME, "eve").manual_score = 8.0
        book.db.commit()
    before = tree(root)
    here = os.getcwd()
    os.chdir(root)
    try:
        with pytest.MonkeyPatch.context() as patch:
            change_weights(patch)
            done = CliRunner().invoke(
                app, ["grade", NAME, "--dry-run", "--diff", "--json", "--jobs", "1"]
            )
    finally:
        os.chdir(here)
    assert tree(root) == before
    return done


def test_diff_grades_everything_again_and_compares_with_the_gradebook(compared: Result) -> None:
    printed = json.loads(compared.stdout)
    changes = {(c["student"], c["exercise"]): c for c in printed["changes"]}
    assert list(changes) == [
        ("bob", "softmax"),
        ("eve", "softmax"),
        *(("forgets", name) for name in EXERCISES),
        *(("new", name) for name in EXERCISES),
    ]
    bob, eve = changes["bob", "softmax"], changes["eve", "softmax"]
    assert (bob["old"], bob["new"], bob["manual"]) == (9.5, 9.0, None)
    assert (eve["old"], eve["new"], eve["manual"]) == (7.0, 7.5, 8.0)
    assert changes["new", "softmax"]["old"] is None
    assert changes["forgets", "softmax"]["new"] == 0.0
    assert [r["student"] for r in printed["results"]] == ["ada", "bob", "eve", "new"]


def test_without_diff_scores_are_not_compared(root: Path) -> None:
    hand_in(root, "eve", b"{")
    assert grade(root, dry_run=True).changes is None


def test_diff_without_dry_run_is_refused(root: Path, invoke: Invoke) -> None:
    hand_in(root, "ada", notebook(root))
    assert "Add --dry-run" in refused(invoke(root, NAME, "--diff"))
    assert not (root / "autograded").exists()


# -- files beside the notebook ---------------------------------------------------------------------


def test_only_files_of_the_course_lie_beside_an_autograded_notebook(root: Path) -> None:
    (root / "source" / NAME / "data.csv").write_text("right")
    path = hand_in(root, "ada", notebook(root), timestamp="2024-01-01 00:00:00 UTC")
    (path.parent / "data.csv").write_text("forged")
    (path.parent / "numpy.py").write_text("raise SystemExit")
    (path.parent / "notes.txt").symlink_to(root / "gradebook.db")
    grade(root)
    folder = autograded(root, "ada").parent
    assert sorted(p.name for p in folder.iterdir()) == [
        "data.csv",
        f"{NAME}.ipynb",
        "timestamp.txt",
    ]
    assert (folder / "data.csv").read_text() == "right"
    assert recorded(root, "ada").scores["softmax"] == 10.0


def test_a_timestamp_that_is_none_stops_nothing(root: Path) -> None:
    texts = ["garbage", "", "9" * 500, "2024-99-99 00:00:00 UTC", "\0"]
    for number, text in enumerate(texts):
        hand_in(root, f"s{number}", notebook(root), timestamp=text)
    summary = grade(root)
    assert [r.student for r in summary.results] == ["s0", "s1", "s2", "s3", "s4"]
    with gradebook(root) as book:
        for number in range(len(texts)):
            assert book.find_submission(NAME, f"s{number}").timestamp is None


def test_a_late_policy_that_cant_be_loaded_is_refused_before_anything_is_graded(
    root: Path,
) -> None:
    with (root / "nbgrader_config.py").open("a") as config:
        config.write('c.AssignLatePenalties.plugin_class = "no_such_module.Policy"\n')
    hand_in(root, "ada", notebook(root))
    with pytest.raises(UsageError, match="no_such_module"):
        grade(root)
    assert not (root / "autograded").exists()
