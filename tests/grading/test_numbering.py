"""People read the cell numbers of the student's own file, whatever was put back or moved."""

from __future__ import annotations

import pytest

from autograder.grading.numbering import indices_for_people
from autograder.notebook import Cell, Notebook
from autograder.worker.wire import RELEASED_CELLS, cell_name
from tests.submissions import checked, code, edited, make_course, of

NOTEBOOK = Notebook(cells=[Cell(cell_type="code") for _ in range(4)])


def test_a_cell_has_the_number_of_the_submission_and_one_that_was_put_back_has_none():
    indices = indices_for_people(NOTEBOOK, [2, None, 1, 7])
    assert [cell_name(index) for index in indices] == [
        "cell 2",
        "a cell of the release",
        "cell 1",
        "cell 7",
    ]


def test_every_cell_has_an_index_of_its_own():
    indices = indices_for_people(NOTEBOOK, [3, 3, None, None])
    assert len(set(indices)) == 4
    assert indices[0] == 2
    assert min(indices[1:]) >= RELEASED_CELLS


@pytest.mark.parametrize("kept", [None, [], [1, 2], "1234", {"a": 1}, [1, 2, 3, 4, 5]])
def test_without_numbers_cells_are_counted_as_they_stand(kept):
    assert indices_for_people(NOTEBOOK, kept) == [0, 1, 2, 3]


@pytest.mark.parametrize("odd", [0, -1, "x", 2.5, 1 << 40])
def test_a_number_that_can_not_be_counts_as_none(odd):
    indices = indices_for_people(NOTEBOOK, [odd, 1, 2, 3])
    assert indices == [RELEASED_CELLS, 0, 1, 2]


@pytest.mark.slow
def test_reports_count_cells_as_the_student_does(tmp_path):
    course = make_course(tmp_path / "course", config="c.PropertyGrader.cases = 2\n")

    def edit(cells):
        """Merge text away in front, so that all numbers shift, and make two cells fail."""
        del cells[1:3]
        cells.insert(1, code("1 / 0"))
        for place, cell in enumerate(cells):
            if "def softmax" in cell.source:
                cell.source = "def softmax(z, axis=-1):\n    raise KeyError('a')"
                edit.place = place + 1

    result = checked(course, edited(edit))
    assert any(note.startswith("Cell 2 raised an exception in line 1") for note in result.notes)
    message = of(result, "softmax").properties[0].message
    assert f"raised KeyError: 'a' (cell {edit.place}, line 2)" in message


@pytest.mark.slow
def test_a_stub_that_was_put_back_is_called_a_cell_of_the_release(tmp_path):
    course = make_course(tmp_path / "course", config="c.PropertyGrader.cases = 2\n")

    def edit(cells):
        cells[:] = [cell for cell in cells if "def causal_mask" not in cell.source]

    message = of(checked(course, edited(edit)), "causal_mask").properties[0].message
    assert "(a cell of the release, line" in message
