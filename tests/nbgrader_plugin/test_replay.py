"""`autograder replay`: the same result again, or exactly what differs and why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from autograder import course as course_module
from autograder.checking import write_sample
from autograder.cli import app
from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.replay import replay
from autograder.reporting.replay import Replay
from tests.nbgrader_plugin.changed_laws import change_weights
from tests.nbgrader_plugin.classroom import (
    NAME,
    grade,
    hand_in,
    notebook,
    result,
    tree,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.nbgrader_plugin.test_regrade import regrade

pytestmark = pytest.mark.slow

RANDOM = (
    "import numpy as np\n\ndef causal_mask(n):\n"
    "    return np.random.default_rng().random((n, n)) < 0.5\n"
)


@pytest.fixture
def root(graded_three: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(graded_three, tmp_path / "course")
    return tmp_path / "course"


def replayed(root: Path, student: str = "bob", *, seed: int | None = None) -> Replay:
    course = Course.find(root)
    assert course is not None
    (done,) = replay(course.with_settings(seed=seed, sandbox=None), student, NAME, seed=seed)
    return done


def causes(done: Replay) -> list[str]:
    return [cause.what for cause in done.causes]


def configure(root: Path, line: str) -> None:
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.PropertyGrader.{line}\n")


def edit_result(root: Path, student: str, **changes: Any) -> None:
    """Change the stored result of a student: None takes a field away."""
    path = root / ".autograder" / "results" / NAME / student / f"{NAME}.json"
    stored = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({k: v for k, v in stored.items() if v is not None}))


Invoke = Callable[..., Result]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Invoke:
    def call(folder: Path, *arguments: str) -> Result:
        monkeypatch.chdir(folder)
        return CliRunner().invoke(app, ["replay", *arguments])

    return call


# -- the same again --------------------------------------------------------------------------------


@pytest.mark.parametrize("student", ["ada", "bob", "eve"])
def test_the_same_submission_seed_and_versions_give_the_same_bytes(
    graded_three: Path, invoke: Invoke, student: str
) -> None:
    before = tree(graded_three)
    done = invoke(graded_three, student, NAME)
    said = f"{student}, {NAME}: the result repeats byte for byte, its timing aside.\n"
    assert (done.exit_code, done.stdout) == (0, said)
    assert tree(graded_three) == before


@pytest.mark.extra
def test_a_whole_sample_class_repeats_byte_for_byte(new_course: NewCourse) -> None:
    root = new_course()
    configure(root, "cases = 12")
    configure(root, "time_limit = 2.0")
    configure(root, "shrink_evaluations = 200")
    course = Course.find(root)
    assert course is not None
    assert len(list(write_sample(course, NAME, students=24, seed=0))) == 24
    results = grade(root).results
    assert len(results) == 24
    others = [r.student for r in results if not replayed(root, r.student or "").identical]
    assert others == []


@pytest.mark.extra
def test_stored_cases_are_used_again_and_nothing_is_drawn(
    graded_three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the cases were drawn anew")

    monkeypatch.setattr("autograder.grading.corpus.draw", never)
    assert replayed(graded_three).identical


@pytest.mark.extra
def test_cases_that_were_lost_are_drawn_from_the_seed_but_not_stored(root: Path) -> None:
    shutil.rmtree(root / ".autograder" / "corpus")
    before = tree(root)
    assert replayed(root).identical
    assert tree(root) == before


@pytest.mark.extra
def test_an_old_seed_is_found_among_all_that_were_kept(root: Path) -> None:
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.PropertyGrader.seed = 7\n", ""))
    (root / ".autograder" / "seeds").write_text("7\n99\n100\n")
    assert replayed(root).identical


@pytest.mark.extra
def test_a_result_that_was_graded_again_in_part_repeats(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    regrade(root)
    assert replayed(root, "bob").identical


@pytest.mark.extra
@pytest.mark.parametrize("student", ["bob", "rolls"], ids=["a known mistake", "an unknown one"])
def test_a_search_that_the_clock_ended_is_noted_and_not_held_against_the_result(
    root: Path, monkeypatch: pytest.MonkeyPatch, student: str
) -> None:
    unknown = "def softmax(z, axis=-1):\n    return 3 * z\n"
    hand_in(root, "rolls", notebook(root, {"softmax": unknown}))
    with monkeypatch.context() as patch:
        patch.setattr("autograder.grading.checker.SHRINK_SECONDS", -1.0)
        grade(root, students=[student], force=True)
    assert any("softmax" in note and "stopped" in note for note in result(root, student).notes)
    done = replayed(root, student)
    assert (done.causes, done.differences) == ([], [])


# -- what differs ----------------------------------------------------------------------------------


@pytest.mark.extra
def test_another_submission_is_named_with_what_it_changes(root: Path) -> None:
    wrong = notebook(root, {"causal_mask": "def causal_mask(n):\n    return 0\n"})
    hand_in(root, "ada", wrong)
    done = replayed(root, "ada")
    assert causes(done) == ["the submission"]
    assert done.causes[0].stored == result(root, "ada").sha256
    changed = {(d.exercise, d.law, d.field): (d.stored, d.now) for d in done.differences}
    assert changed["causal_mask", "", "score"] == (5.0, 0.0)
    assert changed["causal_mask", "matches_reference", "status"] == ("passed", "failed")
    assert changed["", "", "score"] == (40.0, 35.0)
    assert {exercise for exercise, _, _ in changed} == {"causal_mask", ""}


@pytest.mark.extra
def test_another_seed_is_named_with_the_exercises_whose_cases_differ(root: Path) -> None:
    done = replayed(root, "ada", seed=8)
    assert causes(done)[0] == "the seed"
    assert "softmax: its cases" in causes(done)
    assert not done.identical


@pytest.mark.extra
@pytest.mark.parametrize("which", ["autograder", "python", "numpy", "hypothesis"])
def test_each_version_is_named(
    graded_three: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    other = msgspec.structs.replace(course_module.versions(), **{which: "0.0.1"})
    monkeypatch.setattr(course_module, "versions", lambda: other)
    done = replayed(graded_three)
    assert [(c.what, c.now) for c in done.causes] == [(which, "0.0.1")]
    assert done.differences == []
    assert not done.identical


@pytest.mark.extra
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("cases = 3", "setting cases"),
        ("time_limit = 0.5", "setting time_limit"),
        ("cell_time_limit = 4.5", "setting cell_time_limit"),
        ("total_time_limit = 61.0", "setting total_time_limit"),
        ("memory_limit = 1000", "setting memory_limit"),
        ("round_to = 0.5", "setting round_to"),
        ("shrink_evaluations = 21", "setting shrink_evaluations"),
        ("sandbox = 'none'", "sandbox"),
    ],
)
def test_each_setting_that_matters_is_named(root: Path, line: str, what: str) -> None:
    configure(root, line)
    assert causes(replayed(root))[0] == what


@pytest.mark.extra
def test_code_and_release_that_changed_are_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course_module, "engine_fingerprint", lambda: "other")
    release = root / "release" / NAME / f"{NAME}.ipynb"
    release.chmod(0o644)
    release.write_bytes(release.read_bytes() + b"\n")
    done = replayed(root)
    assert causes(done) == ["the grader's own code", "the release notebook or the assignment"]
    assert done.differences == []


@pytest.mark.extra
def test_an_exercise_graded_again_before_another_change_is_named_as_such(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    regrade(root, students=["bob"])
    other = msgspec.structs.replace(course_module.versions(), numpy="0.0.1")
    monkeypatch.setattr(course_module, "versions", lambda: other)
    assert causes(replayed(root, "bob")) == [
        "numpy",
        "numpy (for softmax, which was graded again on its own)",
    ]


@pytest.mark.extra
def test_a_result_of_an_older_version_says_that_it_knows_less(root: Path) -> None:
    edit_result(root, "bob", basis=None, regraded=None)
    assert causes(replayed(root, "bob")) == ["what the result says of its own making"]


@pytest.mark.extra
def test_random_code_differs_though_nothing_has_changed(root: Path) -> None:
    hand_in(root, "rolls", notebook(root, {"causal_mask": RANDOM}))
    grade(root, students=["rolls"])
    found = [replayed(root, "rolls") for _ in range(3)]
    assert all(done.causes == [] for done in found)
    assert any(d.exercise == "causal_mask" for done in found for d in done.differences)


# -- what cannot be graded again -------------------------------------------------------------------


def test_a_lost_seed_is_named_and_can_be_given(root: Path) -> None:
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.PropertyGrader.seed = 7\n", ""))
    done = replayed(root)
    assert (done.identical, done.graded, causes(done)) == (False, False, ["the seed"])
    assert "--seed" in done.causes[0].now


@pytest.mark.extra
def test_a_lost_seed_can_be_given(root: Path) -> None:
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.PropertyGrader.seed = 7\n", ""))
    assert replayed(root, seed=7).identical


def test_a_submission_that_is_gone_is_named(root: Path) -> None:
    (root / "submitted" / "bob" / NAME / f"{NAME}.ipynb").unlink()
    done = replayed(root)
    assert (done.identical, done.graded, causes(done)) == (False, False, ["the submission"])


@pytest.mark.parametrize(
    ("student", "said"),
    [
        ("nobody", "'nobody' has not submitted"),
        ("new", f"autograder grade {NAME} --student new"),
        ("spoilt", "can't be read. Grade it anew"),
    ],
)
def test_what_has_no_stored_result_is_refused(root: Path, student: str, said: str) -> None:
    hand_in(root, "new", notebook(root))
    edit_result(root, "bob")
    spoilt = root / ".autograder" / "results" / NAME / "spoilt"
    spoilt.mkdir()
    (spoilt / f"{NAME}.json").write_text("{")
    with pytest.raises(UsageError) as refused:
        replayed(root, student)
    assert said in str(refused.value)


def test_an_unknown_assignment_is_refused(graded_three: Path) -> None:
    course = Course.find(graded_three)
    assert course is not None
    with pytest.raises(UsageError, match="no_such_assignment"):
        replay(course, "bob", "no_such_assignment")


# -- the command -----------------------------------------------------------------------------------


def test_the_command_says_what_changed_and_what_that_changes(
    graded_three: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_weights(monkeypatch)
    done = invoke(graded_three, "bob", NAME)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == f"bob, {NAME}: 1 of its scores differ."
    assert any(line.startswith("  softmax: its record, laws or known mistakes: ") for line in lines)
    assert "  softmax, score: 9.5 -> 9" in lines
    assert "  softmax, fully_blocked_row_is_nan, max_points: 0.5 -> 1" in lines


@pytest.mark.extra
def test_the_command_prints_json_alone(graded_three: Path, invoke: Invoke) -> None:
    done = invoke(graded_three, "bob", NAME, "--json", "--seed", "8")
    assert done.exit_code == 1
    printed = json.loads(done.stdout)
    assert list(printed) == [
        "format_version", "student", "assignment", "notebook",
        "identical", "graded", "causes", "differences",
    ]  # fmt: skip
    assert printed["causes"][0]["what"] == "the seed"


def test_wrong_use_of_the_command_is_one_line(graded_three: Path, invoke: Invoke) -> None:
    done = invoke(graded_three, "nobody", NAME)
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("autograder: ")]
    assert "'nobody' has not submitted" in line
