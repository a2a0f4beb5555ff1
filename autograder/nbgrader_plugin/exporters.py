"""The exporter that nbgrader's own `autograde` reads and writes notebooks with.

It reads what nbformat can't: byte order marks, other encodings, damaged metadata, and a notebook
under another name. With it comes what else a run of `nbgrader autograde` needs (`stock_run`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.converters import Autograde

from autograder.course import Course
from autograder.nbgrader_plugin.context import student_folder
from autograder.nbgrader_plugin.conversion import to_node
from autograder.nbgrader_plugin.handed_in import read_submitted
from autograder.nbgrader_plugin.stock_run import around
from autograder.notebook import Cell, Notebook, NotebookError, read
from autograder.settings import Settings
from autograder.worker.hygiene import clean_text


class SubmissionExporter(NotebookExporter):
    """Set it as `c.Autograde.exporter_class`.

    A submission that nobody can read becomes a notebook that says so; a later step flags it for a
    person, and the other notebooks of the student and all other students are graded.
    """

    def __init__(self, config: Any = None, **kw: Any) -> None:
        super().__init__(config=config, **kw)  # type: ignore[no-untyped-call]
        self.ungraded: list[str] = []
        if isinstance(self.parent, Autograde):
            around(self.parent, self.ungraded)

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Read a notebook and run the preprocessors of this pass on it."""
        names = (resources or {}).get("nbgrader")
        if names is None or not isinstance(self.parent, Autograde):
            return super().from_filename(filename, resources, **kw)
        directory: Any = self.parent.coursedir
        student, assignment = names["student"], names["assignment"]
        folder = student_folder(directory, directory.submitted_directory, student, assignment)
        if Path(filename).parent != folder:
            return super().from_filename(filename, resources, **kw)  # our own, of the first pass
        found: Any = ResourcesDict()
        found.update(resources or {})
        found["metadata"] = ResourcesDict(name=names["notebook"], path=str(folder))
        course = Course(Path(directory.root), Settings())
        node = _node(folder, course, assignment, names["notebook"])
        exported: tuple[Any, dict[str, Any]] = self.from_notebook_node(  # type: ignore[no-untyped-call]
            node, found, **kw
        )
        return exported


def _node(folder: Path, course: Course, assignment: str, notebook: str) -> NotebookNode:
    try:
        return to_node(read(read_submitted(folder, course, assignment, notebook).data))
    except NotebookError as error:
        return to_node(unreadable(str(error)))


def unreadable(reason: str) -> Notebook:
    """What stands in the autograded folder for a submission that nobody can read."""
    text = f"**This submission was not graded.** A person has to look at it: {reason}"
    # no sign of a student's does anything, whether it is shown as Markdown or as HTML
    plain = clean_text(text, 1000).replace("&", "&amp;").replace("<", "&lt;").replace("[", r"\[")
    return Notebook(cells=[Cell(cell_type="markdown", source=plain, id="not-graded")])
