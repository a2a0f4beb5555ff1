"""One submission: rebuilt notebook in, result, cell outputs and grades out.

Pure functions of bytes and a `Plan`: the same submission, plan and versions give the same result
but for `timing`. They know no gradebook and no exercise in particular, and they never raise on a
student's fault.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import msgspec

from autograder.exercise import Assignment, Exercise
from autograder.grading import counterexample, numbering, plain_tests
from autograder.grading.bans import banning_cell
from autograder.grading.carried_forward import check_again, wrong_foundations
from autograder.grading.checker import Checker, ExerciseOutcome, LawOutcome, every_law
from autograder.grading.corpus import Corpus
from autograder.grading.diagnosis import Diagnoser, Recognised
from autograder.grading.markup import harmless
from autograder.grading.scoring import Score, charged_once, law_points, score
from autograder.notebook import (
    Notebook,
    Skeleton,
    defines,
    looks_like,
    rebuild,
    runnable,
    without_skeleton,
)
from autograder.results import (
    Basis,
    CellGrade,
    ExerciseResult,
    PropertyResult,
    Sandbox,
    Status,
    SubmissionResult,
    Versions,
)
from autograder.settings import Settings
from autograder.worker.client import Cell as RunnableCell
from autograder.worker.client import Loaded, Session
from autograder.worker.hygiene import clean_text
from autograder.worker.isolation import Launcher
from autograder.worker.wire import cell_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that grading one assignment needs, the same for every submission of a run.

    Args:
        assignment: the record of what the notebook holds; it bears the notebook's name.
        belongs_to: the assignment of the course that the notebook is part of.
        exercises: its exercises, in the notebook's order.
        corpus: the drawn cases of the run.
        seed_id: the hash that names the run's seed.
        settings: what the instructor set.
        launcher: starts workers in the chosen sandbox.
        sandbox: what that sandbox enforces, for the record.
        versions: the versions a replay must meet.
        skeleton: the release notebook; None grades functions by name alone.
        basis: what else the grades rest on, for the record.
    """

    assignment: Assignment
    belongs_to: str
    exercises: tuple[Exercise, ...]
    corpus: Corpus
    seed_id: str
    settings: Settings
    launcher: Launcher
    sandbox: Sandbox
    versions: Versions
    skeleton: Skeleton | None = None
    basis: Basis | None = None
    diagnoser: Diagnoser = field(init=False)

    def __post_init__(self) -> None:
        diagnoser = Diagnoser(self.corpus, self.settings.shrink_evaluations)
        object.__setattr__(self, "diagnoser", diagnoser)

    @property
    def names(self) -> list[str]:
        """The names of the exercises, in the notebook's order."""
        return [exercise.name for exercise in self.exercises]

    @property
    def in_checking_order(self) -> list[Exercise]:
        """The exercises, those that others compare with (their peers) first."""
        by_name = {exercise.name: exercise for exercise in self.exercises}
        seen: set[str] = set()
        ordered: list[Exercise] = []

        def place(exercise: Exercise) -> None:
            if exercise.name in seen:
                return
            seen.add(exercise.name)
            for law in exercise.properties:
                if law.peer in by_name:
                    place(by_name[law.peer])
            ordered.append(exercise)

        for exercise in self.exercises:
            place(exercise)
        return ordered


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A checked notebook.

    Args:
        result: the result record.
        outputs: by index of a code cell: its outputs, as nbformat writes them.
        grades: by grade_id of a scored test cell: what it earned.
    """

    result: SubmissionResult
    outputs: dict[int, list[dict[str, Any]]]
    grades: dict[str, CellGrade]


class _Clock:
    """Seconds by stage, for the one part of a result that does not repeat."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = round(self.seconds.get(name, 0.0) + spent, 4)


def sha256(data: bytes) -> str:
    """The hash that names a submission."""
    return hashlib.sha256(data).hexdigest()


NOTES_KEY = "autograder"
"""The metadata key of a rebuilt notebook that carries its notes from one pass to the next."""


def rebuilt(notebook: Notebook, skeleton: Skeleton | None) -> Notebook:
    """The student's notebook rebuilt from the skeleton; its metadata note each repair.

    A text of the student's can run and fetch nothing wherever the notebook is shown.
    """
    outcome = without_skeleton(notebook) if skeleton is None else rebuild(notebook, skeleton)
    kept = {"notes": list(outcome.notes), numbering.KEY: list(outcome.numbers)}
    metadata = {**outcome.notebook.metadata, NOTES_KEY: kept}
    ours = {slot.cell.source for slot in skeleton.cells} if skeleton else set()
    cells = [
        cell
        if cell.is_code or cell.source in ours
        else harmless(cell, notebook.cells[number - 1].attachments if number else {})
        for cell, number in zip(outcome.notebook.cells, outcome.numbers, strict=True)
    ]
    return msgspec.structs.replace(outcome.notebook, cells=cells, metadata=metadata)


def _indices(notebook: Notebook) -> list[int]:
    """For every cell of a rebuilt notebook the index that names it to people."""
    kept = notebook.metadata.get(NOTES_KEY, {}).get(numbering.KEY)
    return numbering.indices_for_people(notebook, kept)


