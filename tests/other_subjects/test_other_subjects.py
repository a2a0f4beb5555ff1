"""A course on clusters, texts and dice, graded end to end: the engine knows no subject."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from autograder.notebook import read, write
from autograder.sample import fill_in
from benchmarks.course import sandbox
from tests.installed import install

pytestmark = [pytest.mark.slow, pytest.mark.extra]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAME = "other_subjects"
FULL_MARKS = {"k_means": 10.0, "word_counts": 6.0, "initials": 4.0, "expected_throws": 2.0}

RIGHT = {
    "k_means": (
        "def k_means(X, k, seed, steps=10):\n"
        "    rng = np.random.default_rng(seed)\n"
        "    centres = np.array(X[rng.choice(len(X), k, False)])\n"
        "    far = lambda x: [np.linalg.norm(x - c) for c in centres]\n"
        "    label = lambda: [int(np.argmin(far(x))) for x in X]\n"
        "    for _ in range(steps):\n"
        "        labels = np.array(label())\n"
        "        for j in range(k):\n"
        "            if (labels == j).sum() > 0:\n"
        "                centres[j] = np.mean(X[labels == j], 0)\n"
        "    return centres.tolist(), label()\n"
    ),
    "word_counts": (
        "from collections import Counter\n"
        "def word_counts(text):\n"
        "    return Counter(word.casefold() for word in text.split())\n"
    ),
    "initials": (
        "def initials(name):\n    return ''.join(w.title()[0] + '.' for w in name.split())\n"
    ),
    "expected_throws": "def expected_throws():\n    return np.float64(14.7)\n",
}
SUBMISSIONS: dict[str, dict[str, str]] = {
    "right": {},
    "unseeded": {
        "k_means": RIGHT["k_means"].replace("default_rng(seed)", "default_rng()"),
    },
    "capitals": {
        "word_counts": "def word_counts(text):\n"
        "    return {word: text.split().count(word) for word in text.split()}\n"
    },
    "unhelpful": {
        "word_counts": "def word_counts(text):\n    return {(1, 2): text}\n",
        "initials": "def initials(name):\n    return name\n",
        "expected_throws": "def expected_throws():\n    return '14.7'\n",
    },
    "markup": {
        "initials": "def initials(name):\n"
        "    return '<script>alert(1)</script>\\x1b[31m' + name[0]\n",
    },
}


class Course(NamedTuple):
    """The course where it is installed, and how commands are run in it."""

    root: Path
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    root = tmp_path_factory.mktemp("subjects") / "course"
    shutil.copytree(HERE / "course", root, ignore=shutil.ignore_patterns("__pycache__"))
    environment = install(root, tmp_path_factory.mktemp("site"))
    shutil.copy(ROOT / "nbgrader_config.py", root)
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.PropertyGrader.sandbox = {sandbox()!r}\nc.PropertyGrader.seed = 5\n")
    return Course(root, environment)


@pytest.fixture(scope="module")
def graded(course: Course) -> dict[str, Any]:
    """What `autograder grade --json` says of the class, by student."""
    done = course.run("nbgrader", "generate_assignment", NAME)
    assert done.returncode == 0, done.stderr
    release = (course.root / "release" / NAME / f"{NAME}.ipynb").read_bytes()
    assert b"autograder" not in release
    for student, sources in SUBMISSIONS.items():
        path = course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(write(fill_in(read(release, verbatim=True), RIGHT | sources)))
    done = course.run("autograder", "grade", NAME, "--jobs", "1", "--json")
    assert done.returncode == 0, done.stderr
    return {result["student"]: result for result in json.loads(done.stdout)["results"]}


def exercise(graded: dict[str, Any], student: str, name: str) -> Any:
    (found,) = [one for one in graded[student]["exercises"] if one["name"] == name]
    return found


def failing(found: Any) -> dict[str, Any]:
    return {law["name"]: law for law in found["properties"] if law["status"] != "passed"}


def test_every_known_mistake_is_caught_and_no_right_answer_loses(course):
    done = course.run("autograder", "audit", NAME, "--seed", "5", "--jobs", "2", "--json")
    assert done.returncode == 0, done.stdout
    assert list(json.loads(done.stdout)["matrix"]) == list(FULL_MARKS)


@pytest.mark.parametrize(
    ("student", "changed"),
    [
        ("right", {}),
        ("unseeded", {"k_means": 3.0}),
        ("capitals", {"word_counts": 3.6}),
        ("unhelpful", {"word_counts": 0.0, "initials": 0.0, "expected_throws": 1.6}),
        ("markup", {"initials": 0.0}),
    ],
)
def test_scores_are_what_the_answers_deserve(graded, student, changed):
    scores = {one["name"]: one["score"] for one in graded[student]["exercises"]}
    assert scores == FULL_MARKS | changed
    assert graded[student]["score"] == sum(scores.values())


def test_chance_without_the_seed_is_called_by_its_name(graded):
    found = exercise(graded, "unseeded", "k_means")
    assert found["diagnosis"]["mistake"] == "global_generator"
    laws = failing(found)
    assert "deterministic" in laws
    assert "labels_are_nearest" not in laws
    assert laws["deterministic"]["message"].endswith(
        "The seed alone decides which rows are the first centres."
    )


def test_a_dict_that_differs_is_shown_by_its_key_with_a_short_text_to_paste(graded):
    found = exercise(graded, "capitals", "word_counts")
    assert found["diagnosis"]["mistake"] == "capitals_apart"
    law = failing(found)["matches_reference"]
    assert law["message"].startswith("the result lacks the key 'a'.")
    assert law["counterexample"] == "text = 'A'\nword_counts(text)"


def test_results_that_are_no_answer_are_told_by_their_kind(graded):
    said = {
        name: failing(exercise(graded, "unhelpful", name))["matches_reference"]["message"]
        for name in ("word_counts", "expected_throws")
    }
    assert "a dict with other keys than texts and numbers" in said["word_counts"].replace(
        "an object of type ", "a "
    )
    assert said["expected_throws"].startswith("the result is '14.7', but should be an array")


def test_feedback_shows_the_report_and_nothing_that_runs(course, graded):
    done = course.run("nbgrader", "generate_feedback", NAME)
    assert done.returncode == 0, done.stderr
    pages = {
        student: (course.root / "feedback" / student / NAME / f"{NAME}.html").read_text()
        for student in SUBMISSIONS
    }
    assert "This looks like capitals_apart" in pages["capitals"]
    assert "k_means   10/10" in pages["right"]
    assert "<script>alert(1)" not in pages["markup"]
    assert "script" in exercise(graded, "markup", "initials")["properties"][0]["message"]


def test_a_class_of_samples_is_made_and_checked(course, graded):
    done = course.run("autograder", "sample", NAME, "--students", "8", "--seed", "3")
    assert done.returncode == 0, done.stderr
    made = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    right = [student for student, what in made.items() if what == "right"]
    assert right
    path = f"submitted/{right[0]}/{NAME}/{NAME}.ipynb"
    done = course.run("autograder", "check", path, "--json")
    assert json.loads(done.stdout)["score"] == sum(FULL_MARKS.values())
