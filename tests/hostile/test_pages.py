"""Hostile text is harmless where people read it: in a browser, in a terminal."""

from __future__ import annotations

import io
import re
import warnings

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbconvert.exporters.exporter import ResourcesDict
from rich.console import Console

from autograder.nbgrader_plugin.feedback import RedactFeedback
from autograder.reporting.terminal import class_tables, submission_report
from autograder.reporting.text import exercise_report
from tests.hostile.arena import Arena
from tests.hostile.attacks import display
from tests.hostile.attacks.display import ATTACKS

SHOWN = [attack for attack in ATTACKS if "forever" not in attack.name and "fig" not in attack.name]
_RUNS = re.compile(
    r"<script>alert|<img src=x|<iframe src=javascript|<svg onload|href=\"javascript:", re.IGNORECASE
)


@pytest.fixture(scope="module", params=SHOWN, ids=lambda attack: attack.name)
def graded(request, arena: Arena):
    found, _ = arena.fight(request.param)
    assert found is not None
    assert found.result is not None
    return found


def page(notebook: nbformat.NotebookNode) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbconvert remarks on ids and on missing alt texts
        text, _ = HTMLExporter().from_notebook_node(notebook)
    return str(text)


def test_the_feedback_page_runs_nothing_of_a_students(graded):
    made = nbformat.reads(graded.notebook.decode(), as_version=4)
    made, _ = RedactFeedback().preprocess(made, ResourcesDict())
    assert not _RUNS.findall(page(made))


def test_no_code_cell_of_the_autograded_page_runs_anything(graded):
    made = nbformat.reads(graded.notebook.decode(), as_version=4)
    made.cells = [cell for cell in made.cells if cell.cell_type == "code"]
    assert not _RUNS.findall(page(made))


def test_no_text_cell_of_the_autograded_page_runs_anything(arena):
    attack = next(attack for attack in ATTACKS if attack.name == "script_in_a_text_cell")
    found, _ = arena.fight(attack)
    assert not _RUNS.findall(page(nbformat.reads(found.notebook.decode(), as_version=4)))


def test_a_terminal_shows_hostile_text_as_text(graded):
    out = Console(
        file=io.StringIO(), force_terminal=True, markup=False, highlight=False, width=10_000
    )
    submission_report(out, "mallory", graded.result)
    class_tables(out, "self_attention", [graded.result])
    text = out.file.getvalue()
    shown = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b" not in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


def test_markup_in_a_message_is_printed_as_it_was_written(arena):
    attack = next(attack for attack in ATTACKS if attack.name == "exception_with_markup")
    found, _ = arena.fight(attack)
    report = exercise_report(found.result.exercises[0])
    assert "[bold red]rich[/]" in report
    assert "[link=file:///etc/passwd]" in report


def test_a_comment_can_be_shown_as_markdown_or_html(graded):
    for comment in graded.comments.values():
        assert not re.search(r"[<>]|\]\(", comment)


def test_the_script_does_reach_the_page_where_nothing_cleans_it():
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(display.SCRIPT, id="text")]
    )
    assert _RUNS.findall(page(made))
