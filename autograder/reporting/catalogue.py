"""The catalogue page: what every exercise asks for, is judged by, and gives for known mistakes.

It is made of the records alone. No case, expected value or seed is in it, so students may read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from autograder.exercise import Assignment, Exercise, Mistake, Property
from autograder.reporting.text import counted

INTRODUCTION = """# Exercises

What each exercise asks for and how it is judged. For whoever teaches with it, and for students
too: the laws are public knowledge. What stays secret is the inputs on which they are checked, which
every course draws from a seed of its own.{how_made}

- **Laws.** The points of an exercise are split by the weights, in per cent. The *gate* comes first:
  where it fails, the other laws earn nothing, unless the table says so. A law without a weight is
  shown in the report and costs nothing.
- **Known mistakes.** An answer that behaves like one of these is called by its name and gets the
  hint; one that makes no other mistake keeps the share in the table. *Caught by* names the laws
  that tell most. [The audit](audit.md) shows that the laws catch every one.
- **Convention.** Every message on a failure ends with it.
"""

HOW_MADE = (
    "`make catalogue` makes this page from\nthe records of the exercises; do not edit it by hand."
)


def catalogue_page(
    assignments: Sequence[Assignment], exercises: Mapping[str, Exercise], *, how_made: str = ""
) -> str:
    """The page as Markdown: a table of contents, then every exercise by assignment.

    Args:
        assignments: in the order of the page.
        exercises: all that the assignments name, by name.
        how_made: what the page says on where it comes from.
    """
    parts = [INTRODUCTION.format(how_made=how_made and f" {how_made}")]
    parts.append("\n".join(_contents(assignments, exercises)))
    for assignment in assignments:
        parts.append(_assignment_heading(assignment))
        for name, points in assignment.exercises.items():
            parts.append("\n".join(_section(exercises[name], points)))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _contents(
    assignments: Sequence[Assignment], exercises: Mapping[str, Exercise]
) -> Iterator[str]:
    yield "| assignment | exercise | points | scored laws | known mistakes | right answers |"
    yield "|---|---|---|---|---|---|"
    for assignment in assignments:
        for name, points in assignment.exercises.items():
            exercise = exercises[name]
            scored = sum(law.scored for law in exercise.properties)
            counts = scored, len(exercise.mistakes), len(exercise.right_answers)
            yield _row(
                f"`{assignment.name}`",
                f"[`{name}`](#{_anchor(_heading(exercise, points))})",
                _number(points),
                *map(str, counts),
            )


def _anchor(heading: str) -> str:
    """The anchor that a heading gets on a page: letters, digits, `_` and `-`, blanks as `-`."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


def _assignment_heading(assignment: Assignment) -> str:
    written = sum((question.points for question in assignment.written), Fraction(0))
    by_hand = f", {_number(written)} more graded by hand" if written else ""
    return (
        f"## Assignment `{assignment.name}`\n\n"
        f"{_points(assignment.max_score)} graded automatically{by_hand}."
    )


def _heading(exercise: Exercise, points: Fraction) -> str:
    return f"`{exercise.name}`: {_points(points)}"


def _section(exercise: Exercise, points: Fraction) -> Iterator[str]:
    yield f"### {_heading(exercise, points)}"
    yield ""
    yield f"```python\n{exercise.name}{exercise.signature}\n```"
    yield ""
    yield f"Convention: *{_escaped(exercise.convention)}*"
    if exercise.builds_on:
        names = ", ".join(f"`{name}`" for name in exercise.builds_on)
        yield ""
        yield f"It may call {names}: a mistake there is charged there alone."
    yield ""
    yield from _laws(exercise)
    if exercise.mistakes:
        yield ""
        yield from _mistakes(exercise)


def _laws(exercise: Exercise) -> Iterator[str]:
    scored = [law for law in exercise.properties if law.scored]
    shown = [law for law in exercise.properties if not law.scored]
    yield "| law | what it says | weight |"
    yield "|---|---|---|"
    for law in scored:
        yield _row(f"`{law.name}`", _statement(exercise, law), f"{law.weight} %")
    if shown:
        yield ""
        yield from _folded(
            f"{counted(len(shown), 'law')} shown without points",
            ["| law | what it says |", "|---|---|"]
            + [_row(f"`{law.name}`", _statement(exercise, law)) for law in shown],
        )


def _statement(exercise: Exercise, law: Property) -> str:
    """The law's line of mathematics, with what is particular about its points."""
    remarks = []
    if law.name == exercise.gate:
        remarks.append("the gate")
    elif exercise.needs_of(law) is None:
        remarks.append("earns points whatever else fails")
    elif exercise.needs_of(law) != exercise.gate:
        remarks.append(f"earns points where `{exercise.needs_of(law)}` holds")
    if law.peer is not None:
        remarks.append(f"held against your own `{law.peer}`, if that is right")
    if law.charge_once is not None:
        remarks.append("charged once in an assignment")
    return _escaped(law.law) + (f" ({'; '.join(remarks)})" if remarks else "")


def _mistakes(exercise: Exercise) -> Iterator[str]:
    yield from _folded(
        counted(len(exercise.mistakes), "known mistake"),
        ["| mistake | keeps | caught by | hint |", "|---|---|---|---|"]
        + [_mistake(mistake) for mistake in exercise.mistakes],
    )


def _mistake(mistake: Mistake) -> str:
    caught_by = ", ".join(f"`{name}`" for name in mistake.caught_by)
    return _row(
        f"`{mistake.name}`", _number(100 * mistake.share) + " %", caught_by, _escaped(mistake.hint)
    )


# -- Markdown --------------------------------------------------------------------------------------

_MARKUP = re.compile(r"[\\`*|~$]|(?<![^\W_])_|_(?![^\W_])|<(?=[\w/!?])|&(?=[\w#])|\](?=[(\[])")


def _folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that a reader unfolds, so that a long list does not hide the next exercise."""
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """The text of a record as it stands: none of its signs is markup, none ends a table's cell.

    Where a sign can be no markup (`p_i`, `i < n`) it stays bare: people read the source too.
    """
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _number(value: Fraction) -> str:
    return f"{float(value):g}"


def _points(value: Fraction) -> str:
    return f"{_number(value)} {'point' if value == 1 else 'points'}"
