"""Between nbformat's notebooks, which nbgrader works on, and ours."""

from __future__ import annotations

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.notebook import Notebook, read, write


def from_node(nb: NotebookNode, *, verbatim: bool = False) -> Notebook:
    """An nbformat notebook as ours, without its outputs; `verbatim` as for `read`."""
    return read(nbformat.writes(nb, version=nbformat.NO_CONVERT).encode(), verbatim=verbatim)


def to_node(notebook: Notebook) -> NotebookNode:
    """Our notebook as nbformat's."""
    node: NotebookNode = nbformat.reads(write(notebook).decode(), as_version=nbformat.NO_CONVERT)
    return node
