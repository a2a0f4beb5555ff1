"""`nbgrader autograde` and `autograder grade` give the same, whatever was handed in."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from autograder.results import Status, to_json
from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    FULL_MARKS,
    NAME,
    Json,
    add_first,
    autograde,
    autograded,
    cell,
    grade_id_of,
    gradebook,
    hand_in,
    mistake,
    notebook,
    outputs,
    recorded,
    result,
    run,
)
from tests.nbgrader_plugin.conftest import NewCourse

pytestmark = [pytest.mark.slow, pytest.mark.extra]

LATE_POLICY = """
from nbgrader.plugins import BasePlugin


class TwoPointsADay(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 2.0 * (total_seconds_late // 86400 + 1)
"""


def damaged(nb: Json) -> Json:
    """A test cell deleted, another one twice, the points of a third changed."""
    nb["cells"] = [c for c in nb["cells"] if grade_id_of(c) != "softmax"]
    twice = nb["cells"].index(cell(nb, "causal_mask"))
    nb["cells"].insert(twice, json.loads(json.dumps(nb["cells"][twice])))
    cell(nb, "self_attention")["metadata"]["nbgrader"]["points"] = 1500
    cell(nb, "self_attention")["source"] = "pass"
    return nb


def fill(root: Path) -> None:
    """Hand in one submission of each kind."""
    (root / "late_policy.py").write_text(LATE_POLICY)
    with (root / "nbgrader_config.py").open("a") as config:
        config.write('c.AssignLatePenalties.plugin_class = "late_policy.TwoPointsADay"\n')
    with gradebook(root) as book:
        book.update_or_create_assignment(NAME, duedate="2024-01-01 00:00:00 UTC")
        book.db.commit()
    answered = notebook(root)
    cell(answered, "why-scale")["source"] = "Otherwise softmax saturates."
    on_time = "2023-12-31 20:00:00 UTC"
    hand_in(root, "right", answered, timestamp=on_time)
    unscaled = mistake("self_attention_loop", "no_mask_argument")
    hand_in(root, "mistaken", notebook(root, {"self_attention_loop": unscaled}))
    loop = "def causal_mask(n):\n    while True:\n        pass\n"
    hand_in(root, "loops", notebook(root, {"causal_mask": loop}))
    ends = "import os\n\ndef causal_mask(n):\n    os._exit(0)\n"
    hand_in(root, "exits", notebook(root, {"causal_mask": ends}))
    hand_in(root, "raises", add_first(notebook(root), "import no_such_module.part\n1 / 0"))
    hand_in(root, "misses", notebook(root, {"softmax": "def softmx(z):\n    return z"}))
    hand_in(root, "untouched", (root / f"release/{NAME}/{NAME}.ipynb").read_bytes())
    hand_in(root, "damages", damaged(notebook(root)))
    hand_in(root, "late", notebook(root), timestamp="2024-01-02 12:00:00 UTC")
    hand_in(root, "unreadable", b'{"cells": [')
    other = notebook(root)
    other["cells"] = [c for c in other["cells"] if not c["metadata"] and "def " not in c["source"]]
    hand_in(root, "confuses", other)
    hand_in(root, "links", b"").unlink()
    (root / "submitted" / "links" / NAME / f"{NAME}.ipynb").symlink_to(
        root / "submitted" / "right" / NAME / f"{NAME}.ipynb"
    )


def fill_with_odd_files(root: Path) -> None:
    """Hand in what stock nbgrader does not read, does not find or stops at."""
    unknown = notebook(root)
    unknown["cells"].insert(1, None)
    text = json.dumps(unknown, ensure_ascii=False).replace("return ", "return\u00a0")
    hand_in(root, "renames", text.encode("utf-16")).rename(
        root / "submitted" / "renames" / NAME / "Self_Attention (1).ipynb"
    )
    strays = hand_in(root, "strays", notebook(root), timestamp="yesterday at noon").parent
    os.mkfifo(strays / "pipe")
    (strays / "loose").symlink_to("nowhere")
    (strays / "numpy.py").write_text("raise SystemExit")
    (strays / "draft.ipynb").write_text("{}")
    hand_in(root, "chooses", notebook(root)).rename(
        root / "submitted" / "chooses" / NAME / "first.ipynb"
    )
    later = json.dumps(notebook(root), indent=1)  # the same bytes would leave nothing to choose
    (root / "submitted" / "chooses" / NAME / "second.ipynb").write_text(later)
    nested = hand_in(root, "nests", notebook(root))
    (nested.parent / NAME).mkdir()
    nested.rename(nested.parent / NAME / f"{NAME}.ipynb.txt")


READABLE = [
    "right", "mistaken", "loops", "exits", "raises", "misses", "untouched", "damages", "late",
    "renames", "strays", "nests",
]  # fmt: skip
UNREADABLE = ["unreadable", "confuses", "links", "chooses"]
EVERYBODY = [*READABLE, *UNREADABLE]


class Graded:
    """One class, graded by stock nbgrader in one course and by our command in another."""

    def __init__(self, new_course: NewCourse) -> None:
        self.stock, self.ours = new_course(), new_course()
        for course in (self.stock, self.ours):
            fill(course)
            fill_with_odd_files(course)
        self.by_nbgrader = run(self.stock, "nbgrader", "autograde", NAME)
        self.by_autograder = run(self.ours, "autograder", "grade", NAME, "--jobs", "2")


@pytest.fixture(scope="module")
def graded(new_course: NewCourse) -> Graded:
    return Graded(new_course)


@pytest.fixture(scope="module")
def ours(graded: Graded) -> Path:
    return graded.ours


@pytest.mark.parametrize("student", READABLE)
def test_the_autograded_notebooks_are_the_same_bytes(graded: Graded, student: str) -> None:
    ours = autograded(graded.ours, student).read_bytes()
    assert ours == autograded(graded.stock, student).read_bytes()


@pytest.mark.parametrize("student", EVERYBODY)
def test_scores_comments_flags_and_penalties_are_the_same(graded: Graded, student: str) -> None:
    assert recorded(graded.ours, student) == recorded(graded.stock, student)


@pytest.mark.parametrize("student", READABLE)
def test_the_full_results_are_the_same_but_for_time(graded: Graded, student: str) -> None:
    def timeless(root: Path) -> Json:
        found: Json = json.loads(to_json(result(root, student)))
        found.pop("timing")
        return found

    assert timeless(graded.ours) == timeless(graded.stock)


def test_a_class_with_an_unreadable_submission_needs_a_person(graded: Graded) -> None:
    def status(done: subprocess.CompletedProcess[str]) -> int:
        return done.returncode

    assert status(graded.by_nbgrader) == 1
    assert status(graded.by_autograder) == 1
    assert "unreadable: The file breaks off before its end" in graded.by_autograder.stdout
    assert "Traceback" not in graded.by_autograder.stdout + graded.by_autograder.stderr
    for student in UNREADABLE:
        kept = recorded(graded.ours, student)
        assert set(kept.scores.values()) == {None}
        assert kept.flagged == {*EXERCISES, "why-scale"}


def test_nbgraders_own_command_lists_who_needs_a_person_and_why(graded: Graded) -> None:
    said = graded.by_nbgrader.stderr
    assert "4 not graded; a person has to look:" in said
    assert "unreadable: The file breaks off before its end (line 1, column 12)." in said
    assert "chooses: the folder holds no self_attention.ipynb, but several notebooks" in said
    assert "Traceback" not in said
    (shown, *_) = json.loads(autograded(graded.stock, "unreadable").read_text())["cells"]
    assert "This submission was not graded." in "".join(shown["source"])


@pytest.mark.parametrize("student", ["renames", "strays", "nests"])
def test_what_lies_about_a_notebook_costs_nothing_and_is_noted(ours: Path, student: str) -> None:
    assert recorded(ours, student).scores == FULL_MARKS | {"why-scale": 0.0}
    notes = " ".join(result(ours, student).notes)
    said = {
        "renames": "The notebook was handed in as 'Self_Attention (1).ipynb'",
        "strays": "The file timestamp.txt holds no time",
        "nests": "The notebook was handed in as 'self_attention/self_attention.ipynb.txt'",
    }
    assert said[student] in notes
    if student == "renames":
        assert "something that is no cell" in notes
        assert "held invisible characters that are no Python (U+00A0)" in notes
    if student == "strays":
        assert "Not graded, though it lies beside the notebook: 'draft.ipynb'." in notes
        left = {path.name for path in autograded(ours, student).parent.iterdir()}
        assert left == {f"{NAME}.ipynb"}


def test_right_answers_get_full_marks_and_the_written_one_waits_for_a_person(ours: Path) -> None:
    kept = recorded(ours, "right")
    assert kept.scores == FULL_MARKS | {"why-scale": None}
    assert kept.flagged == {"why-scale"}
    assert kept.penalty is None


def test_a_known_mistake_gets_a_fraction_and_a_comment_on_its_solution_cell(ours: Path) -> None:
    kept = recorded(ours, "mistaken")
    assert kept.scores == FULL_MARKS | {"self_attention_loop": 4.5, "why-scale": 0.0}
    comment = kept.comments["self_attention_loop-solution"]
    assert comment is not None
    assert comment.startswith("self_attention_loop   4.5/10")
    assert (kept.comments["softmax-solution"] or "").startswith("softmax   10/10\n\nAll ")
    assert kept.comments["why-scale"] == "No response."
    assert kept.flagged == frozenset()


@pytest.mark.parametrize(
    ("student", "status"), [("loops", Status.TIMEOUT), ("exits", Status.CRASHED)]
)
def test_a_loop_or_an_exit_costs_its_own_points_alone(
    ours: Path, student: str, status: Status
) -> None:
    assert recorded(ours, student).scores == FULL_MARKS | {"causal_mask": 0.0, "why-scale": 0.0}
    found = result(ours, student).exercise_named("causal_mask")
    assert found is not None
    assert found.status is status


def test_an_exception_while_importing_costs_nothing_that_it_does_not_touch(ours: Path) -> None:
    assert recorded(ours, "raises").scores == FULL_MARKS | {"why-scale": 0.0}
    assert any("ZeroDivisionError" in note for note in result(ours, "raises").notes)


def test_a_missing_function_costs_its_points_and_says_so(ours: Path) -> None:
    kept = recorded(ours, "misses")
    assert kept.scores["softmax"] == 0.0
    assert kept.scores["causal_mask"] == 5.0
    assert "softmax   0/10" in outputs(ours, "misses", "softmax")
    assert "no cell that ran defines it" in outputs(ours, "misses", "softmax")


def test_an_untouched_release_gets_zero_and_waits_for_nobody(ours: Path) -> None:
    kept = recorded(ours, "untouched")
    assert set(kept.scores.values()) == {0.0}
    assert kept.flagged == frozenset()


def test_a_damaged_structure_is_repaired_and_graded(ours: Path) -> None:
    assert recorded(ours, "damages").scores == FULL_MARKS | {"why-scale": 0.0}
    notes = " ".join(result(ours, "damages").notes)
    assert "was missing" in notes
    assert "is a copy of" in notes
    restored = json.loads(autograded(ours, "damages").read_text())
    assert cell(restored, "self_attention")["metadata"]["nbgrader"]["points"] == 15


def test_a_plugin_of_the_course_sets_the_late_penalty(ours: Path) -> None:
    kept = recorded(ours, "late")
    assert kept.score == 40.0
    assert kept.penalty == 4.0  # nbgrader takes it off where it shows and exports the score


def test_a_second_run_of_the_other_way_changes_nothing(
    graded: Graded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(graded.ours))  # as its configuration does for the commands
    before = recorded(graded.ours, "mistaken")
    notebook = autograded(graded.ours, "mistaken").read_bytes()
    autograde(graded.ours, "mistaken")
    assert recorded(graded.ours, "mistaken") == before
    assert autograded(graded.ours, "mistaken").read_bytes() == notebook


def test_an_extra_cell_is_kept_where_it_stood(ours: Path) -> None:
    nb = json.loads(autograded(ours, "raises").read_text())
    assert "".join(nb["cells"][0]["source"]) == "import no_such_module.part\n1 / 0"
