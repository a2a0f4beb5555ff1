"""Pass 1 of autograde: rebuild the submitted notebook from the release skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.grading.submission import rebuilt
from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.conversion import from_node, to_node
from autograder.nbgrader_plugin.gradebook import cell_facts
from autograder.nbgrader_plugin.writer import TIMESTAMP
from autograder.notebook import Skeleton


class Rebuild(NbGraderPreprocessor):
    """Trust nothing of the submitted structure: start from the release, paste the sources.

    Notes on what was repaired go into the notebook's metadata, the only thing that nbgrader
    carries from this pass to the next; what the student had put there is dropped.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the rebuilt notebook; a course without a release keeps it as it is."""
        context = Context.of(self, resources)
        remove_strays(context.folder(context.directory.autograded_directory), context.source)
        release = context.course.release(context.assignment, context.notebook)
        if release is None:
            return nb, resources
        with Gradebook(context.db_url, context.course_id) as gradebook:
            facts = cell_facts(gradebook, context.assignment, context.notebook)
        notebook = rebuilt(from_node(nb), Skeleton.from_release(release, facts))
        return to_node(notebook), resources


def remove_strays(folder: Path, source: Path) -> None:
    """Remove from an autograded folder what nbgrader copied there of the student's own files.

    nbgrader copies them before any preprocessor runs, follows links, and would later hand them out
    as feedback. Notebooks, the timestamp and the course's own files stay.
    """
    for path in folder.rglob("*"):
        ours = (source / path.relative_to(folder)).is_file()
        if path.is_dir() and not path.is_symlink():
            continue
        if not ours and path.suffix != ".ipynb" and path.name != TIMESTAMP:
            path.unlink()
