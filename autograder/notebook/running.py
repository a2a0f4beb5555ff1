"""What of a notebook is run when it is graded, and whose notebook it is."""

from __future__ import annotations

from autograder.notebook.model import Notebook, grade_id_of
from autograder.notebook.skeleton import Role, Skeleton, role_of


def runnable(nb: Notebook, skeleton: Skeleton | None) -> list[tuple[int, str]]:
    """The student's code cells in order, as (index in `nb`, source).

    `nb` is a rebuilt notebook. Left out are test cells, and the cells that carry the tag `demo` in
    the skeleton: a tag in a submission counts for nothing.
    """
    idle = {slot.cell.id for slot in skeleton.cells if slot.idle} if skeleton else set()
    return [
        (index, cell.source)
        for index, cell in enumerate(nb.cells)
        if cell.is_code and cell.id not in idle and role_of(cell) is not Role.TEST
    ]


def assignment_of(nb: Notebook) -> set[str]:
    """The grade_ids of a submitted notebook, which tell assignments apart."""
    return {name for cell in nb.cells if (name := grade_id_of(cell)) is not None}
