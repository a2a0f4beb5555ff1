"""Notebooks as data: read what was submitted, repair it, write it, say which cells run.

Nothing here raises on a student's fault but `read`, and that with one sentence for a person.
"""

from autograder.notebook.finding import Found, belongs, find_notebook
from autograder.notebook.model import Cell, Notebook, NotebookError
from autograder.notebook.names import defines, looks_like
from autograder.notebook.reading import MAX_BYTES, read
from autograder.notebook.rebuilding import Rebuilt, rebuild, without_skeleton
from autograder.notebook.running import assignment_of, runnable
from autograder.notebook.skeleton import CellFacts, Role, Skeleton, SkeletonCell, role_of
from autograder.notebook.writing import write

__all__ = [
    "MAX_BYTES",
    "Cell",
    "CellFacts",
    "Found",
    "Notebook",
    "NotebookError",
    "Rebuilt",
    "Role",
    "Skeleton",
    "SkeletonCell",
    "assignment_of",
    "belongs",
    "defines",
    "find_notebook",
    "looks_like",
    "read",
    "rebuild",
    "role_of",
    "runnable",
    "without_skeleton",
    "write",
]
