"""Make `docs/exercises.md` from the records: `make catalogue` writes it anew."""

from __future__ import annotations

from pathlib import Path

from autograder.exercises import catalogue
from autograder.reporting.catalogue import HOW_MADE, catalogue_page

CATALOGUE_FILE = Path(__file__).resolve().parents[1] / "docs" / "exercises.md"


def text() -> str:
    """The page on this course, whatever other courses are installed."""
    ours = catalogue()
    exercises = {exercise.name: exercise for exercise in ours.exercises}
    return catalogue_page(ours.assignments, exercises, how_made=HOW_MADE)


if __name__ == "__main__":
    CATALOGUE_FILE.write_text(text(), encoding="utf-8")
