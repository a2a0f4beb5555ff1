"""Ordinary test cells: nbgrader's own rule for their points, less its holes."""

from __future__ import annotations

import pytest

from autograder.exercise import Budgets
from autograder.grading import plain_tests
from autograder.grading.plain_tests import points_for
from autograder.notebook import Notebook, Skeleton, read, rebuild
from autograder.results import CellGrade, Status
from autograder.worker.client import Cell, CellRun, Session
from autograder.worker.isolation import choose
from tests.notebook.builders import code, data, flags, notebook, release

POINTS = 4.0


def ran(*outputs: dict, status: Status = Status.PASSED, tampered: bool = False) -> CellRun:
    return CellRun(0, status, outputs, tampered=tampered)


def printed(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def evaluated(text: object) -> dict:
    return {"output_type": "execute_result", "data": {"text/plain": text}}


RAISED = {"output_type": "error", "ename": "AssertionError", "evalue": "", "traceback": []}


@pytest.mark.parametrize(
    ("run", "points"),
    [
        (ran(), 4.0),
        (ran(printed("looks good")), 4.0),
        (ran(printed("a warning", "stderr")), 4.0),
        (ran(RAISED), 0.0),
        (ran(evaluated("3"), RAISED), 0.0),
        (ran(evaluated("2.5")), 2.5),
        (ran(evaluated(["2", ".5"])), 2.5),
        (ran(evaluated("0")), 0.0),
        (ran(evaluated("1000")), 4.0),
        (ran(evaluated("-1")), 0.0),
        (ran(evaluated("'done'")), 4.0),
        (ran(evaluated("nan")), 4.0),
        (ran(evaluated("1"), evaluated("'done'")), 1.0),
        (ran(evaluated("4"), evaluated("1")), 1.0),
        (ran({"output_type": "display_data", "data": {"text/plain": "1"}}), 4.0),
        (ran(status=Status.TIMEOUT), 0.0),
        (ran(status=Status.CRASHED), 0.0),
        (ran(evaluated("3"), status=Status.EXCEPTION), 0.0),
        (ran(tampered=True), None),
        (ran(evaluated("nan"), tampered=True), None),
        (ran(evaluated("4"), tampered=True), None),
        (ran(RAISED, tampered=True), 0.0),
    ],
)
def test_the_points_of_a_cell_follow_from_how_it_ran(run, points):
    assert points_for(run, POINTS) == points


# -- in a worker -----------------------------------------------------------------------------------

TESTS = {
    "passes": "assert answer() == 42",
    "fails": "assert answer() == 43",
    "prints": "import sys\nprint('hm', file=sys.stderr)\nassert answer()",
    "partial": "assert answer()\n1.5",
}


def mixed_release() -> Skeleton:
    """A release whose scored cells are one exercise's and four ordinary ones."""
    cells = [
        flags(name, code(source, name), points=POINTS, grade=True, locked=True)
        for name, source in TESTS.items()
    ]
    solution = flags("answer-solution", code("def answer(): ...", "answer"), solution=True)
    softmax = flags("softmax", code("1 / 0", "softmax"), points=10, grade=True, locked=True)
    return Skeleton.from_release(data(notebook(solution, softmax, *cells)))


def run_in_a_worker(nb: Notebook, skeleton: Skeleton | None, *sources: str):
    launcher = choose("rlimit").launcher()
    cells = [Cell(index=i, source=source) for i, source in enumerate(sources)]
    budgets = Budgets(cell_seconds=2.0)
    with Session(
        launcher, cells, ["softmax"], budgets=budgets, allowed_imports=["numpy"]
    ) as session:
        session.load()
        return plain_tests.run(nb, skeleton, ["softmax"], session)


def test_every_ordinary_cell_is_scored_and_called_forgeable():
    skeleton = mixed_release()
    submitted = read(data(notebook(*[{**c} for c in json_cells(skeleton)])))
    rebuilt = rebuild(submitted, skeleton).notebook
    found = run_in_a_worker(rebuilt, skeleton, "def answer():\n    return 42")
    assert found.grades == {
        "passes": CellGrade(score=4.0, max_score=4.0),
        "fails": CellGrade(score=0.0, max_score=4.0),
        "prints": CellGrade(score=4.0, max_score=4.0),
        "partial": CellGrade(score=1.5, max_score=4.0),
    }
    assert len(found.notes) == len(TESTS)
    assert all("can be forged" in note for note in found.notes)
    assert sorted(found.outputs) == [2, 3, 4, 5]


def json_cells(skeleton: Skeleton) -> list[dict]:
    return [
        {
            "cell_type": c.cell.cell_type,
            "source": c.cell.source,
            "metadata": c.cell.metadata,
            "id": c.cell.id,
        }
        for c in skeleton.cells
    ]


def test_a_course_of_exercises_alone_has_no_ordinary_cell():
    skeleton = Skeleton.from_release(data(release()))
    rebuilt = rebuild(read(data(release())), skeleton).notebook
    launcher = choose("rlimit").launcher()
    with Session(launcher, [], [], budgets=Budgets(), allowed_imports=[]) as session:
        found = plain_tests.run(rebuilt, skeleton, ["softmax", "causal_mask"], session)
    assert (found.grades, found.outputs, found.notes) == ({}, {}, [])


def test_without_a_release_no_cell_is_a_test():
    found = run_in_a_worker(Notebook(cells=[]), None)
    assert found.grades == {}
