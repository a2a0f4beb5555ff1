"""How the known mistakes of a run's exercises answer, found once and remembered.

They are run in this process, case by case and law by law, and only as far as somebody asks: most
are told apart from a student by the first case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from autograder.exercise import Exercise, Mistake, Property, Step
from autograder.grading.checker import Checker, ExerciseOutcome, judge_case
from autograder.grading.corpus import Corpus
from autograder.results import CaseReply
from autograder.worker.plain import PlainRunner


@dataclass(slots=True)
class KnownAnswers:
    """The answers of known mistakes to the cases of a run.

    Args:
        corpus: the cases of the run.
        shrink_evaluations: how many cases may be tried to shrink a counterexample.
    """

    corpus: Corpus
    shrink_evaluations: int = 200
    _steps: dict[tuple[str, str], list[tuple[Step, ...]]] = field(default_factory=dict)
    _replies: dict[tuple[str, str, str], _Remembered] = field(default_factory=dict)
    _passes: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    _shrunk: dict[tuple[str, str], ExerciseOutcome] = field(default_factory=dict)
    _combined: dict[str, Sequence[Mistake]] = field(default_factory=dict)

    def combinations(self, exercise: Exercise) -> Sequence[Mistake]:
        """The exercise's mistakes made together."""
        if exercise.name not in self._combined:
            self._combined[exercise.name] = exercise.combinations()
        return self._combined[exercise.name]

    def replies(self, exercise: Exercise, mistake: Mistake, law: Property) -> Iterator[CaseReply]:
        """What the mistake answers to a law's cases, each run when it is asked for."""
        key = (exercise.name, mistake.name, law.name)
        if key not in self._replies:
            steps = self._steps_of(exercise, law)
            run = _runner(exercise, mistake).run(exercise.name, steps, defaults=exercise.defaults)
            self._replies[key] = _Remembered(run)
        return iter(self._replies[key])

    def passes(self, exercise: Exercise, mistake: Mistake, law: Property) -> bool:
        """Whether the mistake obeys a law; its cases run up to the first that breaks it."""
        key = (exercise.name, mistake.name, law.name)
        if key not in self._passes:
            drawn = self.corpus.of(exercise, law)
            replies = self.replies(exercise, mistake, law)
            self._passes[key] = all(
                judge_case(law, case, expected, reply) is None
                for case, expected, reply in zip(drawn.cases, drawn.expected, replies, strict=True)
            )
        return self._passes[key]

    def passed(self, exercise: Exercise, mistake: Mistake) -> frozenset[str]:
        """The names of the scored laws that the mistake obeys."""
        scored = (law for law in exercise.properties if law.scored)
        return frozenset(law.name for law in scored if self.passes(exercise, mistake, law))

    def shrunk(self, exercise: Exercise, mistake: Mistake) -> ExerciseOutcome:
        """The mistake's behaviour with its own small counterexample."""
        key = (exercise.name, mistake.name)
        if key not in self._shrunk:
            checker = Checker(self.corpus, _runner(exercise, mistake), self.shrink_evaluations)
            laws = tuple(checker.check_law(exercise, law) for law in exercise.properties)
            self._shrunk[key] = checker.shrink(ExerciseOutcome(exercise, laws))
        return self._shrunk[key]

    def _steps_of(self, exercise: Exercise, law: Property) -> list[tuple[Step, ...]]:
        key = (exercise.name, law.name)
        if key not in self._steps:
            cases = self.corpus.of(exercise, law).cases
            self._steps[key] = [tuple(law.calls(case)) for case in cases]
        return self._steps[key]


class _Remembered:
    """The items of an iterator, taken from it once and only as far as they are asked for."""

    def __init__(self, items: Iterator[CaseReply]) -> None:
        self._taken: list[CaseReply] = []
        self._rest = items

    def __iter__(self) -> Iterator[CaseReply]:
        yield from self._taken
        for item in self._rest:
            self._taken.append(item)
            yield item


def _runner(exercise: Exercise, mistake: Mistake) -> PlainRunner:
    return PlainRunner({exercise.name: under_name(mistake.answer, exercise.name)})


def under_name(answer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The answer as a function or class of that name, which Python's messages on wrong calls tell.

    Other callables are left as they are.
    """
    if isinstance(answer, type):
        return _class_under_name(answer, name)
    return _renamed(answer, name) if isinstance(answer, FunctionType) else answer


def _class_under_name(answer: type, name: str) -> type:
    """A class of that name which does what the answer does; its methods are those of that class."""
    members: dict[str, Any] = {
        member: _renamed(value, member, f"{name}.{member}")
        for member, value in vars(answer).items()
        if isinstance(value, FunctionType)
    }
    if "__slots__" in vars(answer):
        members["__slots__"] = ()  # nor does it take other attributes
    return type(answer)(name, (answer,), {"__module__": answer.__module__, **members})


def _renamed(function: FunctionType, name: str, qualified: str = "") -> FunctionType:
    renamed = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    renamed.__kwdefaults__ = function.__kwdefaults__
    renamed.__qualname__ = qualified or name
    return renamed
