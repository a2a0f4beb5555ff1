from __future__ import annotations

import json
import pickle

import pytest

from autograder.notebook import (
    CellFacts,
    NotebookError,
    Role,
    Skeleton,
    assignment_of,
    read,
    rebuild,
    runnable,
    without_skeleton,
    write,
)
from tests.notebook.builders import (
    GRADE_IDS,
    SKELETON,
    code,
    data,
    find,
    flags,
    markdown,
    notebook,
    release,
    solved,
)

POINTS = {"softmax": 10, "causal_mask": 5, "why-scale": 5}


def by_id(skeleton=SKELETON):
    return {slot.cell.id: slot for slot in skeleton.cells}


def test_cells_know_their_roles():
    roles = {name: slot.role for name, slot in by_id().items()}
    assert roles == {
        "title": Role.PLAIN,
        "imports": Role.LOCKED,
        "generator": Role.PLAIN,
        "softmax-solution": Role.SOLUTION,
        "softmax": Role.TEST,
        "demonstration": Role.PLAIN,
        "causal_mask-solution": Role.SOLUTION,
        "causal_mask": Role.TEST,
        "rules": Role.LOCKED,
        "why-scale": Role.WRITTEN,
    }


@pytest.mark.parametrize("locked", [True, False])
def test_task_gives_the_release_back_only_if_it_is_locked(locked):
    task = flags("task", markdown("Draw.", "task"), task=True, locked=locked, points=3)
    skeleton = Skeleton.from_release(data(notebook(task)))
    assert skeleton.cells[0].role is Role.TASK
    task["source"] = "My drawing"
    (found,) = rebuild(read(data(notebook(task))), skeleton).notebook.cells
    assert found.source == ("Draw." if locked else "My drawing")


def test_only_the_tag_demo_makes_a_demonstration():
    assert [name for name, slot in by_id().items() if slot.demo] == ["demonstration"]
    odd = notebook(code("", "a", tags="demo"), code("", "b", tags={"demo": 1}), code("", "c"))
    assert not any(slot.demo for slot in Skeleton.from_release(data(odd)).cells)


def test_stub_knows_the_functions_to_write():
    assert by_id()["softmax-solution"].functions == {"softmax"}
    assert by_id()["softmax"].functions == by_id()["generator"].functions == frozenset()


def test_release_with_a_grade_id_twice_is_refused():
    document = release()
    find(document["cells"], "causal_mask")["metadata"]["nbgrader"]["grade_id"] = "softmax"
    with pytest.raises(NotebookError, match="two cells with the grade_id 'softmax'"):
        Skeleton.from_release(data(document))


def test_release_without_cell_ids_gets_valid_repeatable_ones():
    document = release()
    for cell in document["cells"]:
        cell["id"] = "not valid!"
    first, second = (Skeleton.from_release(data(document)) for _ in range(2))
    ids = [slot.cell.id for slot in first.cells]
    assert ids == [slot.cell.id for slot in second.cells]
    assert len(set(ids)) == len(ids)


def test_flag_block_of_an_ordinary_cell_is_dropped():
    document = notebook(flags("nothing", code("x = 1", "a")))
    (slot,) = Skeleton.from_release(data(document)).cells
    assert (slot.role, slot.grade_id, slot.cell.metadata) == (Role.PLAIN, None, {})


def test_skeleton_travels_to_another_process():
    assert pickle.loads(pickle.dumps(SKELETON)) == SKELETON  # noqa: S301 - our own bytes


# -- against the gradebook -------------------------------------------------------------------------


def fact(**changed):
    known = {"cell_type": "code", "source": "hidden", "checksum": "c" * 32, "locked": True}
    return CellFacts(**(known | changed))


def test_gradebook_gives_source_points_and_checksum_of_a_test():
    facts = {"softmax": fact(grade=True, points=12.0)}
    slot = by_id(Skeleton.from_release(data(release()), facts))["softmax"]
    assert slot.cell.source == "hidden"
    assert slot.cell.metadata["nbgrader"]["points"] == 12.0
    assert slot.cell.metadata["nbgrader"]["checksum"] == "c" * 32
    assert (slot.released, slot.released_points) == ("assert softmax([0.0]) == 1", 10.0)


def test_gradebook_gives_no_source_of_a_cell_that_students_edit():
    facts = {"softmax-solution": fact(locked=False, solution=True, source="the solution")}
    slot = by_id(Skeleton.from_release(data(release()), facts))["softmax-solution"]
    assert "raise NotImplementedError" in slot.cell.source
    assert slot.cell.metadata["nbgrader"]["checksum"] == "c" * 32


