"""Every single change of one definition, with a name that says what was changed and where.

A name reads `softmax: axis=axis -> axis=0 in z.max(axis=axis, keepdims=True)`. It holds no line
number, so it stays while the lines around it move.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.audit.mutation.calls import call_changes, keyword_changes
from autograder.audit.mutation.expressions import expression_changes, literal_of
from autograder.audit.mutation.scope import (
    DEFINITIONS,
    FunctionNode,
    Scope,
    scope_of,
)
from autograder.audit.mutation.statements import (
    comprehension_changes,
    parameter_changes,
    statement_changes,
)

# What is no computation: how a name is defined, and what an error says.
_LEFT_ALONE = frozenset(
    {"decorator_list", "bases", "keywords", "annotation", "type_params"}
    | {"exc", "cause", "msg", "type"}
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of a definition.

    Args:
        name: what was changed and where, unique in its definition.
        text: the changed definition.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _Site:
    """A place in the tree. `parents` leads to it, the nearest first; `scope` holds there."""

    field: str
    index: int | None
    node: ast.AST
    parents: tuple[ast.AST, ...]
    scope: Scope

    def put(self, replacement: ast.AST | None) -> None:
        """Put something else in this place; None takes away what stands there."""
        parent = self.parents[0]
        if self.index is None:
            setattr(parent, self.field, replacement)
            return
        items = list(getattr(parent, self.field))
        items[self.index : self.index + 1] = [] if replacement is None else [replacement]
        if not items and self.field == "body":
            items = [ast.Pass()]
        setattr(parent, self.field, items)


def mutations(definition: ast.stmt, modules: frozenset[str] = frozenset()) -> list[Mutation]:
    """The changes of a function, a class or an assignment, each of another text.

    Args:
        definition: a statement without docstrings and annotations; it is the same afterwards.
        modules: the names of the modules that it uses.
    """
    seen = {ast.unparse(definition)}
    names: Counter[str] = Counter()
    found = []
    for site in list(_sites(definition, (), Scope(modules))):
        parent, before = site.parents[0], getattr(site.parents[0], site.field)
        for replacement in _changes(site):
            name = _described(site, replacement)
            site.put(replacement)
            text = ast.unparse(definition)
            setattr(parent, site.field, before)
            if text not in seen:
                seen.add(text)
                names[name] += 1
                found.append(Mutation(f"{name} ({n})" if (n := names[name]) > 1 else name, text))
    return found


def _sites(parent: ast.AST, above: tuple[ast.AST, ...], scope: Scope) -> Iterator[_Site]:
    """Every place below a node, in the order of the text."""
    if isinstance(parent, FunctionNode):
        scope = scope_of(parent, scope.modules)
    parents = (parent, *above)
    for field, value in ast.iter_fields(parent):
        if field in _LEFT_ALONE and not isinstance(parent, ast.Call):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST):
                yield _Site(field, index, node, parents, scope)
                if not _is_whole(node):
                    yield from _sites(node, parents, scope)


def _is_whole(node: ast.AST) -> bool:
    """Whether a node is changed as a whole, or not at all."""
    if isinstance(node, ast.arguments | ast.JoinedStr):
        return True
    return isinstance(node, ast.expr) and literal_of(node) is not None


def _changes(site: _Site) -> Iterable[ast.AST | None]:
    match site.node:
        case ast.Call() as call:
            yield from call_changes(call, site.scope)
        case ast.expr() as expression:
            yield from expression_changes(expression, site.scope)
        case ast.keyword() as keyword:
            yield from keyword_changes(keyword)
        case ast.comprehension() as comprehension:
            yield from comprehension_changes(comprehension)
        case ast.arguments() as parameters:
            yield from parameter_changes(parameters)
        case ast.stmt() as statement:
            yield from statement_changes(statement)


# -- names -----------------------------------------------------------------------------------------


def _described(site: _Site, replacement: ast.AST | None) -> str:
    parent = site.parents[0]
    old, new = _line(site.node), None if replacement is None else _line(replacement)
    if isinstance(parent, ast.keyword) and parent.arg:
        old, new = f"{parent.arg}={old}", f"{parent.arg}={new}"
    if isinstance(site.node, ast.arguments):
        old, new = f"({old})", f"({new})"
    change = f"{old} dropped" if new is None else f"{old} -> {new}"
    return f"{_owner(site)}: {change}{_context(site)}"


def _owner(site: _Site) -> str:
    """The dotted name of the function or class, or what an assignment assigns."""
    names = [node.name for node in site.parents if isinstance(node, DEFINITIONS)]
    if names:
        return ".".join(reversed(names))
    top = site.parents[-1]
    return _line(top).partition(" = ")[0]


def _context(site: _Site) -> str:
    """The nearest expression or statement around the place that says more than the place."""
    if isinstance(site.node, ast.stmt | ast.arguments):
        return ""
    for parent in site.parents:
        if isinstance(parent, ast.expr | ast.stmt):
            return "" if isinstance(parent, DEFINITIONS) else f" in {_line(parent)}"
    return ""


def _line(node: ast.AST) -> str:
    """The first line of the text: a compound statement is known by its head."""
    return ast.unparse(node).strip().partition("\n")[0]
