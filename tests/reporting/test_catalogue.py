"""The catalogue page holds every record in its own words, whatever signs are in them."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from markdown_it import MarkdownIt

from autograder.exercise import Assignment, Mistake, WrittenQuestion
from autograder.reporting.catalogue import catalogue_page
from tests.catalogue_file import CATALOGUE_FILE, text
from tests.grading.conftest import an_exercise
from tests.submissions import EXERCISES

markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def rows(page: str) -> list[list[str]]:
    """Every row of every table of the rendered page, as text."""
    found = re.findall(r"<tr>(.*?)</tr>", markdown.render(page), re.DOTALL)
    cells = [re.findall(r"<td.*?</td>", row) for row in found]
    return [[html.unescape(re.sub(r"<[^>]+>", "", one)) for one in row] for row in cells if row]


def page_on(exercise, points: int = 10, **assignment: object) -> str:
    listed = Assignment(name="one", exercises={exercise.name: Fraction(points)}, **assignment)
    return catalogue_page([listed], {exercise.name: exercise})


def mistake(**changes: object) -> Mistake:
    told = {"hint": "Divide.", "share": Fraction(1, 8), "caught_by": ("doubles",)}
    return Mistake(name="forgotten", answer=abs, **(told | changes))


def test_the_committed_page_is_current():
    assert CATALOGUE_FILE.read_text(encoding="utf-8") == text(), "run make catalogue"


def test_every_law_and_every_mistake_of_the_course_is_listed_in_its_own_words():
    found = rows(text())
    listed = [row[:2] for row in found]
    hints = [(row[0], row[-1]) for row in found]
    for exercise in EXERCISES.values():
        for law in exercise.properties:
            assert any(name == law.name and said.startswith(law.law) for name, said in listed)
        for known in exercise.mistakes:
            assert (known.name, " ".join(known.hint.split())) in hints


@pytest.mark.parametrize(
    "words",
    [
        "p_i = 1",
        "_x_ and __y__",
        "0 < p <= 1",
        "<b>bold</b>",
        "abs(x) = |x|",
        "2 * x * 3",
        "`x` or \\x",
        "a[i](j) and b[i][j]",
        "x & y, &lt; and ~~z~~",
        "two\n  lines",
    ],
)
def test_no_sign_of_a_record_is_taken_for_markup(words):
    shown = rows(page_on(an_exercise(mistakes=(mistake(hint=words),))))
    assert ["forgotten", "12.5 %", "doubles", " ".join(words.split())] in shown


def test_what_is_particular_about_the_points_of_a_law_is_said():
    exercise = an_exercise()
    gate = exercise.property_named(exercise.gate)
    extra = [
        replace(gate, name="free", weight=0, needs=None),
        replace(gate, name="compared", weight=0, peer="matrix"),
        replace(gate, name="once", weight=0, charge_once="nan"),
        replace(gate, name="later", weight=0, needs="free"),
    ]
    page = page_on(replace(exercise, properties=(*exercise.properties, *extra)))
    said = {row[0]: row[1] for row in rows(page) if len(row) in (2, 3)}
    assert said[gate.name].endswith("(the gate)")
    assert said["free"].endswith("(earns points whatever else fails)")
    assert said["compared"].endswith("(held against your own matrix, if that is right)")
    assert said["once"].endswith("(charged once in an assignment)")
    assert said["later"].endswith("(earns points where free holds)")


def test_what_is_built_upon_and_what_is_graded_by_hand_is_said():
    question = WrittenQuestion(name="why", points=Fraction(5))
    page = page_on(an_exercise(builds_on=("softmax",)), points=1, written=(question,))
    assert "It may call `softmax`" in page
    assert "1 point graded automatically, 5 more graded by hand." in page
    assert "### `twice`: 1 point\n" in page


def test_a_table_of_contents_leads_to_every_exercise():
    page = page_on(an_exercise())
    (anchor,) = re.findall(r"\(#([^)]+)\)", page)
    assert anchor == "twice-10-points"


def test_neither_cases_nor_seed_are_in_the_page():
    """Only records are read: a reference that can't be called makes the same page."""
    blind = {n: replace(e, reference=SimpleNamespace()) for n, e in EXERCISES.items()}  # type: ignore[arg-type]
    listed = [Assignment(name="all", exercises=dict.fromkeys(EXERCISES, Fraction(1)))]
    assert catalogue_page(listed, blind) == catalogue_page(listed, EXERCISES)
