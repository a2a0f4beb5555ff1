"""What the names around a piece of code are, as far as a change has to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that one function and its module bind.

    Args:
        modules: names of imported modules.
        kinds: names of one kind, which could be taken for each other: parameters, variables of
            loops, other local variables. Each name comes with the line that binds it.
    """

    modules: frozenset[str] = frozenset()
    kinds: tuple[Mapping[str, int], ...] = ()

    def others(self, name: ast.Name) -> Iterator[str]:
        """The names that a name could be taken for: those of its kind bound on earlier lines."""
        for kind in self.kinds:
            if name.id in kind:
                yield from (o for o, line in kind.items() if o != name.id and line < name.lineno)


def scope_of(function: FunctionNode, modules: frozenset[str]) -> Scope:
    """The scope of a function without what its inner functions and comprehensions bind."""
    given = [argument.arg for argument in parameters_of(function.args)]
    parameters = dict.fromkeys(given[1:] if given[:1] in (["self"], ["cls"]) else given, 0)
    loops: dict[str, int] = {}
    others: dict[str, int] = {}
    for node in _inside(function.body):
        if isinstance(node, ast.For):
            _bind(loops, node.target)
    for node in _inside(function.body):
        if isinstance(node, ast.Name) and node.id not in {**parameters, **loops}:
            _bind(others, node)
    return Scope(modules, (parameters, loops, others))


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    """Every parameter but `*args` and `**kwargs`, in order."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def imported_modules(module: ast.Module) -> frozenset[str]:
    """The names that the imports of a module bind."""
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(module)
        if isinstance(node, ast.Import)
        for alias in node.names
    )


def _inside(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Every node, down to the definitions and comprehensions inside, which are left out."""
    for node in body:
        if not isinstance(node, (*DEFINITIONS, *_COMPREHENSIONS, ast.Lambda)):
            yield node
            yield from _inside(list(ast.iter_child_nodes(node)))


def _bind(bound: dict[str, int], target: ast.AST) -> None:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.setdefault(node.id, node.lineno)
