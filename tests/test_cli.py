"""The command line: one line and exit status 2 for wrong use, JSON alone where asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from autograder import __version__, cli
from autograder.course import Course
from autograder.exercises import load_assignments
from autograder.notebook import write
from autograder.results import SubmissionResult
from autograder.worker.isolation import SandboxError, choose
from tests.submissions import RELEASE, make_course, mistake, submission


class Run(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line of a refusal."""
        assert (self.status, self.out) == (2, "")
        (line,) = self.err.splitlines()
        assert line.startswith("autograder: ")
        return line.removeprefix("autograder: ")


Command = Callable[..., Run]


@pytest.fixture
def command(monkeypatch, capsys) -> Command:
    """Run a command line in this process."""

    def run(*words: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["autograder", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return Run(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    return make_course(tmp_path_factory.mktemp("cli") / "course")


@pytest.fixture
def notebook(course: Course) -> Path:
    """A right submission that lies in the course."""
    path = course.root / "right.ipynb"
    path.write_bytes(write(submission()))
    return path


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


# -- wrong use -------------------------------------------------------------------------------------

UNREADABLE = {
    "an empty file": (b"", "The file is empty."),
    "text": (b"def softmax(z): ...", "The file is no JSON (line 1, column 1)."),
    "a cut file": (b'{"cells": [', "The file breaks off before its end"),
    "another JSON": (b'{"a": 1}', "The notebook has no cells."),
    "a JSON array": (b"[1, 2]", "The file is JSON, but no notebook: it holds no cells."),
    "an empty notebook": (b'{"cells": [], "nbformat": 4}', "The notebook has no cells."),
    "bytes": (bytes(range(128, 256)), "The file is no JSON"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_file_that_is_no_notebook_is_refused(what, command, course):
    data, said = UNREADABLE[what]
    path = course.root / "odd.ipynb"
    path.write_bytes(data)
    assert command("check", path).complaint.startswith(f"{path}: {said}")


def test_a_file_that_is_not_there_is_refused(command, course):
    path = course.root / "nowhere.ipynb"
    assert command("check", path).complaint == f"There is no file {path}."


def test_a_folder_is_refused(command, course):
    assert (
        command("check", course.root).complaint == f"{course.root} can't be read: Is a directory."
    )


def foreign(source: str, grade_id: str = "") -> bytes:
    flags = {"nbgrader": {"grade_id": grade_id, "grade": True}} if grade_id else {}
    cell = {"cell_type": "code", "metadata": flags, "source": source}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 4}).encode()


def test_a_notebook_of_no_known_assignment_is_refused(command, course):
    path = course.root / "foreign.ipynb"
    path.write_bytes(foreign("x = 1"))
    said = command("check", path).complaint
    known = ", ".join(sorted(load_assignments()))
    assert said.startswith(f"{path} is no notebook of a known assignment ({known})")


def test_a_notebook_of_another_assignment_is_refused_even_if_one_insists(command, course):
    path = course.root / "foreign.ipynb"
    path.write_bytes(foreign("x = 1", grade_id="\x1b[2Jlinear-regression"))
    said = command("check", path, "--assignment", "self_attention").complaint
    assert "is no notebook of assignment 'self_attention'" in said
    assert "(its cells are '\\x1b[2Jlinear-regression')" in said
    assert said.endswith("Hand in the right one.")


@pytest.mark.parametrize(
    "words", [("check", "--assignment", "atention"), ("sample", "--students", "3")]
)
def test_an_unknown_assignment_is_refused_with_those_there_are(
    words, command, notebook, monkeypatch
):
    monkeypatch.chdir(notebook.parent)
    subject = notebook if words[0] == "check" else "atention"
    said = command(words[0], subject, *words[1:]).complaint
    known = ", ".join(sorted(load_assignments()))
    assert said == f"There is no assignment 'atention'. There are: {known}."


def test_the_version_is_printed(command):
    done = command("--version")
    assert (done.status, done.out) == (0, f"autograder {__version__}\n")


WRONG_OPTIONS = {
    ("check", "x.ipynb", "--seed", "many"): "Invalid value for '--seed'",
    ("check", "x.ipynb", "--seed", "-1"): "Invalid value for '--seed'",
    ("check", "x.ipynb", "--seed", str(1 << 64)): "seed is 18446744073709551616",
    ("check", "x.ipynb", "--sandbox", "cage"): "Invalid value for '--sandbox'",
    ("check", "x.ipynb", "--jsno"): "No such option",
    ("check",): "Missing argument 'NOTEBOOK ...'",
    ("sample", "self_attention"): "Missing option '--students'",
    ("sample", "self_attention", "--students", "0"): "Invalid value for '--students'",
    ("grade",): "Missing argument 'ASSIGNMENT'",
    ("grade", "self_attention", "--jobs", "0"): "Invalid value for '--jobs'",
    ("grde", "self_attention"): "No such command 'grde'",
}


@pytest.mark.parametrize("words", WRONG_OPTIONS, ids=" ".join)
def test_wrong_options_are_refused_in_one_line(words, command):
    assert WRONG_OPTIONS[words] in command(*words).complaint


def test_a_wrong_option_points_to_the_help_of_its_command(command):
    assert command("check", "x.ipynb", "--jsno").complaint.endswith("See autograder check --help")


@pytest.mark.parametrize("mode", ["auto", "bubblewrap", "landlock"])
def test_a_sandbox_that_can_not_be_had_is_refused_with_the_remedy(mode, command, notebook):
    try:
        choose(mode)
    except SandboxError:
        assert "pass --sandbox rlimit" in command("check", notebook, "--sandbox", mode).complaint
    else:
        pytest.skip(f"the sandbox {mode} can be had on this machine")


BAD_CONFIGS = {
    "an unknown setting": (
        "c.PropertyGrader.sede = 1",
        "c.PropertyGrader.sede, which is no setting",
    ),
    "a wrong value": ("c.PropertyGrader.cases = 'many'", "cases to 'many', which has a wrong type"),
    "a wrong sandbox": ("c.PropertyGrader.sandbox = 'cage'", "sandbox is 'cage'"),
    "an exception": ("1 / 0", "can't be read: ZeroDivisionError: division by zero."),
    "a syntax error": ("c.x = = 1", "can't be read: SyntaxError: invalid syntax"),
    "an exit": ("raise SystemExit(0)", "can't be read: SystemExit: 0."),
}


@pytest.mark.parametrize("what", BAD_CONFIGS)
@pytest.mark.parametrize("name", ["check", "sample", "grade"])
def test_a_bad_configuration_is_refused(what, name, command, tmp_path, monkeypatch):
    line, said = BAD_CONFIGS[what]
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\n{line}\n")
    monkeypatch.chdir(tmp_path)
    words = {"check": ["x.ipynb"], "sample": ["self_attention", "--students", 1], "grade": ["a"]}
    assert said in command(name, *words[name]).complaint


@pytest.mark.parametrize(
    "words", [("grade", "self_attention"), ("sample", "self_attention", "--students", "1")]
)
def test_a_command_that_needs_a_course_says_so_outside_of_one(
    words, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    said = command(*words).complaint
    assert said.startswith("This is no course: there is no nbgrader_config.py here or above.")


def test_a_sample_needs_a_release(command, tmp_path, monkeypatch):
    make_course(tmp_path / "new", release=None)
    monkeypatch.chdir(tmp_path / "new")
    said = command("sample", "self_attention", "--students", 1).complaint
    assert said.endswith("Make it: nbgrader generate_assignment self_attention")


def test_a_release_that_contradicts_the_assignment_is_refused(command, tmp_path, monkeypatch):
    changed = RELEASE.replace(b'"points": 15', b'"points": 14')
    assert changed != RELEASE
    course = make_course(tmp_path / "changed", release=changed)
    path = course.root / "right.ipynb"
    path.write_bytes(write(submission()))
    said = command("check", path).complaint
    assert "grade cell 'self_attention' has 14 points, the assignment 15" in said


def test_nothing_runs_if_one_of_several_notebooks_is_bad(command, notebook):
    run = command("check", notebook, notebook.parent / "nowhere.ipynb")
    assert "There is no file" in run.complaint


# -- check -----------------------------------------------------------------------------------------


def test_a_check_prints_the_report_and_warns_of_a_weak_sandbox(command, notebook):
    run = command("check", notebook)
    assert run.status == 0
    assert run.out.startswith("right.ipynb: 40/40   (assignment self_attention, sandbox rlimit)\n")
    assert "softmax   10/10\nAll 17 laws hold.\n" in run.out
    (banner,) = run.err.splitlines()
    assert banner.startswith("Sandbox 'rlimit'")
    assert "NOT protected" in banner


def test_json_stands_alone_and_is_an_object_for_one_notebook(command, notebook):
    run = command("check", notebook, "--json")
    result = msgspec.json.decode(run.out, type=SubmissionResult)
    assert result.score == result.max_score == 40.0
    assert result.student is None


def test_json_is_an_array_for_several_notebooks_in_their_order(command, notebook):
    wrong = notebook.with_name("wrong.ipynb")
    wrong.write_bytes(write(submission(causal_mask=mistake("causal_mask", "upper_triangle"))))
    run = command("check", wrong, notebook, "--json")
    results = msgspec.json.decode(run.out, type=list[SubmissionResult])
    assert [result.score for result in results] == [36.5, 40.0]
    assert run.status == 0


def test_reports_of_several_notebooks_follow_each_other(command, notebook):
    out = command("check", notebook, notebook).out
    assert out.count(f"{notebook}: 40/40") == 2  # in a class they all have one name


def test_outside_of_a_course_a_check_says_which_seed_it_took(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.ipynb"
    path.write_bytes(write(submission()))
    run = command("check", path, "--sandbox", "rlimit")
    assert "practice seed 0" in run.err
    assert "functions are graded by their names" in run.out
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_seed_that_was_given_is_no_practice_seed(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.ipynb"
    path.write_bytes(write(submission()))
    assert "practice" not in command("check", path, "--sandbox", "rlimit", "--seed", 3).err


def test_a_check_writes_nothing_into_a_course(command, tmp_path):
    course = make_course(tmp_path / "course")
    course.corpora.rmdir()
    course.state.rmdir()
    path = course.root / "self_attention.ipynb"
    path.write_bytes(write(submission(softmax=mistake("softmax", "no_max_shift"))))
    before = tree(tmp_path)
    assert command("check", path).status == 0
    assert tree(tmp_path) == before
    assert not course.state.exists()


# -- in a process of its own -----------------------------------------------------------------------


def modules_after(*words: object, cwd: Path) -> set[str]:
    """The modules that a command has imported when it ends."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from autograder.cli import main\n"
        "main()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stderr.splitlines()[-1].split())


HEAVY = {"nbgrader", "nbformat", "nbconvert", "matplotlib", "IPython", "sqlalchemy", "hypothesis"}


def test_help_imports_nothing_heavy(tmp_path):
    assert modules_after("--help", cwd=tmp_path) & (HEAVY | {"numpy"}) == set()


@pytest.mark.slow
def test_a_check_imports_nothing_heavy_where_nothing_is_drawn(command, notebook):
    assert command("check", notebook).status == 0  # draws the corpus and keeps it
    assert modules_after("check", notebook, cwd=notebook.parent) & HEAVY == set()


@pytest.mark.slow
def test_the_installed_command_ends_with_the_same_status_and_line(course):
    program = Path(sys.executable).with_name("autograder")
    run = subprocess.run(
        [program, "check", "nowhere.ipynb"], cwd=course.root, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert run.stderr == "autograder: There is no file nowhere.ipynb.\n"
    assert run.stdout == ""


@pytest.mark.slow
def test_a_reader_that_stops_reading_gets_no_traceback(course, notebook):
    read, written = os.pipe()
    os.close(read)
    with os.fdopen(written, "wb") as closed:
        run = subprocess.run(
            [sys.executable, "-m", "autograder.cli", "check", notebook, "--json"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert "Traceback" not in run.stderr
