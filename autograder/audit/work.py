"""What one process of an audit does: try a few answers of one kind, and tell how they fared.

A portion names its answers by position, so that it can travel; the answers themselves are
functions, which every process loads by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from autograder.audit.mutants import Mutant, NotMutableError, mutants_of, unchanged
from autograder.audit.trials import Bench
from autograder.audit.trivial import Trivial, trivial_answers
from autograder.exercise import Assignment, Exercise, Mistake, RightAnswer
from autograder.exercises import load_assignments, load_exercises
from autograder.grading import corpus, counterexample
from autograder.reporting.audit import Lost, MistakeRow, Survivor, WrongRecord
from autograder.results import Status


class Kind(StrEnum):
    """What answers a portion holds; the value is what a reader is told."""

    REFERENCE = "reference"
    MISTAKE = "mistake"
    RIGHT_ANSWER = "right answer"
    TRIVIAL = "trivial"
    MUTANT = "mutant"


PORTION = {
    Kind.REFERENCE: 1,
    Kind.MISTAKE: 6,
    Kind.RIGHT_ANSWER: 6,
    Kind.TRIVIAL: 20,
    Kind.MUTANT: 25,
}
"""How many answers of a kind make one portion: about a second of work each."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Some answers of one kind to one exercise, from position `start` on."""

    exercise: str
    kind: Kind
    start: int


@dataclass(slots=True)
class Tried:
    """What trying a portion gave."""

    rows: list[MistakeRow] = field(default_factory=list)
    survivors: list[Survivor] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    wrong_records: list[WrongRecord] = field(default_factory=list)
    killed: int = 0
    equivalent: int = 0


def portions(exercise: Exercise) -> Iterator[Portion]:
    """All the work that an exercise asks for, in the order of the report."""
    for kind, size in PORTION.items():
        for start in range(0, len(answers(exercise, kind)), size):
            yield Portion(exercise.name, kind, start)


Answer: TypeAlias = Exercise | Mistake | RightAnswer | Trivial | Mutant


def answers(exercise: Exercise, kind: Kind) -> tuple[Answer, ...]:
    """All answers of one kind to an exercise; the exercise itself stands for its reference."""
    match kind:
        case Kind.REFERENCE:
            return (exercise,)
        case Kind.MISTAKE:
            return exercise.mistakes
        case Kind.RIGHT_ANSWER:
            return exercise.right_answers
        case Kind.TRIVIAL:
            return trivial_answers(exercise.reference)
        case Kind.MUTANT:
            return _mutants(exercise.name)


@cache
def _mutants(exercise: str) -> tuple[Mutant, ...]:
    try:
        return mutants_of(load_exercises()[exercise].reference)
    except NotMutableError:
        return ()


def assignment_with(exercise: Exercise) -> Assignment | None:
    """The first assignment that the exercise belongs to, or None."""
    known = load_assignments().values()
    return next((one for one in known if exercise.name in one.exercises), None)


# -- in a process ----------------------------------------------------------------------------------

_seed, _cases = 0, 0


def start_audit(seed: int, cases: int) -> None:
    """Say which cases this process uses. Called once before the first portion."""
    global _seed, _cases
    _seed, _cases = seed, cases
    _bench.cache_clear()


@cache
def _bench(name: str) -> Bench:
    """Where answers to an exercise are tried: it and those of its assignment compared with it."""
    known = load_exercises()
    exercise = known[name]
    assignment = assignment_with(exercise)
    together = {name: Fraction(100)} if assignment is None else dict(assignment.exercises)
    beside = [
        known[other]
        for other in together
        if other == name or any(law.peer == name for law in known[other].properties)
    ]
    return Bench(
        exercises={one.name: one for one in beside},
        points=together,
        corpus=corpus.draw(beside, _seed, cases=_cases),
    )


