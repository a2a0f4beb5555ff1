"""A callable that an assignment forbids raises when it is called, however the source spells it."""

from __future__ import annotations

import dataclasses

import pytest

from autograder.results import Status
from tests.grading.test_submission import RIGHT, a_plan, run

SPELLINGS = [
    "import numpy as np\ndef twice(x):\n    return np.add(x, x)",
    "from numpy import add as plus\ndef twice(x):\n    return plus(x, x)",
    "import importlib\ndef twice(x):\n"
    "    return getattr(importlib.import_module('num' + 'py'), 'a' + 'dd')(x, x)",
]


@pytest.fixture(scope="module")
def banning():
    plan = a_plan()
    assignment = dataclasses.replace(plan.assignment, banned_callables=frozenset({"numpy.add"}))
    return dataclasses.replace(plan, assignment=assignment)


@pytest.mark.parametrize("source", SPELLINGS)
def test_a_banned_callable_earns_nothing_and_is_named(banning, source):
    result = run(banning, source).result
    assert result.score == 0
    law = result.exercises[0].properties[0]
    assert law.status is Status.EXCEPTION
    assert "numpy.add may not be used in this assignment" in law.message


@pytest.mark.parametrize("source", SPELLINGS)
def test_nothing_is_banned_where_the_assignment_bans_nothing(source):
    assert run(a_plan(), source).result.score == 10


def test_an_answer_without_it_keeps_full_marks_and_its_cell_numbers(banning):
    checked = run(banning, RIGHT, "1 / 0")
    assert checked.result.score == 10
    assert any(note.startswith("Cell 2 raised") for note in checked.result.notes)
    assert set(checked.outputs) == {0, 1}


def test_naming_a_banned_callable_in_a_text_is_no_use_of_it(banning):
    assert run(banning, RIGHT + "  # numpy.add would do as well").result.score == 10


def test_a_banned_name_that_does_not_exist_harms_nothing():
    plan = a_plan()
    names = frozenset({"numpy.no_such_thing", "no_such_module.f"})
    assignment = dataclasses.replace(plan.assignment, banned_callables=names)
    assert run(dataclasses.replace(plan, assignment=assignment), RIGHT).result.score == 10