def test_points_that_agree_keep_the_releases_spelling():
    facts = {"softmax": fact(grade=True, points=10.0)}
    slot = by_id(Skeleton.from_release(data(release()), facts))["softmax"]
    assert b'"points": 10,' in json.dumps(slot.cell.metadata["nbgrader"]).encode()


def test_lock_of_the_gradebook_is_put_on_an_ordinary_cell():
    document = notebook(flags("data", code("x = 1", "data")))
    document["cells"][0]["metadata"]["nbgrader"]["solution"] = True
    facts = {"data": fact(checksum=None, source="x = 2")}
    (slot,) = Skeleton.from_release(data(document), facts).cells
    assert (slot.cell.source, slot.cell.metadata["nbgrader"]["locked"]) == ("x = 2", True)
    assert len(slot.cell.metadata["nbgrader"]["checksum"]) == 32


def test_test_without_a_lock_of_its_own_gives_honest_work_no_note():
    document = solved()
    find(document["cells"], "softmax")["metadata"]["nbgrader"]["locked"] = False
    facts = {"softmax": fact(grade=True, points=10.0)}
    skeleton = Skeleton.from_release(data(document), facts)
    assert rebuild(read(data(document)), skeleton).notes == ()


def test_unchanged_test_is_recognised_beside_the_gradebooks_hidden_one():
    skeleton = Skeleton.from_release(data(release()), {"softmax": fact(grade=True, points=10.0)})
    found = rebuild(read(data(solved())), skeleton)
    assert found.notes == ()
    again = rebuild(read(write(found.notebook)), skeleton)
    assert again.notes == ()
    assert write(again.notebook) == write(found.notebook)


def test_release_that_agrees_with_the_gradebook_has_no_mismatch():
    assert SKELETON.mismatch(POINTS) is None
    assert SKELETON.mismatch({name: float(value) for name, value in POINTS.items()}) is None


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (POINTS | {"softmax": 12.0}, "'softmax' is worth 10.0 points in the release, but 12.0"),
        (POINTS | {"gelu": 1.0}, "The gradebook scores a cell 'gelu' that the release lacks."),
        ({"softmax": 10.0}, "The release scores a cell 'causal_mask' that the gradebook lacks."),
    ],
)
def test_mismatch_is_one_sentence_and_a_remedy(points, message):
    found = SKELETON.mismatch(points)
    assert message in found
    assert found.endswith("Generate the assignment again.")


def test_mismatch_is_told_from_the_release_and_not_from_what_the_gradebook_put_there():
    skeleton = Skeleton.from_release(data(release()), {"softmax": fact(grade=True, points=12.0)})
    assert skeleton.mismatch(POINTS | {"softmax": 12.0}) is not None


# -- what is run -----------------------------------------------------------------------------------


def test_tests_and_demonstrations_are_not_run():
    found = rebuild(read(data(solved())), SKELETON).notebook
    ran = [found.cells[index].id for index, _ in runnable(found, SKELETON)]
    assert ran == ["imports", "generator", "softmax-solution", "causal_mask-solution"]
    assert all(found.cells[i].source == source for i, source in runnable(found, SKELETON))


def test_students_demo_tag_does_not_keep_a_cell_from_running():
    document = solved()
    find(document["cells"], "softmax-solution")["metadata"]["tags"] = ["demo"]
    document["cells"].append(code("x = 1", "a", tags=["demo"]))
    found = rebuild(read(data(document)), SKELETON).notebook
    assert [source for _, source in runnable(found, SKELETON)][-1] == "x = 1"
    assert len(runnable(found, SKELETON)) == 5


def test_without_a_release_everything_but_test_cells_is_run():
    document = solved()
    document["cells"].append(
        flags("merged", code("def helper(): ...", "merged"), grade=True, points=100)
    )
    found = without_skeleton(read(data(document))).notebook
    ran = [source for _, source in runnable(found, None)]
    tests = {find(document["cells"], name)["source"] for name in ("softmax", "causal_mask")}
    codes = [cell["source"] for cell in document["cells"] if cell["cell_type"] == "code"]
    assert ran == [source for source in codes if source not in tests]


def test_assignments_are_told_apart_by_grade_ids():
    assert assignment_of(read(data(solved()))) == set(GRADE_IDS) == SKELETON.grade_ids
    assert assignment_of(read(data(notebook(code("x", "a", nbgrader={"grade_id": 1}))))) == set()
