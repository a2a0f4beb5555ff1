"""What can be mistaken in a call: its arguments, their order, the function itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.audit.mutation.expressions import SIBLINGS, all_but_one, swaps
from autograder.audit.mutation.scope import Scope

_AXES = ("axis", "axes")
_DIAGONALS = ("tri", "tril", "triu", "eye", "diag", "diagonal", "trace")


def call_changes(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The replacements of a call. Keywords have changes of their own: `keyword_changes`."""
    func, args = node.func, node.args
    for changed in [*swaps(args), *all_but_one(args)]:
        yield ast.Call(func, changed, node.keywords)
    yield from _argument_alone(node, scope)
    name = _name_of(func)
    if isinstance(func, ast.Name):  # an attribute's siblings are found where it is read
        for sibling in SIBLINGS.get(name, ()):
            yield ast.Call(ast.Name(sibling, ast.Load()), args, node.keywords)
    if name == "range":
        yield from _ranges(node)
    elif name == "where" and len(args) == 3:
        yield ast.Call(func, [ast.UnaryOp(ast.Invert(), args[0]), *args[1:]], node.keywords)
        yield from args[1:]
    elif name in _DIAGONALS and not any(keyword.arg == "k" for keyword in node.keywords):
        for offset in (1, -1):
            moved = ast.keyword("k", ast.Constant(offset))
            yield ast.Call(func, args, [*node.keywords, moved])


def keyword_changes(node: ast.keyword) -> Iterator[ast.keyword | None]:
    """The replacements of `name=value` in a call; None drops it."""
    yield None
    if node.arg in _AXES:
        for axis in (0, 1, -1, None):
            yield ast.keyword(node.arg, ast.Constant(axis))


def _name_of(function: ast.expr) -> str:
    """The last part of a dotted name, or nothing."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _argument_alone(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The argument, or the object of a method, as if the function had not been called."""
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if not (isinstance(owner, ast.Name) and owner.id in scope.modules):
            yield owner


def _ranges(node: ast.Call) -> Iterator[ast.expr]:
    """Ranges that start or end one step off."""
    if not node.args or isinstance(node.args[-1], ast.Starred):
        return
    last = min(len(node.args), 2) - 1
    for op in (ast.Add(), ast.Sub()):
        stop = ast.BinOp(node.args[last], op, ast.Constant(1))
        yield ast.Call(node.func, [*node.args[:last], stop, *node.args[last + 1 :]], [])
    start = ast.BinOp(node.args[0], ast.Add(), ast.Constant(1)) if last else ast.Constant(1)
    yield ast.Call(node.func, [start, *node.args[last:]], [])
