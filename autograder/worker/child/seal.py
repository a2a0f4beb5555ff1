"""Whether a notebook has replaced what ordinary test cells rely on.

A hint and no more, since it runs beside the code it watches: it can take points that silence would
earn, never give any.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from .errors import cell_of


class Seal:
    """Remembers builtins, NumPy and the shell as they are before the first cell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._known = [(owner, dict(vars(owner))) for owner in (builtins, np)]
        self._hooks = self._shell_hooks()

    def broken(self) -> bool:
        """Whether any of it is another one now, or a function of a cell stands in its place."""
        return (
            any(
                vars(owner).get(name) is not value
                for owner, known in self._known
                for name, value in known.items()
                if not name.startswith("_")
            )
            or any(_from_cell(value) for value in self._callbacks())
            or self._shell_hooks() != self._hooks
            or sys.gettrace() is not None
            or sys.getprofile() is not None
        )

    def _callbacks(self) -> Iterator[Any]:
        """What test cells call, and what the shell calls around a cell. Libraries add to both."""
        for name in ("numpy.testing", "unittest.case", "math"):
            module = sys.modules.get(name)
            if module is not None:
                yield from list(vars(module).values())
        for hooks in self._shell.events.callbacks.values():
            yield from hooks

    def _shell_hooks(self) -> tuple[Any, ...]:
        shell = self._shell
        manager = shell.input_transformer_manager
        return (
            len(shell.ast_transformers),
            len(manager.cleanup_transforms),
            len(manager.line_transforms),
            len(manager.token_transformers),
            len(shell.input_transformers_post),
            shell.custom_exceptions,
            sorted(name for name, value in vars(shell).items() if callable(value)),
        )


def _from_cell(value: Any) -> bool:
    code = getattr(value, "__code__", None)
    return code is not None and cell_of(code.co_filename) is not None
