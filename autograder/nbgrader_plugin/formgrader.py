"""The page on which a person grades: names in it are text."""

from __future__ import annotations

from html import escape
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors.base import NbGraderPreprocessor
from traitlets import List

_NAMES = ("student", "first_name", "last_name", "notebook_path")


class EscapeNames(NbGraderPreprocessor):
    """Escapes what formgrader's template puts into its page as it stands.

    A student's id is the name of a folder and the names come from a list of the class: students
    may have chosen them. On any other page this step does nothing.
    """

    # nbconvert's page sets it for every step; without the tag, traitlets would warn each time
    display_data_priority = List(["text/html", "text/plain"]).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook as it came, and the page's facts with escaped names."""
        if "submission_id" in resources:
            for name in _NAMES:
                if resources.get(name):
                    resources[name] = escape(str(resources[name]))
        return nb, resources
