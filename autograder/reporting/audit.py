"""What `autograder audit` shows: the kill matrix of every exercise, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from autograder.reporting.text import counted, points
from autograder.results import FORMAT_VERSION

CAUGHT, CAUGHT_AS_NAMED, PASSED = "x", "X", "."
"""The signs of the matrix: the law fails, it fails and is named for the mistake, it holds."""

GROUP = 5
"""How many laws stand together in a row of the matrix on a terminal."""


class Survivor(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong answer that the laws let through, in whole or in part.

    Args:
        exercise: the exercise.
        answer: the name of the mistake, the mutant or the trivial answer.
        kind: `mistake`, `mutant` or `trivial`.
        reason: what should have happened, in a sentence.
    """

    exercise: str
    answer: str
    kind: str
    reason: str


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A right answer that loses points, and the law that takes them."""

    exercise: str
    answer: str
    law: str
    message: str


class WrongRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the course that contradicts what was measured: a share, an idle law, …"""

    exercise: str
    record: str
    reason: str


class Unneeded(msgspec.Struct, frozen=True, kw_only=True):
    """A scored law that no mistake needs: named for none, and never the only one to catch one."""

    exercise: str
    law: str


class MistakeRow(msgspec.Struct, frozen=True, kw_only=True):
    """How one known mistake fares.

    Args:
        mistake: its name.
        share: the fraction of the points that it may earn, as recorded.
        paid: the fraction that a submission of exactly this mistake earns.
        cost: what it costs, in points over the whole assignment; all else is right.
        named: the laws that are named for it.
        caught: the laws that it breaks, scored or not.
        diagnosed: the names that the diagnosis gives it; empty for none.
    """

    mistake: str
    share: float
    paid: float
    cost: float
    named: tuple[str, ...]
    caught: tuple[str, ...]
    diagnosed: tuple[str, ...]


class ExerciseMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """The kill matrix of an exercise.

    Args:
        laws: its laws in catalogue order.
        weights: the weight of each; 0 is never scored.
        mistakes: a row for each known mistake.
        assignment: the assignment that `cost` counts in, and its points; empty if in none.
        max_score: the points of that assignment.
        right_answers: how many right answers were tried.
        trivial: how many zeros, constants, copies and the like were tried.
        mutants: how many changes of the reference were tried.
        killed: how many of them lose points.
        equivalent: how many are recorded as equivalent to it.
    """

    laws: tuple[str, ...]
    weights: tuple[int, ...]
    mistakes: tuple[MistakeRow, ...]
    assignment: str
    max_score: float
    right_answers: int
    trivial: int
    mutants: int
    killed: int
    equivalent: int

    @property
    def scored(self) -> list[str]:
        """The laws that earn points."""
        return [law for law in self.laws if self.weight_of(law)]

    def weight_of(self, law: str) -> int:
        """The weight of a law."""
        return self.weights[self.laws.index(law)]


class AuditReport(msgspec.Struct, kw_only=True):
    """What an audit found; `seed_id` names the seed whose cases were used."""

    format_version: int = FORMAT_VERSION
    seed_id: str
    survivors: list[Survivor] = []
    lost: list[Lost] = []
    wrong_records: list[WrongRecord] = []
    unneeded: list[Unneeded] = []
    matrix: dict[str, ExerciseMatrix] = {}
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        """Whether nothing needs an author: every wrong answer pays, every right one is paid."""
        return not (self.survivors or self.lost or self.wrong_records)


def sign(row: MistakeRow, law: str) -> str:
    """The sign of the matrix for one mistake and law."""
    if law not in row.caught:
        return PASSED
    return CAUGHT_AS_NAMED if law in row.named else CAUGHT


def print_audit(out: Console, report: AuditReport) -> None:
    """The matrices, then what is wrong, then the verdict."""
    for name, matrix in report.matrix.items():
        out.print(_table(name, matrix))
        _print_laws(out, matrix)
    for line in findings(report):
        out.print(line, soft_wrap=True)
    out.print(verdict(report), soft_wrap=True)


def _table(name: str, matrix: ExerciseMatrix) -> Table:
    """Mistake by scored law. The laws are numbered, in groups of five, to fit beside each other."""
    title = f"{name}: which law catches which mistake"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("mistake", no_wrap=True)
    for heading in ("share", "paid", "cost"):
        table.add_column(heading, justify="right", no_wrap=True)
    scored = matrix.scored
    first = range(1, len(scored) + 1, GROUP)
    table.add_column("".join(f"{number:<{GROUP + 1}}" for number in first), no_wrap=True)
    for row in matrix.mistakes:
        signs = "".join(sign(row, law) for law in scored)
        table.add_row(
            row.mistake,
            *(points(value) for value in (row.share, row.paid, row.cost)),
            " ".join(batched(signs)),
        )
    return table


def batched(signs: str) -> Iterator[str]:
    """The signs in groups of five."""
    return (signs[start : start + GROUP] for start in range(0, len(signs), GROUP))


def _print_laws(out: Console, matrix: ExerciseMatrix) -> None:
    numbered = [
        f"{number} {law} ({matrix.weight_of(law)})"
        for number, law in enumerate(matrix.scored, start=1)
    ]
    out.print(f"Laws, and their weights in per cent: {', '.join(numbered)}.")
    out.print(
        f"{CAUGHT_AS_NAMED} caught by a law named for the mistake, {CAUGHT} by another, "
        f"{PASSED} not. Share and paid are fractions of the exercise; {_cost_of(matrix)}."
    )
    out.print(f"{counts(matrix)}\n")


def _cost_of(matrix: ExerciseMatrix) -> str:
    if not matrix.assignment:
        return "cost is a percentage of the exercise"
    return f"cost is in points of the {points(matrix.max_score)} of {matrix.assignment}"


def counts(matrix: ExerciseMatrix) -> str:
    """How many answers of each kind were tried, in a sentence."""
    told = [law for row in matrix.mistakes for law in row.diagnosed[:1] if law == row.mistake]
    real = matrix.mutants - matrix.equivalent
    return (
        f"{counted(len(matrix.mistakes), 'mistake')}, {len(told)} of them diagnosed by name; "
        f"{counted(matrix.right_answers, 'right answer')}; "
        f"{counted(matrix.trivial, 'trivial answer')}; "
        f"{matrix.killed} of {counted(real, 'mutant')} killed "
        f"({matrix.equivalent} more {'is' if matrix.equivalent == 1 else 'are'} equivalent)."
    )


def findings(report: AuditReport) -> Iterator[str]:
    """What an author must look at, one line each."""
    for survivor in report.survivors:
        yield f"! {survivor.exercise}: {survivor.kind} {survivor.answer}: {survivor.reason}"
    for lost in report.lost:
        yield f"! {lost.exercise}: right answer {lost.answer} loses {lost.law}: {lost.message}"
    for wrong in report.wrong_records:
        yield f"! {wrong.exercise}: {wrong.record}: {wrong.reason}"
    by_exercise: dict[str, list[str]] = {}
    for unneeded in report.unneeded:
        by_exercise.setdefault(unneeded.exercise, []).append(unneeded.law)
    for exercise, laws in by_exercise.items():
        yield f"{exercise}: no known mistake needs {', '.join(laws)}."


def verdict(report: AuditReport) -> str:
    """The last line."""
    if report.clean:
        return (
            f"clean: every wrong answer loses points, no right one does ({report.seconds:.0f} s)."
        )
    wrong = len(report.survivors) + len(report.lost) + len(report.wrong_records)
    return f"not clean: {wrong} of the lines above start with ! ({report.seconds:.0f} s)."
