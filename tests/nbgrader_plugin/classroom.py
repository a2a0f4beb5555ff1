"""A class for tests: submissions made from the known answers, handed in, graded and looked up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, SubmittedNotebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.course import Course, read_config
from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell
from autograder.nbgrader_plugin.grade import GradeRun, Request, Summary
from autograder.notebook import read, write
from autograder.results import SubmissionResult, from_json
from autograder.sample import fill_in

REPOSITORY = Path(__file__).resolve().parents[2]
NAME = "self_attention"
EXERCISES = ("softmax", "self_attention_loop", "self_attention", "causal_mask")
FULL_MARKS = {"softmax": 10.0, "self_attention_loop": 10.0, "self_attention": 15.0} | {
    "causal_mask": 5.0
}
SETTINGS = """
c.PropertyGrader.sandbox = "rlimit"
c.PropertyGrader.seed = 7
c.PropertyGrader.cases = 4
c.PropertyGrader.time_limit = 0.4
c.PropertyGrader.shrink_evaluations = 20
"""

Json = dict[str, Any]


# -- answers and submissions -----------------------------------------------------------------------


def right_answers() -> dict[str, str]:
    """The first right answer to every exercise, as a cell's text."""
    known = load_exercises()
    return {name: source_for_cell(known[name].right_answers[0].answer, name) for name in EXERCISES}


def mistake(exercise: str, name: str) -> str:
    """A known mistake, as a cell's text."""
    found = next(m for m in load_exercises()[exercise].mistakes if m.name == name)
    return source_for_cell(found.answer, exercise)


def notebook(root: Path, changes: Mapping[str, str] | None = None, *, name: str = NAME) -> Json:
    """The release with right answers in it, but for `changes`: texts by exercise."""
    release = read((root / "release" / name / f"{name}.ipynb").read_bytes(), verbatim=True)
    filled: Json = json.loads(write(fill_in(release, right_answers() | dict(changes or {}))))
    return filled


def cell(nb: Json, grade_id: str) -> Json:
    """The cell of that grade_id."""
    found: Json = next(c for c in nb["cells"] if grade_id_of(c) == grade_id)
    return found


def grade_id_of(one: Json) -> str:
    """The grade_id of a cell, empty where it has none."""
    return str(one["metadata"].get("nbgrader", {}).get("grade_id", ""))


def code(source: str, cell_id: str = "extra") -> Json:
    """A code cell as a student adds it."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {},
        "outputs": [],
        "source": source,
    }


def add_first(nb: Json, source: str) -> Json:
    """Put a code cell in front of all others."""
    nb["cells"].insert(0, code(source))
    return nb


def hand_in(
    root: Path,
    student: str,
    content: Json | bytes,
    *,
    name: str = NAME,
    timestamp: str | None = None,
) -> Path:
    """Put a submission where nbgrader collects them."""
    folder = root / "submitted" / student / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    if timestamp is not None:
        (folder / "timestamp.txt").write_text(timestamp)
    return path


# -- grading ---------------------------------------------------------------------------------------


def grade(root: Path, name: str = NAME, **request: Any) -> Summary:
    """`autograder grade` in this process."""
    course = Course.find(root)
    assert course is not None
    with GradeRun(course, Request(assignment=name, **request)) as run:
        list(run.grade())
    return run.summary


def nbgrader_api(root: Path, changes: Config | None = None) -> NbGraderAPI:
    """nbgrader's own interface to a course, with the course's configuration and changes to it."""
    config = Config(read_config(root))
    config.CourseDirectory.root = str(root)
    config.merge(changes or Config())
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def autograde(root: Path, *students: str, name: str = NAME, changes: Config | None = None) -> None:
    """`nbgrader autograde --force` in this process."""
    api = nbgrader_api(root, changes)
    for student in students:
        with warnings.catch_warnings():
            # SQLAlchemy remarks on the order in which nbgrader builds a submission's rows
            warnings.simplefilter("ignore", SAWarning)
            done = api.autograde(name, student)
        assert done["success"], done


def run(root: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of ours or of nbgrader's in a process of its own, in the course folder."""
    return subprocess.run(
        arguments(*command),
        cwd=root,
        env=variables(root, **environment),
        capture_output=True,
        text=True,
        timeout=180,
    )


def arguments(*command: str) -> list[str]:
    """The command line with this interpreter's own scripts."""
    module = {"autograder": "autograder.cli"}.get(command[0], command[0])
    return [sys.executable, "-m", module, *command[1:]]


def variables(root: Path, **environment: str) -> dict[str, str]:
    """An environment in which Jupyter reads no settings of the person who tests."""
    nowhere = str(root / ".jupyter")
    own = dict.fromkeys(("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"), nowhere)
    # known answers that draw, tried in this process, leave their backend in its environment
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    return {**inherited, **own, "NO_COLOR": "1", **environment}


# -- what was recorded -----------------------------------------------------------------------------


def gradebook(root: Path) -> Any:
    """The gradebook of a course; a context manager. nbgrader's types do not fit its objects."""
    own = read_config(root).get("CourseDirectory", {}).get("db_url")
    return Gradebook(own or f"sqlite:///{root / 'gradebook.db'}", "attention")


@dataclass(frozen=True)
class Recorded:
    """What the gradebook holds on one submission."""

    scores: dict[str, float | None]
    flagged: frozenset[str]
    comments: dict[str, str | None]
    penalty: float | None
    score: float


def recorded(root: Path, student: str, *, name: str = NAME) -> Recorded:
    """Look a submission up in the gradebook."""
    with gradebook(root) as book:
        submitted = book.find_submission_notebook(name, name, student)
        return Recorded(
            scores={g.name: g.auto_score for g in submitted.grades},
            flagged=frozenset(g.name for g in submitted.grades if g.needs_manual_grade),
            comments={c.name: c.comment for c in submitted.comments},
            penalty=submitted.late_submission_penalty,
            score=submitted.score,
        )


def everything(root: Path) -> dict[str, Any]:
    """All that the gradebook holds on submissions, by names, so that two courses compare."""
    found: dict[str, Any] = {}
    with gradebook(root) as book:
        for submitted in book.db.query(SubmittedNotebook):
            handed_in = submitted.assignment
            where = f"{handed_in.student.id}/{handed_in.name}/{submitted.name}"
            found[where] = (handed_in.timestamp, submitted.late_submission_penalty)
            for g in submitted.grades:
                scores = (g.auto_score, g.manual_score, g.extra_credit)
                found[f"{where}/{g.name}"] = (*scores, g.needs_manual_grade)
            for c in submitted.comments:
                found[f"{where}/{c.name} comment"] = (c.auto_comment, c.manual_comment)
    return found


def autograded(root: Path, student: str, *, name: str = NAME) -> Path:
    """The autograded notebook of a student."""
    return root / "autograded" / student / name / f"{name}.ipynb"


def outputs(root: Path, student: str, grade_id: str, *, name: str = NAME) -> str:
    """The text that an autograded cell shows."""
    nb = json.loads(autograded(root, student, name=name).read_text())
    return "".join("".join(o.get("text", "")) for o in cell(nb, grade_id)["outputs"])


def result(root: Path, student: str, *, name: str = NAME) -> SubmissionResult:
    """The full result of a student."""
    path = root / ".autograder" / "results" / name / student / f"{name}.json"
    return from_json(path.read_bytes())


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a folder with its content."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
