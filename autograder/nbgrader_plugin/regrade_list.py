"""The list of what a run of `grade --exercise` changed, kept as a file beside the results."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.reporting.changes import ScoreChange
from autograder.results import FORMAT_VERSION


class Regraded(msgspec.Struct, kw_only=True):
    """One run: `format_version`, what it was, when (UTC, ISO 8601), and each score it changed."""

    format_version: int = FORMAT_VERSION
    time: str
    assignment: str
    exercises: tuple[str, ...]
    raise_only: bool
    changes: list[ScoreChange] = []


class RegradeList:
    """Keeps the list on disk complete: a change is listed before it is made.

    So no changed score goes unlisted, however a run ends. What was listed and not made is made, and
    listed again, by the next run.
    """

    def __init__(
        self, state: Path, assignment: str, exercises: tuple[str, ...], *, raise_only: bool
    ) -> None:
        now = datetime.now(UTC)
        self.content = Regraded(
            time=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            assignment=assignment,
            exercises=exercises,
            raise_only=raise_only,
        )
        stamp = now.strftime("%Y%m%dT%H%M%S.%fZ")
        self.path = state / "regrades" / f"{stamp}-{assignment}-{'+'.join(exercises)}.json"

    @property
    def is_empty(self) -> bool:
        """Whether nothing was listed; then there is no file."""
        return not self.content.changes

    def add(self, changes: list[ScoreChange]) -> None:
        """List changes; the file appears whole or not at all, readable by its owner alone."""
        if not changes:
            return
        self.content.changes += changes
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = self.path.with_suffix(f".{os.getpid()}")
        partial.touch(mode=0o600)
        partial.write_bytes(
            msgspec.json.format(msgspec.json.encode(self.content), indent=2) + b"\n"
        )
        partial.replace(self.path)
