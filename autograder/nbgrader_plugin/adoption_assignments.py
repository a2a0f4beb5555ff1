"""What in a course's assignments and cells does not go with this grader."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from autograder.course import points_mismatch
from autograder.exercise import Assignment
from autograder.exercises import load_assignments, load_exercises
from autograder.nbgrader_plugin.adoption_tests import always_earns, imported, shows_hidden_tests
from autograder.nbgrader_plugin.course_view import AssignmentView, NotebookView
from autograder.notebook import Cell, CellFacts, Notebook, NotebookError, Skeleton
from autograder.notebook.model import grade_id_of, nbgrader_of
from autograder.reporting.doctor import Finding, Level
from autograder.worker.imports import importable_modules

_NEWEST_SCHEMA = 3


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a finding is: an assignment, and a notebook and a cell of it."""

    assignment: str
    notebook: str = ""
    cell: str = ""

    def __str__(self) -> str:
        parts = [f"assignment {self.assignment}"]
        parts += [f"notebook {self.notebook}"] if self.notebook else []
        parts += [f"cell {self.cell}"] if self.cell else []
        return ", ".join(parts)

    def conflict(self, check: str, problem: str, remedy: str) -> Finding:
        return self._finding(Level.CONFLICT, check, problem, remedy)

    def note(self, check: str, problem: str, remedy: str) -> Finding:
        return self._finding(Level.NOTE, check, problem, remedy)

    def _finding(self, level: Level, check: str, problem: str, remedy: str) -> Finding:
        return Finding(level=level, check=check, where=str(self), problem=problem, remedy=remedy)


def assignment_findings(view: AssignmentView, *, redacted: bool) -> Iterator[Finding]:
    """All that the notebooks of one assignment show.

    Args:
        view: the assignment.
        redacted: whether feedback hides the sources of tests.
    """
    place = _Place(view.name)
    record = load_assignments().get(view.name)
    for notebook in view.notebooks.values():
        here = replace(place, notebook=notebook.name)
        yield from _file_findings(here, view, notebook)
        yield from _notebook_findings(here, notebook, record)
        yield from _points_findings(here, notebook, record)
        yield from _cells_findings(here, notebook, redacted)
        yield from _local_files(here, view, notebook)


# -- the notebook as a whole -----------------------------------------------------------------------


def _file_findings(
    place: _Place, view: AssignmentView, notebook: NotebookView
) -> Iterator[Finding]:
    for path, why in notebook.unreadable.items():
        yield place.conflict("unreadable", f"{path} can't be read: {why}", "Mend the file.")
    if notebook.facts and notebook.release is None:
        yield place.conflict(
            "release",
            "The gradebook knows it, but there is no notebook of it under release/.",
            f"nbgrader generate_assignment {view.name} --force",
        )
    if notebook.release is not None and not notebook.facts:
        yield place.conflict(
            "release",
            "There is a notebook of it under release/, but the gradebook does not know it.",
            f"nbgrader generate_assignment {view.name} --force",
        )
    for what, found in (("source", notebook.source), ("release", notebook.release)):
        names = (
            Counter(name for cell in found.cells if (name := grade_id_of(cell))) if found else {}
        )
        for name in sorted(name for name, times in names.items() if times > 1):
            yield replace(place, cell=name).conflict(
                "duplicate-id",
                f"Two cells of the {what} notebook have this id, so neither can be told apart.",
                f"Give one another id, then: nbgrader generate_assignment {view.name} --force",
            )


def _notebook_findings(
    place: _Place, notebook: NotebookView, record: Assignment | None
) -> Iterator[Finding]:
    shown = notebook.release or notebook.source
    if shown is None:
        return
    language = str(shown.metadata.get("kernelspec", {}).get("language", "python"))
    if language.lower() != "python":
        yield place.conflict(
            "language",
            f"It is written in {language}, but only Python is run here.",
            "Grade it in a course folder with nbgrader's own steps.",
        )
        return
    if any(_schema(cell) < _NEWEST_SCHEMA for cell in shown.cells if nbgrader_of(cell)):
        yield place.conflict(
            "schema",
            "Its cells are of an older version of nbgrader's metadata.",
            "nbgrader update . --backup, then release it again.",
        )
    allowed = (record or Assignment(name=place.assignment, exercises={})).allowed_imports
    known = {*sys.stdlib_module_names, *importable_modules(allowed), *allowed, "autograder"}
    for module in sorted(_imports(shown, notebook.facts) - known):
        yield place.conflict(
            "import",
            f"It imports {module}, which is not available when grading: a placeholder takes its "
            "place, which raises when it is used.",
            f"Do without {module}, or list it in allowed_imports of an Assignment record.",
        )


