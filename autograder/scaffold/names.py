"""What was asked for, checked: the names of an exercise and its package, and the parameters."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

from autograder.course import UsageError
from autograder.exercises import load_assignments, load_exercises

_LONGEST_NAME = 30
_LONGEST_SIGNATURE = 50
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MODULES_OF_A_PACKAGE = ("answers", "reference")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the function, with its default as source text; None where it has none."""

    name: str
    default: str | None

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


@dataclass(frozen=True, slots=True)
class Function:
    """The function that students write."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def signature(self) -> str:
        """Its parameters as a stub writes them: `(X, eps=1e-5)`."""
        return f"({', '.join(map(str, self.parameters))})"

    @property
    def required(self) -> list[str]:
        """The parameters that have no default."""
        return [parameter.name for parameter in self.parameters if parameter.default is None]


def function_named(name: str, signature: str) -> Function:
    """The function of that name and signature.

    Raises:
        UsageError: an exercise can't have that name, or has it already, or the signature is none.
    """
    _refuse_name("an exercise", name)
    if name in dir(builtins):
        raise UsageError(f"{name} is a function of Python's own. Choose another name.")
    if name in load_exercises():
        raise UsageError(f"There is an exercise {name!r} already. Choose another name.")
    return Function(name, _parameters(signature))


def _refuse_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name!r} can't be the name of {what}: take up to {_LONGEST_NAME} lower case letters, "
            "digits and _, with a letter in front, and no word of Python's own."
        )


def _parameters(signature: str) -> tuple[Parameter, ...]:
    refusal = UsageError(
        f"{signature!r} is no signature that can be scaffolded. Write one such as "
        f"'(X, eps=1e-5)': plain names, at least one of them without a default, and defaults that "
        f"are numbers, plain texts, True, False or None; at most {_LONGEST_SIGNATURE} characters."
    )
    source = f"def function{signature}: ..."
    if len(signature) > _LONGEST_SIGNATURE or "\n" in signature or not signature.isprintable():
        raise refusal
    try:
        compile(source, "<signature>", "exec")  # sees what parsing does not, such as a name twice
        (function,) = ast.parse(source).body
    except (SyntaxError, ValueError):
        raise refusal from None
    if not isinstance(function, ast.FunctionDef) or not _is_plain(function):
        raise refusal
    names = [argument.arg for argument in function.args.args]
    defaults = [_default(source, node) for node in function.args.defaults]
    if None in defaults or len(names) == len(defaults):
        raise refusal
    without: list[str | None] = [None] * (len(names) - len(defaults))
    return tuple(map(Parameter, names, without + defaults))


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether there are parameters alone, none of them special, and nothing beside them."""
    given = function.args
    special = (given.vararg, given.kwarg, function.returns, *given.kwonlyargs, *given.posonlyargs)
    annotated = any(argument.annotation for argument in given.args)
    body = ast.unparse(ast.Module(function.body, []))
    return not any(special) and not annotated and body == "..."


def _default(source: str, node: ast.expr) -> str | None:
    """A default as source text; None where it is no plain value."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    if isinstance(value, str):
        return None if set(value) & set("\"'\\") else f'"{value}"'
    plain = value is None or isinstance(value, bool | int | float)
    return ast.get_source_segment(source, node) if plain else None


def package_named(name: str, root: Path) -> str:
    """The name of a course's own package in the folder `root`.

    Raises:
        UsageError: a package can't have that name, or another one that is installed has it.
    """
    _refuse_name("a package", name)
    elsewhere = PathFinder.find_spec(name, [p for p in sys.path if Path(p).resolve() != root])
    taken = name in sys.stdlib_module_names or name in ("autograder", "tests", "source", "release")
    if not (root / name / "__init__.py").is_file() and (elsewhere or taken):
        raise UsageError(f"{name!r} is the name of something else. Choose another for the package.")
    return name


def refuse_module_name(function: Function) -> None:
    """Raise UsageError where the exercise's file would have the name of a folder beside it."""
    if function.name in _MODULES_OF_A_PACKAGE:
        raise UsageError(f"A package keeps its {function.name} under that name. Choose another.")


def assignment_to_join(name: str) -> str:
    """The name of the assignment whose notebook takes the cells in; it may be a new one.

    Raises:
        UsageError: an assignment can't have that name.
    """
    if name not in load_assignments():
        _refuse_name("an assignment", name)
    return name