def try_portion(portion: Portion) -> Tried:
    """Try the answers of a portion."""
    exercise = load_exercises()[portion.exercise]
    bench, tried = _bench(portion.exercise), Tried()
    for answer in answers(exercise, portion.kind)[portion.start :][: PORTION[portion.kind]]:
        match answer:
            case Exercise():
                _try_reference(exercise, bench, tried)
            case Mistake():
                _try_mistake(exercise, answer, bench, tried)
            case RightAnswer():
                _try_right_answer(exercise, answer, bench, tried)
            case Trivial():
                _try_trivial(exercise, answer, bench, tried)
            case Mutant():
                _try_mutant(exercise, answer, bench, tried)
    return tried


def _try_reference(exercise: Exercise, bench: Bench, tried: Tried) -> None:
    """Run the reference as its mutants are run: otherwise each of them would look killed."""
    try:
        wrong = bench.is_killed(exercise, unchanged(exercise.reference))
        reason = "a law fails for it, when it is run as mutants are." if wrong else ""
    except NotMutableError as error:
        reason = f"no mutants can be made of it: {error}"
    if reason:
        tried.wrong_records.append(
            WrongRecord(exercise=exercise.name, record="reference", reason=reason)
        )


def _try_mistake(exercise: Exercise, mistake: Mistake, bench: Bench, tried: Tried) -> None:
    trial = bench.tried(exercise, mistake.answer)
    caught = {law.law.name for law in trial.outcome.laws if law.status is not Status.PASSED}
    diagnosed = trial.recognised.mistakes if trial.recognised else ()
    tried.rows.append(
        MistakeRow(
            mistake=mistake.name,
            share=float(mistake.share),
            paid=float(trial.paid),
            cost=float(bench.cost(exercise, mistake.answer, trial)),
            named=mistake.caught_by,
            caught=tuple(law.name for law in exercise.properties if law.name in caught),
            diagnosed=tuple(found.name for found in diagnosed),
        )
    )
    missed = [law for law in mistake.caught_by if law not in caught]
    if not trial.broken:
        _let_through(tried, exercise, mistake.name, Kind.MISTAKE, "no scored law catches it.")
    elif missed:
        _let_through(
            tried, exercise, mistake.name, Kind.MISTAKE, f"not caught by {', '.join(missed)}."
        )
    if trial.paid != mistake.share:
        tried.wrong_records.append(
            WrongRecord(
                exercise=exercise.name,
                record=f"share of {mistake.name}",
                reason=f"recorded as {float(mistake.share):g}, but it is paid "
                f"{float(trial.paid):g}: no submission earns this share.",
            )
        )


def _try_right_answer(exercise: Exercise, right: RightAnswer, bench: Bench, tried: Tried) -> None:
    trial = bench.tried(exercise, right.answer)
    for law in trial.broken:
        message = counterexample.message(exercise, law)
        tried.lost.append(
            Lost(exercise=exercise.name, answer=right.name, law=law.law.name, message=message)
        )


def _try_trivial(exercise: Exercise, trivial: Trivial, bench: Bench, tried: Tried) -> None:
    paid = bench.tried(exercise, trivial.answer).paid
    if paid > 0:
        reason = f"it earns {float(paid):g} of the points, but should earn none."
        _let_through(tried, exercise, trivial.name, Kind.TRIVIAL, reason)


def _try_mutant(exercise: Exercise, mutant: Mutant, bench: Bench, tried: Tried) -> None:
    killed = bench.is_killed(exercise, mutant.answer)
    recorded = mutant.name in exercise.equivalent_mutants
    tried.killed += killed
    tried.equivalent += recorded
    if killed and recorded:
        tried.wrong_records.append(
            WrongRecord(
                exercise=exercise.name,
                record=f"equivalent mutant {mutant.name}",
                reason="recorded as equivalent to the reference, but a law tells them apart.",
            )
        )
    elif not killed and not recorded:
        reason = "no scored law tells it from the reference, and no reason is recorded."
        _let_through(tried, exercise, mutant.name, Kind.MUTANT, reason)


def _let_through(tried: Tried, exercise: Exercise, answer: str, kind: Kind, reason: str) -> None:
    tried.survivors.append(
        Survivor(exercise=exercise.name, answer=answer, kind=kind.value, reason=reason)
    )