def _schema(cell: Cell) -> int:
    found = nbgrader_of(cell).get("schema_version", 0)
    return found if isinstance(found, int) else 0


def _imports(shown: Notebook, facts: dict[str, CellFacts]) -> set[str]:
    sources = [cell.source for cell in shown.cells if cell.is_code]
    sources += [fact.source for fact in facts.values() if fact.cell_type == "code"]
    return {module for source in sources for module in imported(source)}


def _local_files(place: _Place, view: AssignmentView, notebook: NotebookView) -> Iterator[Finding]:
    shown = notebook.source or notebook.release
    texts = [fact.source for fact in notebook.facts.values()]
    texts += [cell.source for cell in shown.cells if cell.is_code] if shown else []
    for file in view.files:
        name = PurePosixPath(file)
        word = name.stem if name.suffix == ".py" else name.name
        if any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) for text in texts):
            yield place.conflict(
                "files",
                f"It uses {file} of its source folder. Student code sees no files when graded.",
                "Put what is needed into the notebook, or grade this assignment with nbgrader's "
                "own steps.",
            )


# -- points ----------------------------------------------------------------------------------------


def _points_findings(
    place: _Place, notebook: NotebookView, record: Assignment | None
) -> Iterator[Finding]:
    if notebook.release_bytes is None:
        return
    try:
        skeleton = Skeleton.from_release(notebook.release_bytes)
    except NotebookError:
        return  # two cells of one id, which is said already
    wrong = points_mismatch(record, skeleton) if record and place.notebook == record.name else None
    if wrong:
        yield place.conflict(
            "points",
            f"It does not fit the assignment's record: {wrong}.",
            "Mend the source notebook or the record, and release it again.",
        )
    scored = {name: fact.points for name, fact in notebook.facts.items() if fact.points is not None}
    mismatch = skeleton.mismatch(scored) if notebook.facts else None
    if mismatch:
        yield place.conflict(
            "points", mismatch, f"nbgrader generate_assignment {place.assignment} --force"
        )


# -- scored cells ----------------------------------------------------------------------------------


def _cells_findings(place: _Place, notebook: NotebookView, redacted: bool) -> Iterator[Finding]:
    known = load_exercises()
    plain, hidden = [], []
    for name, fact in _tests(notebook).items():
        here = replace(place, cell=name)
        if shows_hidden_tests(fact.source):
            hidden.append(name)
        if name in known:
            if not re.search(rf"\bgrade\(\s*['\"]{re.escape(name)}['\"]", fact.source):
                yield here.conflict(
                    "exercise",
                    f"Its id is that of an exercise, so the laws of {name} grade it and its own "
                    "tests do not count.",
                    f"Rename the cell to keep its tests, or let it call grade({name!r}, {name}) "
                    "to say that the laws are meant.",
                )
            continue
        plain.append(name)
        if always_earns(fact.source):
            yield here.conflict(
                "always-earns",
                "It never fails: it asserts nothing, and what it prints or shows (a line that is "
                "True or False) is no score. Any answer that does not raise earns full points.",
                "Write assert in front of the condition.",
            )
    if plain:
        yield place.note(
            "forgeable",
            f"Ordinary test cells: {', '.join(plain)}. They run beside the student's code, as "
            "under nbgrader, so a student who means to can forge their scores.",
            "Keep them if you trust your class, or write an exercise with laws.",
        )
    if hidden and not redacted:
        yield place.conflict(
            "hidden-tests",
            f"Hidden tests would show in feedback, in the source and in tracebacks of "
            f"{', '.join(hidden)}.",
            "Put RedactFeedback into c.GenerateFeedback.preprocessors.",
        )


def _tests(notebook: NotebookView) -> dict[str, CellFacts]:
    """The cells that are scored automatically, with the instructor's text."""
    if notebook.facts:
        return {
            name: fact
            for name, fact in notebook.facts.items()
            if fact.grade and not fact.solution and fact.cell_type == "code"
        }
    found = {}
    for cell in notebook.source.cells if notebook.source else ():
        flags, name = nbgrader_of(cell), grade_id_of(cell)
        if name and cell.is_code and flags.get("grade") and not flags.get("solution"):
            found[name] = CellFacts(
                cell_type="code", source=cell.source, checksum=None, locked=True, grade=True
            )
    return found
