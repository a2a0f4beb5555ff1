"""The autograded notebook: the student's outputs, and a report in each graded cell."""

from __future__ import annotations

from typing import Any

import msgspec

from autograder.grading.submission import Checked
from autograder.notebook import Notebook, Role
from autograder.notebook.model import grade_id_of
from autograder.notebook.skeleton import role_of
from autograder.reporting.text import comment, exercise_report
from autograder.results import CellGrade, ExerciseResult


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


def _graded_outputs(
    outputs: list[dict[str, Any]],
    grade: CellGrade,
    exercise: ExerciseResult | None,
    count: int,
) -> list[dict[str, Any]]:
    text = exercise_report(exercise) if exercise is not None else _ordinary_report(outputs)
    rendered: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": text.rstrip("\n") + "\n"}
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
