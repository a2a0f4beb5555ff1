"""Which names does a piece of student code bind? Answered without running it, and never raising."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

_MAX_PARSED = 32 << 10  # characters; beyond it the tree costs more than the answer is worth

_MAX_COMPARED = 500  # names; comparing two takes some microseconds

_MAGIC_LINE = re.compile(r"^([ \t]*)(?:[%!?].*|[^\s#'\"].*\?)$", re.MULTILINE)
_MAGIC_VALUE = re.compile(r"^([\w, \t]+=[ \t]*)[%!].*$", re.MULTILINE)

_DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_ASSIGNMENT = re.compile(r"^(\w+)[ \t]*=(?!=)", re.MULTILINE)

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Names(NamedTuple):
    """The names that a source binds at its top level, by how."""

    defined: frozenset[str]
    imported: frozenset[str]
    assigned: frozenset[str]

    @property
    def computed(self) -> frozenset[str]:
        """Names whose value the source itself makes: what an import gives is no news."""
        return self.defined | self.assigned

    @property
    def all(self) -> frozenset[str]:
        """Every name bound."""
        return self.defined | self.imported | self.assigned


def names_bound(source: str) -> Names:
    """The names bound at top level; IPython magics are tolerated.

    What Python cannot parse is searched for lines that look like definitions and assignments.
    """
    return _parsed(source) if len(source) <= _MAX_PARSED else _searched(source)


def defines(source: str, name: str) -> bool:
    """Whether running `source` would bind `name`: by def, class, assignment or import."""
    return name in source and name in names_bound(source).all


def looks_like(name: str, sources: Iterable[str], *, apart_from: Collection[str] = ()) -> str:
    """The name bound by one of the sources that looks most like `name`; empty where none does.

    Case and underscores do not count. Names in `apart_from` are what they should be.
    """
    bound = {found for source in sources for found in names_bound(source).computed}
    folded = {
        _folded(found): found
        for found in sorted(bound - {*apart_from})
        if len(found) < 2 * len(name)
    }
    close = difflib.get_close_matches(_folded(name), list(folded)[:_MAX_COMPARED], n=1, cutoff=0.8)
    return folded[close[0]] if close else ""


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def may_define(source: str, name: str) -> bool:
    """As `defines`, and also where the text only looks so, as in `exec("def softmax(z): ...")`."""
    if name not in source:
        return False
    return defines(source, name) or bool(re.search(rf"\bdef\s+{re.escape(name)}\s*\(", source))


def is_python(source: str) -> bool:
    """Whether Python, with IPython's magics, can parse it; long texts are never tried."""
    if len(source) > _MAX_PARSED:
        return False
    return _tree(source) is not None or _tree(_without_magics(source)) is not None


@lru_cache(maxsize=2048)  # the cells of one submission, so that each is parsed once
def _parsed(source: str) -> Names:
    tree = _tree(source) or _tree(_without_magics(source))
    return _searched(source) if tree is None else _bound(tree)


def _tree(source: str) -> ast.Module | None:
    """The syntax tree, or None where Python cannot build it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a string is the student's business
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None


def _without_magics(source: str) -> str:
    """The source with `%magic`, `!shell` and `name?` lines replaced by statements of no effect."""
    return _MAGIC_LINE.sub(r"\1pass", _MAGIC_VALUE.sub(r"\1None", source))


def _searched(source: str) -> Names:
    return Names(
        frozenset(_DEFINITION.findall(source)),
        frozenset(),
        frozenset(_ASSIGNMENT.findall(source)),
    )


def _bound(tree: ast.Module) -> Names:
    """Collect names over all statements of the module's own scope, nested blocks included."""
    defined: set[str] = set()
    imported: set[str] = set()
    assigned: set[str] = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.add(name)
                continue
            case ast.ClassDef(name=name):
                defined.add(name)
                continue
            case ast.alias(name=name, asname=asname):
                imported.add(asname or name.partition(".")[0])
            case ast.Name(id=name, ctx=ast.Store()):
                assigned.add(name)
        if not isinstance(node, _SCOPES):
            todo.extend(ast.iter_child_nodes(node))
    return Names(frozenset(defined), frozenset(imported), frozenset(assigned))
