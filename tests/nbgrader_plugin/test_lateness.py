"""What a late penalty plugin may answer, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import BasePlugin
from traitlets.config import Config

from autograder.nbgrader_plugin.lateness import LatePolicyError, late_penalty

Answer = Callable[[float], object]


def asked(answer: Answer, *, seconds: float = 60.0) -> float | None:
    class Policy(BasePlugin):
        def late_submission_penalty(self, student_id: str, score: float, late: float) -> object:
            assert (student_id, late) == ("ada", seconds)
            return answer(score)

    config = Config({"AssignLatePenalties": {"plugin_class": Policy}})
    directory = CourseDirectory(config=config)
    return late_penalty(config, directory, student="ada", score=30.0, seconds=seconds)


@pytest.mark.parametrize(
    ("answer", "penalty"),
    [
        (lambda score: 2, 2.0),
        (lambda score: score / 4, 7.5),
        (lambda score: None, None),
        (lambda score: -1.0, 0.0),
        (lambda score: 31.0, 30.0),
        (lambda score: float("inf"), 30.0),
        (lambda score: True, 1.0),
    ],
)
def test_a_penalty_lies_between_nothing_and_the_score(answer: Answer, penalty: object) -> None:
    assert asked(answer) == penalty


def raising(error: BaseException) -> Answer:
    def answer(score: float) -> object:
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (raising(LookupError("no such student")), "LookupError: no such student"),
        (raising(SystemExit(0)), "SystemExit"),
        (lambda score: "a lot", "ValueError"),
        (lambda score: [1.0], "TypeError"),
        (lambda score: float("nan"), "nan"),
    ],
)
def test_a_plugin_that_gives_no_points_is_reported(answer: Answer, said: str) -> None:
    with pytest.raises(LatePolicyError, match=said):
        asked(answer)


def test_whoever_is_on_time_has_no_penalty_and_the_plugin_is_not_asked() -> None:
    assert asked(raising(LookupError()), seconds=0.0) is None


def test_the_default_of_nbgrader_takes_nothing_off(tmp_path: Path) -> None:
    directory = CourseDirectory(config=Config({"CourseDirectory": {"root": str(tmp_path)}}))
    taken = late_penalty(Config(), directory, student="ada", score=30.0, seconds=60.0)
    assert taken is None


def test_what_a_plugin_prints_stays_off_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def answer(score: float) -> object:
        print("late!")  # noqa: T201
        return 1.0

    assert asked(answer) == 1.0
    assert capsys.readouterr() == ("", "late!\n")
