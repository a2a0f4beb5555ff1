"""One exercise of a result replaced by a new grading of it; everything else stays. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from itertools import combinations

import msgspec

from autograder.exercise import Exercise
from autograder.results import (
    Basis,
    ExerciseResult,
    Regrade,
    Status,
    SubmissionResult,
)

_HOLDS = (Status.PASSED, Status.INTERNAL_ERROR)


def merged(
    stored: SubmissionResult, again: SubmissionResult, names: Collection[str]
) -> SubmissionResult:
    """The stored result with the named exercises as the new one has them.

    The sums, and the notes on these exercises, follow. What a replaced exercise's grade rests on
    goes into `regraded`; the fields above it still tell what the others rest on.

    Args:
        stored: what an earlier run found.
        again: the whole submission graded again, from the same bytes and seed.
        names: exercises that both hold.
    """
    new = {exercise.name: exercise for exercise in again.exercises if exercise.name in names}
    old = [exercise for exercise in stored.exercises if exercise.name in new]
    kept = tuple(note for note in stored.notes if not about(note, new))
    made = tuple(note for note in again.notes if about(note, new) and note not in kept)
    return msgspec.structs.replace(
        stored,
        score=_sum(stored.score, (e.score for e in new.values()), (e.score for e in old)),
        max_score=_sum(
            stored.max_score, (e.max_score for e in new.values()), (e.max_score for e in old)
        ),
        exercises=tuple(new.get(exercise.name, exercise) for exercise in stored.exercises),
        regraded=dict(sorted((stored.regraded | _rests_on(again, new)).items())),
        notes=kept + made,
    )


def about(note: str, names: Iterable[str]) -> bool:
    """Whether a note of the checker is on one of these exercises: such a note begins with it."""
    return any(note.startswith((f"{name} was checked ", f"{name}, ")) for name in names)


def _rests_on(again: SubmissionResult, names: Iterable[str]) -> dict[str, Regrade]:
    if again.basis is None:
        return {}
    return {
        name: Regrade(
            versions=again.versions, sandbox=again.sandbox, basis=_of_one(again.basis, name)
        )
        for name in names
    }


def _of_one(basis: Basis, name: str) -> Basis:
    return msgspec.structs.replace(
        basis,
        cases={name: basis.cases[name]},
        exercises={name: basis.exercises[name]},
    )


def _sum(total: float, more: Iterable[float], less: Iterable[float]) -> float:
    """Rounded scores added up without the noise of binary fractions."""
    exact = Fraction(str(total))
    exact += sum((Fraction(str(value)) for value in more), Fraction(0))
    return float(exact - sum((Fraction(str(value)) for value in less), Fraction(0)))


def charged_twice(
    result: SubmissionResult, exercises: Mapping[str, Exercise]
) -> tuple[str, str] | None:
    """Two exercises of a merged result that both pay for a rule that is charged once; or None.

    One grading charges such a rule where it costs most. If its weight changed, the old grade of one
    exercise and the new grade of another may both have paid.
    """
    paying = [
        (label, exercise.name)
        for exercise in result.exercises
        if exercise.name in exercises
        for label in _charges(exercise, exercises[exercise.name])
    ]
    for (label, first), (other, second) in combinations(paying, 2):
        if label == other and first != second:
            return first, second
    return None


def _charges(graded: ExerciseResult, exercise: Exercise) -> list[str]:
    """The rules, charged once per notebook, that an exercise lost points for."""
    laws = {law.name: law for law in graded.properties}
    if exercise.gate not in laws or laws[exercise.gate].status not in _HOLDS:
        return []
    return [
        law.charge_once
        for law in exercise.properties
        if law.charge_once is not None
        and law.name in laws
        and laws[law.name].status not in _HOLDS
        and laws[law.name].points < laws[law.name].max_points
    ]
