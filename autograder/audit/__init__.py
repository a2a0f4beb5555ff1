"""Do the laws catch every known mistake, and pass every right answer?

An audit tries, against every law of an exercise: the known mistakes, the known right answers,
trivial answers such as zeros, and mutants of the reference. It finds what an author must mend:
a wrong answer that a law lets through, a right one that loses points, a record that can't be true.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing

from autograder.audit.work import (
    Kind,
    Portion,
    Tried,
    answers,
    assignment_with,
    portions,
    start_audit,
    try_portion,
)
from autograder.course import UsageError
from autograder.exercise import Exercise
from autograder.exercises import load_assignments, load_exercises
from autograder.grading import cohort
from autograder.grading.corpus import CorpusError, seed_id
from autograder.reporting.audit import (
    AuditReport,
    ExerciseMatrix,
    MistakeRow,
    Unneeded,
    WrongRecord,
)


def exercises_named(names: Sequence[str]) -> list[Exercise]:
    """The exercises of these assignments and exercises, in the order of the catalogue.

    A name that both an assignment and an exercise have is the assignment's. No name is all.

    Raises:
        UsageError: a name that is neither.
    """
    assignments, known = load_assignments(), load_exercises()
    chosen: set[str] = set() if names else set(known)
    for name in names:
        if name in assignments:
            chosen.update(assignments[name].exercises)
        elif name in known:
            chosen.add(name)
        else:
            raise UsageError(
                f"There is no assignment or exercise {name!r}. Assignments: "
                f"{', '.join(sorted(assignments)) or 'none'}. Exercises: {', '.join(known)}."
            )
    return [exercise for name, exercise in known.items() if name in chosen]


class Audit:
    """One audit; iterate `run()` to see it go on, then read `report`.

    Args:
        exercises: what to audit.
        seed: the seed whose cases are used.
        cases: how many cases of each law.
        jobs: how many processes share the work.
    """

    def __init__(self, exercises: Sequence[Exercise], *, seed: int, cases: int, jobs: int) -> None:
        self._exercises = {exercise.name: exercise for exercise in exercises}
        self._start = (seed, cases)
        self._jobs = jobs
        self.portions = [p for exercise in exercises for p in portions(exercise)]
        self.report = AuditReport(seed_id=seed_id(seed))

    def run(self) -> Iterator[str]:
        """Try everything; yield the name of the exercise after each portion.

        Raises:
            CorpusError: a law's domain or reference failed, or an answer took its process along.
        """
        begin = time.monotonic()
        tried: dict[Portion, Tried] = {}
        finished = cohort.run(
            self.portions,
            try_portion,
            processes=min(self._jobs, max(1, len(self.portions))),
            start=start_audit,
            start_args=self._start,
        )
        with closing(finished):
            for done in finished:
                if done.result is None:
                    raise CorpusError(
                        f"exercise {done.job.exercise!r}: trying its {done.job.kind}s from number "
                        f"{done.job.start + 1} on failed: {done.reason}"
                    )
                tried[done.job] = done.result
                yield done.job.exercise
        for name, exercise in self._exercises.items():
            self._collect(exercise, [tried[p] for p in self.portions if p.exercise == name])
        self.report.seconds = time.monotonic() - begin

    def _collect(self, exercise: Exercise, found: Sequence[Tried]) -> None:
        """Put what the portions of an exercise gave together."""
        report = self.report
        rows = [row for one in found for row in one.rows]
        for one in found:
            report.survivors += one.survivors
            report.lost += one.lost
            report.wrong_records += one.wrong_records
        report.wrong_records += _idle_laws(exercise, rows)
        report.wrong_records += _stale_equivalents(exercise)
        report.unneeded += _unneeded_laws(exercise, rows)
        assignment = assignment_with(exercise)
        report.matrix[exercise.name] = ExerciseMatrix(
            laws=tuple(law.name for law in exercise.properties),
            weights=tuple(law.weight for law in exercise.properties),
            mistakes=tuple(rows),
            assignment=assignment.name if assignment else "",
            max_score=float(assignment.max_score) if assignment else 100.0,
            right_answers=len(exercise.right_answers),
            trivial=len(answers(exercise, Kind.TRIVIAL)),
            mutants=len(answers(exercise, Kind.MUTANT)),
            killed=sum(one.killed for one in found),
            equivalent=sum(one.equivalent for one in found),
        )


def _idle_laws(exercise: Exercise, rows: Sequence[MistakeRow]) -> Iterator[WrongRecord]:
    """Scored laws that no known mistake breaks: nothing shows that they can fail."""
    broken = {law for row in rows for law in row.caught}
    for law in exercise.properties:
        if law.scored and law.name not in broken:
            yield WrongRecord(
                exercise=exercise.name,
                record=f"law {law.name}",
                reason="it is scored, but catches no known mistake. Add one that breaks it.",
            )


def _stale_equivalents(exercise: Exercise) -> Iterator[WrongRecord]:
    """Mutants recorded as equivalent that are made no more, since the reference changed."""
    made = {mutant.name for mutant in answers(exercise, Kind.MUTANT)}
    for name in exercise.equivalent_mutants:
        if name not in made:
            yield WrongRecord(
                exercise=exercise.name,
                record=f"equivalent mutant {name}",
                reason="no such mutant is made of the reference. Remove the record.",
            )


def _unneeded_laws(exercise: Exercise, rows: Sequence[MistakeRow]) -> Iterator[Unneeded]:
    """Scored laws that no known mistake is named for, and that never catch one alone."""
    scored = {law.name for law in exercise.properties if law.scored}
    caught = [scored.intersection(row.caught) for row in rows]
    needed = {law for laws in caught if len(laws) == 1 for law in laws}
    needed |= {law for row in rows for law in row.named}
    for law in exercise.properties:
        if law.scored and law.name not in needed:
            yield Unneeded(exercise=exercise.name, law=law.name)
