"""Callables that an assignment forbids: they raise when a submission calls them.

No shipped assignment forbids any; source form never costs points there. Where one does, a cell
that runs before all others puts a stub in the place of each. So what counts is the use of a
callable, however the source spells it, and never the text of a program.
"""

from __future__ import annotations

from collections.abc import Collection

_STUBS = """
def _ban(path):
    import importlib

    module, _, name = path.rpartition(".")
    try:
        holder = importlib.import_module(module)
    except ImportError:
        return

    def stub(*args, **kwargs):
        raise RuntimeError(f"{{path}} may not be used in this assignment")

    if hasattr(holder, name):
        setattr(holder, name, stub)


for _path in {paths!r}:
    _ban(_path)
del _ban, _path
"""


def banning_cell(banned: Collection[str]) -> str:
    """The source of the cell that makes each dotted name raise; empty where none is banned."""
    return _STUBS.format(paths=sorted(banned)) if banned else ""
