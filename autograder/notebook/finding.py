"""Which file of a submitted folder is the notebook? The one of the right name, or clearly it.

Browsers, systems and students rename what they download: `self_attention (1).ipynb`,
`Self_Attention.ipynb`, `self_attention.ipynb.txt`, a folder inside the folder.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.notebook.model import Notebook, NotebookError
from autograder.notebook.names import defines
from autograder.notebook.reading import MAX_BYTES, read
from autograder.notebook.running import assignment_of
from autograder.notebook.skeleton import Skeleton

_MAX_LOOKED_AT = 1000
_MAX_DEPTH = 2
_SUFFIX = re.compile(r"(\.ipynb)+(\.(txt|json|download))?$|\.json$", re.IGNORECASE)
_COPY = re.compile(r"\(\d+\)|\bkopie\b|\bcopy\s*\d*|_copy\d*$|^copy of ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """What stands for a notebook in a submitted folder.

    `path` is the file to grade; where there is none, the one that ought to be there. `notes` say
    what of the choice a reader of the report should know. `ambiguous` is not empty where a person
    has to choose, and says between what.
    """

    path: Path
    notes: tuple[str, ...] = ()
    ambiguous: str = ""


def find_notebook(
    folder: Path, name: str, skeleton: Skeleton | None, others: Collection[str] = ()
) -> Found:
    """Find the notebook `name` in a submitted folder; never raises, and follows no link.

    A file of exactly that name is taken as it is, even if it turns out to be unreadable. Otherwise
    a file of nearly that name, else the only notebook that there is. Of several the one that
    belongs to the assignment is taken; where that leaves a choice, a person decides.

    Args:
        folder: the submitted folder of one student and assignment.
        name: the notebook's name, without suffix.
        skeleton: the release, to tell what belongs; without it only names and numbers count.
        others: the names of other notebooks of the same assignment.
    """
    exact = folder / f"{name}.ipynb"
    if folder.is_symlink() or folder.parent.is_symlink():
        return Found(exact)
    taken = {_plain(other) for other in others}
    candidates = [path for path in _notebooks_below(folder) if _plain(path.name) not in taken]
    if os.path.lexists(exact):
        beside = [path.name for path in candidates if path.parent == folder and path != exact]
        return Found(exact, _beside(beside))
    if not candidates:
        return Found(exact)
    chosen = _choose(candidates, name, skeleton)
    if len(chosen) == 1 or _all_alike(chosen):
        shown = _quoted([str(chosen[0].relative_to(folder))])
        note = f"The notebook was handed in as {shown} and not as {exact.name}; it was graded."
        return Found(chosen[0], (note,))
    shown = _quoted([str(path.relative_to(folder)) for path in chosen])
    return Found(
        exact,
        ambiguous=f"the folder holds no {exact.name}, but several notebooks: {shown}. "
        f"Rename the right one to {exact.name}.",
    )


def belongs(notebook: Notebook, skeleton: Skeleton) -> bool:
    """Whether a notebook holds one of a release's cells or defines one of its functions."""
    if assignment_of(notebook) & skeleton.grade_ids:
        return True
    functions = frozenset().union(*(slot.functions for slot in skeleton.cells))
    return any(defines(cell.source, name) for cell in notebook.cells for name in functions)


def _choose(candidates: list[Path], name: str, skeleton: Skeleton | None) -> list[Path]:
    """The candidates that fit best, by name and then, if that is not enough, by content."""
    named = [path for path in candidates if _plain(path.name) == _plain(name)]
    best = named or candidates
    if len(best) > 1 and skeleton is not None:
        best = [path for path in best if _belongs(path, skeleton)] or best
    return best


def _belongs(path: Path, skeleton: Skeleton) -> bool:
    try:
        return belongs(read(path.read_bytes()), skeleton)
    except (OSError, NotebookError):
        return False


def _all_alike(paths: Sequence[Path]) -> bool:
    """Whether all files hold the same bytes."""
    try:
        return len({path.read_bytes() for path in paths}) == 1
    except OSError:
        return False


def _plain(name: str) -> str:
    """A file's name without its suffix, marks of copies, case and signs."""
    stem = _COPY.sub("", _SUFFIX.sub("", name))
    return re.sub(r"[^a-z0-9]", "", stem.lower())


def _notebooks_below(folder: Path) -> list[Path]:
    """Ordinary files that are named like notebooks, in the folder and a little below it."""
    found = []
    for number, path in enumerate(_files(folder, _MAX_DEPTH)):
        if number >= _MAX_LOOKED_AT:
            break
        if _SUFFIX.search(path.name):
            found.append(path)
    return sorted(found, key=lambda path: (len(path.parts), str(path)))


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """Ordinary files of a size that can be read; no links, nothing hidden."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith((".", "__")):
            continue  # editors' copies and what macOS puts into archives
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            yield Path(entry.path)
        elif stat.S_ISDIR(status.st_mode) and depth:
            yield from _files(Path(entry.path), depth - 1)


def _beside(names: Sequence[str]) -> tuple[str, ...]:
    return (f"Not graded, though it lies beside the notebook: {_quoted(names)}.",) if names else ()


def _quoted(names: Sequence[str]) -> str:
    """Names of files for people: quoted, so that no sign of theirs does anything; and cut."""
    shown = ", ".join(ascii(name[:60]) for name in names[:4])
    return shown + (", …" if len(names) > 4 else "")
