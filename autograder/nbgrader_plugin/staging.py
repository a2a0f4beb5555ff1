"""A folder's new content, written aside first and then moved in.

Whatever needs room is written before anything changes, so a full disk or a read-only folder costs
nothing that was there. Each file then appears whole. What an interruption leaves aside is never
seen by nbgrader, and the next run clears it away.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Collection
from pathlib import Path
from types import TracebackType

_READ_ONLY = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


class Staging:
    """The coming content of `folder`, a context manager; what was not moved in is lost.

    Args:
        folder: the folder.
        keep: names of files in it that stay as they are.
    """

    def __init__(self, folder: Path, keep: Collection[str] = ()) -> None:
        self.folder = folder
        self.keep = frozenset(keep)
        # Beside the folder: on the same file system, and outside of what nbgrader looks through
        self.aside = folder.with_name(f".{folder.name}.partial")

    def __enter__(self) -> Staging:
        shutil.rmtree(self.aside, ignore_errors=True)
        self.aside.mkdir(parents=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.aside, ignore_errors=True)

    def write(self, name: str, data: bytes) -> None:
        """Add a file, read-only as nbgrader leaves its own."""
        path = self.aside / name
        path.write_bytes(data)
        path.chmod(_READ_ONLY)

    def copy(self, name: Path, source: Path) -> None:
        """Add a copy of a file."""
        path = self.aside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, path)

    def move_in(self) -> None:
        """Make it the folder's content: what does not belong goes, each file is replaced whole."""
        self.folder.mkdir(exist_ok=True)
        for old in sorted(self.folder.rglob("*"), reverse=True):  # what a folder holds, then it
            name = old.relative_to(self.folder)
            if str(name) not in self.keep and _kind(old) != _kind(self.aside / name):
                old.rmdir() if _kind(old) == stat.S_IFDIR else old.unlink()
        for new in sorted(self.aside.rglob("*")):
            target = self.folder / new.relative_to(self.aside)
            if new.is_dir():
                target.mkdir(exist_ok=True)
            else:
                new.replace(target)


def _kind(path: Path) -> int | None:
    """File, folder or link; None where there is nothing."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
