"""Hashes that name what a grade rests on, so that a later replay can say what changed.

A fingerprint follows content, not versions: an edited law shows in an editable installation too.
It is made of the data of records, in which no address in memory may turn up, and of the source
files behind the functions that the records hold.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, partial
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from autograder.exercise import Assignment, Exercise
from autograder.grading import corpus
from autograder.settings import Settings

_LENGTH = 16
_ENGINE = ("grading", "notebook", "worker", "comparison.py", "exercise.py", "results.py")
"""What makes a result out of a submission, beside the exercises."""
_GRADES_NOBODY = ("right_answers", "equivalent_mutants", "caught_by")
"""Fields of an exercise that only an audit reads."""
_PLAIN = (str, int, float, bool, Fraction, type(None))
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)


# -- the stored corpus -----------------------------------------------------------------------------


def corpus_key(exercises: Iterable[Exercise], seed: int, cases: int) -> str:
    """The name of a stored corpus: it changes with the seed, the cases and the laws' own code."""
    digest = hashlib.sha256(f"{corpus.CORPUS_FORMAT} {seed} {cases}".encode())
    files: set[Path] = set()
    for exercise in exercises:
        digest.update(f" {exercise.name}".encode())
        files.update(*map(_files_around, _modules_behind(exercise)))
    for file in sorted(files, key=lambda file: (file.parent.name, file.name)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def _files_around(name: str) -> Iterable[Path]:
    """The files of a module's folder: a law is built by its neighbours too."""
    module = importlib.import_module(name)
    file = Path(getattr(module, "__file__", None) or os.devnull)
    return file.parent.glob("*.py") if module.__package__ else [file] * file.is_file()


def _modules_behind(exercise: Exercise) -> set[str]:
    """The modules whose code decides what the cases of an exercise are."""
    parts: list[Any] = [exercise.reference]
    for law in exercise.properties:
        parts += [law.calls, law.verdict, law.expected, law.inputs.ordinary, law.inputs.small]
    while any(isinstance(part, partial) for part in parts):
        parts = [part.func if isinstance(part, partial) else part for part in parts]
    return {part.__module__ for part in parts if part is not None}


# -- what else a result rests on -------------------------------------------------------------------


@cache
def engine_fingerprint() -> str:
    """Hash of the code that turns a submission into a result, the exercises left out."""
    package = Path(__file__).parent
    files = [file for part in _ENGINE for file in _python_files(package / part)]
    return _hash_of(part for file in files for part in (file.name.encode(), file.read_bytes()))


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def release_fingerprint(release: bytes | None, assignment: Assignment) -> str:
    """Hash of the release notebook and of what its assignment says: points, imports, limits."""
    return _hash_of([repr(_Facts().of(assignment)).encode(), release or b""])


def settings_that_matter(settings: Settings, assignment: Assignment) -> dict[str, int | float]:
    """The settings that can change a result, by name, with the limits that hold: never the seed."""
    budgets = settings.budgets(assignment.budgets)
    return {
        "cases": settings.cases,
        "time_limit": budgets.case_seconds,
        "cell_time_limit": budgets.cell_seconds,
        "total_time_limit": budgets.total_seconds,
        "memory_limit": budgets.memory_bytes >> 20,
        "round_to": settings.round_to,
        "shrink_evaluations": settings.shrink_evaluations,
    }


def exercise_fingerprint(exercise: Exercise) -> str:
    """Hash of an exercise: its record, and the code behind its laws and known mistakes."""
    facts = _Facts()
    record = repr(facts.of(exercise))
    files = sorted(_files_reached(facts.modules), key=lambda file: (file.parent.name, file.name))
    return _hash_of([record.encode(), *(file.read_bytes() for file in files)])


def _hash_of(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:_LENGTH]


class _Facts:
    """Turns a record into plain data of which `repr` repeats in another process."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        """The modules of the functions that were met."""
        self._met: set[int] = set()

    def of(self, value: Any) -> Any:
        """The value as plain data; what is neither data nor a function counts by its type."""
        if isinstance(value, _PLAIN):
            return repr(value)
        if isinstance(value, Mapping):
            return sorted((repr(self.of(k)), self.of(v)) for k, v in value.items())
        if isinstance(value, set | frozenset):
            return sorted(repr(self.of(item)) for item in value)
        if isinstance(value, Sequence):
            return [self.of(item) for item in value]
        if isinstance(value, partial):
            return [self.of(value.func), self.of(value.args), self.of(value.keywords)]
        if id(value) in self._met:
            return type(value).__name__
        self._met.add(id(value))
        if is_dataclass(value) and not isinstance(value, type):
            names = [f.name for f in fields(value) if f.name not in _GRADES_NOBODY]
            return [type(value).__name__, *((n, self.of(getattr(value, n))) for n in names)]
        return self._function(value) if callable(value) else type(value).__name__

    def _function(self, function: Callable[..., Any]) -> Any:
        """A function by its name, and what it was made with: its source is hashed as a file."""
        plain = inspect.unwrap(function)
        self.modules.add(getattr(plain, "__module__", None) or "")
        made_with = [self.of(_content(cell)) for cell in getattr(plain, "__closure__", None) or ()]
        return [getattr(plain, "__qualname__", type(plain).__name__), made_with]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # still empty
        return None


def _files_reached(names: Iterable[str]) -> set[Path]:
    """The files of these modules and of all that they import from the same packages, or from us."""
    packages = {name.partition(".")[0] for name in names} | {__name__.partition(".")[0]}
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in reached or name.partition(".")[0] not in packages:
            continue
        reached.add(name)
        waiting += _imports_of(name)
    return {file for name in reached if (file := _file_of(name)) is not None}


def _file_of(name: str) -> Path | None:
    """The file of a module, loaded or not, so that it does not count what else a process loaded."""
    first, *rest = name.split(".")
    package = sys.modules.get(first)
    if not rest and not hasattr(package, "__path__"):
        file = getattr(package, "__file__", None)
        return Path(file) if file and Path(file).is_file() else None
    for folder in getattr(package, "__path__", ()):
        base = Path(folder, *rest)
        for file in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if file.is_file():
                return file
    return None


def _imports_of(name: str) -> Iterator[str]:
    """What a module's import statements name: modules, and names in them, which have no file."""
    file = _file_of(name)
    if file is None:
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for start, taken, plain in _IMPORT.findall(file.read_text("utf-8")):
        if start.startswith(".") and not package:
            continue
        base = resolve_name(start, package) if start.startswith(".") else start
        yield from (base, *(f"{base}.{word}" for word in re.findall(r"\w+", taken)))
        yield from (words.split()[0] for words in plain.split(",") if words.strip())
