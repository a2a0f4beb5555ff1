"""Replays right answers on the corpora of many seeds and counts what they lose.

Cases are drawn, answers called and judged, and points counted by the grader's own functions. What
is left out decides nothing: shrinking, the laws that are only shown, and the way through another
process. The messages of a call are made once per case and serve every answer.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, Literal

import msgspec
import numpy as np

from autograder.exercise import (
    CASES_PER_LAW,
    Arranged,
    Call,
    CallMethod,
    Case,
    Construct,
    Exercise,
    Property,
    RightAnswer,
    SetAttribute,
    Step,
)
from autograder.exercises import catalogue
from autograder.grading.checker import judge_case, same_reply
from autograder.grading.corpus import LawCases, draw
from autograder.grading.scoring import score
from autograder.results import CaseReply, Raised, Status
from autograder.worker import wire
from autograder.worker.child.calls import CaseRunner
from autograder.worker.codec import decode_outcome, encode_case

Dtype = Literal["float64", "float32"]
Functions = Mapping[str, Callable[..., Any]]


class Loss(msgspec.Struct, frozen=True):
    """A law that a right answer lost in one run."""

    exercise: str
    answer: str
    seed: int
    law: str
    message: str


class Tally(msgspec.Struct):
    """What the runs of some seeds came to; points are those of the assignment."""

    dtype: Dtype
    seeds: int = 0
    answers: int = 0
    calls: int = 0
    points_lost: float = 0.0
    losses: list[Loss] = msgspec.field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take in the runs of other seeds."""
        self.seeds += other.seeds
        self.answers = max(self.answers, other.answers)
        self.calls += other.calls
        self.points_lost += other.points_lost
        self.losses += other.losses


@dataclass(frozen=True, slots=True)
class _Plan:
    """The cases of one law, ready to be sent, and what each of them asks for."""

    law: Property
    cases: tuple[Case, ...]
    expected: tuple[Any, ...]
    steps: tuple[list[wire.Step], ...]
    peer_steps: tuple[list[wire.Step], ...]
    passed: set[tuple[int, bytes]] = field(default_factory=set)


def right_answers(exercise: Exercise) -> list[RightAnswer]:
    """The known right answers that run here: what is named after SciPy needs it."""
    has_scipy = find_spec("scipy") is not None
    answers = exercise.right_answers
    return [a for a in answers if has_scipy or not a.name.startswith("scipy_")]


def replay_seed(seed: int, dtypes: Sequence[Dtype]) -> list[Tally]:
    """One run: every right answer of every exercise on one corpus, in each precision."""
    course = catalogue()
    points = {name: worth for a in course.assignments for name, worth in a.exercises.items()}
    exercises = [
        replace(exercise, properties=tuple(law for law in exercise.properties if law.scored))
        for exercise in course.exercises
    ]
    answers = {exercise.name: right_answers(exercise) for exercise in exercises}
    corpus = draw(exercises, seed, cases=CASES_PER_LAW)
    tallies = []
    for dtype in dtypes:
        tally = Tally(dtype, seeds=1, answers=sum(map(len, answers.values())))
        for exercise in exercises:
            plans = [
                _plan(exercise, law, corpus.of(exercise, law), dtype) for law in exercise.properties
            ]
            for number, answer in enumerate(answers[exercise.name]):
                # a student's other functions: another right answer in every run
                functions = {
                    name: known[(seed + number) % len(known)].answer
                    for name, known in answers.items()
                }
                functions[exercise.name] = answer.answer
                _replay(tally, seed, plans, exercise, answer, functions, points[exercise.name])
        tallies.append(tally)
    return tallies


# -- cases -----------------------------------------------------------------------------------------


def _plan(exercise: Exercise, law: Property, drawn: LawCases, dtype: Dtype) -> _Plan:
    cases, expected = drawn.cases, drawn.expected
    if dtype == "float32":
        cases = tuple(Case(**{k: _cast(v, np.float32) for k, v in c.items()}) for c in cases)
        expected = tuple(_expected(law, case) for case in cases)
    calls = [[_in_precision(step, dtype) for step in law.calls(case)] for case in cases]

    def sent_to(name: str) -> tuple[list[wire.Step], ...]:
        return tuple(encode_case(steps, name, exercise.defaults) for steps in calls)

    return _Plan(
        law, cases, expected, sent_to(exercise.name), sent_to(law.peer) if law.peer else ()
    )


