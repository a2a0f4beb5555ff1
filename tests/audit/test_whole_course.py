"""The audit of the course as it ships, by the command that an instructor runs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from autograder.exercises import load_assignments, load_exercises


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(["softmax", "causal_mask"], id="two"),
        pytest.param([], id="all", marks=pytest.mark.extra),
    ],
)
def audit(request, tmp_path_factory):
    """What `autograder audit --json` printed, outside of any course."""
    folder = tmp_path_factory.mktemp("audit")
    done = subprocess.run(
        [sys.executable, "-m", "autograder.cli", "audit", *request.param, "--json", "--jobs", "2"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    assert (folder / "reports" / "audit.html").is_file()
    return json.loads(done.stdout)


def test_every_exercise_is_in_the_matrix(audit):
    exercises = load_exercises()
    assert list(audit["matrix"]) in (list(exercises), ["softmax", "causal_mask"])


def test_no_mistake_survives_no_right_answer_is_lost_and_every_record_is_true(audit):
    assert (audit["survivors"], audit["lost"], audit["wrong_records"]) == ([], [], [])


def test_known_answers_of_every_kind_were_tried(audit):
    for name, matrix in audit["matrix"].items():
        exercise = load_exercises()[name]
        assert [row["mistake"] for row in matrix["mistakes"]] == [m.name for m in exercise.mistakes]
        assert matrix["right_answers"] == len(exercise.right_answers) > 5
        assert matrix["trivial"] > 5
        assert matrix["mutants"] > 10


def test_every_mistake_is_caught_by_the_laws_it_names(audit):
    rows = [row for matrix in audit["matrix"].values() for row in matrix["mistakes"]]
    for row in rows:
        assert row["caught"], row["mistake"]
        assert set(row["named"]) <= set(row["caught"]), row["mistake"]


def test_at_least_98_per_cent_of_the_mutants_are_killed(audit):
    matrices = audit["matrix"].values()
    killed = sum(matrix["killed"] for matrix in matrices)
    real = sum(matrix["mutants"] - matrix["equivalent"] for matrix in matrices)
    assert killed >= 0.98 * real
    assert real > 50


def test_at_least_four_of_five_deterministic_mistakes_are_diagnosed_by_exactly_their_name(audit):
    rows = [
        (row["diagnosed"] == [row["mistake"]])
        for name, matrix in audit["matrix"].items()
        for row, mistake in zip(matrix["mistakes"], load_exercises()[name].mistakes, strict=True)
        if mistake.recognised_by == "outputs"
    ]
    assert len(rows) > 30
    assert sum(rows) >= 0.8 * len(rows)


def test_what_a_mistake_is_paid_and_costs_fits_together(audit):
    for name, matrix in audit["matrix"].items():
        assignment = load_assignments()[matrix["assignment"]]
        assert matrix["max_score"] == assignment.max_score
        worth = assignment.exercises[name]
        for row in matrix["mistakes"]:
            assert 0 <= row["paid"] < 1
            # rounded up to two decimals, in the student's favour
            lost = round(float(worth) * (1 - row["paid"]), 9)
            assert row["cost"] <= lost < row["cost"] + 0.01
