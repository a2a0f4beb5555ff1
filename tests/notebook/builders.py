"""Notebooks for tests, built in code: a small release, and submissions made from it."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from autograder.notebook import Notebook, Rebuilt, Skeleton, read, rebuild, runnable

Json = dict[str, Any]

STUB = 'def {name}({args}):\n    """The formula of {name}."""\n    raise NotImplementedError'
WORK = {
    "softmax": "def softmax(z, axis=-1):\n    e = np.exp(z)\n    return e / e.sum(axis)",
    "causal_mask": "def causal_mask(n):\n    return np.tri(n, dtype=bool)",
}


def code(source: str, cell_id: str, **metadata: Any) -> Json:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def markdown(source: str, cell_id: str, **metadata: Any) -> Json:
    return {"cell_type": "markdown", "id": cell_id, "metadata": metadata, "source": source}


def flags(grade_id: str, cell: Json, *, points: float | None = None, **on: bool) -> Json:
    """Give a cell nbgrader flags as a release has them, checksum included."""
    found: Json = {"grade": False, "solution": False, "locked": False, "task": False}
    found |= {"schema_version": 3, "grade_id": grade_id, "cell_type": cell["cell_type"], **on}
    if points is not None:
        found["points"] = points
    found["checksum"] = hashlib.md5(cell["source"].encode()).hexdigest()  # noqa: S324
    cell["metadata"]["nbgrader"] = found
    return cell


def notebook(*cells: Json, minor: int = 5, **metadata: Any) -> Json:
    metadata = metadata or {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}


def data(document: Any) -> bytes:
    return json.dumps(document, indent=1).encode()


def release() -> Json:
    """Text, imports, two stubs with their tests, a demonstration and a written question."""
    stubs = {
        name: code(STUB.format(name=name, args=args), f"{name}-solution")
        for name, args in (("softmax", "z, axis=-1"), ("causal_mask", "n"))
    }
    return notebook(
        markdown("# Attention\nWelcome.", "title"),
        flags("imports", code("import numpy as np", "imports"), locked=True),
        code("rng = np.random.default_rng(0)", "generator"),
        flags("softmax-solution", stubs["softmax"], solution=True),
        flags(
            "softmax",
            code("assert softmax([0.0]) == 1", "softmax"),
            points=10,
            grade=True,
            locked=True,
        ),
        code("figure = np.ones(3)\nshown = figure.sum()", "demonstration", tags=["demo"]),
        flags("causal_mask-solution", stubs["causal_mask"], solution=True),
        flags(
            "causal_mask",
            code("assert causal_mask(1)", "causal_mask"),
            points=5,
            grade=True,
            locked=True,
        ),
        flags("rules", markdown("Answer in your own words.", "rules"), locked=True),
        flags(
            "why-scale",
            markdown("YOUR ANSWER HERE", "why-scale"),
            points=5,
            grade=True,
            solution=True,
        ),
    )


SKELETON = Skeleton.from_release(data(release()))
GRADE_IDS = [cell.grade_id for cell in SKELETON.cells if cell.grade_id]


def find(cells: Sequence[Json], cell_id: str) -> Json:
    return next(cell for cell in cells if cell["id"] == cell_id)


def copy_behind(cells: list[Json], cell_id: str, source: str | None = None) -> None:
    """Put a copy of a cell behind it, with another source if one is given."""
    cell = find(cells, cell_id)
    twin = deepcopy(cell) | {"id": "twin"}
    twin["source"] = cell["source"] if source is None else source
    cells.insert(cells.index(cell) + 1, twin)


def solved() -> Json:
    """The release with both functions and the question answered."""
    document = release()
    for name, source in WORK.items():
        find(document["cells"], f"{name}-solution")["source"] = source
    find(document["cells"], "why-scale")["source"] = "To keep the variance at one."
    return document


def repaired(edit: Callable[[list[Json]], None], document: Json | None = None) -> Rebuilt:
    """Edit the cells of a solved notebook and rebuild it."""
    document = document or solved()
    edit(document["cells"])
    return rebuild(read(data(document)), SKELETON)


def sources(nb: Notebook) -> dict[str, str]:
    """The sources of the cells that stand for cells of the skeleton, by cell id."""
    ids = {slot.cell.id for slot in SKELETON.cells}
    return {cell.id: cell.source for cell in nb.cells if cell.id in ids}


def extras(nb: Notebook) -> list[str]:
    """The sources of all other cells, in order."""
    ids = {slot.cell.id for slot in SKELETON.cells}
    return [cell.source for cell in nb.cells if cell.id not in ids]


def namespace(nb: Notebook) -> Json:
    """Run the cells that grading would run and return what they bound.

    As in the worker, a statement that raises does not stop those behind it; `error` tells it.
    """
    bound: Json = {}
    for _, source in runnable(nb, SKELETON):
        try:
            statements = ast.parse(source).body
        except (SyntaxError, ValueError) as error:
            bound["error"] = error
            continue
        for statement in statements:
            try:
                exec(compile(ast.Module([statement], []), "<cell>", "exec"), bound)
            except Exception as error:
                bound["error"] = error
    return bound
