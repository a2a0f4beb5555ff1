"""`grade("softmax", softmax)` in an instructor's notebook: the report, and the points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograder
from autograder.instructor import grade
from tests.submissions import EXERCISES, FULL_MARKS, mistake, right

IN_A_SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell

ran = InteractiveShell.instance().run_cell(sys.stdin.read())
ran.raise_error()
print(type(ran.result).__name__, ran.result)
"""


def evaluate(definition: str, folder: Path) -> str:
    """What a notebook's cell shows that defines `causal_mask` and grades it."""
    cell = f"import numpy as np\nfrom autograder import grade\n{definition}\n"
    run = subprocess.run(
        [sys.executable, "-c", IN_A_SHELL],
        input=cell + 'grade("causal_mask", causal_mask)\n',
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def test_a_cell_shows_the_report_and_evaluates_to_the_points(tmp_path):
    shown = evaluate(right("causal_mask"), tmp_path)
    assert shown.startswith("causal_mask   5/5\nAll 3 laws hold.\n")
    assert shown.endswith("float 5.0\n")


def test_a_wrong_function_shows_what_a_student_would_see(tmp_path):
    shown = evaluate(mistake("causal_mask", "upper_triangle"), tmp_path)
    assert shown.startswith("causal_mask   1.5/5\nThis looks like upper_triangle: ")
    assert "x matches_reference: " in shown
    assert "    smallest failing input:\n        " in shown
    assert "    hint: " in shown
    assert shown.endswith("float 1.5\n")


@pytest.mark.parametrize("name", FULL_MARKS)
def test_every_reference_gets_full_marks(name, capsys):
    assert grade(name, EXERCISES[name].reference) == FULL_MARKS[name]


def test_a_function_that_raises_is_reported_not_raised(capsys):
    def softmax(z, axis=-1):
        raise ValueError("not yet")

    assert grade("softmax", softmax) == 0.0
    assert "softmax raised ValueError: not yet" in capsys.readouterr().out


def test_an_unknown_exercise_is_named_with_those_there_are():
    with pytest.raises(KeyError, match=r"no exercise 'sofmax'; there are .*causal_mask, .*softmax"):
        grade("sofmax", np.exp)


def test_the_package_offers_grade_alone():
    assert autograder.grade is grade
    assert autograder.__all__ == ["grade"]
    with pytest.raises(AttributeError, match="no attribute 'grades'"):
        _ = autograder.grades


def test_a_course_gives_its_seed(tmp_path, monkeypatch, capsys):
    course = tmp_path / "course"
    course.mkdir()
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.PropertyGrader.seed = 77\n")
    shown = []
    for folder in (course, tmp_path, tmp_path):
        monkeypatch.chdir(folder)
        grade("softmax", lambda z, axis=-1: z * np.pi)
        shown.append(capsys.readouterr().out)
    assert shown[0] != shown[1] == shown[2]
