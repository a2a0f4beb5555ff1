"""The release is what stock nbgrader makes of the source, and it gives nothing away."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.exercises import load_assignments

pytestmark = pytest.mark.slow

ASSIGNMENTS = load_assignments()
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module", params=ASSIGNMENTS)
def assignment(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def exercises(assignment: str) -> list[str]:
    return [*ASSIGNMENTS[assignment].exercises]


@pytest.fixture
def written(assignment: str) -> list[str]:
    return [question.name for question in ASSIGNMENTS[assignment].written]


@pytest.fixture(scope="module")
def regenerated(
    course: Path,
    assignment: str,
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The release folder that `nbgrader generate_assignment` writes in a scratch course."""
    scratch = tmp_path_factory.mktemp("course")
    shutil.copytree(course / "source", scratch / "source")
    shutil.copy(course / "nbgrader_config.py", scratch)
    subprocess.run(
        ["nbgrader", "generate_assignment", assignment],
        cwd=scratch,
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return scratch / "release" / assignment


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def test_generating_the_assignment_gives_the_committed_release(
    course: Path, regenerated: Path, assignment: str
) -> None:
    committed = contents(course / "release" / assignment)
    assert list(committed) == [f"{assignment}.ipynb"]
    assert contents(regenerated) == committed, (
        f"release/{assignment} is not current. Run `nbgrader generate_assignment {assignment} "
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


def test_neither_markers_nor_hidden_tests_are_released(course: Path, assignment: str) -> None:
    text = contents(course / "release" / assignment)[f"{assignment}.ipynb"].decode()
    for word in ("BEGIN ", "END ", "HIDDEN", "MARK SCHEME", "autograder", "grade(", "SOLUTION"):
        assert word not in text


def test_neither_model_answer_nor_mark_scheme_is_released(
    source: NotebookNode, release: NotebookNode, written: list[str]
) -> None:
    text = "\n".join(cell.source for cell in release.cells)
    for question in written:
        answer = next(cell.source for cell in source.cells if cell.id == question)
        lines = [line for line in answer.splitlines() if line.strip()]
        assert len(lines) > 10
        assert [line for line in lines if line in text] == []
        assert next(c.source for c in release.cells if c.id == question) == "YOUR ANSWER HERE"


def test_the_release_differs_from_the_source_in_graded_cells_alone(
    source: NotebookNode, release: NotebookNode, exercises: list[str], written: list[str]
) -> None:
    assert [cell.id for cell in release.cells] == [cell.id for cell in source.cells]
    changed = {
        after.id
        for before, after in zip(source.cells, release.cells, strict=True)
        if before.source != after.source
    }
    assert changed == {*exercises, *(f"{name}-solution" for name in exercises), *written}


# -- what a student sees who runs the release ------------------------------------------------------


VALIDATE = """
import json, sys
from nbgrader.validator import Validator
print(json.dumps(Validator().validate(sys.argv[1])))
"""


def validate(
    notebook: NotebookNode, folder: Path, environment: dict[str, str]
) -> list[dict[str, Any]]:
    """The cells that nbgrader's *Validate* button calls failed, each with its error."""
    path = folder / "submission.ipynb"
    nbformat.write(notebook, path)
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, path.name],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    failed: list[dict[str, Any]] = json.loads(done.stdout).get("failed", [])
    return failed


def test_every_visible_check_fails_on_the_stubs(
    release: NotebookNode,
    tmp_path: Path,
    environment: dict[str, str],
    exercises: list[str],
    written: list[str],
) -> None:
    failed = validate(release, tmp_path, environment)
    checks = [cell.source.strip() for cell in release.cells if cell.id in exercises]
    assert [item["source"] for item in failed[: len(checks)]] == checks
    assert all("Replace this line by your own code." in f["error"] for f in failed[: len(checks)])
    unanswered = [item["error"] for item in failed[len(checks) :]]
    assert unanswered == ["You did not provide a response." for _ in written]


def test_every_visible_check_passes_with_the_instructors_solutions(
    source: NotebookNode,
    release: NotebookNode,
    tmp_path: Path,
    environment: dict[str, str],
    written: list[str],
) -> None:
    solutions = {cell.id: cell.source for cell in source.cells if cell.id.endswith("-solution")}
    for cell in release.cells:
        cell.source = solutions.get(cell.id, cell.source)
        if cell.id in written:
            cell.source = "Otherwise softmax saturates and the gradient vanishes."
    assert validate(release, tmp_path, environment) == []
