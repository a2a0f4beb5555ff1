"""What lies beside a submitted notebook, or in its place, harms nobody and gains nothing.

Every case is one student of a class that is graded in a single run, with Bob's right answers among
them.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.nbgrader_plugin.submission_files import read_timestamp
from tests.nbgrader_plugin.classroom import (
    FULL_MARKS,
    NAME,
    REPOSITORY,
    SETTINGS,
    add_first,
    gradebook,
    hand_in,
    nbgrader_api,
    notebook,
    recorded,
    run,
)

pytestmark = pytest.mark.extra

WORDS = "only the instructor may read this"
ZEROS = {"softmax": "def softmax(z, axis=-1):\n    return np.zeros(np.shape(z))\n"}
FORGERIES = {
    "numpy.py": "raise SystemExit('mine')",
    "msgspec.py": "raise SystemExit('mine')",
    "sitecustomize.py": "raise SystemExit('mine')",
    "nbgrader_config.py": "c = get_config()\nc.PropertyGrader.sandbox = 'none'\n",
    "reference.py": "def softmax(z, axis=-1): return True",
    "autograder/__init__.py": "raise SystemExit('mine')",
    "conftest.py": "raise SystemExit('mine')",
    "=cmd|calc.csv": "=1+1",
    "<script>alert(1)<script>.html": "<script>alert(1)</script>",
}
TIMESTAMPS = {
    "empty": b"",
    "word": b"yesterday",
    "binary": b"\xff\xfe\0\0",
    "beyond-the-calendar": b"9999-99-99 99:99:99",
    "long-number": b"1" * 400,
    "year-zero": b"0000-01-01 00:00:00 UTC",
    "zone-of-another-planet": b"2026-01-01 00:00:00 Mars/Phobos",
    "markup": b"<script>alert(1)</script>\x1b[31m",
    "before-time": b"-99999999999999999999",
    "many-lines": b"2026-01-01 00:00:00 UTC" + b"\n" * 150,
}
Placing = Callable[[Path, Path], None]


# -- things to put somewhere -----------------------------------------------------------------------


def link_to_secret(path: Path, root: Path) -> None:
    path.symlink_to(root / "secret.txt")


def link_without_end(path: Path, root: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_itself(path: Path, root: Path) -> None:
    path.symlink_to(path.name)


def link_to_bob(path: Path, root: Path) -> None:
    path.symlink_to(root / "submitted" / "bob" / NAME / f"{NAME}.ipynb")


def link_to_the_solution(path: Path, root: Path) -> None:
    path.symlink_to(root / "source" / NAME / f"{NAME}.ipynb")


def pipe(path: Path, root: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, root: Path) -> None:
    path.mkdir()


def terabyte(path: Path, root: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


TIMESTAMP_PLACES = (link_to_secret, link_without_end, link_to_itself, folder)
NOTEBOOK_PLACES = (*TIMESTAMP_PLACES, pipe, link_to_bob, link_to_the_solution, terabyte)


def own_files(where: Path, root: Path) -> None:
    for name, text in FORGERIES.items():
        (where / name).parent.mkdir(exist_ok=True)
        (where / name).write_text(text)


def links(where: Path, root: Path) -> None:
    for number, target in enumerate(("secret.txt", "gradebook.db", "source", "submitted/bob", ".")):
        (where / f"notes{number}").symlink_to(root / target)
    (where / "loop").symlink_to(where)


def special_files(where: Path, root: Path) -> None:
    pipe(where / "pipe", root)
    terabyte(where / "huge.bin", root)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(where / "door"))


# -- the class -------------------------------------------------------------------------------------

BESIDE: dict[str, Placing] = {"own-files": own_files, "links": links, "special": special_files}
HOSTILE_NAMES = ("=cmd|calc", "[bold red]x", "\u202eevil", "o'neil & söhne")
UNFIT_NAMES = ("<script>alert(1)<script>", "a\x1b[31mb", '";alert(1);"')
"""What formgrader would run: it puts the name into its pages as it stands."""


@dataclass(frozen=True)
class Class:
    """A graded class: where, and what the run said."""

    root: Path
    said: str

    def handed_back(self, student: str) -> set[str]:
        where = self.root / "autograded" / student / NAME
        return {str(path.relative_to(where)) for path in where.rglob("*") if path.is_file()}

    def score(self, student: str) -> float:
        with gradebook(self.root) as book:
            return float(book.find_submission(NAME, student).score)


def released(root: Path) -> None:
    shutil.copytree(REPOSITORY / "source" / NAME, root / "source" / NAME)
    config = (REPOSITORY / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(config + SETTINGS)
    assert nbgrader_api(root).generate_assignment(NAME)["success"]
    (root / "secret.txt").write_text(WORDS)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    root = tmp_path_factory.mktemp("folders") / "course"
    released(root)
    hand_in(root, "bob", notebook(root))
    zeros = notebook(root, ZEROS)
    for student, place in BESIDE.items():
        place(hand_in(root, student, zeros).parent, root)
    for student, text in TIMESTAMPS.items():
        (hand_in(root, f"time-{student}", zeros).parent / "timestamp.txt").write_bytes(text)
    for place in TIMESTAMP_PLACES:
        where = hand_in(root, f"time-{place.__name__}", zeros).parent
        place(where / "timestamp.txt", root)
    for place in NOTEBOOK_PLACES:
        path = hand_in(root, f"notebook-{place.__name__}", zeros)
        path.unlink()
        place(path, root)
    for student in (*HOSTILE_NAMES, *UNFIT_NAMES):
        hand_in(root, student, zeros)
    neighbours = add_first(notebook(root, ZEROS), "open('notes.txt').read()\nimport plain")
    hand_in(root, "neighbours", neighbours).with_name("notes.txt").write_text(WORDS[::-1])
    (root / "submitted" / "whole-link").mkdir()
    (root / "submitted" / "whole-link" / NAME).symlink_to(root / "submitted" / "bob" / NAME)
    done = run(root, "autograder", "grade", NAME)
    assert done.returncode in (0, 1), done.stderr
    return Class(root, done.stdout + done.stderr)


def test_a_class_with_hostile_folders_is_graded_to_its_end_and_says_nothing_it_should_not(graded):
    assert "Traceback" not in graded.said
    assert WORDS not in graded.said
    assert recorded(graded.root, "bob").scores.items() >= FULL_MARKS.items()


def test_names_of_students_reach_the_terminal_without_control_characters(graded):
    assert not {"\x1b", "\u202e"} & set(graded.said)


def test_nothing_secret_and_no_link_gets_into_what_is_handed_back(graded):
    assert (graded.root / "secret.txt").read_text() == WORDS
    for path in (graded.root / "autograded").rglob("*"):
        assert not path.is_symlink()
        if path.is_file():
            text = path.read_text(errors="replace")
            assert WORDS not in text
            assert WORDS[::-1] not in text


@pytest.mark.parametrize("student", BESIDE)
def test_files_beside_a_notebook_are_neither_run_nor_handed_back(student, graded):
    assert graded.handed_back(student) == {f"{NAME}.ipynb"}
    assert recorded(graded.root, student).scores.items() >= {**FULL_MARKS, "softmax": 0.0}.items()


@pytest.mark.parametrize(
    "student", [f"time-{name}" for name in (*TIMESTAMPS, *(p.__name__ for p in TIMESTAMP_PLACES))]
)
def test_a_timestamp_that_is_none_costs_nothing_and_gains_nothing(student, graded):
    assert recorded(graded.root, student).scores.items() >= {**FULL_MARKS, "softmax": 0.0}.items()


@pytest.mark.parametrize("student", [f"notebook-{place.__name__}" for place in NOTEBOOK_PLACES])
def test_what_is_no_notebook_earns_nothing(student, graded):
    assert graded.score(student) == 0


@pytest.mark.parametrize("student", HOSTILE_NAMES)
def test_a_student_of_a_hostile_name_is_graded_like_any_other(student, graded):
    assert graded.score(student) == sum(FULL_MARKS.values()) - FULL_MARKS["softmax"]


@pytest.mark.parametrize("student", UNFIT_NAMES)
def test_a_name_that_formgrader_would_run_is_listed_and_gets_into_no_gradebook(student, graded):
    assert "could run a script in formgrader's pages" in graded.said
    with gradebook(graded.root) as book:
        assert student not in {known.id for known in book.students}
    assert not (graded.root / "autograded" / student).exists()


def test_nor_does_such_a_name_get_in_through_nbgraders_own_command(graded, tmp_path):
    root = tmp_path / "course"
    ignored = shutil.ignore_patterns("submitted", "autograded")  # one file there has no end
    shutil.copytree(graded.root, root, symlinks=True, ignore=ignored)
    for student in ("bob", *UNFIT_NAMES):
        hand_in(root, student, notebook(root, ZEROS))
    done = run(root, "nbgrader", "autograde", NAME, "--force")
    assert done.returncode != 0
    assert done.stderr.count("could run a script in formgrader's pages") >= len(UNFIT_NAMES)
    with gradebook(root) as book:
        assert not {student.id for student in book.students} & set(UNFIT_NAMES)
    assert recorded(root, "bob").scores["softmax"] == 0.0


def test_a_folder_that_is_only_a_link_to_another_students_earns_nothing(graded):
    with gradebook(graded.root) as book:
        assert all(
            submission.score == 0
            for submission in book.assignment_submissions(NAME)
            if submission.student.id == "whole-link"
        )


class _StillWaitingError(Exception):
    """The alarm rang."""


def test_a_timestamp_that_is_a_pipe_is_not_waited_for(tmp_path):
    def too_long(*_: object) -> None:
        raise _StillWaitingError

    pipe(tmp_path / "timestamp.txt", tmp_path)
    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        assert read_timestamp(tmp_path) is None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_notebook_reads_nothing_of_what_lies_beside_it(graded):
    assert (
        "FileNotFoundError"
        in (graded.root / "autograded" / "neighbours" / NAME / f"{NAME}.ipynb").read_text()
    )