def notes_of(notebook: Notebook) -> tuple[str, ...]:
    """The notes that `rebuilt` left."""
    return tuple(notebook.metadata.get(NOTES_KEY, {}).get("notes", ()))


def check(
    notebook: Notebook,
    plan: Plan,
    *,
    student: str | None,
    submission_sha256: str,
) -> Checked:
    """Run a rebuilt notebook's cells in a worker, check every exercise and score it.

    Args:
        notebook: what `rebuilt` returned.
        plan: the plan of the run.
        student: the student's id, for the record.
        submission_sha256: the hash of the submitted bytes.
    """
    clock = _Clock()
    ran = _run(notebook, plan, clock)
    outcomes, known, plain = ran.outcomes, ran.known, ran.plain
    scores = score_exercises(outcomes, known, plan.assignment.exercises, plan.diagnoser)
    exercises = tuple(
        exercise_result(outcomes[name], scores[name], known[name], plan.settings.rounding_step)
        for name in plan.names
    )
    result = SubmissionResult(
        assignment=plan.belongs_to,
        notebook=plan.assignment.name,
        student=student,
        score=_total([*(e.score for e in exercises), *plain.scores]),
        max_score=_total([*(e.max_score for e in exercises), *plain.max_scores]),
        sha256=submission_sha256,
        seed_id=plan.seed_id,
        calls=ran.calls,
        versions=plan.versions,
        sandbox=plan.sandbox,
        basis=plan.basis,
        exercises=exercises,
        notes=tuple(dict.fromkeys(_notes(notebook, plan, ran))),
        timing=clock.seconds,
    )
    grades = {
        exercise.name: CellGrade(
            score=None if exercise.status is Status.INTERNAL_ERROR else exercise.score,
            max_score=exercise.max_score,
            needs_person=exercise.status is Status.INTERNAL_ERROR,
        )
        for exercise in exercises
    }
    place_of = {index: place for place, index in enumerate(_indices(notebook))}
    outputs = {
        place_of[run.index]: list(run.outputs) for run in ran.loaded.cell_runs if run.index >= 0
    } | plain.outputs
    return Checked(
        result=result,
        outputs=outputs,
        grades=grades | plain.grades,
    )


@dataclass(frozen=True, slots=True)
class _Ran:
    """What a notebook gave in its worker, before anything is scored."""

    loaded: Loaded
    plain: plain_tests.PlainTests
    outcomes: dict[str, ExerciseOutcome]
    known: dict[str, Recognised | None]
    calls: int


def _run(notebook: Notebook, plan: Plan, clock: _Clock) -> _Ran:
    """Run the cells, then the ordinary tests, then every exercise, all in one session."""
    indices = _indices(notebook)
    cells = [
        RunnableCell(index=indices[place], source=source)
        for place, source in runnable(notebook, plan.skeleton)
    ]
    bans = banning_cell(plan.assignment.banned_callables)
    with Session(
        plan.launcher,
        [RunnableCell(index=-1, source=bans), *cells] if bans else cells,
        plan.names,
        budgets=plan.settings.budgets(plan.assignment.budgets),
        allowed_imports=plan.assignment.allowed_imports,
    ) as session:
        with clock.stage("load"):
            loaded = session.load()
        with clock.stage("plain_tests"):
            plain = plain_tests.run(notebook, plan.skeleton, plan.names, session)
        checker = Checker(plan.corpus, session, plan.settings.shrink_evaluations)
        with clock.stage("check"):
            outcomes = {
                exercise.name: _check_exercise(exercise, checker, loaded, cells)
                for exercise in plan.in_checking_order
            }
        calls = session.calls - checker.repeated_calls  # nor do runs with stand-ins count
        with clock.stage("diagnose"):
            known = {name: plan.diagnoser.recognise(o) for name, o in outcomes.items()}
        with clock.stage("carry_forward"):
            carried = _carry_forward(outcomes, known, checker, session, plan)
        with clock.stage("shrink"):
            for name, outcome in outcomes.items():
                searcher = None if name in carried else checker
                outcomes[name] = _shrunk(outcome, known[name], searcher, plan)
        return _Ran(loaded, plain, outcomes, known, calls)


def _carry_forward(
    outcomes: dict[str, ExerciseOutcome],
    known: dict[str, Recognised | None],
    checker: Checker,
    session: Session,
    plan: Plan,
) -> set[str]:
    """Put better results in place where a stand-in replaced a wrong foundation; name them."""

    def worth(outcome: ExerciseOutcome, recognised: Recognised | None) -> Fraction:
        name = outcome.exercise.name
        points = plan.assignment.exercises
        return score_exercises({name: outcome}, {name: recognised}, points, plan.diagnoser)[
            name
        ].points

    carried: set[str] = set()
    for exercise in plan.in_checking_order:
        foundations = wrong_foundations(exercise, outcomes)
        if not foundations:
            continue
        again = check_again(exercise, foundations, checker, session)
        recognised = plan.diagnoser.recognise(again)
        if worth(again, recognised) > worth(outcomes[exercise.name], known[exercise.name]):
            outcomes[exercise.name] = checker.outcomes[exercise.name] = again
            known[exercise.name] = recognised
            carried.add(exercise.name)
    return carried


