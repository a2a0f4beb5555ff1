"""A course in which laws and ordinary test cells stand side by side."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest

from tests.nbgrader_plugin.classroom import (
    Json,
    add_first,
    autograde,
    autograded,
    cell,
    grade,
    hand_in,
    nbgrader_api,
    notebook,
    outputs,
    recorded,
    result,
    run,
)

pytestmark = pytest.mark.slow

WARMUP = "warmup"  # laws and ordinary cells in one notebook
COUNTING = "counting"  # ordinary cells alone
DOUBLE_TEST = """np.testing.assert_allclose(double(2), 4)
### BEGIN HIDDEN TESTS
np.testing.assert_allclose(double(3), 6, err_msg="the hidden three")
### END HIDDEN TESTS
"""
PARTIAL_TEST = "sum(double(k) == 2 * k for k in range(4))"
LAW_TEST = """assert softmax(np.zeros(1)) == 1
### BEGIN HIDDEN TESTS
from autograder import grade
grade("softmax", softmax)
### END HIDDEN TESTS
"""
RIGHT = "def double(x):\n    return 2 * x"


def solution(name: str, stub: str) -> Json:
    source = f"### BEGIN SOLUTION\n{stub}\n### END SOLUTION"
    return _flagged(f"{name}-solution", source, solution=True)


def scored(name: str, source: str, points: float) -> Json:
    return _flagged(name, source, grade=True, locked=True, points=points)


def _flagged(grade_id: str, source: str, **flags: object) -> Json:
    off = {"grade": False, "solution": False, "locked": False, "task": False}
    made: Json = nbformat.v4.new_code_cell(source, id=grade_id)
    made["metadata"]["nbgrader"] = off | {"schema_version": 3, "grade_id": grade_id} | flags
    return made


def write_source(root: Path, name: str, cells: list[Json]) -> None:
    folder = root / "source" / name
    folder.mkdir(parents=True)
    imports = nbformat.v4.new_code_cell("import numpy as np", id="imports")
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nb = nbformat.v4.new_notebook(cells=[imports, *cells], metadata={"kernelspec": kernel})
    nbformat.write(nb, folder / f"{name}.ipynb")


@pytest.fixture(scope="module")
def mixed(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with two more assignments, of which no catalogue knows."""
    root = tmp_path_factory.mktemp("mixed") / "course"
    shutil.copytree(released, root)
    ordinary = [solution("double", RIGHT), scored("double", DOUBLE_TEST, 3)]
    partial = scored("partial", PARTIAL_TEST, 4)
    law = [solution("softmax", "pass"), scored("softmax", LAW_TEST, 10)]
    write_source(root, WARMUP, [*ordinary, partial, *law])
    write_source(root, COUNTING, [solution("double", RIGHT), partial])
    for name in (WARMUP, COUNTING):
        done = nbgrader_api(root).generate_assignment(name)
        assert done["success"], done
    return root


WRONG = "def double(x):\n{trick}\n    return x"
HOOK = "    import sys\n    sys.displayhook({value})"
SILENCER = """
def silence(lines):
    return ["pass"]

get_ipython().input_transformers_post.append(silence)
"""
PATCH = "import numpy as np\nnp.testing.assert_allclose = lambda *args, **options: None"
SUBMISSIONS: dict[str, tuple[str, str]] = {
    # what stands in the solution cell, and in a cell in front of all others
    "right": (RIGHT, ""),
    "warns": (f"import sys\n{RIGHT.replace('return', 'print(1, file=sys.stderr); return')}", ""),
    "wrong": ("def double(x):\n    return x", ""),
    "minus_one": (WRONG.format(trick=HOOK.format(value=-1)), ""),
    "not_a_number": (WRONG.format(trick=HOOK.format(value="float('nan')")), ""),
    "thousand": (WRONG.format(trick=HOOK.format(value=1000)), ""),
    "exits": ("import os\ndef double(x):\n    os._exit(0)", ""),
    "silences": ("def double(x):\n    return x", SILENCER),
    "patches": ("def double(x):\n    return x", PATCH),
}


def submission(root: Path, answer: str, first: str) -> Json:
    nb = notebook(root, {"double": answer}, name=WARMUP)
    return add_first(nb, first) if first else nb


