"""The definitions that a function consists of: its own, and those of its module that it uses."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from autograder.audit.mutation.scope import DEFINITIONS, FunctionNode, imported_modules


class NotMutableError(ValueError):
    """A function has no text to change. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """What a function consists of.

    Args:
        name: the function's name.
        module: where it is defined.
        statements: its definition and those of its module that it uses, directly or not, in the
            module's order, without docstrings and annotations.
        modules: the names that the module's imports bind to modules.
    """

    name: str
    module: ModuleType
    statements: tuple[ast.stmt, ...]
    modules: frozenset[str]


def definitions_of(function: Callable[..., Any]) -> Definitions:
    """The definitions of a function or class.

    What other modules define is left as it is: a function of theirs is an exercise of its own or
    none of the course's.

    Raises:
        NotMutableError: it is not defined at the top level of a module whose text can be read.
    """
    name, module = _home_of(function)
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError) as error:
        raise NotMutableError(
            f"the text of module {module.__name__} cannot be read ({error}). "
            "Install it with its source files."
        ) from None
    modules = imported_modules(tree)
    bound = {
        bound: statement
        for statement in _Bare().visit(tree).body
        for bound in _names_bound(statement)
    }
    if name not in bound:
        raise _not_at_top_level(function)
    used = _used(name, bound)
    statements = {id(s): s for bound_name, s in bound.items() if bound_name in used}
    return Definitions(name, module, tuple(statements.values()), modules)


def _home_of(function: Callable[..., Any]) -> tuple[str, ModuleType]:
    name = getattr(function, "__qualname__", "")
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if module is None or getattr(module, name, None) is not function:
        raise _not_at_top_level(function)
    return name, module


def _not_at_top_level(function: Callable[..., Any]) -> NotMutableError:
    return NotMutableError(
        f"{function!r} is not defined at the top level of a Python module. "
        "Define it there with def or class."
    )


def _used(name: str, bound: dict[str, ast.stmt]) -> set[str]:
    """The names that are reached from `name` through the module's definitions."""
    used: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in bound and current not in used:
            used.add(current)
            waiting += [n.id for n in ast.walk(bound[current]) if isinstance(n, ast.Name)]
    return used


def _names_bound(statement: ast.stmt) -> list[str]:
    """The names that a definition or an assignment binds; none for any other statement."""
    if isinstance(statement, DEFINITIONS):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = [node for target in statement.targets for node in ast.walk(target)]
        return [node.id for node in targets if isinstance(node, ast.Name)]
    return []


class _Bare(ast.NodeTransformer):
    """Takes away docstrings, and annotations but for those of a class's own fields."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, FunctionNode | ast.ClassDef):
            _drop_docstring(node)
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [s if isinstance(s, ast.AnnAssign) else self.visit(s) for s in node.body]
        return node

    def _function(self, node: FunctionNode) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        return node


def _drop_docstring(node: FunctionNode | ast.ClassDef) -> None:
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            node.body = rest or [ast.Pass()]
