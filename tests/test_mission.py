"""docs/mission.md: every item of the course is taught, and graded, tested or said."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.exercises import load_assignments, load_exercises

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "mission.md"
ITEMS = 75
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
CELL = re.compile(r"`([a-z_]+)#([\w-]+)`")
LAW = re.compile(r"`(\w+)\.(\w+)`")
TEST = re.compile(r"`([a-z]+:[a-z_]+)`")
SAYS = re.compile(r'says "([^"]+)"')
LISTED = re.compile(r"^\| `([a-z]+:([a-z_]+))` \| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)


class Item(NamedTuple):
    """A row of the page."""

    number: int
    name: str
    cells: list[tuple[str, str]]
    laws: list[tuple[str, str]]
    tests: list[str]
    words: list[str]


def items(page: str | None = None) -> list[Item]:
    text = PAGE.read_text(encoding="utf-8") if page is None else page
    return [
        Item(
            int(number),
            name,
            CELL.findall(cells),
            LAW.findall(shown),
            TEST.findall(shown),
            SAYS.findall(shown),
        )
        for number, name, cells, shown in ROW.findall(text)
    ]


def listed_tests() -> dict[str, tuple[str, str, str]]:
    """The short name of every test -> assignment, file, function."""
    found = LISTED.findall(PAGE.read_text(encoding="utf-8"))
    return {name: (assignment, file, test) for name, assignment, file, test in found}


@cache
def taught() -> set[str]:
    """The assignments that the course has: a record and a source notebook."""
    return {name for name in load_assignments() if source(name).is_file()}


def source(assignment: str) -> Path:
    return ROOT / "source" / assignment / f"{assignment}.ipynb"


@cache
def laws_of_all() -> dict[str, set[str]]:
    return {name: {law.name for law in e.properties} for name, e in load_exercises().items()}


@cache
def cells_of(assignment: str) -> dict[str, str]:
    cells = json.loads(source(assignment).read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells}


# -- what is wrong with a row, for assignments that are there --------------------------------------


def wrong_cells(item: Item) -> list[str]:
    return [
        f"{assignment}#{cell}"
        for assignment, cell in item.cells
        if assignment not in taught() or cell not in cells_of(assignment)
    ]


def wrong_laws(item: Item) -> list[str]:
    known = laws_of_all()
    return [
        f"{exercise}.{law}" for exercise, law in item.laws if law not in known.get(exercise, ())
    ]


def wrong_tests(item: Item) -> list[str]:
    return [name for name in item.tests if name not in listed_tests()]


def unsaid(item: Item) -> list[str]:
    there = [cells_of(a).get(cell, "") for a, cell in item.cells if a in taught()]
    text = " ".join(" ".join(there).split())
    return [words for words in item.words if there and words not in text]


# -- the page --------------------------------------------------------------------------------------


def test_every_item_has_one_row_in_order():
    assert [item.number for item in items()] == list(range(1, ITEMS + 1))


@pytest.mark.parametrize("item", items(), ids=lambda item: str(item.number))
def test_an_item_is_taught_and_graded_tested_or_said(item):
    assert item.cells
    assert item.laws or item.tests or item.words
    assert (wrong_cells(item), wrong_laws(item), wrong_tests(item), unsaid(item)) == (
        [],
        [],
        [],
        [],
    )


@pytest.mark.parametrize("name", listed_tests())
def test_a_test_that_is_named_exists(name):
    assignment, file, function = listed_tests()[name]
    assert assignment in taught()
    path = ROOT / "tests" / "course" / file
    assert path.is_file(), f"{name}: no file {path.name}"
    assert f"\ndef {function}(" in path.read_text(encoding="utf-8")


def test_nothing_stands_between_the_bars_but_names_and_words():
    """What is no name and no words would be checked by nobody."""
    for number, _, cells, shown in ROW.findall(PAGE.read_text(encoding="utf-8")):
        left = CELL.sub("", cells) + SAYS.sub("", TEST.sub("", LAW.sub("", shown)))
        assert not left.replace(",", "").strip(), f"row {number}: {left}"


def test_every_exercise_of_every_assignment_is_named():
    named = {exercise for item in items() for exercise, _ in item.laws}
    for name in taught():
        assert set(load_assignments()[name].exercises) <= named


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("| 1 | a | `self_attention#nowhere` | `softmax.shift_invariant` |", wrong_cells),
        ("| 1 | a | `another_course#softmax` | `softmax.shift_invariant` |", wrong_cells),
        ("| 1 | a | `self_attention#softmax` | `softmax.no_such_law` |", wrong_laws),
        ("| 1 | a | `self_attention#softmax` | `no_exercise.a_law` |", wrong_laws),
        ("| 1 | a | `self_attention#softmax` | `figures:nowhere` |", wrong_tests),
        ("| 1 | a | `self_attention#softmax-text` | says \"moon and stars\" |", unsaid),
    ],
)  # fmt: skip
def test_a_row_that_is_not_true_is_found(row, wrong):
    (item,) = items(row)
    assert wrong(item)
