"""The other side of the comparison: a stock nbgrader course with eight plain asserts.

It has our solution cells and our text, but neither our preprocessors nor our demonstrations: their
figures would cost the stock side time that our grader does not spend.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder.notebook import Cell, Notebook, read, write
from autograder.notebook.model import grade_id_of, nbgrader_of
from benchmarks.course import CONFIG_NAME, empty_course

CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "stock"\n'

_THREE_TOKENS = (
    "X, W = np.arange(6.0).reshape(3, 2), np.eye(2)\n"
    "scores = np.exp(X @ X.T / np.sqrt(2) - (X @ X.T / np.sqrt(2)).max(axis=1, keepdims=True))\n"
    "expected = scores / scores.sum(axis=1, keepdims=True)\n"
)
_SEES_ITSELF = "X, W, mask = np.arange(6.0).reshape(3, 2), np.eye(2), np.eye(3, dtype=bool)\n"

PLAIN_ASSERTS = {
    "softmax": (
        "assert np.allclose(softmax(np.log([[1.0, 3.0]])), [[0.25, 0.75]])",
        "assert np.allclose(softmax(np.ones((3, 2)), axis=0).sum(axis=0), 1)",
    ),
    "self_attention_loop": (
        _THREE_TOKENS + "assert np.allclose(self_attention_loop(X, W, W, W)[1], expected)",
        _SEES_ITSELF + "assert np.allclose(self_attention_loop(X, W, W, W, mask=mask)[0], X)",
    ),
    "self_attention": (
        _THREE_TOKENS + "assert np.allclose(self_attention(X, W, W, W)[1], expected)",
        _SEES_ITSELF + "assert np.allclose(self_attention(X, W, W, W, mask=mask)[0], X)",
    ),
    "causal_mask": (
        "assert np.array_equal(causal_mask(2), [[True, False], [True, True]])",
        "assert np.shape(causal_mask(5)) == (5, 5)",
    ),
}
"""Two test cells for each function, as one would write them without a property grader."""


def stock_course(folder: Path, source: Path, assignment: str) -> Path:
    """Make `folder` a stock course with the notebook `source` and plain asserts.

    Raises:
        FileExistsError: the folder exists and was not made here.
    """
    empty_course(folder)
    (folder / CONFIG_NAME).write_text(CONFIG, encoding="utf-8")
    path = folder / "source" / assignment / f"{assignment}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(write(with_plain_asserts(read(source.read_bytes(), verbatim=True))))
    return folder


def with_plain_asserts(notebook: Notebook) -> Notebook:
    """The notebook without demonstrations, and with two plain test cells for each of ours."""
    cells: list[Cell] = []
    for cell in notebook.cells:
        name = grade_id_of(cell)
        if name in PLAIN_ASSERTS:
            cells += _test_cells(cell, name)
        elif "demo" not in cell.metadata.get("tags", ()):
            cells.append(cell)
    return msgspec.structs.replace(notebook, cells=cells)


def _test_cells(cell: Cell, name: str) -> list[Cell]:
    made = []
    for number, source in enumerate(PLAIN_ASSERTS[name], start=1):
        nbgrader = nbgrader_of(cell)
        nbgrader = {
            **nbgrader,
            "grade_id": f"{name}-{number}",
            "points": nbgrader["points"] / len(PLAIN_ASSERTS[name]),
        }
        metadata = {**cell.metadata, "nbgrader": nbgrader}
        made.append(
            msgspec.structs.replace(
                cell, source=source, metadata=metadata, id=f"{cell.id}-{number}"
            )
        )
    return made
