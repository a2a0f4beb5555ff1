"""The release is what stock nbgrader makes of the source, and it gives nothing away."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.exercise import Assignment
from autograder.exercises import load_assignments
from tests.course.conftest import read_notebook

pytestmark = pytest.mark.slow

ASSIGNMENTS = load_assignments()
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module", params=ASSIGNMENTS.values(), ids=ASSIGNMENTS.keys())
def assignment(request: pytest.FixtureRequest) -> Assignment:
    found: Assignment = request.param
    return found


@pytest.fixture
def source(assignment: Assignment) -> NotebookNode:
    return read_notebook("source", assignment.name)


@pytest.fixture
def release(assignment: Assignment) -> NotebookNode:
    return read_notebook("release", assignment.name)


@pytest.fixture(scope="module")
def regenerated(
    course: Path,
    assignment: Assignment,
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The release folder that `nbgrader generate_assignment` writes in a scratch course."""
    scratch = tmp_path_factory.mktemp("course")
    shutil.copytree(course / "source", scratch / "source")
    shutil.copy(course / "nbgrader_config.py", scratch)
    subprocess.run(
        ["nbgrader", "generate_assignment", assignment.name],
        cwd=scratch,
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return scratch / "release" / assignment.name


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def test_generating_the_assignment_gives_the_committed_release(
    course: Path, assignment: Assignment, regenerated: Path
) -> None:
    name = assignment.name
    committed = contents(course / "release" / name)
    assert list(committed) == [f"{name}.ipynb"]
    assert contents(regenerated) == committed, (
        f"release/{name} is not current. Run `nbgrader generate_assignment {name} "
        "--force` and commit the result."
    )


def test_no_line_of_a_solution_is_released(source: NotebookNode, release: NotebookNode) -> None:
    solution = {
        line.strip()
        for cell in source.cells
        for block in SOLUTION.findall(cell.source)
        for line in block.splitlines()
        if line.strip()
    }
    assert len(solution) > 15
    released = {line.strip() for cell in release.cells for line in cell.source.splitlines()}
    assert solution & released == set()


def test_neither_markers_nor_hidden_tests_are_released(
    course: Path, assignment: Assignment
) -> None:
    name = assignment.name
    text = contents(course / "release" / name)[f"{name}.ipynb"].decode()
    for word in ("BEGIN ", "END ", "HIDDEN", "MARK SCHEME", "autograder", "grade(", "SOLUTION"):
        assert word not in text


def test_neither_model_answer_nor_mark_scheme_is_released(
    assignment: Assignment, source: NotebookNode, release: NotebookNode
) -> None:
    text = "\n".join(cell.source for cell in release.cells)
    for question in assignment.written:
        answer = next(cell.source for cell in source.cells if cell.id == question.name)
        lines = [line for line in answer.splitlines() if line.strip()]
        assert len(lines) > 10
        assert [line for line in lines if line in text] == []
        released = next(c.source for c in release.cells if c.id == question.name)
        assert released == "YOUR ANSWER HERE"


def test_the_release_differs_from_the_source_in_graded_cells_alone(
    assignment: Assignment, source: NotebookNode, release: NotebookNode
) -> None:
    assert [cell.id for cell in release.cells] == [cell.id for cell in source.cells]
    changed = {
        after.id
        for before, after in zip(source.cells, release.cells, strict=True)
        if before.source != after.source
    }
    names = assignment.exercises
    written = (question.name for question in assignment.written)
    assert changed == {*names, *(f"{name}-solution" for name in names), *written}


# -- what a student sees who runs the release ------------------------------------------------------


VALIDATE = """
import json, sys
from nbgrader.validator import Validator
print(json.dumps(Validator().validate(sys.argv[1])))
"""

Validate = Callable[[NotebookNode], list[dict[str, Any]]]


@pytest.fixture
def validate(tmp_path: Path, environment: dict[str, str]) -> Validate:
    """The cells that nbgrader's *Validate* button calls failed, each with its error."""

    def run(notebook: NotebookNode) -> list[dict[str, Any]]:
        path = tmp_path / "notebook.ipynb"
        nbformat.write(notebook, path)
        done = subprocess.run(
            [sys.executable, "-c", VALIDATE, path.name],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            timeout=120,
        )
        failed: list[dict[str, Any]] = json.loads(done.stdout).get("failed", [])
        return failed

    return run


@pytest.fixture(  # one notebook in every run, the others in the extra one
    params=[
        pytest.param(assignment, id=name, marks=[pytest.mark.extra] * (name != "self_attention"))
        for name, assignment in ASSIGNMENTS.items()
    ]
)
def validated(request: pytest.FixtureRequest) -> Assignment:
    found: Assignment = request.param
    return found


def test_every_visible_check_fails_on_the_stubs(validated: Assignment, validate: Validate) -> None:
    release = read_notebook("release", validated.name)
    failed = validate(release)
    checks = [cell.source.strip() for cell in release.cells if cell.id in validated.exercises]
    code, written = failed[: len(checks)], failed[len(checks) :]
    assert [item["source"] for item in code] == checks
    assert all("Replace this line by your own code." in item["error"] for item in code)
    assert [item["error"] for item in written] == ["You did not provide a response."] * len(
        validated.written
    )


def test_every_visible_check_passes_with_the_instructors_solutions(
    validated: Assignment, validate: Validate
) -> None:
    source, release = (read_notebook(kind, validated.name) for kind in ("source", "release"))
    solutions = {cell.id: cell.source for cell in source.cells if cell.id.endswith("-solution")}
    written = {question.name for question in validated.written}
    for cell in release.cells:
        cell.source = solutions.get(cell.id, cell.source)
        if cell.id in written:
            cell.source = "Otherwise softmax saturates and the gradient vanishes."
    assert validate(release) == []
