"""Pass 1 of autograde: rebuild the submitted notebook from the release skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.grading.submission import NOTES_KEY, rebuilt
from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.conversion import from_node, to_node
from autograder.nbgrader_plugin.gradebook import cell_facts
from autograder.nbgrader_plugin.handed_in import read_submitted
from autograder.nbgrader_plugin.submission_files import SECRET, TIMESTAMP, read_secret
from autograder.notebook import Notebook, NotebookError, Skeleton, read


class Rebuild(NbGraderPreprocessor):
    """Trust nothing of the submitted structure: start from the release, paste the sources.

    Notes on what was repaired go into the notebook's metadata, the only thing that nbgrader
    carries from this pass to the next; what the student had put there is dropped.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the rebuilt notebook; a course without a release keeps it as it is.

        The submitted file is read anew: what nbgrader hands over has lost its notes.
        """
        context = Context.of(self, resources)
        remove_strays(context.folder(context.directory.autograded_directory), context.source)
        release = context.course.release(context.assignment, context.notebook)
        if release is None:
            nb.metadata.pop(NOTES_KEY, None)
            return nb, resources
        with Gradebook(context.db_url, context.course_id) as gradebook:
            facts = cell_facts(gradebook, context.assignment, context.notebook)
        notebook = rebuilt(_submitted(nb, context), Skeleton.from_release(release, facts))
        return to_node(notebook), resources


def _submitted(nb: NotebookNode, context: Context) -> Notebook:
    """The submission with notes on its file; what nbgrader holds where it can't be read."""
    folder = context.folder(context.directory.submitted_directory)
    try:
        found = read_submitted(folder, context.course, context.assignment, context.notebook)
        notebook = read(found.data)
    except NotebookError:
        return from_node(nb)
    return msgspec.structs.replace(notebook, notes=[*found.notes, *notebook.notes])


def remove_strays(folder: Path, source: Path) -> None:
    """Remove from an autograded folder what nbgrader copied there of the student's own files.

    nbgrader copies them before any preprocessor runs, follows links, and would later hand them out
    as feedback. Notebooks, the timestamp, the submission's secret and the course's own files stay.
    """
    kept = {TIMESTAMP} if read_secret(folder) is None else {TIMESTAMP, SECRET}
    for path in folder.rglob("*"):
        ours = (source / path.relative_to(folder)).is_file()
        if path.is_dir() and not path.is_symlink():
            continue
        if not ours and path.suffix != ".ipynb" and path.name not in kept:
            path.unlink()
