"""A bound on what a changed function may do: loop rounds and calls, counted while it runs.

A change can make a loop endless. So every round of a loop and every call of a function of the
changed text takes one step, and a call from outside may take so many of them and no more. The
count is compiled into the text: it is the same on every machine and in every thread. Sizes of
arrays stay small because no change makes a huge number out of small ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeVar

from autograder.audit.mutation.scope import FunctionNode

STEPS = 100_000
"""How many steps a call may take: thousands of times what a call in a law takes."""

COUNTER = "__steps__"
"""The name under which a counted text finds its counter."""

Item = TypeVar("Item")


class TooManySteps(RuntimeError):  # noqa: N818 - as good as any exception of the function's own
    """Raised inside a function that took more steps than it may, and in every call after that."""


class Steps:
    """Counts the steps of one function.

    Args:
        limit: how many steps a call from outside may take.
    """

    def __init__(self, limit: int = STEPS) -> None:
        self._limit = limit
        self._left = limit
        self._depth = 0

    def step(self) -> bool:
        """True, or `TooManySteps`. It is raised ever after, so that one endless loop is enough."""
        self._left -= 1
        if self._left < 0:
            raise TooManySteps(f"more than {self._limit} steps in one call")
        return True

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, a step for each."""
        for item in items:
            self.step()
            yield item

    def __enter__(self) -> None:
        if self._depth == 0 and self._left >= 0:
            self._left = self._limit
        self.step()
        self._depth += 1

    def __exit__(self, *raised: object) -> None:
        self._depth -= 1


def counted(tree: ast.Module) -> ast.Module:
    """The module with its steps counted. The tree itself is changed."""
    changed = _Counted().visit(tree)
    return ast.fix_missing_locations(changed)  # type: ignore[no-any-return]


class _Counted(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        return node if node.is_async else self._loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.test = ast.BoolOp(ast.And(), [_call("step"), node.test])
        return node

    def _function(self, node: FunctionNode) -> ast.AST:
        self.generic_visit(node)
        node.body = [ast.With([ast.withitem(_counter())], node.body)]
        return node

    def _loop(self, node: ast.For | ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("each", node.iter)
        return node


def _counter() -> ast.expr:
    return ast.Name(COUNTER, ast.Load())


def _call(method: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_counter(), method, ast.Load()), list(arguments), [])