def _notes(notebook: Notebook, plan: Plan, ran: _Ran) -> Iterator[str]:
    """What a reader of the result should know, in the order in which it came up."""
    yield from notes_of(notebook)
    demos = (
        sum(slot.demo and slot.cell.is_code for slot in plan.skeleton.cells) if plan.skeleton else 0
    )
    if demos:
        yield f"Demonstration cells are not run when grading: {demos} were left out."
    yield from ran.loaded.notes
    yield from ran.plain.notes
    for name in plan.names:
        yield from ran.outcomes[name].notes


def _total(scores: Iterable[float]) -> float:
    """The sum of rounded scores, without the noise of binary fractions."""
    return float(sum((Fraction(str(value)) for value in scores), Fraction(0)))


def _check_exercise(
    exercise: Exercise, checker: Checker, loaded: Loaded, cells: Sequence[RunnableCell]
) -> ExerciseOutcome:
    if exercise.name in loaded.functions:
        return checker.check(exercise)
    outcome = every_law(exercise, Status.MISSING, _why_missing(exercise.name, loaded, cells))
    checker.outcomes[exercise.name] = outcome
    return outcome


def _why_missing(name: str, loaded: Loaded, cells: Sequence[RunnableCell]) -> str:
    runs = {run.index: run for run in loaded.cell_runs}
    for cell in cells:
        run = runs[cell.index]
        if run.status is not Status.PASSED and defines(cell.source, name):
            place = f" (line {run.line})" if run.line else ""
            what = f"is not valid Python{place}" if run.is_no_python else "did not run to its end"
            return f"{name} is missing: {cell_name(cell.index)}, which should define it, {what}."
    other = looks_like(name, (cell.source for cell in cells), apart_from=loaded.functions)
    advice = f" There is {clean_text(other, 80)}: rename it to {name}." if other else ""
    return f"{name} is missing: no cell that ran defines it.{advice}"


def _shrunk(
    outcome: ExerciseOutcome, known: Recognised | None, checker: Checker | None, plan: Plan
) -> ExerciseOutcome:
    """The outcome with a small counterexample: a recognised mistake's own, else a new search.

    An exception is always searched for anew: its message tells a line of the student's. Without
    a checker nothing is searched: every try of a stand-in run would cost a worker.
    """
    scored = [law.status for law in outcome.laws if law.law.scored]
    first = next((status for status in scored if status is not Status.PASSED), None)
    if known is not None and known.complete and first is Status.FAILED:
        return plan.diagnoser.with_known_counterexample(outcome, known)
    return outcome if checker is None else checker.shrink(outcome)


def score_exercises(
    outcomes: Mapping[str, ExerciseOutcome],
    known: Mapping[str, Recognised | None],
    points: Mapping[str, Fraction],
    diagnoser: Diagnoser,
) -> dict[str, Score]:
    """Score the exercises of one notebook together, so that no rule is charged twice.

    Args:
        outcomes: what the checker found, by exercise.
        known: the mistakes recognised, by exercise.
        points: what each exercise is worth.
        diagnoser: knows which laws a recognised mistake passes.
    """
    statuses = {
        name: {law.law.name: law.status for law in outcome.laws}
        for name, outcome in outcomes.items()
    }
    forgiven = charged_once(
        {name: (o.exercise, statuses[name], points[name]) for name, o in outcomes.items()}
    )
    scores = {}
    for name, outcome in outcomes.items():
        recognised = known[name]
        scores[name] = score(
            outcome.exercise,
            statuses[name],
            points[name],
            shares=diagnoser.shares(outcome.exercise, recognised) if recognised else (),
            forgiven=forgiven[name],
        )
    return scores


def exercise_result(
    outcome: ExerciseOutcome, scored: Score, known: Recognised | None, rounding_step: Fraction
) -> ExerciseResult:
    """The record of one exercise, with the messages and counterexamples of its failed laws."""
    return ExerciseResult(
        name=outcome.exercise.name,
        score=scored.rounded(rounding_step),
        max_score=float(scored.max_points),
        status=outcome.status,
        diagnosis=known.diagnosis() if known else None,
        properties=tuple(_property_result(outcome.exercise, law, scored) for law in outcome.laws),
    )


def _property_result(exercise: Exercise, outcome: LawOutcome, scored: Score) -> PropertyResult:
    law = outcome.law
    message = counterexample.message(exercise, outcome)
    points, worth = scored.laws[law.name], law_points(law, scored.max_points)
    if outcome.status not in (Status.PASSED, Status.INTERNAL_ERROR) and points == worth > 0:
        message += " This costs nothing here: the notebook is charged for it once, elsewhere."
    return PropertyResult(
        name=law.name,
        law=law.law,
        status=outcome.status,
        points=float(points),
        max_points=float(worth),
        message=message,
        counterexample=counterexample.counterexample(exercise, outcome),
        hint="" if outcome.status is Status.PASSED else law.hint,
    )
