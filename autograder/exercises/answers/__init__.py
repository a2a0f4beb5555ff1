"""Known answers to every exercise: wrong ones with their hints, right ones in many styles.

One module per exercise collects its answers in an `Answers` and offers them as `MISTAKES` and
`RIGHT_ANSWERS`. Each answer would stand in a student's notebook cell: besides its arguments it uses
`np`, imports and helpers of its own module, and the functions of the student's other cells (which
our modules import from `reference`). An answer whose name starts with `scipy_` needs a library that
a grading environment may lack, so a sample class leaves it out.

`source_for_cell` gives the text of the cell.
"""

from __future__ import annotations

import ast
import inspect
import re
import symtable
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeVar

from autograder.exercise import Mistake, RightAnswer

__all__ = ["Answers", "source_for_cell"]

Answer = TypeVar("Answer", bound=Callable[..., Any])


class Answers:
    """The known answers of one exercise, in order of definition.

    A decorated function is recorded under its own name, a decorated class under its name in snake
    case. Where the exercise asks for a function, the answer is the instance that the class makes
    without arguments.

    Args:
        of_class: whether the exercise asks for a class, which then is the answer itself.
    """

    def __init__(self, *, of_class: bool = False) -> None:
        self._of_class = of_class
        self._mistakes: list[Mistake] = []
        self._right_answers: list[RightAnswer] = []

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The wrong answers recorded so far."""
        return tuple(self._mistakes)

    @property
    def right_answers(self) -> tuple[RightAnswer, ...]:
        """The right answers recorded so far."""
        return tuple(self._right_answers)

    def mistake(
        self,
        *,
        hint: str,
        share: str,
        caught_by: tuple[str, ...],
        recognised_by: Literal["outputs", "laws"] = "outputs",
    ) -> Callable[[Answer], Answer]:
        """Record the decorated function as a `Mistake`; `share` is a decimal such as "0.95"."""

        def record(answer: Answer) -> Answer:
            self._mistakes.append(
                Mistake(
                    name=_snake_case(answer.__name__),
                    answer=self._callable(answer),
                    hint=hint,
                    share=Fraction(share),
                    caught_by=caught_by,
                    recognised_by=recognised_by,
                )
            )
            return answer

        return record

    def right_answer(self, answer: Answer) -> Answer:
        """Record the decorated function or class as a `RightAnswer`."""
        self._right_answers.append(
            RightAnswer(name=_snake_case(answer.__name__), answer=self._callable(answer))
        )
        return answer

    def _callable(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        made: Callable[..., Any] = (
            answer() if isinstance(answer, type) and not self._of_class else answer
        )
        return made


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# -- the text of a notebook cell -----------------------------------------------------------------


def source_for_cell(answer: Callable[..., Any], name: str) -> str:
    """The text of a notebook cell that defines `answer` under the exercise's name.

    The decorators that record it are removed. Imports and helpers of the answer's module that it
    needs are put in front; `np` and the functions of other exercises are left to the notebook's
    other cells.

    Args:
        answer: a function, a class, or an instance of a class without constructor arguments,
            defined at the top level of a module of this package.
        name: the name that the cell defines.

    Raises:
        KeyError: the answer is not defined at the top level of its module.
    """
    definition = answer if inspect.isfunction(answer) or inspect.isclass(answer) else type(answer)
    statements = _statements(definition.__module__)
    own = statements[definition.__name__]
    if definition is answer:
        own = re.sub(rf"\b(def|class) {definition.__name__}\b", rf"\1 {name}", own, count=1)
    else:
        own += f"\n\n\n{name} = {definition.__name__}()"
    # dict.fromkeys: a helper used twice, or one import of two names, is written once
    front = dict.fromkeys(_needed(statements, statements[definition.__name__]))
    imports = [text for text in front if text.startswith(("import ", "from "))]
    helpers = [text for text in front if text not in imports]
    return "\n\n\n".join(["\n".join(imports)] * bool(imports) + helpers + [own]) + "\n"


@cache
def _statements(module_name: str) -> dict[str, str]:
    """Every name that a module defines for its answers -> the text of the statement."""
    source = inspect.getsource(sys.modules[module_name])
    lines = source.splitlines()
    course = module_name.partition(".")[0]
    statements: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and _is_of_answers(node.module or ""):
            statements |= _statements(node.module or "")
        text = "\n".join([*_kept_decorators(node), *lines[node.lineno - 1 : node.end_lineno]])
        statements.update(dict.fromkeys(_names_bound(node, course), text))
    return statements


def _kept_decorators(node: ast.stmt) -> list[str]:
    """The decorators of a definition that do something; those of `Answers` only record it."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return []
    texts = [ast.unparse(decorator) for decorator in node.decorator_list]
    return [f"@{text}" for text in texts if not re.match(r"(answers\.)?(mistake|right_)", text)]


def _names_bound(node: ast.stmt, course: str) -> list[str]:
    """The names that a top-level statement binds, without those the notebook has already.

    What comes from the package of the course is the grader's, or defined in another cell.
    """
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case ast.ImportFrom(module=module, level=level) if level or _is_ours(module, course):
            return []
        case ast.Import() | ast.ImportFrom():
            bound = [alias.asname or alias.name for alias in node.names]
            return [name for name in bound if name != "np"]
        case _:
            return []


def _is_ours(module: str | None, course: str) -> bool:
    return str(module).partition(".")[0] in {"__future__", "autograder", "reference", course}


def _is_of_answers(module: str) -> bool:
    """Whether what is imported are answers, or parts of them, which a cell must spell out."""
    return module.startswith(f"{__name__}.")


def _needed(statements: dict[str, str], text: str) -> Iterator[str]:
    """The statements that `text` needs in front of it, what they need first."""
    for name in _globals_used(text):
        if name in statements and statements[name] != text:
            yield from _needed(statements, statements[name])
            yield statements[name]


def _globals_used(text: str) -> list[str]:
    """Names that `text` reads and does not define itself, sorted so that a cell is reproducible."""
    tables = [symtable.symtable(text, "<answer>", "exec")]
    for table in tables:  # grows while it is walked: every nested scope
        tables.extend(table.get_children())
    return sorted(
        {
            symbol.get_name()
            for table in tables
            for symbol in table.get_symbols()
            if symbol.is_referenced() and symbol.is_global()
        }
    )
