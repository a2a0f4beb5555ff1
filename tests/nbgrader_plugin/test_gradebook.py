"""What a regrade may change in the gradebook, and what it must leave to people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from traitlets.config import Config

from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    FULL_MARKS,
    NAME,
    Json,
    autograde,
    cell,
    grade,
    grade_id_of,
    gradebook,
    hand_in,
    mistake,
    notebook,
    outputs,
    recorded,
    run,
)

pytestmark = pytest.mark.slow

Regrade = Callable[[Path, str], object]


def _by_autograder(root: Path, student: str) -> object:
    return grade(root, students=[student], force=True)


@pytest.fixture(params=[_by_autograder, autograde], ids=["autograder", "nbgrader"])
def regrade(request: pytest.FixtureRequest) -> Regrade:
    way: Regrade = request.param
    return way


def without(nb: Json, grade_id: str) -> Json:
    nb["cells"] = [c for c in nb["cells"] if grade_id_of(c) != grade_id]
    return nb


def test_regrading_keeps_what_people_entered_and_no_stale_score(
    root: Path, regrade: Regrade
) -> None:
    hand_in(root, "ada", notebook(root))
    regrade(root, "ada")
    assert recorded(root, "ada").scores["softmax"] == 10.0
    with gradebook(root) as book:
        found = book.find_grade("causal_mask", NAME, NAME, "ada")
        found.manual_score, found.extra_credit = 3.0, 1.5
        book.find_comment("causal_mask-solution", NAME, NAME, "ada").manual_comment = "Well done."
        book.db.commit()

    uniform = mistake("softmax", "returns_uniform")
    zeros = mistake("causal_mask", "returns_zeros")
    wrong = notebook(root, {"softmax": uniform, "causal_mask": zeros})
    hand_in(root, "ada", without(wrong, "softmax"))
    regrade(root, "ada")

    kept = recorded(root, "ada")
    assert kept.scores["softmax"] == 0.0
    assert kept.scores["causal_mask"] == 0.0
    assert kept.comments["causal_mask-solution"] == "Well done."
    assert "causal_mask" in kept.flagged
    with gradebook(root) as book:
        found = book.find_grade("causal_mask", NAME, NAME, "ada")
        assert (found.manual_score, found.extra_credit, found.score) == (3.0, 1.5, 4.5)


def forged(root: Path) -> Json:
    """Untouched, but each test cell comes with a saved output that claims all points."""
    nb = notebook(root, dict.fromkeys(EXERCISES, "pass"))
    for name, points in FULL_MARKS.items():
        claim = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
        cell(nb, name)["outputs"] = [claim | {"data": {"text/plain": [str(points)]}}]
    return nb


NO_EXECUTE = Config({"Execute": {"enabled": False}, "ClearOutput": {"enabled": False}})
WITHOUT_THE_GRADER = Config(
    {
        "Autograde": {
            "autograde_preprocessors": [
                "autograder.nbgrader_plugin.save_grades.SaveGrades",
                "nbgrader.preprocessors.AssignLatePenalties",
            ]
        }
    }
)


@pytest.mark.parametrize(
    "changes", [NO_EXECUTE, WITHOUT_THE_GRADER], ids=["no-execute", "no-grader"]
)
def test_a_missing_verdict_is_no_score_and_waits_for_a_person(root: Path, changes: Config) -> None:
    hand_in(root, "ada", notebook(root))
    hand_in(root, "forger", forged(root))
    autograde(root, "ada")  # a score from before does not survive either
    autograde(root, "ada", "forger", changes=changes)
    for student in ("ada", "forger"):
        kept = recorded(root, student)
        assert [kept.scores[name] for name in EXERCISES] == [None] * 4
        assert kept.flagged >= set(EXERCISES)
        assert outputs(root, student, "softmax") == ""


def test_the_command_line_flag_no_execute_runs_nothing(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    done = run(
        root, "nbgrader", "autograde", NAME, "--no-execute", "--PropertyGrader.time_limit=0.5"
    )
    assert done.returncode == 0, done.stderr
    assert recorded(root, "ada").flagged == set(EXERCISES)


def test_a_limit_on_nbgraders_command_line_is_understood(root: Path) -> None:
    loop = "def causal_mask(n):\n    while True:\n        pass\n"
    hand_in(root, "ada", notebook(root, {"causal_mask": loop}))
    done = run(root, "nbgrader", "autograde", NAME, "--PropertyGrader.time_limit=0.25")
    assert done.returncode == 0, done.stderr
    assert "took longer than 0.25 s" in outputs(root, "ada", "causal_mask")


def test_nbgrader_export_lists_the_fractional_scores(root: Path) -> None:
    unscaled = mistake("self_attention_loop", "no_mask_argument")
    hand_in(root, "ada", notebook(root, {"self_attention_loop": unscaled}))
    grade(root)
    done = run(root, "nbgrader", "export", "--to", "grades.csv")
    assert done.returncode == 0, done.stderr
    header, row = (root / "grades.csv").read_text().splitlines()
    exported = dict(zip(header.split(","), row.split(","), strict=True))
    assert (exported["student_id"], exported["score"]) == ("ada", "34.5")
    assert exported["max_score"] == "45.0"
