"""`nbgrader autograde` with our exporter: several notebooks, the lock, what a person has to see."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from autograder.nbgrader_plugin.lock import course_lock
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    autograded,
    hand_in,
    nbgrader_api,
    notebook,
    outputs,
    recorded,
    right_answers,
)
from tests.nbgrader_plugin.test_mixed_courses import LAW_TEST, scored, solution, write_source

pytestmark = [
    pytest.mark.slow,
    # SQLAlchemy remarks on the order in which nbgrader builds a submission's rows
    pytest.mark.filterwarnings("ignore:Object of type:sqlalchemy.exc.SAWarning"),
]


def test_while_another_grader_holds_the_course_nothing_is_touched(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    api = nbgrader_api(root)
    with course_lock(root / ".autograder"):
        done = api.autograde(NAME, "ada")
    assert not done["success"]
    assert "This course is being graded by" in done["log"]
    assert not (root / "autograded" / "ada").exists()
    assert nbgrader_api(root).autograde(NAME, "ada")["success"]  # and the lock is free again
    with course_lock(root / ".autograder"):
        pass


def test_an_unreadable_resubmission_says_so_in_formgrader_and_loses_no_score(root: Path) -> None:
    hand_in(root, "ada", notebook(root))
    assert nbgrader_api(root).autograde(NAME, "ada")["success"]
    before = recorded(root, "ada").scores
    hand_in(root, "ada", b'{"cells": [<script>alert(1)</script>')
    done = nbgrader_api(root).autograde(NAME, "ada")
    assert not done["success"]
    assert "ada: The file is no JSON (line 1, column 12)." in done["log"]
    kept = recorded(root, "ada")
    assert kept.scores == before
    assert kept.flagged >= set(FULL_MARKS)
    first, *_ = json.loads(autograded(root, "ada").read_text())["cells"]
    assert "This submission was not graded." in "".join(first["source"])


def test_the_settings_of_the_course_are_as_before_when_a_run_is_over(root: Path) -> None:
    (hand_in(root, "ada", notebook(root)).parent / "mine.txt").write_text("x")
    api = nbgrader_api(root)
    ignored = list(api.coursedir.ignore)
    assert api.autograde(NAME, "ada")["success"]
    assert list(api.coursedir.ignore) == ignored
    assert "get_existing_timestamp" not in vars(api.coursedir)
    assert not (root / "autograded" / "ada" / NAME / "mine.txt").exists()


@pytest.mark.extra
def test_an_assignment_of_several_notebooks_is_graded_notebook_by_notebook(root: Path) -> None:
    stub = "def softmax(z, axis=-1):\n    raise NotImplementedError"
    write_source(root, "more", [solution("softmax", stub), scored("softmax", LAW_TEST, 4)])
    shutil.move(root / "source" / "more" / "more.ipynb", root / "source" / NAME / "more.ipynb")
    assert nbgrader_api(root).generate_assignment(NAME)["success"]
    hand_in(root, "ada", notebook(root))
    more = json.loads((root / "release" / NAME / "more.ipynb").read_text())
    more["cells"][1]["source"] = right_answers()["softmax"]
    folder = root / "submitted" / "ada" / NAME
    (folder / "More (1).ipynb").write_text(json.dumps(more))
    hand_in(root, "bob", notebook(root))
    (root / "submitted" / "bob" / NAME / "more.ipynb").write_text("{")

    assert nbgrader_api(root).autograde(NAME, "ada")["success"]
    assert recorded(root, "ada").scores == FULL_MARKS | {"why-scale": 0.0}
    assert recorded(root, "ada", name=NAME).score == 40.0
    with_more = root / ".autograder" / "results" / NAME / "ada"
    assert {path.stem for path in with_more.iterdir()} == {NAME, "more"}
    assert json.loads((with_more / "more.json").read_text())["score"] == 4.0
    shown = json.loads((root / "autograded" / "ada" / NAME / "more.ipynb").read_text())
    assert "4/4" in json.dumps(shown)
    assert outputs(root, "ada", "softmax").startswith("softmax   10/10")

    done = nbgrader_api(root).autograde(NAME, "bob")
    assert not done["success"]
    assert "bob: The file breaks off" in done["log"]
    assert recorded(root, "bob").scores == FULL_MARKS | {"why-scale": 0.0}
