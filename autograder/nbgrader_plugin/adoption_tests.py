"""What the text of a course's own test cell shows, read as Python and never run."""

from __future__ import annotations

import ast
import re
import warnings

_MAGIC = re.compile(r"^[ \t]*[%!?].*$", re.MULTILINE)
_HIDDEN = "BEGIN HIDDEN TESTS"
_CHECKS = re.compile(r"(assert|check|test|verify|expect|raise|fail|grade)", re.IGNORECASE)
"""Names of functions that may raise by themselves where an answer is wrong."""
_TRUE_OR_FALSE = {"all", "allclose", "any", "array_equal", "array_equiv", "bool", "callable"}
_TRUE_OR_FALSE |= {"display", "hasattr", "isclose", "isinstance", "issubclass", "print"}


def imported(source: str) -> set[str]:
    """The top-level modules that a cell imports, relative ones left out."""
    found: set[str] = set()
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def shows_hidden_tests(source: str) -> bool:
    """Whether a cell holds a part that students must not see."""
    return _HIDDEN in source


def always_earns(source: str) -> bool:
    """Whether a test cell gives full points to any answer that does not raise.

    So it is where nothing in it can fail, and its last line is no number: nbgrader takes a number
    as the score and everything else (True, False, nothing) as success. In doubt the answer is no.
    """
    tree = _parsed(source)
    if any(_may_fail(node) for node in ast.walk(tree)):
        return False
    last = tree.body[-1] if tree.body else None
    return not isinstance(last, ast.Expr) or _is_no_number(last.value)


def _may_fail(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.Raise):
        return True
    return isinstance(node, ast.Call) and bool(_CHECKS.match(_called(node)))


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_no_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Compare | ast.BoolOp | ast.JoinedStr):
        return True
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.Not)
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bool | str | None)
    return isinstance(value, ast.Call) and _called(value) in _TRUE_OR_FALSE


def _parsed(source: str) -> ast.Module:
    """The tree of a cell; where it is no Python, one of which nothing is claimed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as invalid escapes in the course's strings
        try:
            return ast.parse(_MAGIC.sub("", source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse("assert True")
