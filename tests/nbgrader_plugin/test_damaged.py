"""Classes with damaged notebooks in them, graded by one run of `autograder grade`."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

import pytest

from autograder.results import to_json
from tests.damage.damages import Damage, distinct
from tests.damage.oracle import functions_found
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    Json,
    arguments,
    code,
    grade_id_of,
    hand_in,
    mistake,
    notebook,
    recorded,
    result,
    variables,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.submissions import json_of, submission

pytestmark = [pytest.mark.slow, pytest.mark.extra]


GOOD = json_of(submission())
"""A notebook of right answers, none of which calls another."""


def timeless(root: Path, student: str) -> Json:
    found: Json = json.loads(to_json(result(root, student)))
    found.pop("timing")
    return found


def grade_all(root: Path) -> tuple[int, Json]:
    """Grade everybody, with as much time as a loaded machine takes; exit status and summary."""
    done = subprocess.run(
        arguments("autograder", "grade", NAME, "--jobs", "2", "--json"),
        cwd=root,
        env=variables(root),
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)


def hand_in_honest(root: Path) -> list[str]:
    """Honest submissions, right and wrong, that damaged ones are to leave alone."""
    changes = {
        "honest-right": {},
        "honest-wrong": {"softmax": mistake("softmax", "no_max_shift")},
        "honest-loop": {"causal_mask": "def causal_mask(n):\n    while True:\n        pass\n"},
        "honest-missing": {"softmax": "x = 1"},
    }
    for student, changed in changes.items():
        hand_in(root, student, notebook(root, changed))
    return sorted(changes)


# -- three hundred ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damaged:
    """A graded class of damaged submissions with honest ones among them."""

    root: Path
    status: int
    summary: Json
    damages: dict[str, tuple[Damage, bytes]]
    honest: list[str]


@pytest.fixture(scope="module")
def three_hundred(new_course: NewCourse) -> Damaged:
    root = new_course()
    files = distinct(GOOD, 300)
    damages = {f"damaged-{n:03}": (d, data) for n, (data, d) in enumerate(files.items())}
    for student, (_, data) in damages.items():
        hand_in(root, student, data)
    honest = hand_in_honest(root)
    status, summary = grade_all(root)
    return Damaged(root, status, summary, damages, honest)


def test_three_hundred_damaged_notebooks_are_all_graded_or_listed(three_hundred: Damaged) -> None:
    graded = {found["student"] for found in three_hundred.summary["results"]}
    listed = {found["student"] for found in three_hundred.summary["ungraded"]}
    assert len(three_hundred.damages) == 300
    assert graded | listed == {*three_hundred.damages, *three_hundred.honest}
    assert graded.isdisjoint(listed)
    assert three_hundred.status == (1 if listed else 0)


def test_what_plain_tools_can_read_is_graded(three_hundred: Damaged) -> None:
    listed = {found["student"]: found["reason"] for found in three_hundred.summary["ungraded"]}
    readable = {
        student: f"{damage} {listed[student]}"
        for student, (damage, data) in three_hundred.damages.items()
        if student in listed and functions_found(data)
    }
    assert readable == {}


def test_what_can_still_be_found_keeps_its_marks(three_hundred: Damaged) -> None:
    lost = {}
    kept = 0
    for student, (damage, data) in three_hundred.damages.items():
        scores = recorded(three_hundred.root, student).scores
        for name in functions_found(data) or ():
            kept += scores[name] == FULL_MARKS[name]
            if scores[name] != FULL_MARKS[name]:
                lost[f"{student} {name}"] = (damage, scores[name])
    assert lost == {}
    assert kept > 600  # most damage leaves most functions right


def test_honest_submissions_get_what_they_get_alone(
    three_hundred: Damaged, new_course: NewCourse
) -> None:
    alone = new_course()
    hand_in_honest(alone)
    grade_all(alone)
    for student in three_hundred.honest:
        assert timeless(three_hundred.root, student) == timeless(alone, student)
        assert recorded(three_hundred.root, student) == recorded(alone, student)


# -- sixty, of which twenty are damaged ------------------------------------------------------------


@lru_cache(maxsize=1)
def repairable() -> dict[str, bytes]:
    """Twenty notebooks with several damages each that leave all functions to be found."""
    candidates = (data for data, damage in distinct(GOOD, 200).items() if len(damage.kinds) > 1)
    good = (data for data in candidates if functions_found(data) == set(FULL_MARKS))
    return {f"damaged-{number:02}": data for number, data in enumerate(islice(good, 20))}


UNREADABLE = {
    "cuts-off": b'{"cells": [{"cell_type": "code", "source": "def soft',
    "empties": b"",
    "saves-a-page": b"<!DOCTYPE html><title>Sign in</title>",
    "confuses": json.dumps(
        {"cells": [code("print('hello')")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ).encode(),
}


def test_sixty_of_which_twenty_are_damaged_are_all_graded(new_course: NewCourse) -> None:
    root = new_course()
    damaged = repairable()
    assert len(damaged) == 20
    for student, data in damaged.items():
        hand_in(root, student, data)
    for number in range(40):
        hand_in(root, f"honest-{number:02}", notebook(root))
    status, summary = grade_all(root)
    assert (status, summary["ungraded"], len(summary["results"])) == (0, [], 60)
    for found in summary["results"]:
        assert found["score"] == sum(FULL_MARKS.values()), found["student"]

    before = {student: timeless(root, student) for student in damaged}
    for student, data in UNREADABLE.items():
        hand_in(root, student, data)
    status, summary = grade_all(root)
    assert status == 1
    assert sorted(found["student"] for found in summary["ungraded"]) == sorted(UNREADABLE)
    assert len(summary["results"]) == 60
    assert {student: timeless(root, student) for student in damaged} == before
    for student in UNREADABLE:
        assert set(recorded(root, student).scores.values()) == {None}


def test_in_many_of_the_twenty_nbgrader_would_not_know_its_own_cells() -> None:
    ids = {grade_id_of(cell) for cell in GOOD["cells"]} - {""}
    strange = 0
    for data in repairable().values():
        try:
            cells = json.loads(data)["cells"]
            found = [grade_id_of(cell) for cell in cells if isinstance(cell, dict)]
        except (ValueError, AttributeError, TypeError, KeyError):
            strange += 1
            continue
        strange += sorted(filter(None, map(str, found))) != sorted(ids)
    assert strange >= 5
