"""What grading yields: statuses, the answers of a case, and the result record with its JSON.

This module stands on the ground floor: it imports nothing of ours. The JSON is format version 1,
documented field by field in docs/results.md and described by `schema.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

FORMAT_VERSION = 1


class Status(StrEnum):
    """How a property, an exercise or a cell ended. `internal_error` is our fault alone."""

    PASSED = "passed"
    FAILED = "failed"
    EXCEPTION = "exception"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    OUTPUT_LIMIT = "output_limit"
    PROTOCOL = "protocol"
    MISSING = "missing"
    SKIPPED = "skipped"
    INTERNAL_ERROR = "internal_error"


_WORST_FIRST = (
    Status.INTERNAL_ERROR,
    Status.MISSING,
    Status.CRASHED,
    Status.MEMORY,
    Status.TIMEOUT,
    Status.OUTPUT_LIMIT,
    Status.PROTOCOL,
    Status.EXCEPTION,
    Status.FAILED,
    Status.SKIPPED,
    Status.PASSED,
)


def worst(statuses: list[Status]) -> Status:
    """The status an exercise takes from its properties; `passed` for none."""
    return min(statuses, key=_WORST_FIRST.index, default=Status.PASSED)


# -- what came back from the student's code -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Returned:
    """A step ended; `value` is plain data (see `autograder.exercise` for its kinds)."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """A step raised. The texts come from the student's process: hostile until shown escaped.

    `line` is the line of the student's cell, 0 where unknown; `cell` its index, -1 unknown.
    """

    type_name: str
    message: str
    line: int = 0
    cell: int = -1


@dataclass(frozen=True, slots=True)
class CaseReply:
    """The answers to one case: one outcome per step, up to the first that raised.

    `status` is `passed` where every step returned, `exception` where one raised, and otherwise
    what ended the worker; `detail` then says it in words for the student.
    """

    status: Status
    outcomes: tuple[Returned | Raised, ...] = ()
    detail: str = ""

    @property
    def answers(self) -> list[Any]:
        """The values of the steps that returned."""
        return [o.value for o in self.outcomes if isinstance(o, Returned)]


# -- the result record -----------------------------------------------------------------------------


class PropertyResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one law fared. `max_points` is 0 for laws that are shown only."""

    name: str
    law: str
    status: Status
    points: float
    max_points: float
    message: str = ""
    counterexample: str = ""
    hint: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The known mistake that gives exactly these outputs, and the share of points it may earn."""

    mistake: str
    message: str
    share: float


class ExerciseResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one exercise fared; `score` is rounded once, in the student's favour."""

    name: str
    score: float
    max_score: float
    status: Status
    properties: tuple[PropertyResult, ...]
    diagnosis: Diagnosis | None = None


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """The versions that a replay must meet again."""

    autograder: str
    python: str
    numpy: str
    hypothesis: str


class Sandbox(msgspec.Struct, frozen=True, kw_only=True):
    """What held the student's code: the backend, what it enforced, what it did not."""

    backend: str
    enforced: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """What a grade rests on besides submission, seed, versions and sandbox. Hashes are hexadecimal.

    Args:
        code: hash of the grader's own code.
        release: hash of the release notebook and of the assignment's rules; of the rules alone
            where there is no release.
        settings: the settings that can change a result, with the assignment's own limits filled in.
        corpus: the name under which the drawn cases are stored.
        cases: by exercise, the hash of its cases and their right answers.
        exercises: by exercise, the hash of its record and of the code behind its laws and mistakes.
    """

    code: str
    release: str
    settings: dict[str, int | float]
    corpus: str
    cases: dict[str, str]
    exercises: dict[str, str]


class Regrade(msgspec.Struct, frozen=True, kw_only=True):
    """What one exercise's grade rests on, where it was graded again after the rest."""

    versions: Versions
    sandbox: Sandbox
    basis: Basis


class SubmissionResult(msgspec.Struct, frozen=True, kw_only=True):
    """One graded submission. All but `timing` (seconds by stage) repeats byte for byte.

    `regraded` names the exercises that were graded again on their own (`grade --exercise`).
    """

    format_version: int = FORMAT_VERSION
    assignment: str
    notebook: str
    student: str | None
    score: float
    max_score: float
    sha256: str
    seed_id: str
    calls: int
    versions: Versions
    sandbox: Sandbox
    basis: Basis | None = None
    exercises: tuple[ExerciseResult, ...]
    regraded: dict[str, Regrade] = {}
    notes: tuple[str, ...] = ()
    timing: dict[str, float] = {}

    def exercise_named(self, name: str) -> ExerciseResult | None:
        """The result of that exercise, or None."""
        return next((e for e in self.exercises if e.name == name), None)

    @property
    def needs_person(self) -> bool:
        """Whether a fault of ours left something ungraded."""
        return any(e.status is Status.INTERNAL_ERROR for e in self.exercises)


class CellGrade(msgspec.Struct, frozen=True, kw_only=True):
    """What one scored test cell earned. `score` is None where a person must decide."""

    score: float | None
    max_score: float
    needs_person: bool = False


def to_json(result: SubmissionResult) -> bytes:
    """The result as indented JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


def from_json(data: bytes) -> SubmissionResult:
    """Read a result that we wrote; raises msgspec.ValidationError for anything else."""
    return msgspec.json.decode(data, type=SubmissionResult)
