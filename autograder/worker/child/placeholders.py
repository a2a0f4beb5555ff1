"""Modules that are not available when grading: importing one succeeds, using it raises.

So a first cell that imports seaborn or mounts a drive costs nothing. Only an import that a cell
itself makes gets a placeholder; a library that asks for an optional module, and a cell that
catches the ImportError, are told the truth.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import NoReturn

from .errors import in_cell

_CATCHES_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
# fmt: off
_REFUSED = (
    "call", "iter", "next", "len", "bool", "int", "float", "index", "complex", "contains",
    "setitem", "delitem", "enter", "exit", "await", "aiter", "array", "lt", "le", "gt", "ge",
    "neg", "pos", "abs", "invert", "add", "radd", "sub", "rsub", "mul", "rmul", "matmul",
    "rmatmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow",
    "and", "rand", "xor", "rxor", "lshift", "rshift",
)
# fmt: on


class PlaceholderUsed(ImportError):  # noqa: N818 - the student reads this name
    """Code used a module that is not available when grading."""


def _refusal(name: str) -> PlaceholderUsed:
    return PlaceholderUsed(f"{name} is not available when grading", name=name)


class Placeholder:
    """Something out of a module that is not there. Naming it is free, using it raises.

    Subscripts and `|` give the same thing again, so that it may stand in annotations, and a
    class may name it as its base: the class is then defined, but no object of it can be made.
    """

    def __init__(self, name: str) -> None:
        self._placeholder_name = name

    def __getattr__(self, name: str) -> Placeholder:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self._placeholder_name}.{name}")

    def __getitem__(self, key: object) -> Placeholder:
        return self

    def __or__(self, other: object) -> Placeholder:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (_base_class(self._placeholder_name),)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self._placeholder_name}: not available when grading>"


def _refuser(operation: str) -> Callable[..., NoReturn]:
    def refuse(self: Placeholder, *args: object, **kwargs: object) -> NoReturn:
        raise _refusal(self._placeholder_name)

    refuse.__name__ = operation
    return refuse


for _operation in _REFUSED:
    setattr(Placeholder, f"__{_operation}__", _refuser(_operation))


def _base_class(name: str) -> type:
    def refuse(cls: type, *args: object, **kwargs: object) -> NoReturn:
        raise _refusal(name)

    return type(name.rpartition(".")[2], (), {"__new__": refuse})


class PlaceholderModule(ModuleType):
    """A module that is not there; every attribute of it is a placeholder."""

    def __getattr__(self, name: str) -> Placeholder:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self.__name__}.{name}")

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuse."""
        raise _refusal(self.__name__)


class PlaceholderFinder(MetaPathFinder, Loader):
    """Stands first on `sys.meta_path` and lets only allowed top-level modules through.

    Args:
        allowed: top-level names that may be imported beside the standard library.
        tree_of: gives the statements of a cell by its file name.
    """

    def __init__(self, allowed: Sequence[str], tree_of: Callable[[str], list[ast.stmt]]) -> None:
        self._allowed = frozenset(allowed) | sys.stdlib_module_names | {"worker"}
        self._tree_of = tree_of
        self._used: list[str] = []

    def take_used(self) -> list[str]:
        """Top-level names for which placeholders were given since the last time."""
        used, self._used = self._used, []
        return used

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for an allowed module, which the next finder looks for; else a placeholder."""
        top = name.partition(".")[0]
        if top in self._allowed or top.startswith("_sysconfigdata"):
            return None
        importer = _importer()
        if importer is None or not in_cell(importer) or self._guarded(importer):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if top not in self._used:
            self._used.append(top)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A placeholder in place of the module."""
        return PlaceholderModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""

    def _guarded(self, importer: FrameType) -> bool:
        """Whether the cell catches the ImportError of the import that runs now."""
        line = importer.f_lineno
        return any(
            isinstance(node, ast.Try)
            and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)
            and any(_catches(handler.type) for handler in node.handlers)
            for statement in self._tree_of(importer.f_code.co_filename)
            for node in ast.walk(statement)
        )


def _catches(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_catches(element) for element in kind.elts)
    return kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCHES_IMPORT_ERRORS)


def _importer() -> FrameType | None:
    """The frame that imports: the nearest one outside the import machinery."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame


def install(allowed: Sequence[str], tree_of: Callable[[str], list[ast.stmt]]) -> PlaceholderFinder:
    """Put the finder in front of all others."""
    finder = PlaceholderFinder(allowed, tree_of)
    sys.meta_path.insert(0, finder)
    return finder
