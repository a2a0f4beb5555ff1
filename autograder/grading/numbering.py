"""How cells are counted in what people read: as the student's own file counts them."""

from __future__ import annotations

from autograder.notebook import Notebook
from autograder.worker.wire import RELEASED_CELLS

KEY = "numbers"


def indices_for_people(notebook: Notebook, kept: object) -> list[int]:
    """For every cell of a rebuilt notebook the index under which it is run and named.

    That is the cell's place in the submission, counted from 0. A cell of the release that the
    submission lacks gets an index beyond all of those, and so does a second cell that came from
    the same place.

    Args:
        notebook: the rebuilt notebook.
        kept: `Rebuilt.numbers`, as the notebook's metadata carry them; of any other form, cells
            are counted as they stand.
    """
    if not isinstance(kept, list) or len(kept) != len(notebook.cells):
        return list(range(len(notebook.cells)))
    seen: set[int] = set()
    indices = []
    for place, number in enumerate(kept):
        own = isinstance(number, int) and 0 < number <= RELEASED_CELLS and number not in seen
        indices.append(number - 1 if own else RELEASED_CELLS + place)
        seen.add(number if own else 0)
    return indices
