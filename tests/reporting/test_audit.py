"""The kill matrix on a terminal and as a page."""

from __future__ import annotations

from html.parser import HTMLParser
from io import StringIO

import pytest
from rich.console import Console

from autograder.reporting.audit import (
    AuditReport,
    ExerciseMatrix,
    Lost,
    MistakeRow,
    Survivor,
    Unneeded,
    WrongRecord,
    print_audit,
)
from autograder.reporting.html import audit_page

LAWS = ("matches_reference", "rows_sum_to_one", "keeps_zero", "a_fourth", "a_fifth", "a_sixth")


def row(mistake="unscaled", **changes):
    values = {
        "mistake": mistake,
        "share": 0.6,
        "paid": 0.6,
        "cost": 6.0,
        "named": ("matches_reference",),
        "caught": ("matches_reference", "a_sixth"),
        "diagnosed": (mistake,),
    }
    return MistakeRow(**(values | changes))


def matrix(*rows, **changes):
    values = {
        "laws": (*LAWS, "only_shown"),
        "weights": (50, 10, 10, 10, 10, 10, 0),
        "mistakes": rows or (row(),),
        "assignment": "self_attention",
        "max_score": 40.0,
        "right_answers": 3,
        "trivial": 9,
        "mutants": 20,
        "killed": 18,
        "equivalent": 2,
    }
    return ExerciseMatrix(**(values | changes))


def report(**changes):
    values = {"seed_id": "abc", "matrix": {"softmax": matrix()}, "seconds": 4.2}
    return AuditReport(**(values | changes))


def printed(audit):
    out = StringIO()
    print_audit(Console(file=out, width=120, markup=False, highlight=False, emoji=False), audit)
    return out.getvalue()


SURVIVOR = Survivor(
    exercise="softmax", answer="<b>zeros</b>", kind="trivial", reason="it earns [red]1[/red]."
)
LOST = Lost(exercise="softmax", answer="einsum", law="keeps_zero", message="It is 1, not 0.")
WRONG = WrongRecord(exercise="softmax", record="share of unscaled", reason="no one earns it.")


def test_the_signs_stand_under_the_numbers_of_their_laws():
    lines = printed(report()).splitlines()
    (heading,) = (line for line in lines if "share" in line and "paid" in line)
    (signs,) = (line for line in lines if line.strip().startswith("unscaled"))
    assert signs[heading.index("1     6")] == "X"
    assert signs[heading.index("1     6") + 6] == "x"
    assert "X.... x" in signs
    assert "1 matches_reference (50)" in printed(report())


def test_laws_that_are_only_shown_stand_in_the_page_alone():
    assert "only_shown" not in printed(report())
    assert "only_shown" in audit_page(report())


def test_a_clean_audit_says_so_and_tells_how_much_was_tried():
    text = printed(report())
    assert "clean: every wrong answer loses points" in text
    assert (
        "1 mistake, 1 of them diagnosed by name; 3 right answers; 9 trivial answers; 18 of 18"
        in (" ".join(text.split()))
    )
    assert "!" not in text


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"survivors": [SURVIVOR]}, "! softmax: trivial <b>zeros</b>: it earns [red]1[/red]."),
        ({"lost": [LOST]}, "! softmax: right answer einsum loses keeps_zero: It is 1, not 0."),
        ({"wrong_records": [WRONG]}, "! softmax: share of unscaled: no one earns it."),
    ],
)
def test_what_an_author_must_mend_is_a_line_each(changes, line):
    audit = report(**changes)
    assert not audit.clean
    assert line in printed(audit)
    assert "not clean: 1 of the lines above" in printed(audit)


def test_laws_that_no_mistake_needs_are_told_without_alarm():
    audit = report(unneeded=[Unneeded(exercise="softmax", law=law) for law in LAWS[1:3]])
    assert audit.clean
    assert "softmax: no known mistake needs rows_sum_to_one, keeps_zero." in printed(audit)


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.cells = [], "", []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_the_page_shows_every_mistake_by_every_law_and_needs_no_other_file():
    page = Page(audit_page(report(survivors=[SURVIVOR])))
    signs = [attrs for tag, attrs in page.tags if tag == "td" and "sign" in attrs.get("class", "")]
    assert [cell["title"] for cell in signs] == [
        f"unscaled, {law}" for law in (*LAWS, "only_shown")
    ]
    assert ("th", {"scope": "row"}) in page.tags
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.tags}


def test_text_in_the_page_is_escaped():
    page = Page(audit_page(report(survivors=[SURVIVOR])))
    assert "<b>zeros</b>" in page.text
    assert SURVIVOR.answer not in audit_page(report(survivors=[SURVIVOR]))


def test_the_page_is_readable_without_colour():
    page = Page(audit_page(report()))
    assert "X" in page.text.split("unscaled", 1)[1]
