"""Error carried forward: one wrong function is charged once.

An exercise that builds on another one's function is checked with the student's own first. Where
that function lost a law and the exercise lost one too, the exercise is checked again in a fresh
worker in which a trusted stand-in answers in its place, over the wire. The better result counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.exercise import Exercise, Step
from autograder.grading.checker import Checker, ExerciseOutcome
from autograder.results import CaseReply, Status
from autograder.worker.client import Session


@dataclass(frozen=True, slots=True)
class StandInRunner:
    """Runs a student's functions in workers where stand-ins answer for some of them."""

    session: Session
    stand_ins: Mapping[str, Callable[..., Any]]

    def run(
        self, function: str, cases: Sequence[Sequence[Step]], *, defaults: Mapping[str, Any]
    ) -> Iterator[CaseReply]:
        """Yield one reply per case, in order."""
        return self.session.run(function, cases, defaults=defaults, stand_ins=self.stand_ins)


def wrong_foundations(
    exercise: Exercise, outcomes: Mapping[str, ExerciseOutcome]
) -> tuple[Exercise, ...]:
    """The exercises whose functions this one builds on and the student got wrong.

    Empty where the exercise itself lost nothing, or is missing: a stand-in could not help it.
    """
    if outcomes[exercise.name].status in (Status.PASSED, Status.MISSING, Status.INTERNAL_ERROR):
        return ()
    return tuple(
        outcomes[name].exercise
        for name in exercise.builds_on
        if name in outcomes and outcomes[name].status not in (Status.PASSED, Status.INTERNAL_ERROR)
    )


def check_again(
    exercise: Exercise, foundations: Sequence[Exercise], checker: Checker, session: Session
) -> ExerciseOutcome:
    """Check an exercise with the references of its wrong foundations standing in for them."""
    references = {foundation.name: foundation.reference for foundation in foundations}
    runner = StandInRunner(session, references)
    again = Checker(checker.corpus, runner, outcomes=dict(checker.outcomes))
    outcome = again.check(exercise)
    return replace(outcome, notes=(*outcome.notes, note(exercise, foundations)))


def note(exercise: Exercise, foundations: Sequence[Exercise]) -> str:
    """What the report says of an exercise that was checked with a stand-in."""
    names = " and ".join(foundation.name for foundation in foundations)
    return (
        f"{exercise.name} was checked with a right {names} in place of yours, "
        "so that one mistake is charged once."
    )
