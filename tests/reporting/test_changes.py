"""Changes of scores: counted, sorted, shown."""

from __future__ import annotations

import pytest
from rich.console import Console

from autograder.reporting.changes import Comparison, OnRecord, ScoreChange, print_changes, totals


def change(old: float | None, new: float | None, **more: object) -> ScoreChange:
    return ScoreChange(student="ada", exercise="softmax", old=old, new=new, **more)


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (1.0, 2.0, "up"),
        (2.0, 1.0, "down"),
        (0.0, 0.5, "up"),
        (None, 0.0, "first"),
        (1.0, None, "person"),
    ],
)
def test_a_change_knows_its_direction(old, new, direction):
    assert change(old, new).direction == direction


def test_only_cells_of_the_run_are_compared_and_equal_scores_counted():
    compared = Comparison()
    before = {"a": OnRecord(1.0), "b": OnRecord(2.0, manual=3.0), "c": OnRecord(9.0)}
    found = compared.add("ada", before, {"a": 1.0, "b": 1.0, "d": 0.0})
    assert found == compared.changes
    assert [(c.exercise, c.old, c.new, c.manual) for c in found] == [
        ("b", 2.0, 1.0, 3.0),
        ("d", None, 0.0, None),
    ]
    assert compared.same == 1


def test_the_totals_count_every_kind():
    found = [change(1.0, 2.0), change(2.0, 1.0), change(None, 1.0), change(1.0, None)]
    assert totals(found[:2], 3) == "5 scores: 1 up, 1 down, 3 same."
    assert totals(found, 0) == (
        "4 scores: 1 up, 1 down, 1 given for the first time, 1 left to a person, 0 same."
    )


def printed(compared: Comparison) -> str:
    out = Console(width=100, record=True, quiet=False, file=None, force_terminal=False)
    with out.capture() as caught:
        print_changes(out, "what would change", compared)
    return caught.get()


def test_first_scores_are_counted_not_listed():
    compared = Comparison([change(None, 1.0)], same=0)
    assert printed(compared) == "1 score: 0 up, 0 down, 1 given for the first time, 0 same.\n"


def test_a_row_says_what_hides_the_change_and_reads_no_markup():
    hidden = ScoreChange(student="[red]eve", exercise="softmax", old=7.0, new=7.5, manual=8.0)
    shown = printed(Comparison([hidden, change(3.0, None)], same=2))
    assert "[red]eve" in shown
    assert "up 0.5; hidden by the manual score 8" in shown
    assert "none" in shown
    assert "left to a person" in shown
