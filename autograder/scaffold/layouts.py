"""Where the files of an exercise go: into a checkout of the grader, or a course's own package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from autograder.course import UsageError
from autograder.scaffold.names import Function, package_named, refuse_module_name

_LIBRARY = (
    "from autograder.comparison import agree, as_array",
    "from autograder.exercise import Call, Case, Disagreement, Domain, Exercise, Property",
    "from autograder.laws import arrays",
    "from autograder.strategies.drawing import Small, domain, normal",
)
_AUDIT = (
    "from autograder.audit import Audit",
    "from autograder.exercises import load_exercises",
)
_ANSWERS = "from autograder.exercises.answers import Answers"
_NUMPY = "import numpy as np"
_LINE = 100


@dataclass(frozen=True, slots=True)
class Layout:
    """The modules and files of one exercise.

    Args:
        answers, reference: the packages that hold the known answers and the references.
        record, test: the files of the record and of the test.
        folders: packages that may be missing -> what they hold, for their `__init__.py`.
        beside_library: whether the imports of the grader stand among those of the course.
        audits: whether the test audits the exercise; a checkout's own tests do that for all.
    """

    answers: str
    reference: str
    record: str
    test: str
    folders: Mapping[str, str]
    beside_library: bool
    audits: bool

    def files(self, function: Function) -> dict[str, str]:
        """The text of every file by its path, in the order in which one fills them in."""
        name = function.name
        texts = {
            _path(f"{self.reference}.{name}"): render("reference", function),
            self.record: render("record", function, imports=self._record_imports(name)),
            _path(f"{self.answers}.{name}"): render(
                "answers", function, imports=self._imports([_ANSWERS], [])
            ),
            self.test: self._test(function),
        }
        packages = {f"{folder}/__init__.py": text for folder, text in self.folders.items()}
        return texts | {path: f'"""{text}"""\n' for path, text in packages.items()}

    def _record_imports(self, name: str) -> str:
        own = [
            f"from {self.answers} import {name} as answers",
            f"from {self.reference}.{name} import {name}",
        ]
        return self._imports(_LIBRARY, own)

    def _test(self, function: Function) -> str:
        own = [f"from {self.reference}.{function.name} import {function.name}"]
        imports = self._imports(_AUDIT if self.audits else (), own)
        text = render("test", function, imports=imports)
        return text + (render("audit_test", function) if self.audits else "")

    def _imports(self, library: Iterable[str], own: Iterable[str]) -> str:
        """Imports in the order in which a linter wants them: foreign ones first."""
        if self.beside_library:
            blocks = [[_NUMPY], sorted([*library, *own])]
        else:
            blocks = [[_NUMPY, *sorted(library)], sorted(own)]
        return "\n\n".join("\n".join(map(_wrapped, block)) for block in blocks if block)


def layout_in(root: Path, function: Function, package: str | None) -> Layout:
    """Where an exercise goes that is made in the folder `root`.

    Raises:
        UsageError: no package is named outside of a checkout, or it can't have that name.
    """
    checkout = (root / "autograder" / "exercises" / "__init__.py").is_file()
    name = function.name
    if package is not None:
        package = package_named(package, root)
        refuse_module_name(function)
        return Layout(
            answers=f"{package}.answers",
            reference=f"{package}.reference",
            record=f"{package}/{name}.py",
            test=f"tests/test_{name}.py",
            folders=_missing(
                root,
                {
                    f"{package}/answers": "Known answers, wrong and right ones, by exercise.",
                    f"{package}/reference": "The right answers that the laws are held against.",
                },
            ),
            beside_library=checkout,
            audits=True,
        )
    if not checkout:
        raise UsageError(
            "This is no checkout of the grader, so the exercise needs a package of your own: "
            "--package NAME makes one here, or adds to it."
        )
    return Layout(
        answers="autograder.exercises.answers",
        reference="reference",
        record=f"autograder/exercises/{name}.py",
        test=f"tests/reference/test_{name}.py",
        folders={},
        beside_library=True,
        audits=False,
    )


def _missing(root: Path, folders: Mapping[str, str]) -> dict[str, str]:
    return {
        folder: text
        for folder, text in folders.items()
        if not (root / folder / "__init__.py").exists()
    }


def _wrapped(statement: str) -> str:
    """An import of one name, on lines of its own where it is too long for one."""
    if len(statement) <= _LINE:
        return statement
    module, _, name = statement.partition(" import ")
    return f"{module} import (\n    {name},\n)"


def _path(module: str) -> str:
    return module.replace(".", "/") + ".py"


def render(template: str, function: Function, **values: object) -> str:
    """A template with the function's names in it."""
    text = files("autograder.scaffold").joinpath("templates", f"{template}.txt").read_text("utf-8")
    return Template(text).substitute(
        name=function.name,
        signature=function.signature,
        quoted_signature=_quoted(function.signature),
        first=function.parameters[0].name,
        typed="\n".join(f"    {_typed(str(p))}," for p in function.parameters),
        ordinary=_lines(function, "{}=normal(rng, sizes[0], sizes[1], scale=scale)", indent=12),
        small=_lines(function, "{}=small.array(small.size(), small.size())", indent=12),
        arguments=_lines(function, "case.{}", indent=8),
        **values,
    )


def _quoted(signature: str) -> str:
    """As a formatter quotes it: a default that is a text has double quotes in it."""
    return f"'{signature}'" if '"' in signature else f'"{signature}"'


def _typed(parameter: str) -> str:
    name, equals, default = parameter.partition("=")
    return f"{name}: Any = {default}" if equals else f"{name}: Any"


def _lines(function: Function, text: str, *, indent: int) -> str:
    """A line for every required parameter."""
    return "\n".join(" " * indent + text.format(name) + "," for name in function.required)
