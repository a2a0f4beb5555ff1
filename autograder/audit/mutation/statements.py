"""What can be mistaken in a statement, in a loop's source and in a function's parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.audit.mutation.expressions import expression_changes, negated, swaps
from autograder.audit.mutation.scope import Scope

_DROPPED = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.Delete,
    ast.Assert,
    ast.Raise,
    ast.If,
    ast.For,
    ast.While,
    ast.Break,
    ast.Continue,
)
_TRUE, _FALSE = ast.Constant(True), ast.Constant(False)


def statement_changes(node: ast.stmt) -> Iterator[ast.stmt | None]:
    """The replacements of a statement; None drops it."""
    if isinstance(node, _DROPPED):
        yield None
    match node:
        case ast.AugAssign(target=target, value=value, op=op):
            yield ast.Assign([target], value, lineno=0)
            for changed in expression_changes(ast.BinOp(target, op, value), Scope()):
                if isinstance(changed, ast.BinOp) and changed.left is target:
                    yield ast.AugAssign(target, changed.op, value)
        case ast.If(test=test, body=body, orelse=orelse):
            yield from (ast.If(changed, body, orelse) for changed in (negated(test), _TRUE, _FALSE))
        case ast.While(test=test, body=body, orelse=orelse):
            yield ast.While(negated(test), body, orelse)
        case ast.For():
            for source in _shorter(node.iter):
                yield ast.For(node.target, source, node.body, node.orelse, lineno=0)
        case ast.With(body=body) | ast.Try(body=body):
            yield ast.If(_TRUE, body, [])
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def comprehension_changes(node: ast.comprehension) -> Iterator[ast.comprehension]:
    """The replacements of a `for ... in ... if ...` inside of an expression."""
    target, source, tests = node.target, node.iter, node.ifs
    for shorter in _shorter(source):
        yield ast.comprehension(target, shorter, tests, node.is_async)
    for i, test in enumerate(tests):
        for changed in ([], [negated(test)]):
            ifs = [*tests[:i], *changed, *tests[i + 1 :]]
            yield ast.comprehension(target, source, ifs, node.is_async)


def parameter_changes(node: ast.arguments) -> Iterator[ast.arguments]:
    """The replacements of a parameter list: another default, no default, another order."""
    given = len(node.args) - len(node.defaults)
    for i, default in enumerate(node.defaults):
        for changed in expression_changes(default, Scope()):
            yield _with(node, defaults=[*node.defaults[:i], changed, *node.defaults[i + 1 :]])
    for i, keyword_default in enumerate(node.kw_defaults):
        for changed in expression_changes(keyword_default, Scope()) if keyword_default else ():
            kept = node.kw_defaults
            yield _with(node, kw_defaults=[*kept[:i], changed, *kept[i + 1 :]])
    if node.defaults:
        yield _with(node, defaults=node.defaults[1:])
    if given < 0:  # defaults of positional-only parameters: their order is left alone
        return
    bound = [name for name in node.args[:1] if name.arg in ("self", "cls")]
    for required in swaps(node.args[len(bound) : given]):
        yield _with(node, args=[*bound, *required, *node.args[given:]])
    optional = list(zip(node.args[given:], node.defaults, strict=True))
    for pairs in swaps(optional):
        names, defaults = zip(*pairs, strict=True)
        yield _with(node, args=[*node.args[:given], *names], defaults=list(defaults))


def _with(
    node: ast.arguments,
    *,
    args: list[ast.arg] | None = None,
    defaults: list[ast.expr] | None = None,
    kw_defaults: list[ast.expr | None] | None = None,
) -> ast.arguments:
    return ast.arguments(
        posonlyargs=node.posonlyargs,
        args=node.args if args is None else args,
        vararg=node.vararg,
        kwonlyargs=node.kwonlyargs,
        kw_defaults=node.kw_defaults if kw_defaults is None else kw_defaults,
        kwarg=node.kwarg,
        defaults=node.defaults if defaults is None else defaults,
    )


def _shorter(source: ast.expr) -> Iterator[ast.expr]:
    """What is looped over, without its first or its last; a call has changes of its own."""
    if not isinstance(source, ast.Call):
        for ends in (
            ast.Slice(ast.Constant(1), None, None),
            ast.Slice(None, ast.Constant(-1), None),
        ):
            yield ast.Subscript(source, ends, ast.Load())
