"""Write the files of a new exercise, all or none, and say what is left to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course import CONFIG_NAME, UsageError
from autograder.notebook.model import Cell
from autograder.scaffold.cells import exercise_cells, source_with_cells
from autograder.scaffold.layouts import layout_in, render
from autograder.scaffold.names import Function, assignment_to_join, function_named

MARK = "FILL IN"
_MARKED = re.compile(rf"{MARK}:? ?(.*?)(?:\"\"\"|\"\)|\",?)?$")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What was made: paths below the folder, what is marked in them, what else is to be done.

    Args:
        written: the files.
        marked: every place that is to be filled in: where, and what.
        steps: what the author has to do besides, as sentences.
        cells: the cells to paste; none where they were put into a notebook.
    """

    written: tuple[str, ...]
    marked: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    cells: tuple[Cell, ...]

    def lines(self) -> Iterator[str]:
        """The whole for people."""
        yield "Written:"
        yield from (f"  {path}" for path in self.written)
        yield f"Fill in what is marked {MARK}:"
        yield from (f"  {where}: {what}" for where, what in self.marked)
        for cell in self.cells:
            yield from _pasteable(cell)
        yield "Then:"
        yield from (f"  {number}. {step}" for number, step in enumerate(self.steps, start=1))


def _pasteable(cell: Cell) -> Iterator[str]:
    flags = cell.metadata.get("nbgrader", {})
    kind = "Autograded answer" if flags.get("solution") else "Autograder tests"
    worth = f", {flags['points']} points" if "points" in flags else ""
    told = f"{kind} with the id {cell.id}{worth}" if flags else "Markdown"
    yield f"Paste into the source notebook ({told}):"
    yield from (f"    {line}".rstrip() for line in cell.source.splitlines())


def new_exercise(
    root: Path,
    name: str,
    *,
    signature: str,
    package: str | None = None,
    assignment: str | None = None,
    points: int = 10,
) -> Scaffold:
    """Make the files of a new exercise in the folder `root`.

    Args:
        root: a checkout of the grader, or the folder that holds a course's own package.
        name: the exercise: the name of the function that students write.
        signature: its parameters, `(X, eps=1e-5)`.
        package: the course's own package, made where there is none; None for the checkout's own.
        assignment: the assignment whose source notebook takes the cells in, made where there is
            none; None leaves them to be pasted.
        points: what the exercise is worth.

    Raises:
        UsageError: a name, the signature or the folder won't do, or a file is in the way. Then
            nothing was written.
    """
    function = function_named(name, signature)
    layout = layout_in(root, function, package)
    texts = layout.files(function)
    values = {
        "assignment": assignment_to_join(name if assignment is None else assignment),
        "points": points,
    }
    steps = list(_steps(root, function, package, assignment, values))
    if package is not None:
        texts |= _package_files(root, function, package, values)
    _refuse_existing(root, texts)

    cells = {part: render(file, function).rstrip("\n") for part, file in _CELLS.items()}
    pasted = exercise_cells(function, cells, points)
    marked = [m for path, text in texts.items() for m in _marked(path, text, numbered=True)]
    contents = {path: text.encode() for path, text in texts.items()}
    notebook = f"source/{assignment}/{assignment}.ipynb"
    if assignment is not None:
        contents[notebook] = source_with_cells(root / notebook, function, cells, points)
    for cell in pasted:
        where = f"{notebook}, cell {cell.id}" if assignment else f"cell {cell.id}"
        marked += _marked(where, cell.source, numbered=False)
    _write(root, contents, replaced=notebook)
    return Scaffold(
        written=tuple(contents),
        marked=tuple(marked),
        steps=tuple(steps),
        cells=() if assignment else tuple(pasted),
    )


_CELLS = {"text": "text", "solution": "solution", "test": "cell_test"}


def _marked(where: str, text: str, *, numbered: bool) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        found = _MARKED.search(line.rstrip())
        if found:
            yield (f"{where}:{number}" if numbered else where), found[1].strip(" .,")


def _package_files(
    root: Path, function: Function, package: str, values: Mapping[str, object]
) -> dict[str, str]:
    """What makes a package of the folder, where that is missing."""
    wanted = {f"{package}/__init__.py": "package", "pyproject.toml": "pyproject"}
    distribution = package.replace("_", "-")
    return {
        path: render(template, function, package=package, distribution=distribution, **values)
        for path, template in wanted.items()
        if not (root / path).exists()
    }


def _steps(
    root: Path,
    function: Function,
    package: str | None,
    assignment: str | None,
    values: Mapping[str, object],
) -> Iterator[str]:
    """What else the author has to do; decided before anything is written."""
    name = function.name
    home = package or "autograder/exercises"
    if package is None or (root / package / "__init__.py").exists():
        yield f"Add {name}.EXERCISE to catalogue() in {home}/__init__.py."
        where = "autograder/exercises/assignments.py" if package is None else "catalogue()"
        yield f'Add "{name}": Fraction({values["points"]}) to its assignment in {where}.'
    if package is None:
        yield "Add it to reference/__init__.py, and run make catalogue."
    elif (root / "pyproject.toml").exists():
        yield (
            f'Let pyproject.toml have {package} = "{package}:catalogue" under '
            '[project.entry-points."autograder.exercises"].'
        )
    if package is not None:
        yield "Install the package: pip install --editable ."
        if not (root / CONFIG_NAME).exists():
            yield f"Copy the grader's {CONFIG_NAME} here, which makes this folder a course."
    yield f"Run autograder audit {name} until it is clean, and the test."
    if assignment is not None:
        yield f"Release: nbgrader generate_assignment {assignment}"


def _refuse_existing(root: Path, paths: Mapping[str, str]) -> None:
    for path in paths:
        if os.path.lexists(root / path):
            raise UsageError(f"{path} exists already. Nothing is written over; nothing was made.")


def _write(root: Path, contents: Mapping[str, bytes], *, replaced: str) -> None:
    """Write new files, and last the notebook, which may replace one; take all back on failure."""
    made: list[Path] = []
    try:
        for path, data in contents.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if path == replaced:
                partial = file.with_suffix(f".{os.getpid()}")
                made.append(partial)
                partial.write_bytes(data)
                partial.replace(file)
            else:
                with file.open("xb") as new:
                    made.append(file)
                    new.write(data)
    except OSError as error:
        for file in made:
            file.unlink(missing_ok=True)
        raise UsageError(
            f"{error.filename} can't be written: {error.strerror}. Nothing was made."
        ) from None
