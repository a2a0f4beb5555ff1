"""Reports as plain text: for a cell's output, a comment in the gradebook, a log.

Everything that came from a student was stripped of control characters at the process boundary;
here it is only laid out. Terminals and HTML escape it again in their own way.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograder.results import ExerciseResult, PropertyResult, Status

COUNTEREXAMPLE_LENGTH = 400
"""A longer counterexample helps no reader; it stands in the full result."""

PASTED_INDENT = 8
"""How far a report indents what a reader may paste, and nothing else."""

LAWS_IN_FULL = 4
"""How many failing laws a report shows with message, counterexample and hint."""


def points(value: float) -> str:
    """Points without needless zeros: `7`, `7.5`, `6.67`."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def counted(number: int, what: str) -> str:
    """`1 mistake`, `2 mistakes`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def failing(exercise: ExerciseResult) -> list[PropertyResult]:
    """The scored laws that did not pass, in catalogue order."""
    return [
        law for law in exercise.properties if law.max_points > 0 and law.status is not Status.PASSED
    ]


def headline(exercise: ExerciseResult) -> str:
    """`softmax   7/10`."""
    return f"{exercise.name}   {points(exercise.score)}/{points(exercise.max_score)}"


def exercise_report(exercise: ExerciseResult) -> str:
    """The report of one exercise: what it earned, and why not more."""
    lines = [headline(exercise)]
    if exercise.status is Status.MISSING:
        return "\n".join([*lines, *_indent(exercise.properties[0].message)])
    lines += _diagnosis(exercise)
    broken = failing(exercise)
    if not broken:
        lines.append(_all_hold(exercise))
        lines += _for_interest(exercise)
    shown, rest = in_full(broken)
    for law in shown:
        lines += law_report(law)
    if rest:
        names = ", ".join(law.name for law in rest)
        lines.append(f"x {len(rest)} more: {names}")
    return "\n".join(lines)


def in_full(broken: Sequence[PropertyResult]) -> tuple[list[PropertyResult], list[PropertyResult]]:
    """Which failed laws a report shows in full, and which by name: one of each message, a few."""
    by_message = {law.message: law for law in reversed(broken)}
    shown = [law for law in broken if by_message[law.message] is law][:LAWS_IN_FULL]
    return shown, [law for law in broken if law not in shown]


def _all_hold(exercise: ExerciseResult) -> str:
    scored = sum(law.max_points > 0 for law in exercise.properties)
    return "The one law holds." if scored == 1 else f"All {scored} laws hold."


def _for_interest(exercise: ExerciseResult) -> list[str]:
    """The laws that are never scored and do not hold, such as one about integer inputs."""
    return [
        f"o {law.name}: {law.law} (does not hold; never scored)"
        for law in exercise.properties
        if law.max_points == 0 and law.status is not Status.PASSED
    ]


def _diagnosis(exercise: ExerciseResult) -> list[str]:
    if exercise.diagnosis is None:
        return []
    return [f"This looks like {exercise.diagnosis.mistake}: {exercise.diagnosis.message}"]


def law_report(law: PropertyResult) -> list[str]:
    """A failing law: its name and statement, what is wrong, the smallest input, the hint."""
    lines = [f"x {law.name}: {law.law}"]
    if law.message:
        lines += _indent(law.message)
    if 0 < len(law.counterexample) <= COUNTEREXAMPLE_LENGTH:
        lines += _indent("smallest failing input:") + _indent(law.counterexample, by=PASTED_INDENT)
    if law.hint:
        lines += _indent(f"hint: {law.hint}")
    return lines


def _indent(text: str, by: int = 4) -> list[str]:
    return [" " * by + line for line in text.splitlines()]


def comment(exercise: ExerciseResult) -> str:
    """The comment for a solution cell: reads well as plain text and as Markdown.

    Angle brackets become look-alikes: nbgrader's feedback page would let HTML through, and
    formgrader would show an escaped bracket as it is.
    """
    lines = [headline(exercise)]
    if exercise.diagnosis is not None:
        lines.append(exercise.diagnosis.message)
    broken = failing(exercise)
    if not broken:
        lines.append(_all_hold(exercise))
    if exercise.status is Status.MISSING:
        lines.append(exercise.properties[0].message)
        broken = []
    shown, rest = in_full(broken)
    for law in shown:
        lines.append(f"- {law.name}: {law.message} {law.hint}".rstrip())
    if rest:
        lines.append(f"- and {len(rest)} more, which the report in the notebook names")
    return without_markup("\n\n".join(lines))


def without_markup(text: str) -> str:
    """The text with nothing in it that starts HTML, or a link or image of Markdown."""
    return text.replace("<", "\u2039").replace(">", "\u203a").replace("](", "] (")


def notes_report(notes: Sequence[str]) -> str:
    """The notes of a submission, one after the other; empty where there are none.

    Further lines of a note are indented, so that none can pass for a line of the report.
    """
    return "\n".join("note: " + "\n      ".join(note.splitlines()) for note in notes)
