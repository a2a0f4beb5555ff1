"""Automatic mutants: the reference with one small change, as mutation testing makes them.

A law that lets a mutant pass would let a student's slip pass. A mutant whose change no input of
the domain can show is *equivalent*; `Exercise.equivalent_mutants` records those with the reason.
"""

from __future__ import annotations
import __future__

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from autograder.audit.mutation.definitions import Definitions, NotMutableError, definitions_of
from autograder.audit.mutation.mutations import mutations
from autograder.audit.mutation.steps import COUNTER, Steps, counted

__all__ = ["Mutant", "NotMutableError", "mutants_of", "unchanged"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function with one small change.

    Args:
        name: what was changed and where, unique among the mutants of a function; it stays the same
            while lines move.
        answer: the changed function or class, in module globals of its own. Its loops and calls
            are counted, so that it cannot run for ever: past the bound it raises.
    """

    name: str
    answer: Callable[..., Any]


def mutants_of(function: Callable[..., Any]) -> tuple[Mutant, ...]:
    """The mutants of a function or class, of the helpers and of the constants of its module.

    They come in the order of the text. Changes that give the same text count once; those that do
    not compile, or fail when they are defined, are left out.

    Raises:
        NotMutableError: the function is not defined at the top level of a readable module.
    """
    parts = definitions_of(function)
    codes = [_compiled(ast.unparse(statement), parts) for statement in parts.statements]
    found = []
    for i, statement in enumerate(parts.statements):
        for mutation in mutations(statement, parts.modules):
            try:
                changed = _compiled(mutation.text, parts)
                answer = _defined(parts, [*codes[:i], changed, *codes[i + 1 :]])
            except Exception:  # noqa: S112 - no function came of it, so there is none to judge
                continue
            found.append(Mutant(mutation.name, answer))
    return tuple(found)


def unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function made like a mutant, but without a change: no law may fail for it.

    Raises:
        NotMutableError: the function is not defined at the top level of a readable module.
    """
    parts = definitions_of(function)
    return _defined(parts, [_compiled(ast.unparse(s), parts) for s in parts.statements])


def _compiled(text: str, parts: Definitions) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `x is 0` may be a mutant
        tree = counted(ast.parse(text))
        name = f"<mutant of {parts.name}>"
        flags = __future__.annotations.compiler_flag
        code: CodeType = compile(tree, name, "exec", flags, dont_inherit=True)
        return code


def _defined(parts: Definitions, codes: list[CodeType]) -> Callable[..., Any]:
    """The function, defined in a copy of its module's globals."""
    namespace = {**vars(parts.module), COUNTER: Steps()}
    for code in codes:
        exec(code, namespace)  # noqa: S102 - the course's own text, changed by us
    answer: Callable[..., Any] = namespace[parts.name]
    return answer
