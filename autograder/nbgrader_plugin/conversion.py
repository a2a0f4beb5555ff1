"""Between nbformat's notebooks, which nbgrader works on, and ours."""

from __future__ import annotations

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.notebook import Notebook, read, write


def from_node(nb: NotebookNode) -> Notebook:
    """An nbformat notebook as ours, without its outputs."""
    return read(nbformat.writes(nb, version=nbformat.NO_CONVERT).encode())


def to_node(notebook: Notebook) -> NotebookNode:
    """Our notebook as nbformat's."""
    node: NotebookNode = nbformat.reads(write(notebook).decode(), as_version=nbformat.NO_CONVERT)
    return node
