"""A class of sample submissions, made from the known mistakes and right answers.

The same number of students and seed give the same class. Every submission is the release with
answers pasted into its solution cells, as a student would hand it in.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from autograder.exercise import Exercise
from autograder.exercises.answers import source_for_cell
from autograder.notebook import Cell, Notebook, read, write
from autograder.notebook.model import grade_id_of

NAMES = (
    "ada", "alan", "annie", "barbara", "claude", "dorothy", "edsger", "evelyn", "frances",
    "grace", "hedy", "jean", "joan", "john", "karen", "katherine", "kathleen", "lynn", "margaret",
    "marlyn", "mary", "mina", "niklaus", "radia", "shafi", "sophie", "stephanie", "tim",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SampleSubmission:
    """One made-up submission: the student, what is in it, and the notebook's bytes."""

    student: str
    description: str
    notebook: bytes


def sample_class(
    release: bytes, exercises: tuple[Exercise, ...], *, students: int, seed: int
) -> Iterator[SampleSubmission]:
    """Yield a class: untouched, looping, crashing and raising ones, mistakes, right styles.

    Args:
        release: the release notebook.
        exercises: the exercises of its assignment.
        students: how many submissions.
        seed: which class.
    """
    rng = random.Random(seed)  # noqa: S311 - a sample, no secret
    special: list[Callable[..., tuple[str, Mapping[str, str]]]] = [
        _untouched, _loops, _crashes, _raises,
    ]  # fmt: skip
    for number in range(students):
        if number < len(special):
            description, sources = special[number](exercises, rng)
        elif number % 3 == 0:
            description, sources = _all_right(exercises, rng)
        else:
            description, sources = _with_mistake(exercises, rng)
        yield SampleSubmission(
            student=_name(number),
            description=description,
            notebook=write(fill_in(read(release, verbatim=True), sources)),
        )


def _name(number: int) -> str:
    again, index = divmod(number, len(NAMES))
    return NAMES[index] if again == 0 else f"{NAMES[index]}{again + 1}"


def fill_in(release: Notebook, sources: Mapping[str, str]) -> Notebook:
    """The release with the given text in the solution cell of each exercise."""
    cells = [_filled(cell, sources) for cell in release.cells]
    return Notebook(
        cells=cells,
        metadata=release.metadata,
        nbformat=release.nbformat,
        nbformat_minor=release.nbformat_minor,
    )


def _filled(cell: Cell, sources: Mapping[str, str]) -> Cell:
    name = (grade_id_of(cell) or "").removesuffix("-solution")
    if name not in sources or grade_id_of(cell) != f"{name}-solution":
        return cell
    return Cell(cell_type=cell.cell_type, source=sources[name], metadata=cell.metadata, id=cell.id)


def right_sources(exercises: tuple[Exercise, ...], rng: random.Random) -> dict[str, str]:
    """A right answer in some style for every exercise."""
    return {
        exercise.name: source_for_cell(
            rng.choice(
                [a for a in exercise.right_answers if not a.name.startswith("scipy_")]
            ).answer,
            exercise.name,
        )
        for exercise in exercises
    }


def _all_right(
    exercises: tuple[Exercise, ...], rng: random.Random
) -> tuple[str, Mapping[str, str]]:
    return "right", right_sources(exercises, rng)


def _untouched(
    exercises: tuple[Exercise, ...], rng: random.Random
) -> tuple[str, Mapping[str, str]]:
    return "untouched", {}


def _with_mistake(
    exercises: tuple[Exercise, ...], rng: random.Random
) -> tuple[str, Mapping[str, str]]:
    exercise = rng.choice(exercises)
    mistake = rng.choice(exercise.mistakes)
    sources = right_sources(exercises, rng)
    sources[exercise.name] = source_for_cell(mistake.answer, exercise.name)
    return f"{exercise.name}: {mistake.name}", sources


def _loops(exercises: tuple[Exercise, ...], rng: random.Random) -> tuple[str, Mapping[str, str]]:
    return _first_line(exercises, rng, "    while True:\n        pass\n", "loops")


def _crashes(exercises: tuple[Exercise, ...], rng: random.Random) -> tuple[str, Mapping[str, str]]:
    return _first_line(exercises, rng, "    import os\n    os._exit(1)\n", "ends its process")


def _raises(exercises: tuple[Exercise, ...], rng: random.Random) -> tuple[str, Mapping[str, str]]:
    return _first_line(exercises, rng, "    raise ValueError('I did not finish this')\n", "raises")


def _first_line(
    exercises: tuple[Exercise, ...], rng: random.Random, body: str, what: str
) -> tuple[str, Mapping[str, str]]:
    """Right answers, but the last exercise's function does something else."""
    sources = right_sources(exercises, rng)
    last = exercises[-1]
    sources[last.name] = f"def {last.name}(*args, **kwargs):\n{body}"
    return f"{last.name} {what}", sources
