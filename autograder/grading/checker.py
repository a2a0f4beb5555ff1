"""Replay the cases of an exercise through a student's function and judge the answers.

One request carries every case of an exercise to the worker and one reply per case streams back.
Afterwards the first failing law, in catalogue order, has its counterexample shrunk: Hypothesis
looks for the smallest case that still fails, and may try a fixed number of cases. The other
failing laws show the smallest failing case of the corpus.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from autograder.comparison import T, same
from autograder.exercise import Case, Disagreement, Exercise, Property, Step
from autograder.grading.corpus import Corpus, repeatable_draws
from autograder.results import CaseReply, Raised, Returned, Status, worst

SHRINK_SECONDS = 2.0
"""The backstop of shrinking; where it hits, a note says so and the result may not repeat."""

_SHRINKABLE = (Status.FAILED, Status.EXCEPTION)


class Runner(Protocol):
    """Something that runs steps on a student's functions: a worker session, or this process."""

    def run(
        self, function: str, cases: Sequence[Sequence[Step]], *, defaults: Mapping[str, Any]
    ) -> Iterator[CaseReply]:
        """Yield one reply per case, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that breaks a law."""

    case: Case | None
    status: Status
    disagreement: Disagreement | None = None
    raised: Raised | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LawOutcome:
    """How one law fared: its status and, where it did not pass, the case to show."""

    law: Property
    status: Status
    failure: Failure | None = None
    replies: tuple[CaseReply, ...] = ()


