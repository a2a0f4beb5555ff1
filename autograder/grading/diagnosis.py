"""Which known mistake gives exactly these outputs?

The known mistakes are run in this process, once per run and only when a student fails, on the
same cases; so a diagnosis costs no call of a student's function. A mistake is recognised by
values, nan pattern and statuses together. Where the gate fails its cases decide, and the mistake
may earn its share; where the gate passes every case must agree, and the diagnosis only explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import FunctionType
from typing import Any

from autograder.exercise import Exercise, Mistake, Property
from autograder.grading.checker import Checker, ExerciseOutcome, LawOutcome, same_reply
from autograder.grading.corpus import Corpus
from autograder.grading.scoring import Share
from autograder.results import CaseReply, Diagnosis, Status
from autograder.worker.plain import PlainRunner


@dataclass(frozen=True, slots=True)
class Recognised:
    """The mistakes that a student's answers equal; the first is the one to name."""

    mistakes: tuple[Mistake, ...]
    complete: bool

    def diagnosis(self) -> Diagnosis:
        """The record for the result."""
        first = self.mistakes[0]
        also = "".join(f" It may also be {other.name}." for other in self.mistakes[1:])
        share = max(mistake.share for mistake in self.mistakes)
        return Diagnosis(
            mistake=first.name, message=f"{first.hint}{also}", share=float(Fraction(share))
        )


@dataclass(slots=True)
class Diagnoser:
    """Knows how the mistakes of a run's exercises behave; remembers it for all submissions.

    A mistake is run law by law, and only as far as it still agrees with a student.
    """

    corpus: Corpus
    shrink_evaluations: int = 200
    _laws: dict[tuple[str, str, str], LawOutcome] = field(default_factory=dict)
    _shrunk: dict[tuple[str, str], ExerciseOutcome] = field(default_factory=dict)

    def law(self, exercise: Exercise, mistake: Mistake, law: Property) -> LawOutcome:
        """How the mistake fares on one law."""
        key = (exercise.name, mistake.name, law.name)
        if key not in self._laws:
            self._laws[key] = self._checker(exercise, mistake).check_law(exercise, law)
        return self._laws[key]

    def behaviour(self, exercise: Exercise, mistake: Mistake) -> ExerciseOutcome:
        """How the mistake fares on every law of the exercise."""
        laws = tuple(self.law(exercise, mistake, law) for law in exercise.properties)
        return ExerciseOutcome(exercise, laws)

    def _checker(self, exercise: Exercise, mistake: Mistake) -> Checker:
        runner = PlainRunner({exercise.name: _under_name(mistake.answer, exercise.name)})
        return Checker(self.corpus, runner, self.shrink_evaluations)

    def with_known_counterexample(
        self, outcome: ExerciseOutcome, recognised: Recognised
    ) -> ExerciseOutcome:
        """The student's outcome with the mistake's own shrunk counterexample, found once a run."""
        exercise, mistake = outcome.exercise, recognised.mistakes[0]
        key = (exercise.name, mistake.name)
        if key not in self._shrunk:
            known = self.behaviour(exercise, mistake)
            self._shrunk[key] = self._checker(exercise, mistake).shrink(known)
        return with_counterexamples_of(outcome, self._shrunk[key])

    def recognise(self, outcome: ExerciseOutcome) -> Recognised | None:
        """The known mistakes that answer exactly like the student; None for a right answer."""
        exercise = outcome.exercise
        telling = [law for law in outcome.laws if law.law.scored]
        telling.sort(key=lambda law: law.status is Status.PASSED)  # failed ones tell most
        if not telling or telling[0].status is Status.PASSED:
            return None
        if outcome.status in (Status.MISSING, Status.INTERNAL_ERROR):
            return None
        complete = [m for m in exercise.mistakes if self._equal(exercise, m, telling)]
        if complete:
            return Recognised(tuple(complete), complete=True)
        gate = outcome.named(exercise.gate)
        if gate.status is Status.PASSED:
            return None
        by_outputs = [m for m in exercise.mistakes if m.recognised_by == "outputs"]
        on_gate = [m for m in by_outputs if self._equal(exercise, m, [gate])]
        return Recognised(tuple(on_gate), complete=False) if on_gate else None

    def shares(self, exercise: Exercise, recognised: Recognised) -> list[Share]:
        """What each recognised mistake may earn where the gate fails."""
        return [
            Share(mistake.share, self.behaviour(exercise, mistake).passed)
            for mistake in recognised.mistakes
        ]

    def _equal(self, exercise: Exercise, mistake: Mistake, laws: Iterable[LawOutcome]) -> bool:
        """Whether the mistake fares and, unless known by its laws alone, answers the same."""
        by_outputs = mistake.recognised_by == "outputs"
        for theirs in laws:
            ours = self.law(exercise, mistake, theirs.law)
            if (ours.status is Status.PASSED) is not (theirs.status is Status.PASSED):
                return False
            if by_outputs and not _same_replies(ours.replies, theirs.replies):
                return False
        return True


def _under_name(answer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The answer as a function of that name, which Python's own messages on wrong calls tell."""
    if not isinstance(answer, FunctionType):
        return answer
    renamed = FunctionType(
        answer.__code__, answer.__globals__, name, answer.__defaults__, answer.__closure__
    )
    renamed.__kwdefaults__ = answer.__kwdefaults__
    renamed.__qualname__ = name
    return renamed


def with_counterexamples_of(outcome: ExerciseOutcome, known: ExerciseOutcome) -> ExerciseOutcome:
    """The outcome with the failing cases of another that answers alike, where laws were broken.

    A law that ended in an exception keeps its own failure, which tells the student's line.
    """
    laws = tuple(
        replace(law, failure=other.failure) if law.status is Status.FAILED is other.status else law
        for law, other in zip(outcome.laws, known.laws, strict=True)
    )
    return replace(outcome, laws=laws)


def _same_replies(ours: Iterable[CaseReply], theirs: Iterable[CaseReply]) -> bool:
    return all(map(same_reply, ours, theirs))
