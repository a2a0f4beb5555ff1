"""Which files of this machine a worker may read: what it runs on, and nothing of ours.

Shared libraries, the standard library, the packages that the assignment allows and the worker's own
files. Never a whole prefix: the references, the laws and the course may lie in the same one.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from autograder.worker.imports import package_files

_WORKER: Final = Path(__file__).resolve().parent.parent
_OWN: Final = ("__init__.py", "wire.py", "zygote.py", "child")
PYTHON: Final = Path(os.path.realpath(sys.executable))
"""The interpreter itself, not the link to it in a virtual environment."""
_PACKAGE_FOLDERS: Final = ("site-packages", "dist-packages")
_DATA: Final = ("/etc/ld.so.cache", "/usr/share/zoneinfo", "/usr/lib/locale")


@dataclass(frozen=True, slots=True, order=True)
class Tree:
    """A file, or a folder with all below it but the entries in `without`."""

    path: Path
    without: tuple[str, ...] = ()

    def parts(self) -> Iterator[Path]:
        """Paths that together are the tree and that hold nothing else."""
        if not self.without:
            yield self.path
            return
        for entry in sorted(os.listdir(self.path)):
            if entry not in self.without:
                yield self.path / entry


@dataclass(frozen=True, slots=True)
class Visible:
    """What may be read, parents before what lies in them.

    Args:
        trees: the files.
        packages: the folders of packages, to be put on `sys.path`.
        listed: the folders whose names must be read to import from them.
    """

    trees: tuple[Tree, ...]
    packages: tuple[Path, ...]
    listed: tuple[Path, ...]

    def readable(self) -> Iterator[Path]:
        """Paths that are readable with all below them."""
        for tree in self.trees:
            yield from tree.parts()


def visible(allowed: Collection[str]) -> Visible:
    """What a worker may read for an assignment that allows these distributions."""
    entries = package_files(frozenset(allowed))
    standard_library = _standard_library()
    trees = {
        *_libraries(),
        *(_tree(path, _PACKAGE_FOLDERS) for path in standard_library),
        *(Tree(path) for path in entries),
        *(Tree(_WORKER / name) for name in _OWN),
        *(Tree(Path(name)) for name in _DATA if os.path.exists(name)),
        Tree(PYTHON),
    }
    packages = {path.parent for path in entries}
    return Visible(
        tuple(sorted(trees)),
        packages=tuple(sorted(packages)),
        listed=tuple(sorted(packages | standard_library)),
    )


def _standard_library() -> set[Path]:
    folders = {os.path.dirname(os.__file__), sysconfig.get_config_var("DESTSHARED")}
    real = {Path(os.path.realpath(folder)) for folder in folders if folder}
    return {path for path in real if path.is_dir() and not real & set(path.parents)}


def _libraries() -> set[Tree]:
    """The folders of shared libraries, without the Pythons that may lie in them."""
    multiarch = Path("/usr/lib", sysconfig.get_config_var("MULTIARCH") or "-")
    found = {multiarch} if multiarch.is_dir() else {Path("/usr/lib")}
    found |= {Path(name) for name in ("/usr/lib64", "/lib", "/lib64") if not os.path.islink(name)}
    if sys.base_prefix != "/usr":
        found.add(Path(os.path.realpath(sys.base_prefix), "lib"))
    return {_pythonless(path) for path in found if path.is_dir()}


def _pythonless(path: Path) -> Tree:
    return _tree(path, [name for name in os.listdir(path) if name.startswith("python")])


def _tree(path: Path, without: Collection[str]) -> Tree:
    return Tree(path, tuple(sorted(name for name in without if (path / name).is_dir())))
