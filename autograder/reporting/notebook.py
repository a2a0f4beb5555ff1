"""The autograded notebook: the student's outputs, and a report in each graded cell."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection
from typing import Any

import msgspec

from autograder.grading.submission import Checked
from autograder.notebook import Notebook, Role
from autograder.notebook.model import grade_id_of
from autograder.notebook.skeleton import role_of
from autograder.notebook.writing import written
from autograder.reporting.text import PASTED_INDENT, comment, exercise_report
from autograder.results import CellGrade, ExerciseResult

PAGE_WIDTH = 100
"""Columns that the pages of formgrader and of the feedback show without scrolling."""


def render(notebook: Notebook, checked: Checked) -> Notebook:
    """The rebuilt notebook with outputs: what cells printed and drew, and what tests earned.

    A graded cell gets a stdout stream with its report first, then exactly one result with the
    score, so that nbgrader's own rule reads the same score.
    """
    reports = {exercise.name: exercise for exercise in checked.result.exercises}
    count = 0
    cells = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            cells.append(cell)
            continue
        grade_id = grade_id_of(cell) or ""
        grade = checked.grades.get(grade_id) if role_of(cell) is Role.TEST else None
        outputs = checked.outputs.get(index, [])
        if grade is None and index not in checked.outputs:
            cells.append(msgspec.structs.replace(cell, outputs=[], execution_count=None))
            continue
        count += 1
        if grade is not None:
            outputs = _graded_outputs(outputs, grade, reports.get(grade_id), count)
        outputs = [_numbered(output, count) for output in outputs]
        cells.append(msgspec.structs.replace(cell, outputs=outputs, execution_count=count))
    return msgspec.structs.replace(notebook, cells=cells)


def comments(checked: Checked) -> dict[str, str]:
    """The automatic comment of every exercise's solution cell, by that cell's grade_id."""
    return {f"{exercise.name}-solution": comment(exercise) for exercise in checked.result.exercises}


def with_outputs_of(old: bytes, new: bytes, names: Collection[str]) -> bytes:
    """An autograded notebook with these test cells' outputs taken from another rendering of it.

    Args:
        old: the notebook as it stands.
        new: the same submission, graded again.
        names: grade_ids of test cells; every other cell keeps each byte.
    """
    fresh = {_name(cell): cell for cell in json.loads(new)["cells"] if _is_test(cell)}
    notebook = json.loads(old)
    for cell in notebook["cells"]:
        if _is_test(cell) and _name(cell) in names and _name(cell) in fresh:
            count = cell.get("execution_count")
            outputs = fresh[_name(cell)]["outputs"]
            cell["outputs"] = outputs if count is None else [_numbered(o, count) for o in outputs]
    return written(notebook)


def _name(cell: dict[str, Any]) -> str:
    return str(cell["metadata"]["nbgrader"]["grade_id"])


def _is_test(cell: dict[str, Any]) -> bool:
    known = cell["metadata"].get("nbgrader", {})
    return bool(known.get("grade")) and not known.get("solution") and "grade_id" in known


def _graded_outputs(
    outputs: list[dict[str, Any]],
    grade: CellGrade,
    exercise: ExerciseResult | None,
    count: int,
) -> list[dict[str, Any]]:
    text = exercise_report(exercise) if exercise is not None else _ordinary_report(outputs)
    rendered: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": _wrapped(text.rstrip("\n")) + "\n"}
    ]
    if grade.score is not None:
        rendered.append(
            {
                "output_type": "execute_result",
                "execution_count": count,
                "metadata": {},
                "data": {"text/plain": repr(float(grade.score))},
            }
        )
    return rendered


def _wrapped(text: str) -> str:
    """The report in lines that a page shows whole; what is to be pasted stays as it is."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        if len(line) <= PAGE_WIDTH or len(indent) >= PASTED_INDENT:
            lines.append(line)
        else:
            lines += textwrap.wrap(
                line, PAGE_WIDTH, subsequent_indent=f"{indent}  ", break_long_words=False
            )
    return "\n".join(lines)


def _ordinary_report(outputs: list[dict[str, Any]]) -> str:
    """What an ordinary test cell printed and raised, and how far its score can be trusted."""
    lines = [str(o["text"]).rstrip("\n") for o in outputs if o["output_type"] == "stream"]
    lines += [f"{o['ename']}: {o['evalue']}" for o in outputs if o["output_type"] == "error"]
    lines.append(
        "This is an ordinary test cell: it ran beside the code that it tests, so its score can "
        "be forged."
    )
    return "\n".join(lines)


def _numbered(output: dict[str, Any], count: int) -> dict[str, Any]:
    if output["output_type"] == "execute_result":
        return {**output, "execution_count": count}
    return output