def _cast(value: Any, dtype: type[np.floating[Any]]) -> Any:
    """A float array in that precision; anything else as it is."""
    if isinstance(value, Arranged):
        return replace(value, value=_cast(value.value, dtype))
    is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.astype(dtype) if is_float else value


def _expected(law: Property, single: Case) -> Any:
    """The right answer to the very numbers of a float32 case, worked out in float64."""
    if law.expected is None:
        return None
    with np.errstate(all="ignore"):
        return law.expected(Case(**{k: _cast(v, np.float64) for k, v in single.items()}))


def _in_precision(step: Step, dtype: Dtype) -> Step:
    """The step with the arguments that a law worked out, such as W_Q / sqrt(d_k), cast as well."""
    if dtype == "float64":
        return step
    if isinstance(step, SetAttribute):
        return replace(step, value=_cast(step.value, np.float32))
    kwargs = {name: _cast(value, np.float32) for name, value in step.kwargs.items()}
    args = [_cast(value, np.float32) for value in step.args]
    if isinstance(step, Construct):
        return Construct(*args, to=step.to, **kwargs)
    if isinstance(step, CallMethod):
        return CallMethod(step.handle, step.name, *args, echo=step.echo, **kwargs)
    return Call(*args, to=step.to, echo=step.echo, **kwargs)


# -- calls and verdicts ----------------------------------------------------------------------------


def _replay(
    tally: Tally,
    seed: int,
    plans: Sequence[_Plan],
    exercise: Exercise,
    answer: RightAnswer,
    functions: Functions,
    points: Fraction,
) -> None:
    """Judge one answer by every law; what it loses goes into the tally."""
    runner = CaseRunner(functions, caught=Exception)
    statuses: dict[str, Status] = {}
    with _quiet():
        for plan in plans:
            statuses[plan.law.name], message = _judge(runner, plan, plan.law.name == exercise.gate)
            tally.calls += sum(map(len, plan.steps))
            if message:
                tally.losses.append(Loss(exercise.name, answer.name, seed, plan.law.name, message))
    tally.points_lost += float(points - score(exercise, statuses, points).points)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is printed, and a warning is no error."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _judge(runner: CaseRunner, plan: _Plan, is_gate: bool) -> tuple[Status, str]:
    """The status of a law and, where it does not hold, what is wrong in its first such case."""
    replies = [runner.run(steps) for steps in plan.steps]
    expected = plan.expected
    if plan.peer_steps:  # what another right answer of the same student says
        peers = (_decoded(runner.run(steps)) for steps in plan.peer_steps)
        expected = tuple(tuple(peer.answers) for peer in peers)
    for number, (case, right, reply) in enumerate(zip(plan.cases, expected, replies, strict=True)):
        # a verdict is a pure function: what it let pass once, bit for bit, it lets pass again
        seen = number, msgspec.msgpack.encode(reply)
        if seen in plan.passed:
            continue
        failure = judge_case(plan.law, case, right, _decoded(reply))
        if failure is not None:
            raised = failure.raised or Raised("", "")
            words = failure.disagreement.message if failure.disagreement else raised.message
            return failure.status, f"{raised.type_name} {words} {failure.detail}".strip()
        if not plan.peer_steps:
            plan.passed.add(seen)
    if is_gate:
        again = [runner.run(steps) for steps in reversed(plan.steps)]
        if not all(map(same_reply, map(_decoded, replies), map(_decoded, reversed(again)))):
            return Status.FAILED, "the same input gave another answer when it came a second time."
    return Status.PASSED, ""


def _decoded(reply: tuple[str, list[wire.Returned | wire.Raised]]) -> CaseReply:
    status, outcomes = reply
    return CaseReply(Status(status), tuple(map(decode_outcome, outcomes)))
