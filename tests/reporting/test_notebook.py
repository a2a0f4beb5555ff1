"""The autograded notebook: outputs of the student's cells, and a report in each graded cell."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbgrader.utils import determine_grade

from autograder.grading.submission import Checked
from autograder.notebook import Notebook, read, rebuild, write
from autograder.notebook.model import grade_id_of
from autograder.reporting.notebook import PAGE_WIDTH, comments, render
from autograder.reporting.text import comment, exercise_report
from autograder.results import CellGrade, Status
from tests.notebook.builders import SKELETON, data, solved
from tests.reporting.made_results import exercise, law, right_exercise, submission_result

REBUILT = rebuild(read(data(solved())), SKELETON).notebook
SOFTMAX = exercise(score=6.67)
MASK = right_exercise(name="causal_mask", score=5.0, max_score=5.0)
PRINTED = {"output_type": "stream", "name": "stdout", "text": "hello\n"}
EVALUATED = {
    "output_type": "execute_result",
    "execution_count": None,
    "metadata": {},
    "data": {"text/plain": "3"},
}


def at(grade_id: str) -> int:
    return next(i for i, cell in enumerate(REBUILT.cells) if grade_id_of(cell) == grade_id)


def checked(**changes: Any) -> Checked:
    values: dict[str, Any] = {
        "result": submission_result(SOFTMAX, MASK),
        "outputs": {at("imports"): [], at("softmax-solution"): [PRINTED, EVALUATED]},
        "grades": {
            "softmax": CellGrade(score=6.67, max_score=10.0),
            "causal_mask": CellGrade(score=5.0, max_score=5.0),
        },
    }
    return Checked(**(values | changes))


def cell_of(notebook: Notebook, grade_id: str) -> nbformat.NotebookNode:
    """A cell as nbgrader reads it from the written file."""
    found = nbformat.reads(write(notebook).decode(), as_version=4)
    return next(
        c for c in found.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def test_a_graded_cell_shows_its_report_and_then_its_score():
    cell = cell_of(render(REBUILT, checked()), "softmax")
    stream, result = cell.outputs
    assert (stream.name, stream.text) == ("stdout", exercise_report(SOFTMAX) + "\n")
    assert result.data["text/plain"] == "6.67"


@pytest.mark.parametrize("score", [0.0, 6.67, 10.0])
def test_nbgrader_reads_the_same_score_from_the_cell(score):
    grades = {"softmax": CellGrade(score=score, max_score=10.0)}
    cell = cell_of(render(REBUILT, checked(grades=grades)), "softmax")
    earned, most = determine_grade(cell)
    assert (score if earned is None else earned, most) == (score, 10.0)


def test_a_fault_of_ours_shows_no_score():
    grades = {"softmax": CellGrade(score=None, max_score=10.0, needs_person=True)}
    cell = cell_of(render(REBUILT, checked(grades=grades)), "softmax")
    assert [output.output_type for output in cell.outputs] == ["stream"]


def test_outputs_of_other_cells_are_kept_in_place():
    cell = cell_of(render(REBUILT, checked()), "softmax-solution")
    assert [output.output_type for output in cell.outputs] == ["stream", "execute_result"]
    assert cell.outputs[0].text == "hello\n"


def test_cells_that_ran_are_numbered_in_order():
    notebook = render(REBUILT, checked())
    counts = [cell.execution_count for cell in notebook.cells if cell.execution_count]
    assert counts == [1, 2, 3, 4]
    cell = cell_of(notebook, "softmax-solution")
    assert cell.outputs[1].execution_count == cell.execution_count


def test_cells_that_did_not_run_have_no_outputs():
    notebook = render(REBUILT, checked())
    idle = notebook.cells[at("causal_mask-solution")]
    assert (idle.outputs, idle.execution_count) == ([], None)


def test_the_notebook_that_was_rebuilt_is_left_as_it_was():
    before = write(REBUILT)
    render(REBUILT, checked())
    assert write(REBUILT) == before


def test_the_written_notebook_is_valid():
    nbformat.validate(nbformat.reads(write(render(REBUILT, checked())).decode(), as_version=4))


def test_an_ordinary_test_cell_shows_what_it_printed_and_that_it_can_be_forged():
    result = submission_result(MASK)
    raised = {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["hidden test"]}
    ran = checked(result=result, outputs={at("softmax"): [PRINTED, raised]})
    shown = cell_of(render(REBUILT, ran), "softmax").outputs[0].text
    assert shown.startswith("hello\nE: no\nThis is an ordinary test cell")
    assert "can be forged" in shown
    assert "hidden test" not in shown


def test_every_exercise_has_a_comment_for_its_solution_cell():
    assert comments(checked()) == {
        "softmax-solution": comment(SOFTMAX),
        "causal_mask-solution": comment(MASK),
    }


def test_a_missing_function_is_reported_in_its_test_cell():
    missing = exercise(score=0.0, status=Status.MISSING)
    cell = cell_of(render(REBUILT, checked(result=submission_result(missing))), "softmax")
    assert cell.outputs[0].text.startswith("softmax   0/10\n")


def test_long_lines_of_a_report_are_broken_but_for_what_a_reader_may_paste():
    long = "word " * 40
    broken = law(message=long, hint=long, counterexample=f"z = np.array([{'1.0, ' * 40}])")
    found = exercise(broken)
    cell = cell_of(render(REBUILT, checked(result=submission_result(found, MASK))), "softmax")
    shown = cell.outputs[0].text
    *lines, pasted = sorted(shown.splitlines(), key=len)
    assert max(map(len, lines)) <= PAGE_WIDTH
    assert pasted.strip() == broken.counterexample
    assert " ".join(shown.split()) == " ".join(exercise_report(found).split())
