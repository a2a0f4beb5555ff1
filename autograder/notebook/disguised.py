"""Code that a kernel would not have taken as it stands, though a reader sees at once what it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from msgspec import structs

from autograder.notebook.model import Cell, canonical
from autograder.notebook.names import is_python, may_define, names_bound
from autograder.notebook.parts import Notes

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LINE_END = re.compile("\x85|\u2028|\u2029")


def without_invisible(cells: Sequence[Cell], notes: Notes) -> list[Cell]:
    """Mend code cells that only invisible characters keep from being Python.

    Such characters come from text that was copied out of a web page or a word processor.
    """
    mended = list(cells)
    for i, cell in enumerate(cells):
        new = _visible(cell.source) if cell.is_code else cell.source
        if new != cell.source and is_python(new) and not is_python(cell.source):
            mended[i] = structs.replace(cell, source=new)
            signs = sorted({f"U+{ord(old):04X}" for old in set(cell.source) - set(new)})
            notes.add(
                i, f" held invisible characters that are no Python ({', '.join(signs)}); mended."
            )
    return mended


def _visible(text: str) -> str:
    return _UNSEEN.sub("", _BLANK.sub(" ", _LINE_END.sub("\n", text)))


def text_as_code(
    cells: Sequence[Cell],
    wanted: Collection[str],
    stubs: Collection[str],
    known: Collection[int],
    notes: Notes,
) -> list[Cell]:
    """Take text cells for code where they define a wanted function that no code cell defines.

    With them go other text cells that are code and compute what no code cell does: the functions
    may need it. Prose stays prose: a cell counts as code if all of it is Python and binds a name.

    Args:
        cells: the cells of a submission.
        wanted: the functions that students are to write.
        stubs: the canonical texts of the release that define them without any work in them.
        known: cells that stand for a cell of the release already; they are left alone.
        notes: where to say what was taken for code.
    """
    written = [c.source for c in cells if c.is_code and canonical(c.source) not in stubs]
    lost = {name for name in wanted if not any(may_define(text, name) for text in written)}
    candidates = {
        i: names_bound(cell.source).computed
        for i, cell in enumerate(cells)
        if lost and not cell.is_code and i not in known and canonical(cell.source) not in stubs
        if is_python(cell.source)
    }
    taken = list(cells)
    if not any(names & lost for names in candidates.values()):
        return taken
    bound = frozenset().union(*(names_bound(text).all for text in written))
    for i, names in candidates.items():
        new = (names & lost) | (names - bound)
        if new:
            taken[i] = structs.replace(cells[i], cell_type="code")
            notes.add(
                i,
                f" is a {cells[i].cell_type} cell, but all of it is code that no code cell holds"
                f" ({', '.join(sorted(new))[:80]}); it is read as code.",
            )
    return taken
