"""One answer tried: how it fares on the laws, what it is paid, what it costs in the assignment.

Answers of the course are trusted, so they run in this process. They are judged, diagnosed and
scored by the very code that grades a student.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from autograder.audit.bounded import TookTooLong, bounded
from autograder.exercise import Exercise
from autograder.grading.checker import Checker, ExerciseOutcome, LawOutcome
from autograder.grading.corpus import Corpus
from autograder.grading.diagnosis import Diagnoser, Recognised, under_name
from autograder.grading.submission import score_exercises
from autograder.results import Status
from autograder.settings import Settings
from autograder.worker.plain import PlainRunner

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """How an answer fared: its outcome, what it was recognised as, the fraction it is paid."""

    outcome: ExerciseOutcome
    recognised: Recognised | None
    paid: Fraction

    @property
    def broken(self) -> list[LawOutcome]:
        """The scored laws that it breaks."""
        return [
            law for law in self.outcome.laws if law.law.scored and law.status is not Status.PASSED
        ]


@dataclass(slots=True)
class Bench:
    """Where answers are tried: the exercises of a course and the cases of a run.

    Args:
        exercises: the exercises that are graded together, by name.
        points: what each is worth.
        corpus: the cases.
    """

    exercises: Mapping[str, Exercise]
    points: Mapping[str, Fraction]
    corpus: Corpus
    diagnoser: Diagnoser = field(init=False)

    def __post_init__(self) -> None:
        self.diagnoser = Diagnoser(self.corpus)

    def tried(self, exercise: Exercise, answer: Function) -> Trial:
        """Check an answer against every law, diagnose and score it."""
        functions = {exercise.name: under_name(answer, exercise.name)}
        checker = Checker(self.corpus, PlainRunner(functions))
        outcome = checker.check(exercise)
        recognised = self.diagnoser.recognise(outcome)
        one = Fraction(1)
        scores = score_exercises(
            {exercise.name: outcome},
            {exercise.name: recognised},
            {exercise.name: one},
            self.diagnoser,
        )
        return Trial(outcome, recognised, scores[exercise.name].points)

    def is_killed(self, exercise: Exercise, mutant: Function) -> bool:
        """Whether a scored law fails, the gate first, or time runs out."""
        checker = Checker(self.corpus, PlainRunner({exercise.name: mutant}))
        scored = [law for law in exercise.properties if law.scored]
        scored.sort(key=lambda law: law.name != exercise.gate)
        try:
            with bounded():
                return any(
                    checker.check_law(exercise, law).status is not Status.PASSED for law in scored
                )
        except TookTooLong:
            return True

    def cost(self, exercise: Exercise, answer: Function, trial: Trial) -> Fraction:
        """What the answer costs where all else is right, in points over the assignment.

        An exercise that calls the function loses nothing: it is checked again with a right one in
        its place (error carried forward). One that is compared with it may lose that law.
        """
        outcomes = {exercise.name: trial.outcome}
        known = {exercise.name: trial.recognised}
        for name, other in self.exercises.items():
            if any(law.peer == exercise.name for law in other.properties):
                outcomes[name] = self._compared_with(answer, trial, other)
                known[name] = None
        scores = score_exercises(outcomes, known, self.points, self.diagnoser)
        step = Settings().rounding_step
        return sum(
            (self.points[name] - Fraction(str(one.rounded(step))) for name, one in scores.items()),
            Fraction(0),
        )

    def _compared_with(self, answer: Function, trial: Trial, other: Exercise) -> ExerciseOutcome:
        """How the reference of another exercise fares where it is compared with the answer."""
        exercise = trial.outcome.exercise
        functions = {exercise.name: answer, other.name: other.reference}
        checker = Checker(self.corpus, PlainRunner(functions))
        checker.outcomes[exercise.name] = trial.outcome
        return ExerciseOutcome(
            other,
            tuple(
                checker.check_law(other, law)
                if law.peer == exercise.name
                else LawOutcome(law, Status.PASSED)
                for law in other.properties
            ),
        )
