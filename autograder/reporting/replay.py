"""What came of a replay, as a record and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from autograder.reporting.differences import Cause, Difference
from autograder.reporting.text import points
from autograder.results import FORMAT_VERSION
from autograder.worker.hygiene import clean_text

_LENGTH = 300
"""A longer value is cut; `--json` has it whole."""


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a replay.

    Args:
        student: the student's id.
        assignment: the assignment's name.
        notebook: the notebook's name.
        identical: whether the result repeats byte for byte, its `timing` aside.
        graded: whether the submission could be graded again at all.
        causes: what the stored result rests on and the replay does not.
        differences: what the two found differently.
    """

    format_version: int = FORMAT_VERSION
    student: str
    assignment: str
    notebook: str
    identical: bool
    graded: bool
    causes: list[Cause]
    differences: list[Difference]


def replay_lines(replay: Replay) -> Iterator[str]:
    """The outcome in a sentence, then what changed, then what differs."""
    whole = replay.notebook == replay.assignment
    what = replay.assignment if whole else f"{replay.assignment}/{replay.notebook}"
    yield f"{replay.student}, {what}: {_outcome(replay)}"
    if replay.causes:
        yield "What the stored result rests on, and what it would rest on now:"
        yield from (f"  {_cause(cause)}" for cause in replay.causes)
    if replay.differences:
        yield "What the two gradings found:"
        for difference in replay.differences:
            yield from (f"  {line}" for line in _difference(difference))


def _outcome(replay: Replay) -> str:
    if replay.identical:
        return "the result repeats byte for byte, its timing aside."
    if not replay.graded:
        return "it could not be graded again."
    if not replay.differences:
        return "every score, report and note repeats, but the result rests on something else."
    scores = sum(d.field == "score" and bool(d.exercise) for d in replay.differences)
    what = f"{scores} of its scores differ." if scores else "its scores repeat, its reports differ."
    if replay.causes:
        return what
    return f"{what} Nothing that a result rests on has changed: the student's code may be random."


def _cause(cause: Cause) -> str:
    return f"{cause.what}: {cause.stored or 'nothing'} -> {cause.now or 'nothing'}"


def _difference(difference: Difference) -> Iterator[str]:
    where = ", ".join(filter(None, (difference.exercise, difference.law))) or "submission"
    old, new = _shown(difference.stored), _shown(difference.now)
    if len(old) + len(new) <= 60:
        yield f"{where}, {difference.field}: {old} -> {new}"
        return
    yield f"{where}, {difference.field}:"
    yield from (f"    stored: {old}", f"    now:    {new}")


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float):
        return points(value)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return clean_text(text, _LENGTH).replace("\n", "; ") or "nothing"
