"""An assignment of several notebooks, none of which bears its name, as in nbgrader's example."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.nbgrader_plugin.classroom import (
    gradebook,
    nbgrader_api,
    right_answers,
    run,
    tree,
)
from tests.nbgrader_plugin.test_mixed_courses import (
    DOUBLE_TEST,
    LAW_TEST,
    RIGHT,
    scored,
    solution,
    write_source,
)

pytestmark = [
    pytest.mark.slow,
    # SQLAlchemy remarks on the order in which nbgrader builds a submission's rows
    pytest.mark.filterwarnings("ignore:Object of type:sqlalchemy.exc.SAWarning"),
]

PS1 = "ps1"
STUB = "def softmax(z, axis=-1):\n    raise NotImplementedError"
FULL = {"problem1": {"softmax": 4.0}, "problem2": {"double": 3.0}}


@pytest.fixture
def course(root: Path) -> Path:
    """A course with `ps1`: a law in `problem1`, an ordinary test cell in `problem2`."""
    write_source(root, PS1, [solution("softmax", STUB), scored("softmax", LAW_TEST, 4)])
    first = root / "source" / PS1 / f"{PS1}.ipynb"
    first.rename(first.with_name("problem1.ipynb"))
    write_source(root, "other", [solution("double", RIGHT), scored("double", DOUBLE_TEST, 3)])
    second = root / "source" / "other" / "other.ipynb"
    shutil.move(second, first.with_name("problem2.ipynb"))
    second.parent.rmdir()
    done = nbgrader_api(root).generate_assignment(PS1)
    assert done["success"], done
    return root


def answered(course: Path, name: str, text: str) -> bytes:
    nb = json.loads((course / "release" / PS1 / f"{name}.ipynb").read_text())
    nb["cells"][1]["source"] = text
    return json.dumps(nb).encode()


def hand_in(course: Path, student: str, **notebooks: bytes | None) -> Path:
    """Both notebooks with right answers in them, but for those given; None hands in none."""
    folder = course / "submitted" / student / PS1
    folder.mkdir(parents=True, exist_ok=True)
    right = {
        "problem1": answered(course, "problem1", right_answers()["softmax"]),
        "problem2": answered(course, "problem2", RIGHT),
    }
    for name, data in (right | notebooks).items():
        path = folder / f"{name}.ipynb"
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
    return folder


def recorded(course: Path, student: str) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """The automatic scores by notebook, and the cells that wait for a person."""
    with gradebook(course) as book:
        notebooks = book.find_submission(PS1, student).notebooks
        scores = {nb.name: {g.name: g.auto_score for g in nb.grades} for nb in notebooks}
        flagged = {g.name for nb in notebooks for g in nb.grades if g.needs_manual_grade}
    return scores, flagged


def grade(course: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = run(course, "autograder", "grade", PS1, "--jobs", "1", "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def test_each_notebook_is_graded_recorded_and_found_again(course: Path) -> None:
    for student in ("ada", "bob"):
        hand_in(course, student)
    status, summary = grade(course)
    assert status == 0
    found = [(r["student"], r["assignment"], r["notebook"]) for r in summary["results"]]
    assert found == [(s, PS1, n) for s in ("ada", "bob") for n in ("problem1", "problem2")]
    assert recorded(course, "ada") == (FULL, set())
    assert recorded(course, "bob") == (FULL, set())
    kept = {path.name for path in (course / "autograded" / "ada" / PS1).iterdir()}
    assert {"problem1.ipynb", "problem2.ipynb"} <= kept
    before = tree(course / "autograded")

    shown = run(course, "autograder", "grade", PS1, "--jobs", "1")
    assert shown.returncode == 0, shown.stderr
    assert "ps1: problem1" in shown.stdout
    assert "ps1: problem2" in shown.stdout
    assert "0 graded now, 4 were graded before" in shown.stdout

    hand_in(course, "ada", problem2=answered(course, "problem2", "def double(x):\n    return x"))
    assert grade(course)[0] == 0
    assert recorded(course, "ada")[0] == FULL | {"problem2": {"double": 0.0}}
    after = tree(course / "autograded")
    assert {name for name in after if after[name] != before.get(name)} == {"ada/ps1/problem2.ipynb"}


def test_a_missing_notebook_costs_its_own_points_and_no_others(course: Path) -> None:
    hand_in(course, "ada", problem2=None)
    hand_in(course, "bob")
    status, summary = grade(course)
    assert status == 1
    assert summary["ungraded"] == [
        {"student": "ada", "reason": "the folder holds no problem2.ipynb: 0 points"}
    ]
    assert recorded(course, "ada") == (FULL | {"problem2": {"double": 0.0}}, set())
    assert recorded(course, "bob") == (FULL, set())


@pytest.mark.extra
def test_an_unreadable_notebook_keeps_its_earlier_score_and_flags_no_other(course: Path) -> None:
    hand_in(course, "ada")
    grade(course)
    hand_in(course, "ada", problem2=b"{")
    status, summary = grade(course)
    assert status == 1
    assert [item["student"] for item in summary["ungraded"]] == ["ada"]
    assert recorded(course, "ada") == (FULL, {"double"})


@pytest.mark.extra
def test_one_exercise_is_graded_again_and_a_replay_repeats_both_notebooks(course: Path) -> None:
    hand_in(course, "ada")
    grade(course)
    status, summary = grade(course, "--exercise", "softmax")
    assert (status, summary["changes"]) == (0, [])
    assert [r["notebook"] for r in summary["results"]] == ["problem1"]
    refused = run(course, "autograder", "grade", PS1, "--exercise", "double")
    assert refused.returncode == 2
    assert "'ps1' has no exercise 'double'. It has: softmax." in refused.stderr

    done = run(course, "autograder", "replay", "ada", PS1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"ada, ps1/problem{n}: the result repeats byte for byte, its timing aside." for n in (1, 2)
    ]


@pytest.mark.extra
def test_both_ways_of_grading_give_the_same_scores(course: Path) -> None:
    half = "def softmax(z, axis=-1):\n    return np.exp(z) / np.exp(z).sum()"
    for student in ("ada", "bob"):
        hand_in(course, student, problem1=answered(course, "problem1", half))
    assert nbgrader_api(course).autograde(PS1, "ada")["success"]
    assert grade(course, "--student", "bob")[0] == 0
    assert recorded(course, "ada") == recorded(course, "bob")
    assert 0 < recorded(course, "ada")[0]["problem1"]["softmax"] < 4