@pytest.fixture(scope="module")
def graded(mixed: Path) -> Path:
    for student, (answer, first) in SUBMISSIONS.items():
        hand_in(mixed, student, submission(mixed, answer, first), name=WARMUP)
    summary = grade(mixed, WARMUP)
    assert [r.student for r in summary.results] == sorted(SUBMISSIONS)
    flagged = {item.student for item in summary.ungraded}
    assert flagged == {"silences", "patches"}
    return mixed


@pytest.mark.parametrize(
    ("student", "double", "partial"),
    [
        ("right", 3.0, 4.0),
        ("warns", 3.0, 4.0),
        ("wrong", 0.0, 1.0),
        ("minus_one", 0.0, 1.0),
        ("not_a_number", 0.0, 1.0),
        ("thousand", 0.0, 1.0),
        ("exits", 0.0, 0.0),
    ],
)
def test_an_ordinary_cell_earns_what_it_shows_and_a_law_is_not_touched(
    graded: Path, student: str, double: float, partial: float
) -> None:
    kept = recorded(graded, student, name=WARMUP)
    assert kept.scores == {"double": double, "partial": partial, "softmax": 10.0}
    assert kept.flagged == frozenset()


@pytest.mark.parametrize("student", ["silences", "patches"])
def test_after_tampering_a_person_decides(graded: Path, student: str) -> None:
    kept = recorded(graded, student, name=WARMUP)
    assert kept.scores["double"] is None
    assert kept.flagged == {"double", "partial"}


def test_the_report_calls_an_ordinary_cell_forgeable_and_says_why_it_failed(graded: Path) -> None:
    shown = outputs(graded, "wrong", "double", name=WARMUP)
    assert "AssertionError" in shown
    assert "its score can be forged" in shown
    notes = result(graded, "right", name=WARMUP).notes
    assert any("double is an ordinary test cell (3 of 3 points)" in note for note in notes)
    assert "forged" not in outputs(graded, "right", "softmax", name=WARMUP)


def test_the_total_holds_laws_and_ordinary_cells(graded: Path) -> None:
    found = result(graded, "wrong", name=WARMUP)
    assert (found.score, found.max_score) == (11.0, 17.0)
    assert [exercise.name for exercise in found.exercises] == ["softmax"]


@pytest.mark.parametrize("student", ["wrong", "thousand", "silences"])
def test_both_ways_agree_on_ordinary_cells(graded: Path, student: str) -> None:
    before = recorded(graded, student, name=WARMUP)
    written = autograded(graded, student, name=WARMUP).read_bytes()
    autograde(graded, student, name=WARMUP)
    assert recorded(graded, student, name=WARMUP) == before
    assert autograded(graded, student, name=WARMUP).read_bytes() == written


def test_feedback_hides_the_hidden_lines_of_an_ordinary_cell(graded: Path) -> None:
    done = nbgrader_api(graded).generate_feedback(WARMUP, "wrong")
    assert done["success"], done
    html = (graded / "feedback" / "wrong" / WARMUP / f"{WARMUP}.html").read_text()
    assert "AssertionError" in html
    assert "HIDDEN" not in html
    assert "err_msg" not in html


def test_an_assignment_of_ordinary_cells_alone_is_graded_both_ways(mixed: Path) -> None:
    half = "def double(x):\n    return 2 * x if x < 2 else 0"
    hand_in(mixed, "ada", notebook(mixed, {"double": half}, name=COUNTING), name=COUNTING)
    done = run(mixed, "autograder", "grade", COUNTING, "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["results"]
    assert (found["score"], found["max_score"], found["exercises"]) == (2.0, 4.0, [])
    assert recorded(mixed, "ada", name=COUNTING).scores == {"partial": 2.0}
    autograde(mixed, "ada", name=COUNTING)
    assert recorded(mixed, "ada", name=COUNTING).scores == {"partial": 2.0}


def test_a_deleted_ordinary_cell_is_put_back_and_scored(mixed: Path) -> None:
    nb = notebook(mixed, {"double": RIGHT}, name=COUNTING)
    nb["cells"].remove(cell(nb, "partial"))
    hand_in(mixed, "eve", nb, name=COUNTING)
    grade(mixed, COUNTING, students=["eve"])
    assert recorded(mixed, "eve", name=COUNTING).scores == {"partial": 4.0}
