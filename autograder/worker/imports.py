"""Which installed packages a worker sees, beside the standard library."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Final

_PRELOADED: Final = ("ipython", "msgspec")
"""Distributions that every worker has loaded itself."""
_CONFINING: Final = ("landlockpy",)
"""Distributions that a worker needs only until it has confined itself."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@lru_cache
def importable_modules(allowed: frozenset[str]) -> tuple[str, ...]:
    """The modules of the allowed distributions and of all they need, as installed here.

    Args:
        allowed: names of distributions, which are those of their modules: numpy, matplotlib.
    """
    found = _with_requirements([*allowed, *_PRELOADED])
    return tuple(sorted({module for d in found for module in _modules(d)}))


@lru_cache
def package_files(allowed: frozenset[str]) -> tuple[Path, ...]:
    """The files and folders that those distributions put directly into site-packages.

    Args:
        allowed: as above.
    """
    found = _with_requirements([*allowed, *_PRELOADED, *_CONFINING])
    return tuple(sorted({path for d in found for path in _top_level_paths(d)}))


def _with_requirements(names: Iterable[str]) -> Collection[metadata.Distribution]:
    """The installed distributions of these names and all that they need."""
    found: dict[str, metadata.Distribution] = {}
    wanted = list(names)
    while wanted:
        name = _canonical(wanted.pop())
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        wanted += _requirements(found[name])
    return found.values()


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirements(distribution: metadata.Distribution) -> Collection[str]:
    """Names of what a distribution needs, without its extras."""
    lines = [line for line in distribution.requires or () if "extra ==" not in line]
    matches = [_NAME.match(line) for line in lines]
    return [match[0] for match in matches if match]


def _top_level_names(distribution: metadata.Distribution) -> set[str]:
    """What a distribution puts directly into site-packages; scripts lie elsewhere."""
    record = distribution.read_text("RECORD") or ""
    tops = {line.partition("/")[0].partition(",")[0] for line in record.splitlines()}
    return tops - {"", "..", "__pycache__"}


def _modules(distribution: metadata.Distribution) -> set[str]:
    """Top-level modules that a distribution installs."""
    tops = _top_level_names(distribution)
    names = {top.split(".")[0] for top in tops if top.endswith((".py", ".so"))}
    names |= {top for top in tops if "." not in top}
    return {name for name in names if name.isidentifier()}


def _top_level_paths(distribution: metadata.Distribution) -> Iterator[Path]:
    for name in _top_level_names(distribution):
        path = Path(str(distribution.locate_file(name)))
        if path.exists():
            yield path
