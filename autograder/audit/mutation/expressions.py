"""What can be mistaken in an expression that is no call. Each function lists replacements.

A replacement may share nodes with what it replaces: it is only written out as text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeVar

from autograder.audit.mutation.scope import Scope

Item = TypeVar("Item")

_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv, ast.Sub),
    ast.FloorDiv: (ast.Div, ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult, ast.Div),  # nothing turns into a power: no number becomes a huge one
    ast.MatMult: (ast.Mult, ast.Add),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitAnd, ast.BitOr),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.FloorDiv,),
}
_COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_SEQUENCES = (ast.Tuple, ast.List, ast.JoinedStr)

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPPOSITES = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
} | {old: new[0] for old, new in _COMPARISONS.items() if len(new) == 1}

_SIBLINGS = (
    ("max", "min"),
    ("amax", "amin"),
    ("argmax", "argmin"),
    ("maximum", "minimum"),
    ("nanmax", "nanmin"),
    ("sum", "mean"),
    ("nansum", "nanmean"),
    ("prod", "sum"),
    ("median", "mean"),
    ("std", "var"),
    ("cumsum", "cumprod"),
    ("any", "all"),
    ("tril", "triu"),
    ("exp", "exp2"),
    ("expm1", "exp"),
    ("log", "log2"),
    ("log1p", "log"),
    ("logaddexp", "logaddexp2"),
    ("sqrt", "square"),
    ("sin", "cos"),
    ("tanh", "sinh"),
    ("floor", "ceil"),
    ("abs", "negative"),
    ("ones", "zeros"),
    ("ones_like", "zeros_like"),
    ("eye", "ones"),
    ("tri", "ones"),
    ("full", "full_like"),
    ("add", "subtract"),
    ("multiply", "divide"),
    ("greater", "less"),
    ("greater_equal", "less_equal"),
    ("equal", "not_equal"),
    ("logical_and", "logical_or"),
    ("bitwise_and", "bitwise_or"),
    ("isneginf", "isposinf"),
    ("isnan", "isinf"),
    ("isfinite", "isinf"),
    ("concatenate", "stack"),
    ("vstack", "hstack"),
    ("inner", "outer"),
    ("dot", "multiply"),
    ("matmul", "multiply"),
    ("repeat", "tile"),
    ("flipud", "fliplr"),
    ("append", "insert"),
    ("size", "ndim"),
    ("real", "imag"),
    ("bool_", "float64"),
    ("float64", "int64"),
)
SIBLINGS: dict[str, tuple[str, ...]] = {}
"""A function, method or attribute of NumPy or Python -> those it is mistaken for."""
for _one, _other in _SIBLINGS:
    SIBLINGS[_one] = (*SIBLINGS.get(_one, ()), _other)
    SIBLINGS[_other] = (*SIBLINGS.get(_other, ()), _one)


def expression_changes(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """The replacements of an expression by itself, whatever stands in it."""
    match node:
        case ast.BinOp():
            yield from _binary(node)
        case ast.UnaryOp(operand=operand):
            literal = literal_of(node)
            yield from [operand] if literal is None else _constants(literal)
        case ast.Compare(left=left, ops=ops, comparators=right):
            for i, op in enumerate(ops):
                for other in _COMPARISONS[type(op)]:
                    yield ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from (_boolean(op, kept) for kept in all_but_one(values))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(negated(test), body, orelse)
            yield from (body, orelse)
        case ast.Constant(value=value):
            yield from _constants(value)
        case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()):
            for elements in [*swaps(node.elts), *all_but_one(node.elts)]:
                yield type(node)(elements, ast.Load())
        case ast.Subscript():
            yield from _subscripts(node)
        case ast.Attribute():
            yield from _attributes(node)
        case ast.Name(ctx=ast.Load()):
            yield from (ast.Name(other, ast.Load()) for other in scope.others(node))
            yield from _infinities(node.id)
        case ast.Slice():
            yield from _slices(node)


def literal_of(node: ast.expr) -> object:
    """The number that a literal with a minus sign stands for, else None."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def negated(test: ast.expr) -> ast.expr:
    """The condition that holds where `test` does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[op], comparators=right):
            return ast.Compare(left, [_OPPOSITES[type(op)]()], right)
    return ast.UnaryOp(ast.Not(), test)


def swaps(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items with one of them and the next in each other's place."""
    for i in range(len(items) - 1):
        yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def all_but_one(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items without one of them, where some are left."""
    if len(items) > 1:
        for i in range(len(items)):
            yield [*items[:i], *items[i + 1 :]]


def _binary(node: ast.BinOp) -> Iterator[ast.expr]:
    left, op, right = node.left, node.op, node.right
    for other in _OPERATORS[type(op)]:
        yield ast.BinOp(left, other(), right)
    # swapped where the order can matter: + joins sequences, but adds numbers
    if not isinstance(op, _COMMUTATIVE) or _joins(left, op) or _joins(right, op):
        yield ast.BinOp(right, op, left)
    yield from (left, right)
    if isinstance(op, ast.MatMult):
        yield ast.BinOp(_transposed(left), op, right)
        yield ast.BinOp(left, op, _transposed(right))


def _joins(operand: ast.expr, op: ast.operator) -> bool:
    is_text = isinstance(operand, ast.Constant) and isinstance(operand.value, str | bytes)
    return isinstance(op, ast.Add) and (is_text or isinstance(operand, _SEQUENCES))


def _transposed(matrix: ast.expr) -> ast.expr:
    if isinstance(matrix, ast.Attribute) and matrix.attr == "T":
        return matrix.value
    return ast.Attribute(matrix, "T", ast.Load())


def _boolean(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def _constants(value: object) -> Iterator[ast.expr]:
    """Neighbours of a literal. Texts are left alone: most are messages."""
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif value is None:
        yield ast.Constant(0)
    elif isinstance(value, int):
        yield from map(ast.Constant, (value + 1, value - 1, -value, 0))
    elif isinstance(value, float):
        yield from map(ast.Constant, (2 * value, value / 2, value + 1, -value, 0.0))


def _attributes(node: ast.Attribute) -> Iterator[ast.expr]:
    if not isinstance(node.ctx, ast.Load):
        return
    if node.attr in ("T", "mT"):
        yield node.value
    for sibling in SIBLINGS.get(node.attr, ()):
        yield ast.Attribute(node.value, sibling, ast.Load())
    yield from _infinities(node.attr)


def _infinities(name: str) -> Iterator[ast.expr]:
    if name == "inf":
        yield from map(ast.Constant, (1e9, 1.0))
        yield ast.Call(ast.Name("float", ast.Load()), [ast.Constant("nan")], [])
    elif name == "nan":
        yield ast.Constant(0.0)


def _subscripts(node: ast.Subscript) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load):
        yield node.value
    whole = isinstance(node.slice, ast.Tuple)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for i, part in enumerate(parts):
        if isinstance(part, ast.Constant | ast.Slice | ast.UnaryOp | ast.Starred):
            continue  # they have changes of their own
        for other in (_plus(part, -1), ast.Constant(0)):
            changed = [*parts[:i], other, *parts[i + 1 :]]
            index = ast.Tuple(changed, ast.Load()) if whole else changed[0]
            yield ast.Subscript(node.value, index, node.ctx)


def _slices(node: ast.Slice) -> Iterator[ast.expr]:
    lower, upper, step = node.lower, node.upper, node.step
    if lower is not None:
        yield from (ast.Slice(None, upper, step), ast.Slice(_plus(lower, 1), upper, step))
    if upper is not None:
        yield ast.Slice(lower, None, step)
        yield from (ast.Slice(lower, _plus(upper, by), step) for by in (1, -1))
    if step is not None:
        yield ast.Slice(lower, upper, None)
    yield ast.Slice(lower, upper, ast.UnaryOp(ast.USub(), step or ast.Constant(1)))


def _plus(number: ast.expr, by: int) -> ast.expr:
    """The expression plus or minus a number, written as a literal where it is one."""
    if isinstance(number, ast.Constant) and type(number.value) is int:
        return ast.Constant(number.value + by)
    return ast.BinOp(number, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))
