"""The course as it lies in the repository: the instructor's notebook and the students'."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

COURSE = Path(__file__).resolve().parents[2]
HIDDEN_TESTS = re.compile(r"\n*### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", re.DOTALL)

# The questions a rendered figure can answer, asked in the notebook's own kernel.
ASK_THE_FIGURE = """
import json
print(json.dumps({
    "title": ax.get_title(), "x": ax.get_xlabel(), "y": ax.get_ylabel(),
    "x_ticks": [t.get_text() for t in ax.get_xticklabels()],
    "y_ticks": [t.get_text() for t in ax.get_yticklabels()],
    "texts": [t.get_text() for t in ax.texts],
}))
"""


def read_notebook(kind: str, assignment: str = "self_attention") -> NotebookNode:
    path = COURSE / kind / assignment / f"{assignment}.ipynb"
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


@pytest.fixture(scope="session")
def course() -> Path:
    return COURSE


@pytest.fixture(scope="module")
def assignment() -> str:
    """Which notebook a module tests; one about another overrides this."""
    return "self_attention"


@pytest.fixture
def source(assignment: str) -> NotebookNode:
    """The instructor's notebook."""
    return read_notebook("source", assignment)


@pytest.fixture
def release(assignment: str) -> NotebookNode:
    """The notebook that students get."""
    return read_notebook("release", assignment)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment for Jupyter's commands that reads no settings of the person who tests."""
    home = tmp_path_factory.mktemp("jupyter")
    settings = {
        name: str(home) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")
    }
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    return {**os.environ, **settings, "PATH": path}


Execute = Callable[[NotebookNode], dict[str, NotebookNode]]


@pytest.fixture(scope="session")
def execute(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Execute:
    """Run a notebook from top to bottom in a kernel of its own; gives its cells by id."""

    def run(notebook: NotebookNode) -> dict[str, NotebookNode]:
        path = tmp_path_factory.mktemp("executed") / "executed.ipynb"
        nbformat.write(notebook, path)
        subprocess.run(
            [sys.executable, "-m", "nbconvert", "--to=notebook", "--execute", "--inplace", path],
            env=environment,
            check=True,
            capture_output=True,
            timeout=120,
        )
        return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}

    return run


@pytest.fixture(scope="module")
def executed(execute: Execute, assignment: str) -> dict[str, NotebookNode]:
    """The cells of the instructor's notebook after a run without the hidden tests.

    So a fault of the engine does not hide the figures.
    """
    notebook = read_notebook("source", assignment)
    for cell in notebook.cells:
        cell.source = HIDDEN_TESTS.sub("", cell.source)
    notebook.cells.append(nbformat.v4.new_code_cell(ASK_THE_FIGURE, id="ask-the-figure"))
    return execute(notebook)
