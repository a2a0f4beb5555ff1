"""What a course consists of, as far as an instructor made it: gradebook, sources and releases."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Assignment

from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.context import source_folder
from autograder.nbgrader_plugin.database import database_errors, has_tables, open_gradebook
from autograder.nbgrader_plugin.gradebook import cell_facts
from autograder.notebook import CellFacts, Notebook, NotebookError, read


@dataclass(slots=True)
class NotebookView:
    """One notebook of an assignment.

    Args:
        name: its name, without a suffix.
        facts: what the gradebook holds on its cells; empty where it was not released.
        source: the instructor's own; None where there is none.
        release: what students were given; None where there is none.
        unreadable: which of the two files can't be read, and why.
    """

    name: str
    facts: dict[str, CellFacts] = field(default_factory=dict)
    source: Notebook | None = None
    release: Notebook | None = None
    release_bytes: bytes | None = None
    unreadable: dict[Path, str] = field(default_factory=dict)


@dataclass(slots=True)
class AssignmentView:
    """One assignment: its notebooks by name, and the other files that lie beside its source."""

    name: str
    released: bool
    notebooks: dict[str, NotebookView] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def assignments_of(place: CourseAssignment) -> list[AssignmentView]:
    """Every assignment that the gradebook or the source folder knows, by name.

    Raises:
        UsageError: the gradebook can't be read.
    """
    views = _in_gradebook(place)
    sources = place.course.root / place.directory.source_directory
    for folder in sorted(sources.iterdir()) if sources.is_dir() else ():
        if folder.is_dir() and not folder.name.startswith("."):
            views.setdefault(folder.name, AssignmentView(folder.name, released=False))
    for view in views.values():
        _add_files(place, view)
    return [views[name] for name in sorted(views)]


def _in_gradebook(place: CourseAssignment) -> dict[str, AssignmentView]:
    url = place.directory.db_url
    if not has_tables(url):
        return {}
    views = {}
    with database_errors(url), open_gradebook(url, place.directory.course_id) as gradebook:
        for assignment in gradebook.db.query(Assignment).order_by(Assignment.name):
            name = str(assignment.name)
            view = views[name] = AssignmentView(name, released=True)
            for notebook in assignment.notebooks:
                facts = cell_facts(gradebook, name, notebook.name) or {}
                view.notebooks[notebook.name] = NotebookView(notebook.name, facts)
    return views


def _add_files(place: CourseAssignment, view: AssignmentView) -> None:
    source = source_folder(place.directory, view.name)
    release = place.course.root / "release" / view.name
    for path in sorted(source.rglob("*")) if source.is_dir() else ():
        if path.suffix != ".ipynb" and path.is_file() and ".ipynb_checkpoints" not in path.parts:
            view.files.append(path.relative_to(source).as_posix())
    for folder in (source, release):
        for path in sorted(folder.glob("*.ipynb")):
            notebook = view.notebooks.setdefault(path.stem, NotebookView(path.stem))
            try:
                data = path.read_bytes()
                found = read(data, verbatim=True)
            except (OSError, NotebookError) as error:
                notebook.unreadable[path.relative_to(place.course.root)] = str(error)
                continue
            if folder == source:
                notebook.source = found
            else:
                notebook.release, notebook.release_bytes = found, data
