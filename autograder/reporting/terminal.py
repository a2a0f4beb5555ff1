"""Results on a terminal, by Rich. Nothing of a student's is read as markup."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, JustifyMethod
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from autograder.reporting.text import exercise_report, failing, notes_report, points
from autograder.results import ExerciseResult, Status, SubmissionResult
from autograder.worker.hygiene import clean_text

_PIPE_WIDTH = 120
_STOOD_OUT_WIDTH = 30  # the name of most known mistakes, or a status and an exercise
_CAPTION = "Automatic scores: marks by hand and late penalties stand in the gradebook."


def console(*, stderr: bool = False) -> Console:
    """A console that wraps to the terminal, or to a fixed width in a pipe."""
    made = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not made.is_terminal:
        made.width = _PIPE_WIDTH
    return made


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


@contextmanager
def progress(target: Console, *, total: int, what: str) -> Iterator[Callable[[str], None]]:
    """A bar with count, rate and time left on a terminal; silence in a pipe.

    Yields a function to call with each finished student.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=target,
        disable=not target.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda name: bar.advance(task)


def class_tables(out: Console, assignment: str, results: Sequence[SubmissionResult]) -> None:
    """One table for each notebook of an assignment."""
    for name in sorted({result.notebook for result in results}):
        title = assignment if name == assignment else f"{assignment}: {name}"
        _class_table(out, title, [result for result in results if result.notebook == name])


def _class_table(out: Console, title: str, results: Sequence[SubmissionResult]) -> None:
    """One row per student: the points of every exercise, and what stood out."""
    names = [exercise.name for exercise in results[0].exercises]
    headings = ["student", *names, "score"]
    rows = [
        (
            Text(clean_text(result.student or "", 80)),
            *(_cell(exercise) for exercise in result.exercises),
            Text(f"{points(result.score)}/{points(result.max_score)}"),
        )
        for result in results
    ]
    table = Table(title=title, caption=_CAPTION)
    room = out.width - len("│  │")
    for heading, *cells in zip(headings, *rows, strict=True):
        justify: JustifyMethod = "left" if heading == "student" else "right"
        table.add_column(heading, justify=justify, overflow="fold")
        room -= max(len(heading), *(cell.cell_len for cell in cells)) + len("│  ")
    table.add_column("what stood out", no_wrap=True, max_width=max(room, _STOOD_OUT_WIDTH))
    for row, result in zip(rows, results, strict=True):
        table.add_row(*row, Text(_stood_out(result), overflow="ellipsis", no_wrap=True))
    out.print(table)


def _cell(exercise: ExerciseResult) -> Text:
    full = exercise.score == exercise.max_score
    return Text(points(exercise.score), style="" if full else "yellow")


def _stood_out(result: SubmissionResult) -> str:
    """Mistakes and laws by name; `timeout: softmax`, status first, for the end may be cut."""
    said: dict[str, list[str]] = {}
    for exercise in result.exercises:
        if exercise.diagnosis is not None:
            said[exercise.diagnosis.mistake] = []
        elif exercise.status is not Status.PASSED:
            broken = failing(exercise)
            if exercise.status is Status.FAILED and broken:
                said[broken[0].name] = []
            else:
                said.setdefault(f"{exercise.status}:", []).append(exercise.name)
    return "; ".join(f"{what} {', '.join(where)}".rstrip() for what, where in said.items())


def ungraded(out: Console, items: Sequence[tuple[str, str]]) -> None:
    """What needs a person, one line each."""
    if items:
        out.print(f"{_needs(len(items))} a person. An earlier grade counts until then:")
    for student, reason in items:
        out.print(f"  {student}: {reason}")


def _needs(count: int) -> str:
    return "1 submission needs" if count == 1 else f"{count} submissions need"


def run_footer(out: Console, run: Any) -> None:
    """How many were graded, and where everything is."""
    known = len(run.already_graded)
    new = len(run.summary.results) - known
    out.print(f"{new} graded now, {known} were graded before (--force grades them again).")
    if run.request.dry_run:
        out.print("Nothing was written: this was a dry run.")
        return
    for what, where in (
        ("scores", run.database),
        ("notebooks", run.course.root / run.directory.autograded_directory),
        ("results", run.course.state / "results" / run.request.assignment),
    ):
        out.print(f"{what:<11} {where}", soft_wrap=True)


def regrade_footer(out: Console, run: Any) -> None:
    """What a run of `grade --exercise` left alone, and where the list of its changes is."""
    left = run.summary.ungraded
    if left:
        out.print(f"{len(left)} left as they were:" if len(left) > 1 else "1 left as it was:")
    for item in left:
        out.print(f"  {item.student}: {item.reason}")
    if run.withheld:
        out.print(f"{run.withheld} would go down and stay as they are (--raise-only).")
    scored = {change.student for change in run.compared.changes}
    if reworded := len(set(run.rewritten) - scored):
        out.print(f"{reworded} with the same score and another report.")
    if run.request.dry_run:
        out.print("Nothing was written: this was a dry run.")
    elif not run.list.is_empty:
        out.print(f"{'changes':<11} {run.list.path}", soft_wrap=True)


def submission_report(out: Console, name: str, result: SubmissionResult) -> None:
    """The full report of one notebook. Lines are not wrapped, so that inputs can be pasted."""
    lines = [
        f"{name}: {points(result.score)}/{points(result.max_score)}"
        f"   (assignment {result.assignment}, sandbox {result.sandbox.backend})"
    ]
    for exercise in result.exercises:
        lines += ["", exercise_report(exercise)]
    if result.notes:
        lines += ["", notes_report(result.notes)]
    out.print("\n".join([*lines, ""]), soft_wrap=True)
