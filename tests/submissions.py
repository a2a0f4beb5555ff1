"""Submissions for tests: the release with answers pasted into it, and a course to check them in."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autograder.checking import check_notebooks
from autograder.comparison import same
from autograder.course import Course
from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell
from autograder.notebook import Cell, Notebook, read, write
from autograder.results import ExerciseResult, PropertyResult, Status, SubmissionResult
from autograder.sample import fill_in

ROOT = Path(__file__).resolve().parents[1]
RELEASE = (ROOT / "release" / "self_attention" / "self_attention.ipynb").read_bytes()
EXERCISES = load_exercises()
FULL_MARKS = {
    "softmax": 10.0,
    "self_attention_loop": 10.0,
    "self_attention": 15.0,
    "causal_mask": 5.0,
}
CONFIG = "c = get_config()\nc.PropertyGrader.sandbox = 'rlimit'\nc.PropertyGrader.seed = 0\n"


def right(exercise: str) -> str:
    """The text of a cell with a right answer that calls no other exercise's function."""
    others = "|".join(name for name in FULL_MARKS if name != exercise)
    sources = (source_for_cell(a.answer, exercise) for a in EXERCISES[exercise].right_answers)
    return next(text for text in sources if not re.search(rf"\b({others})\(", text))


def mistake(exercise: str, name: str) -> str:
    """The text of a cell with a known mistake."""
    (found,) = [m for m in EXERCISES[exercise].mistakes if m.name == name]
    return source_for_cell(found.answer, exercise)


def submission(**sources: str) -> Notebook:
    """The release with the given cells, and right answers in the others."""
    filled = {name: right(name) for name in FULL_MARKS} | sources
    return fill_in(read(RELEASE, verbatim=True), filled)


def edited(edit: Callable[[list[Cell]], None], **sources: str) -> Notebook:
    """A submission whose list of cells was edited."""
    notebook = submission(**sources)
    edit(notebook.cells)
    return notebook


def code(source: str, **metadata: Any) -> Cell:
    return Cell(cell_type="code", source=source, metadata=metadata, id="extra")


def json_of(notebook: Notebook) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write(notebook))
    return found


def make_course(root: Path, *, config: str = "", release: bytes | None = RELEASE) -> Course:
    """A course folder with one release, a fixed seed and a place to keep the drawn corpus."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "nbgrader_config.py").write_text(CONFIG + config)
    if release is not None:
        folder = root / "release" / "self_attention"
        folder.mkdir(parents=True)
        (folder / "self_attention.ipynb").write_bytes(release)
    course = Course.find(root)
    assert course is not None
    course.corpora.mkdir(parents=True)
    return course


def checked(course: Course, notebook: Notebook | bytes) -> SubmissionResult:
    """What `autograder check` makes of a notebook."""
    path = course.root / "self_attention.ipynb"
    path.write_bytes(notebook if isinstance(notebook, bytes) else write(notebook))
    (result,) = check_notebooks([path], course, None)
    return result


def scores(result: SubmissionResult) -> dict[str, float]:
    return {exercise.name: exercise.score for exercise in result.exercises}


def with_scores(**changed: float) -> Mapping[str, float]:
    """Full marks but for the exercises that are named."""
    return FULL_MARKS | changed


def of(result: SubmissionResult, exercise: str) -> ExerciseResult:
    found = result.exercise_named(exercise)
    assert found is not None
    return found


def broken(exercise: ExerciseResult) -> dict[str, PropertyResult]:
    """The scored laws that did not pass, by name."""
    return {
        law.name: law
        for law in exercise.properties
        if law.max_points > 0 and law.status is not Status.PASSED
    }


# -- pasting a counterexample ----------------------------------------------------------------------


def numbers_written_out(counterexample: str) -> int:
    """How many entries of arrays a reader has to take in; masks and `np.ones(shape)` are free."""
    listed = re.findall(r"np\.array\((\[.*?\])\)", counterexample)
    return sum(len(re.findall(r"-?[\d.]+(?:e[+-]?\d+)?|np\.inf|np\.nan", text)) for text in listed)


def pasted(counterexample: str, name: str, function: Callable[..., Any]) -> list[Any]:
    """What every pasted call of the function gives: result or exception, and arguments after."""
    seen: list[Any] = []

    def recorded(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
            raise
        seen.append((copy.deepcopy(result), copy.deepcopy((args, kwargs))))
        return result

    with np.errstate(all="ignore"), contextlib.suppress(Exception):
        exec(counterexample, {"np": np, name: recorded})
    return seen


def reproduces(counterexample: str, name: str, function: Callable[..., Any]) -> bool:
    """Whether the function and the reference part ways on the pasted lines."""
    ours = pasted(counterexample, name, EXERCISES[name].reference)
    theirs = pasted(counterexample, name, function)
    return len(ours) != len(theirs) or not all(map(_alike, ours, theirs))


def _alike(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, str) or isinstance(theirs, str):
        return bool(ours == theirs)
    return same(ours[0], _plain(theirs[0])) and repr(ours[1]) == repr(theirs[1])


def _plain(result: Any) -> Any:
    return tuple(map(np.asarray, result)) if isinstance(result, tuple | list) else result
