"""What holds for the notebook of every assignment: its structure, stubs and needs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from nbformat import NotebookNode

from autograder.exercise import Assignment, Exercise
from autograder.exercises import load_assignments, load_exercises
from tests.course.conftest import read_notebook
from tests.course.test_self_attention_notebook import by_id, is_demo, role

ASSIGNMENTS = load_assignments()
EXERCISES = load_exercises()
GRADED = [
    pytest.param(assignment, EXERCISES[name], id=f"{assignment.name}-{name}")
    for assignment in ASSIGNMENTS.values()
    for name in assignment.exercises
]
every_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS.values(), ids=ASSIGNMENTS)
every_exercise = pytest.mark.parametrize(("assignment", "exercise"), GRADED)


def source_of(assignment: Assignment) -> NotebookNode:
    return read_notebook("source", assignment.name)


def release_of(assignment: Assignment) -> NotebookNode:
    return read_notebook("release", assignment.name)


@every_assignment
def test_headings_descend_one_level_at_a_time(assignment: Assignment) -> None:
    text = "\n".join(c.source for c in release_of(assignment).cells if c.cell_type == "markdown")
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@every_assignment
def test_graded_cells_stand_in_the_order_of_the_record_with_its_points(
    assignment: Assignment,
) -> None:
    graded = [
        cell.metadata.nbgrader
        for cell in source_of(assignment).cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    ]
    found = {facts.grade_id: facts.points for facts in graded}
    written = {question.name: question.points for question in assignment.written}
    assert [*found.items()] == [*assignment.exercises.items(), *written.items()]


@every_assignment
def test_every_cell_has_one_name_alone(assignment: Assignment) -> None:
    cells = source_of(assignment).cells
    assert len({cell.id for cell in cells}) == len(cells)
    for cell in cells:
        if "nbgrader" in cell.metadata:
            assert cell.id == cell.metadata.nbgrader.grade_id


@every_exercise
def test_an_exercise_has_a_solution_cell_and_a_locked_check(
    assignment: Assignment, exercise: Exercise
) -> None:
    cells = by_id(source_of(assignment))
    assert role(cells[f"{exercise.name}-solution"]) == (False, True, False)
    assert role(cells[exercise.name]) == (True, False, True)
    _, hidden = cells[exercise.name].source.split("### BEGIN HIDDEN TESTS\n")
    body, after = hidden.split("### END HIDDEN TESTS")
    call = f'from autograder import grade\ngrade("{exercise.name}", {exercise.name})'
    assert ast.unparse(ast.parse(body)) == ast.unparse(ast.parse(call))
    assert after == ""


@every_exercise
def test_a_stub_is_what_the_record_asks_for_and_states_its_convention(
    assignment: Assignment, exercise: Exercise
) -> None:
    cell = by_id(release_of(assignment))[f"{exercise.name}-solution"]
    (stub,) = ast.parse(cell.source).body
    assert isinstance(stub, ast.FunctionDef | ast.ClassDef)
    assert stub.name == exercise.name
    assert isinstance(stub, ast.ClassDef) == isinstance(exercise.reference, type)
    functions = [stub] if isinstance(stub, ast.FunctionDef) else stub.body[1:]
    for function in functions:
        assert isinstance(function, ast.FunctionDef)
        assert ast.get_docstring(function)
        assert [type(statement) for statement in function.body[1:]] == [ast.Raise]
    called = functions[0]
    assert isinstance(called, ast.FunctionDef)
    assert f"({ast.unparse(called.args)})".replace("(self, ", "(") == exercise.signature
    text = " ".join((ast.get_docstring(stub) or "").split())
    convention = exercise.convention.removesuffix(".")
    for part in ("Shapes: ", " -> ", "Edge rules: ", "Errors: ", convention):
        assert part in text


@every_assignment
def test_demonstrations_alone_draw_and_are_never_graded(assignment: Assignment) -> None:
    cells = release_of(assignment).cells
    demos = [cell for cell in cells if is_demo(cell)]
    assert demos
    assert all(cell.cell_type == "code" and "nbgrader" not in cell.metadata for cell in demos)
    drawing = [c for c in cells if c.cell_type == "code" and "plt." in c.source]
    allowed = [cell for cell in drawing if is_demo(cell) or cell.id in assignment.exercises]
    solutions = [cell for cell in drawing if cell.id.endswith("-solution")]
    assert [c.id for c in drawing if c not in allowed and c not in solutions] == []


@every_assignment
def test_every_figure_of_a_demonstration_has_a_text_in_its_place(assignment: Assignment) -> None:
    for cell in release_of(assignment).cells:
        if is_demo(cell) and "plt.subplots" in cell.source:
            assert '"alt"' in cell.source, cell.id


@every_assignment
def test_no_line_is_too_long_to_read(assignment: Assignment) -> None:
    for cell in source_of(assignment).cells:
        limit = 100 if cell.cell_type == "code" else 120
        assert [line for line in cell.source.splitlines() if len(line) > limit] == [], cell.id


RUN_WITH_NUMPY_ALONE = """
import json, sys, time
import numpy as np

class NumpyAlone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("IPython", "matplotlib", "autograder", "reference", "scipy"):
            raise ModuleNotFoundError(f"a student may lack {name}")

sys.meta_path.insert(0, NumpyAlone())
sources = json.load(sys.stdin)
seconds = []
for _ in range(5):
    start, names = time.perf_counter(), {}
    for source in sources:
        exec(source, names)
    seconds.append(time.perf_counter() - start)
print(min(seconds))
"""


@pytest.mark.parametrize(
    "assignment",
    # an exercise that asks for a figure needs Matplotlib too: see the notebook's own tests
    [a for a in ASSIGNMENTS.values() if "attention_heatmap" not in a.exercises],
    ids=lambda assignment: assignment.name,
)
def test_all_but_the_demonstrations_runs_fast_with_numpy_alone(assignment: Assignment) -> None:
    solutions = by_id(source_of(assignment))
    code = [
        solutions[cell.id].source if cell.id.endswith("-solution") else cell.source
        for cell in release_of(assignment).cells
        if cell.cell_type == "code" and not is_demo(cell)
    ]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_WITH_NUMPY_ALONE],
        input=json.dumps(code),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) < 0.05  # seconds
    assert done.stderr == ""