@dataclass(frozen=True, slots=True)
class ExerciseOutcome:
    """How an exercise fared: one outcome per law, in catalogue order."""

    exercise: Exercise
    laws: tuple[LawOutcome, ...]
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The worst status of the scored laws."""
        return worst([law.status for law in self.laws if law.law.scored])

    @property
    def passes_reference_laws(self) -> bool:
        """Whether every scored law that compares with the reference holds."""
        compared = [law for law in self.laws if law.law.kind == "reference" and law.law.scored]
        return all(law.status is Status.PASSED for law in compared)

    @property
    def passed(self) -> frozenset[str]:
        """The names of the laws that hold."""
        return frozenset(law.law.name for law in self.laws if law.status is Status.PASSED)

    def named(self, name: str) -> LawOutcome:
        """The outcome of the law of that name; KeyError if there is none."""
        for outcome in self.laws:
            if outcome.law.name == name:
                return outcome
        raise KeyError(name)


_FORGETFUL = Disagreement(
    expected="the same answer",
    got="another answer",
    where="",
    tolerance=str(T),
    message="the same input gave another answer when it came a second time.",
)


def every_law(exercise: Exercise, status: Status, detail: str = "") -> ExerciseOutcome:
    """The outcome of an exercise that could not be checked at all."""
    failure = Failure(None, status, detail=detail)
    return ExerciseOutcome(
        exercise, tuple(LawOutcome(law, status, failure) for law in exercise.properties)
    )


def case_size(case: Case) -> tuple[int, float]:
    """How large a case is to read: numbers written out, then their magnitude.

    Masks and arrays of one value or an identity are free: they print as `np.ones((2, 2))`.
    """
    written, magnitude = 0, 0.0
    for value in _parts(case.values()):
        if isinstance(value, np.ndarray):
            if value.dtype.kind != "b" and not is_constant_or_identity(value):
                written += value.size
            finite = value[np.isfinite(value)] if value.dtype.kind in "fc" else value
            magnitude += float(np.abs(finite.astype(float)).sum())
        elif isinstance(value, int | float):
            magnitude += abs(float(value)) if np.isfinite(value) else 0.0
        elif isinstance(value, str):
            written += len(value)
    return written, magnitude


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and those that lists, tuples and dicts of them hold, instead of these."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _parts(value)
        elif isinstance(value, dict):
            yield from _parts([*value, *value.values()])
        else:
            yield value


def is_constant_or_identity(array: np.ndarray[Any, Any]) -> bool:
    """Whether `np.zeros`, `np.ones` or `np.eye` writes the array (of more than one entry)."""
    if array.size <= 1:
        return False
    if not array.any() or (array == 1).all():
        return True
    square = array.ndim == 2 and array.shape[0] == array.shape[1]
    return bool(square and (array == np.eye(array.shape[0])).all())


@dataclass(slots=True)
class Checker:
    """Checks exercises of one submission through one runner.

    Args:
        corpus: the cases of the run.
        runner: where the student's functions live.
        shrink_evaluations: how many cases may be tried to shrink a counterexample.
        outcomes: what was found so far, by exercise.
        repeated_calls: how many steps only repeated earlier ones.
    """

    corpus: Corpus
    runner: Runner
    shrink_evaluations: int = 200
    outcomes: dict[str, ExerciseOutcome] = field(default_factory=dict)
    repeated_calls: int = 0

    def check(self, exercise: Exercise) -> ExerciseOutcome:
        """Replay every law of the exercise and judge the answers. Nothing is shrunk yet.

        Peers must have been checked before; an unchecked peer counts as not passing.
        """
        planned = [self._plan(exercise, law) for law in exercise.properties]
        replies = self.runner.run(
            exercise.name,
            [steps for plan in planned for steps in plan.steps],
            defaults=exercise.defaults,
        )
        laws = []
        for plan in planned:
            if plan.fault:
                laws.append(_faulty(plan))
                continue
            got = tuple(next(replies) for _ in plan.steps)
            laws.append(_judge_law(plan, got))
        gate = next(plan for plan in planned if plan.law.name == exercise.gate)
        laws = [
            self._repeated(exercise, gate, law)
            if law.law is gate.law and law.status is Status.PASSED
            else law
            for law in laws
        ]
        outcome = ExerciseOutcome(exercise, tuple(laws))
        self.outcomes[exercise.name] = outcome
        return outcome

    def _repeated(self, exercise: Exercise, gate: _Plan, first: LawOutcome) -> LawOutcome:
        """The gate's outcome after its cases ran a second time, last first.

        A function of its arguments alone answers the same, up to T. One that keeps a state, draws
        random numbers or hands out answers made before does not, and fails.
        """
        backwards = self.runner.run(exercise.name, gate.steps[::-1], defaults=exercise.defaults)
        again = tuple(backwards)[::-1]
        self.repeated_calls += sum(map(len, gate.steps))
        for case, one, other in zip(gate.cases, first.replies, again, strict=True):
            if other.status not in (Status.PASSED, Status.EXCEPTION):
                failure = Failure(case, other.status, detail=other.detail)
                return replace(first, status=other.status, failure=failure)
            if not same_reply(one, other):
                failure = Failure(case, Status.FAILED, _FORGETFUL)
                return replace(first, status=Status.FAILED, failure=failure)
        return first

    def check_law(self, exercise: Exercise, law: Property) -> LawOutcome:
        """Replay one law alone, and judge its answers."""
        plan = self._plan(exercise, law)
        if plan.fault:
            return _faulty(plan)
        replies = self.runner.run(exercise.name, plan.steps, defaults=exercise.defaults)
        return _judge_law(plan, tuple(replies))

    def _plan(self, exercise: Exercise, law: Property) -> _Plan:
        """The steps and expected values of a law's cases, the peer's answers among them."""
        drawn = self.corpus.of(exercise, law)
        try:
            steps = [tuple(law.calls(case)) for case in drawn.cases]
        except Exception as error:
            return _Plan(law, (), (), (), fault=_fault("calls", error))
        expected = list(drawn.expected)
        if law.peer is not None:
            peer = self.outcomes.get(law.peer)
            if peer is not None and peer.passes_reference_laws:
                answers = self.runner.run(law.peer, steps, defaults=peer.exercise.defaults)
                for index, reply in enumerate(answers):
                    if reply.status is Status.PASSED:
                        expected[index] = tuple(reply.answers)
        return _Plan(law, drawn.cases, tuple(steps), tuple(expected))

    def shrink(self, outcome: ExerciseOutcome) -> ExerciseOutcome:
        """The outcome with a smaller counterexample for its first scored law that fails."""
        for position, law in enumerate(outcome.laws):
            if law.law.scored and law.status in _SHRINKABLE and law.failure is not None:
                smallest, note = self._shrink_law(outcome.exercise, law, law.failure)
                laws = list(outcome.laws)
                laws[position] = replace(law, failure=smallest)
                notes = (*outcome.notes, note) if note else outcome.notes
                return replace(outcome, laws=tuple(laws), notes=notes)
        return outcome

    def _shrink_law(
        self, exercise: Exercise, outcome: LawOutcome, start: Failure
    ) -> tuple[Failure, str]:
        search = _Search(self.runner, exercise, outcome.law, start)
        hit = search.run(self.shrink_evaluations)
        note = (
            f"{exercise.name}, {outcome.law.name}: shrinking stopped after "
            f"{SHRINK_SECONDS:g} seconds; a replay may show another counterexample."
        )
        return search.best, note if hit else ""


@dataclass(frozen=True, slots=True)
class _Plan:
    law: Property
    cases: tuple[Case, ...]
    steps: tuple[tuple[Step, ...], ...]
    expected: tuple[Any, ...]
    fault: str = ""


def _fault(where: str, error: Exception) -> str:
    return f"The {where} of this law failed with {type(error).__name__}: {error}"


def _faulty(plan: _Plan) -> LawOutcome:
    failure = Failure(None, Status.INTERNAL_ERROR, detail=plan.fault)
    return LawOutcome(plan.law, Status.INTERNAL_ERROR, failure)


def _judge_law(plan: _Plan, replies: tuple[CaseReply, ...]) -> LawOutcome:
    failures = [
        failure
        for case, expected, reply in zip(plan.cases, plan.expected, replies, strict=True)
        if (failure := judge_case(plan.law, case, expected, reply)) is not None
    ]
    if not failures:
        return LawOutcome(plan.law, Status.PASSED, replies=replies)
    status = worst([failure.status for failure in failures])
    shown = min(
        (failure for failure in failures if failure.status is status and failure.case is not None),
        key=lambda failure: case_size(failure.case or Case()),
    )
    return LawOutcome(plan.law, status, shown, replies)


def judge_case(law: Property, case: Case, expected: Any, reply: CaseReply) -> Failure | None:
    """None if the law holds on this case; a verdict that itself fails is our `internal_error`."""
    if reply.status is Status.EXCEPTION:
        raised = next((o for o in reply.outcomes if isinstance(o, Raised)), None)
        return Failure(case, Status.EXCEPTION, raised=raised, detail=reply.detail)
    if reply.status is not Status.PASSED:
        return Failure(case, reply.status, detail=reply.detail)
    try:
        with np.errstate(all="ignore"):  # a student's inf or nan is no warning of ours
            disagreement = law.judge(case, expected, reply.answers)
    except Exception as error:
        return Failure(case, Status.INTERNAL_ERROR, detail=_fault("verdict", error))
    if disagreement is None:
        return None
    return Failure(case, Status.FAILED, disagreement=disagreement)


def same_reply(ours: CaseReply, theirs: CaseReply) -> bool:
    """The same status and answers; where both raised, the same exception with the same words.

    So a function that is not written yet is no known mistake, though both raise.
    """
    return (
        ours.status is theirs.status
        and len(ours.outcomes) == len(theirs.outcomes)
        and all(map(_same_outcome, ours.outcomes, theirs.outcomes))
    )


def _same_outcome(ours: Returned | Raised, theirs: Returned | Raised) -> bool:
    if isinstance(ours, Returned) and isinstance(theirs, Returned):
        return same(ours.value, theirs.value)
    if isinstance(ours, Raised) and isinstance(theirs, Raised):
        return (ours.type_name, ours.message) == (theirs.type_name, theirs.message)
    return False


class _Enough(BaseException):
    """Ends a search from inside Hypothesis, which lets it pass."""


class _Search:
    """The search for a smaller case on which a law still fails in the same way."""

    def __init__(self, runner: Runner, exercise: Exercise, law: Property, start: Failure) -> None:
        self.runner, self.exercise, self.law = runner, exercise, law
        self.best = start
        self.evaluations = 0

    def run(self, evaluations: int) -> bool:
        """Search with at most so many evaluations; returns whether the time backstop hit."""
        import random

        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import HypothesisException

        small = self.law.inputs.small
        if small is None or evaluations == 0:
            return False
        self._left = evaluations
        self._deadline = time.monotonic() + SHRINK_SECONDS
        quiet = settings(
            max_examples=evaluations,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        # that nothing smaller fails, or that random code answers otherwise when asked again, ends
        # the search; what it has found is good all the same
        with repeatable_draws(), contextlib.suppress(HypothesisException, _Enough):
            find(small(), self._still_fails, settings=quiet, random=random.Random(0))  # noqa: S311
        return time.monotonic() > self._deadline

    def _still_fails(self, case: Case) -> bool:
        if self._left <= 0 or time.monotonic() > self._deadline:
            raise _Enough
        self._left -= 1
        self.evaluations += 1
        expected = self.law.expected(case) if self.law.expected else None
        steps = tuple(self.law.calls(case))
        (reply,) = self.runner.run(self.exercise.name, [steps], defaults=self.exercise.defaults)
        failure = judge_case(self.law, case, expected, reply)
        if failure is None or failure.status is not self.best.status:
            if reply.status not in (Status.PASSED, Status.EXCEPTION):
                raise _Enough  # the worker died: not worth another life
            return False
        if self.best.case is None or case_size(case) <= case_size(self.best.case):
            self.best = failure
        return True
