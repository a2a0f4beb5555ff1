"""Which assignment a notebook belongs to, and what `check` makes of it without a gradebook."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from autograder import checking
from autograder.checking import check_notebooks, which_assignment
from autograder.course import Course, UsageError, assignment_named
from autograder.exercise import Assignment
from autograder.notebook import Notebook, write
from tests.submissions import (
    FULL_MARKS,
    RELEASE,
    code,
    edited,
    make_course,
    right,
    scores,
    submission,
)

PATH = Path("homework.ipynb")


def by_hand(*sources: str) -> Notebook:
    """A notebook that was started from nothing."""
    return Notebook(cells=[code(source) for source in sources])


def test_a_notebook_is_known_by_its_cells():
    assert which_assignment(submission(), PATH) == "self_attention"


def test_a_notebook_without_its_cells_is_known_by_its_file_name():
    assert which_assignment(by_hand("x = 1"), Path("self_attention.ipynb")) == "self_attention"


def test_a_notebook_is_known_by_its_functions_last():
    assert which_assignment(by_hand("def causal_mask(n): pass"), PATH) == "self_attention"


def test_an_unknown_notebook_is_refused():
    with pytest.raises(UsageError, match="is no notebook of a known assignment"):
        which_assignment(by_hand("x = 1"), PATH)


@pytest.fixture
def two_assignments(monkeypatch) -> None:
    """A course that uses one exercise in two assignments."""
    other = Assignment(name="revision", exercises={"softmax": Fraction(3)})
    both = {"self_attention": assignment_named("self_attention"), "revision": other}
    monkeypatch.setattr(checking, "load_assignments", lambda: both)


@pytest.mark.usefixtures("two_assignments")
def test_a_notebook_that_fits_two_assignments_asks_which():
    with pytest.raises(UsageError, match=r"self_attention or revision.* --assignment NAME"):
        which_assignment(by_hand("def softmax(z): pass"), PATH)


@pytest.mark.usefixtures("two_assignments")
def test_cells_that_only_one_assignment_has_decide():
    def without_softmax(cells):
        cells[:] = [c for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") != "softmax"]

    assert which_assignment(edited(without_softmax), PATH) == "self_attention"


@pytest.mark.slow
def test_functions_are_graded_by_name_where_there_is_no_release(tmp_path):
    path = tmp_path / "homework.ipynb"
    path.write_bytes(write(by_hand("import numpy as np", *map(right, FULL_MARKS))))
    course = Course.nowhere().with_settings(seed=None, sandbox="rlimit")
    (result,) = check_notebooks([path], course, None)
    assert scores(result) == FULL_MARKS
    assert any("graded by their names" in note for note in result.notes)


@pytest.mark.slow
def test_the_last_definition_of_a_function_counts(tmp_path):
    course = make_course(tmp_path / "course")
    path = course.root / "self_attention.ipynb"
    stub = "def causal_mask(n):\n    return np.ones((n, n))"
    path.write_bytes(
        write(edited(lambda cells: cells.append(code(right("causal_mask"))), causal_mask=stub))
    )
    (result,) = check_notebooks([path], course, "self_attention")
    assert scores(result) == FULL_MARKS


def test_every_file_is_read_before_the_first_one_runs(tmp_path):
    course = make_course(tmp_path / "course")
    path = course.root / "self_attention.ipynb"
    path.write_bytes(RELEASE)
    with pytest.raises(UsageError, match="There is no file"):
        check_notebooks([path, tmp_path / "nowhere.ipynb"], course, None)
    assert list(course.corpora.iterdir()) == []
