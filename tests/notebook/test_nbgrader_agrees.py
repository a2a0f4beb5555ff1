"""What nbgrader itself makes of a rebuilt notebook: nothing is left for it to change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.notebook import CellFacts, Skeleton, read, rebuild, write
from tests.notebook.builders import code, copy_behind, data, find, flags, markdown, notebook, solved

pytestmark = pytest.mark.slow

SCRIPT = """
import json, pathlib, sys, warnings
warnings.simplefilter("ignore")  # SQLAlchemy's own
import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbgrader import preprocessors as steps
from nbgrader.api import Gradebook
folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
db_url = f"sqlite:///{folder}/gradebook.db"
if "SaveCells" in names:
    with Gradebook(db_url) as gradebook:
        gradebook.add_assignment("a")
for path in sorted(folder.glob("*.ipynb")):
    nb = nbformat.read(path, as_version=4)
    ids = {"notebook": "n", "assignment": "a", "db_url": db_url}
    resources = ResourcesDict(nbgrader=ids, unique_key="n")
    for name in names:
        nb, resources = getattr(steps, name)().preprocess(nb, resources)
    nbformat.write(nb, path)
with Gradebook(db_url) as gradebook:
    known = gradebook.find_notebook("n", "a")
    points = {c.name: c.max_score for c in (*known.grade_cells, *known.task_cells)}
    facts = {
        c.name: {
            "source": c.source, "cell_type": c.cell_type, "locked": c.locked,
            "checksum": c.checksum, "points": points.get(c.name),
        }
        for c in known.source_cells
    }
print(json.dumps(facts))
"""
GENERATE = [
    "LockCells ClearSolutions ClearOutput CheckCellMetadata ComputeChecksums SaveCells",
    "ClearHiddenTests ClearMarkScheme ComputeChecksums CheckCellMetadata",
]
SANITIZE = ["OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata"]
HIDDEN = "\n### BEGIN HIDDEN TESTS\nassert softmax([1.0]) == 1\n### END HIDDEN TESTS"
MARKS = "\n=== BEGIN MARK SCHEME ===\n5 for the variance\n=== END MARK SCHEME ==="


def run_nbgrader(
    folder: Path, files: dict[str, bytes], steps: list[str]
) -> tuple[dict[str, bytes], dict]:
    """Put notebooks through preprocessors; return them and what the gradebook then holds."""
    for name, file in files.items():
        (folder / f"{name}.ipynb").write_bytes(file)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # for alembic
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), *steps],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    made = {name: (folder / f"{name}.ipynb").read_bytes() for name in files}
    return made, json.loads(ran.stdout)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A released assignment: the folder, the release and the gradebook's facts."""
    document = solved()
    for name in ("softmax", "causal_mask"):
        work = find(document["cells"], f"{name}-solution")
        head, _, body = work["source"].partition("\n")
        work["source"] = f"{head}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION"
    find(document["cells"], "softmax")["source"] += HIDDEN
    find(document["cells"], "why-scale")["source"] += MARKS
    task = flags("task", markdown("Draw." + MARKS, "task"), task=True, locked=True, points=3)
    document["cells"].append(task)
    folder = tmp_path_factory.mktemp("course")
    made, facts = run_nbgrader(folder, {"release": data(document)}, " ".join(GENERATE).split())
    (folder / "release.ipynb").unlink()
    return folder, made["release"], {name: CellFacts(**known) for name, known in facts.items()}


@pytest.fixture(scope="module")
def sanitized(course):
    """Rebuilt submissions, and the honest one as it was handed in: before and after nbgrader."""
    folder, release, facts = course
    skeleton = Skeleton.from_release(release, facts)
    handed_in = submissions(release)
    before = {name: write(rebuild(read(f), skeleton).notebook) for name, f in handed_in.items()}
    before["as handed in"] = write(read(handed_in["honest"]))
    after, _ = run_nbgrader(folder, before, SANITIZE)
    return before, after


def submissions(release: bytes) -> dict[str, bytes]:
    """Submissions of that release whose structure was edited."""
    edited = {}
    for name in ("honest", "edited", "deleted", "duplicated", "stripped"):
        document = json.loads(release)
        cells = document["cells"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
        find(cells, "softmax-solution")["source"] = "def softmax(z):\n    return z"
        if name == "edited":
            test = find(cells, "softmax")
            test["source"] = "pass"
            test["metadata"]["nbgrader"] |= {"points": 99, "grade": False, "solution": True}
        elif name == "deleted":
            cells[:] = cells[:4]
        elif name == "duplicated":
            copy_behind(cells, "softmax")
            copy_behind(cells, "softmax-solution", "def softmax(z):\n    return 2 * z")
        elif name == "stripped":
            for cell in cells:
                cell["metadata"] = {}
        edited[name] = data(document)
    return edited


def test_release_agrees_with_its_gradebook(course):
    _, release, facts = course
    skeleton = Skeleton.from_release(release, facts)
    scored = {name: known.points for name, known in facts.items() if known.points is not None}
    assert scored == {"softmax": 10.0, "causal_mask": 5.0, "why-scale": 5.0, "task": 3.0}
    assert skeleton.mismatch(scored) is None


def test_hidden_tests_stand_in_the_rebuilt_notebook_and_not_in_the_release(course):
    _, release, facts = course
    assert b"HIDDEN" not in release
    found = rebuild(read(release), Skeleton.from_release(release, facts))
    assert found.notes == ()
    assert b"BEGIN HIDDEN TESTS" in write(found.notebook)


@pytest.mark.parametrize("name", ["honest", "edited", "deleted", "duplicated", "stripped"])
def test_overwrite_cells_has_nothing_left_to_change(sanitized, name):
    before, after = sanitized
    assert after[name] == before[name]


def test_overwrite_cells_would_have_changed_the_submission_itself(sanitized):
    before, after = sanitized
    assert after["as handed in"] != before["as handed in"]
    assert b"BEGIN HIDDEN TESTS" in after["as handed in"]


def test_notebook_of_another_assignment_shares_no_grade_id(course):
    _, release, _ = course
    other = read(data(notebook(flags("gelu", code("x", "a"), grade=True, points=1))))
    assert Skeleton.from_release(release).grade_ids.isdisjoint({"gelu"})
    assert rebuild(other, Skeleton.from_release(release)).numbers.count(None) == 11
