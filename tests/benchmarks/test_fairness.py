"""Right answers keep every point, and the benchmark that says so tells when they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

import reference
from autograder.exercise import Catalogue, RightAnswer
from autograder.exercises import catalogue
from benchmarks import fairness, replay
from benchmarks.fairness import Run, report
from benchmarks.replay import Loss, Tally, replay_seed

LOSS = Loss(
    "softmax", "textbook", 7, "shift_invariant", "softmax(z + c) is 0.1, but should be 0.2."
)
LOST = Run("2.4.6", [Tally("float32", 3, 98, 1234567, 1.0, [LOSS])], 12.0)
MISSING = Run("1.26", problem="ERROR: no NumPy 1.26 for this Python")


def only(monkeypatch: pytest.MonkeyPatch, exercise: str, answer: Callable[..., Any]) -> None:
    """Make the catalogue offer this exercise alone, and this as its only right answer."""
    ours = catalogue()
    known = (RightAnswer(name="tried", answer=answer),)
    offered = tuple(replace(e, right_answers=known) for e in ours.exercises if e.name == exercise)
    monkeypatch.setattr(
        replay, "catalogue", lambda: Catalogue(exercises=offered, assignments=ours.assignments)
    )


def lost(tally: Tally) -> list[str]:
    return [f"{loss.exercise}, {loss.answer}: {loss.law}: {loss.message}" for loss in tally.losses]


@pytest.mark.extra
def test_no_right_answer_loses_a_point_on_float32_inputs() -> None:
    (tally,) = replay_seed(0, ["float32"])
    assert lost(tally) == []
    assert tally.points_lost == 0
    assert tally.answers == sum(len(e.right_answers) for e in catalogue().exercises)
    assert tally.calls > 40_000


@pytest.mark.extra
def test_no_right_answer_loses_a_point_in_the_runs_of_five_seeds() -> None:
    for seed in range(100, 105):
        for tally in replay_seed(seed, ["float64", "float32"]):
            assert (lost(tally), tally.points_lost) == ([], 0)


def test_a_wrong_answer_among_the_right_ones_is_told_with_law_and_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unshifted(z: Any, axis: int = -1) -> Any:
        e = np.exp(z)
        return e / e.sum(axis=axis, keepdims=True)

    only(monkeypatch, "softmax", unshifted)
    for tally in replay_seed(0, ["float64", "float32"]):
        assert {loss.law for loss in tally.losses} >= {"survives_huge_scores", "shift_invariant"}
        assert {loss.answer for loss in tally.losses} == {"tried"}
        assert tally.points_lost >= 3
        assert all("should be" in loss.message for loss in tally.losses)


def test_an_answer_that_raises_or_remembers_loses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def forgetful(X: Any, W_Q: Any, W_K: Any, W_V: Any, mask: Any = None, scale: Any = True) -> Any:
        nonlocal calls
        calls += 1
        if len(X) == 1:
            raise ValueError("too short")
        output, weights = reference.self_attention(X, W_Q, W_K, W_V, mask, scale)
        return output, weights + 1e-3 * (calls > 12)

    only(monkeypatch, "self_attention", forgetful)
    (tally,) = replay_seed(0, ["float64"])
    messages = {loss.law: loss.message for loss in tally.losses}
    assert "ValueError too short" in messages.values()
    assert "came a second time" in messages["matches_reference"]
    assert tally.points_lost == 15


def test_float32_inputs_reach_the_answer_as_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()

    def looks(X: Any, W_Q: Any, W_K: Any, W_V: Any, mask: Any = None, scale: Any = True) -> Any:
        seen.update(array.dtype for array in (X, W_Q, W_K, W_V))
        return reference.self_attention(X, W_Q, W_K, W_V, mask, scale)

    only(monkeypatch, "self_attention", looks)
    (tally,) = replay_seed(0, ["float32"])
    assert seen == {np.dtype("f4")}
    assert lost(tally) == []


def test_the_report_has_a_line_for_every_run_and_every_loss() -> None:
    lines = report([LOST, MISSING]).splitlines()
    assert lines[1].split() == ["2.4.6", "float32", "3", "98", "1,234,567", "1", "1", "12"]
    assert lines[2] == "1.26       not measured: ERROR: no NumPy 1.26 for this Python"
    assert lines[3].startswith("lost: softmax, textbook, seed 7, shift_invariant (NumPy 2.4.6, ")
    assert lines[3].endswith(LOSS.message)


def test_only_a_real_loss_makes_the_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Run("2.4.6", [Tally("float64", 1, 98, 10)]), LOST]
    asked: list[Sequence[str]] = []

    def under(numpy: str, arguments: Sequence[str]) -> Run:
        asked.append([numpy, *arguments])
        return MISSING

    monkeypatch.setattr(fairness, "measure", lambda *options: found.pop(0))
    monkeypatch.setattr(fairness, "measure_under", under)
    assert fairness.main(["--seeds", "1", "--float32", "--numpy", "1.26"]) == 0
    assert "not measured" in capsys.readouterr().out
    assert asked == [["1.26", "--seeds=1", "--jobs=2", "--float32"]]
    assert fairness.main(["--seeds", "1", "--json"]) == 1
    assert msgspec.json.decode(capsys.readouterr().out, type=list[Run]) == [LOST]


@pytest.mark.extra
def test_a_numpy_that_does_not_exist_is_said_to_be_missing() -> None:
    run = fairness.measure_under("0.0", ["--seeds=1"])
    assert not run.lost
    assert run.problem


@pytest.mark.parametrize("seeds", ["0", "-1", "many"])
def test_a_number_of_seeds_that_is_none_is_refused(
    seeds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        fairness.main(["--seeds", seeds])
    assert "no whole number above 0" in capsys.readouterr().err


@pytest.mark.extra
def test_another_numpy_gets_an_environment_of_its_own() -> None:
    run = fairness.measure_under("1.26", ["--seeds=1", "--jobs=1", "--float32"])
    if run.problem:
        pytest.skip(f"NumPy 1.26 cannot be had here: {run.problem}")
    assert run.numpy.startswith("1.26.")
    assert [(tally.dtype, tally.losses) for tally in run.tallies] == [
        ("float64", []),
        ("float32", []),
    ]
