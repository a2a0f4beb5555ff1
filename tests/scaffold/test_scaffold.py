"""`autograder new`: a fresh exercise is whole, clean and marked, and nothing is written over."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import pytest

from autograder.course import UsageError
from autograder.exercise import Catalogue, Exercise
from autograder.exercises.answers import source_for_cell
from autograder.scaffold import Scaffold, new_exercise
from autograder.scaffold.writing import MARK

ROOT = Path(__file__).resolve().parents[2]
RUFF = Path(sys.executable).with_name("ruff")
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")
SIGNATURES = ["(X)", "(X, eps=1e-5)", "(Q, K, V, mask=None, text='a b', scale=True, n=-1)"]
LONG = "scaled_dot_product_of_everythi"  # as long as a name may be


def package(root: Path, name: str = "layer_norm", **asked: object) -> Scaffold:
    wanted = {"signature": "(X, eps=1e-5)", "package": "norms", "assignment": "normalisation"}
    return new_exercise(root, name, **(wanted | asked))  # type: ignore[arg-type]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what `new` looks for, adds to or is held against."""
    for part in ("autograder", "reference"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def lint(root: Path, *, config: bool = False) -> None:
    """Ruff finds nothing to say, by the rules of the folder or by ours."""
    ours = ["--config", str(ROOT / "pyproject.toml")] if config else []
    for command in (["check"], ["format", "--check"]):
        ruff = [str(RUFF), *command, *ours, "--no-cache", "--exclude", "*.ipynb", "."]
        done = subprocess.run(ruff, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


# -- what is made ----------------------------------------------------------------------------------


def test_every_file_is_listed_and_every_mark_in_them(tmp_path):
    made = package(tmp_path)
    assert sorted(made.written) == sorted(tree(tmp_path))
    marks = sum(text.count(MARK) for text in map(bytes.decode, tree(tmp_path).values()))
    assert len(made.marked) == marks > 15
    assert all(what for _, what in made.marked)
    for where, what in made.marked[:10]:
        path, _, number = where.rpartition(":")
        assert what in (tmp_path / path).read_text().splitlines()[int(number) - 1]


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("name", ["f", LONG])
def test_a_fresh_exercise_of_a_package_is_clean(name, signature, tmp_path):
    package(tmp_path, name, signature=signature, package="a_course_of_everything_at_once")
    lint(tmp_path)
    shutil.copytree(tmp_path, tmp_path / "again")
    lint(tmp_path / "again", config=True)


@pytest.mark.parametrize("signature", SIGNATURES[1:])
def test_a_fresh_exercise_of_a_checkout_is_clean_and_stands_on_its_floor(signature, checkout):
    made = new_exercise(checkout, LONG, signature=signature)
    assert made.written == (
        f"reference/{LONG}.py",
        f"autograder/exercises/{LONG}.py",
        f"autograder/exercises/answers/{LONG}.py",
        f"tests/reference/test_{LONG}.py",
    )
    lint(checkout)
    done = subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=checkout, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.extra
@pytest.mark.slow
def test_a_fresh_exercise_of_a_checkout_has_types(checkout):
    new_exercise(checkout, LONG, signature=SIGNATURES[2])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--explicit-package-bases", "autograder", "reference"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_a_fresh_package_is_a_course(tmp_path, monkeypatch):
    package(tmp_path, points=7, package="fresh_norms")
    monkeypatch.syspath_prepend(tmp_path)
    offered = importlib.import_module("fresh_norms").catalogue()
    assert isinstance(offered, Catalogue)
    (exercise,) = offered.exercises
    assert isinstance(exercise, Exercise)
    assert (exercise.name, exercise.signature) == ("layer_norm", "(X, eps=1e-5)")
    assert dict(exercise.defaults) == {"eps": 1e-5}
    assert [(a.name, dict(a.exercises)) for a in offered.assignments] == [
        ("normalisation", {"layer_norm": 7})
    ]
    with pytest.raises(NotImplementedError, match=MARK):
        exercise.reference(None)


def test_an_answer_of_a_package_leaves_its_course_out_of_the_students_cell(tmp_path, monkeypatch):
    package(tmp_path, package="own_norms")
    answers = tmp_path / "own_norms" / "answers" / "layer_norm.py"
    source = answers.read_text().replace(
        "from autograder.exercises.answers import Answers",
        "import math\n\nfrom autograder.exercises.answers import Answers\n\n"
        "from own_norms.reference.layer_norm import layer_norm\nfrom . import __doc__ as told",
    )
    call = "    return layer_norm(X) * math.pi or told"
    answers.write_text(source.replace("    return np.array(X)", call))
    monkeypatch.syspath_prepend(tmp_path)
    (mistake,) = importlib.import_module("own_norms.answers.layer_norm").MISTAKES
    cell = source_for_cell(mistake.answer, "scaled")
    assert cell == f"import math\n\n\ndef scaled(X, eps=1e-5):\n{call}\n"


def test_a_second_exercise_joins_the_package_and_says_where_to_list_it(tmp_path):
    package(tmp_path)
    before = tree(tmp_path)
    made = package(tmp_path, "batch_norm", assignment=None, points=3)
    assert {path: data for path, data in tree(tmp_path).items() if path in before} == before
    assert set(tree(tmp_path)) - set(before) == set(made.written)
    said = " ".join(made.steps)
    assert "Add batch_norm.EXERCISE to catalogue() in norms/__init__.py." in said
    assert '"batch_norm": Fraction(3)' in said
    assert 'norms = "norms:catalogue"' in said


# -- the notebook ----------------------------------------------------------------------------------


def cells_of(root: Path) -> list[nbformat.NotebookNode]:
    path = root / "source" / "normalisation" / "normalisation.ipynb"
    notebook = nbformat.read(path, as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbformat.validate(notebook)
    return list(notebook.cells)


def test_a_new_notebook_holds_the_cells_that_nbgrader_goes_by(tmp_path):
    package(tmp_path, points=4)
    title, imports, text, solution, test = cells_of(tmp_path)
    assert title.source == "# Normalisation"
    assert imports.source == "import numpy as np"
    assert text.source.startswith("## Exercise: `layer_norm`")
    assert (solution.id, test.id) == ("layer_norm-solution", "layer_norm")
    flags = solution.metadata.nbgrader, test.metadata.nbgrader
    assert [(f.grade_id, f.solution, f.grade, f.locked) for f in flags] == [
        ("layer_norm-solution", True, False, False),
        ("layer_norm", False, True, True),
    ]
    assert test.metadata.nbgrader.points == 4
    assert 'grade("layer_norm", layer_norm)' in test.source


def test_an_existing_notebook_keeps_its_cells_and_gets_the_new_ones_last(tmp_path):
    package(tmp_path)
    before = cells_of(tmp_path)
    package(tmp_path, "batch_norm")
    after = cells_of(tmp_path)
    assert after[: len(before)] == before
    assert [c.id for c in after[len(before) :]] == [
        "batch_norm-text",
        "batch_norm-solution",
        "batch_norm",
    ]


def test_without_a_notebook_the_cells_are_printed_with_id_kind_and_points(tmp_path):
    made = package(tmp_path, assignment=None)
    said = "\n".join(made.lines())
    assert "(Autograded answer with the id layer_norm-solution):" in said
    assert "(Autograder tests with the id layer_norm, 10 points):" in said
    assert '    grade("layer_norm", layer_norm)' in said
    assert not (tmp_path / "source").exists()


# -- what is refused -------------------------------------------------------------------------------


def test_no_file_is_written_over_and_none_is_made_beside(tmp_path):
    made = package(tmp_path / "first")
    new_files = [p for p in made.written if not p.endswith(("__init__.py", ".toml", ".ipynb"))]
    assert len(new_files) == 4
    for number, path in enumerate(new_files):
        root = tmp_path / str(number)
        (root / path).parent.mkdir(parents=True)
        (root / path).symlink_to("nowhere")  # also one that leads to no file
        with pytest.raises(UsageError, match=rf"^{path} exists already"):
            package(root)
        assert [p for p in root.rglob("*") if not p.is_dir()] == [root / path]


def test_a_cell_is_not_written_twice(tmp_path):
    package(tmp_path)
    (tmp_path / "norms").rename(tmp_path / "gone")
    (tmp_path / "tests" / "test_layer_norm.py").unlink()
    before = tree(tmp_path)
    with pytest.raises(UsageError, match="has a cell 'layer_norm-text' already"):
        package(tmp_path)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "normalisation.ipynb"), (b'{"cells": [1], "nbformat": 4}', "normalisation.ipynb")],
)
def test_a_damaged_notebook_is_left_alone(content, said, tmp_path):
    folder = tmp_path / "source" / "normalisation"
    folder.mkdir(parents=True)
    (folder / "normalisation.ipynb").write_bytes(content)
    with pytest.raises(UsageError, match=said):
        package(tmp_path)
    assert tree(tmp_path) == {"source/normalisation/normalisation.ipynb": content}


def test_a_folder_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    (tmp_path / "tests").write_text("no folder")
    with pytest.raises(UsageError, match=r"tests can't be written: .*\. Nothing was made"):
        package(tmp_path)
    assert tree(tmp_path) == {"tests": b"no folder"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("softmax", "There is an exercise 'softmax' already"),
        ("sum", "a function of Python's own"),
        ("MultiHead", "can't be the name of an exercise"),
        ("lambda", "can't be the name of an exercise"),
        ("../escape", "can't be the name of an exercise"),
        ("a b", "can't be the name of an exercise"),
        ("", "can't be the name of an exercise"),
        ("x" * 31, "can't be the name of an exercise"),
        ("answers", "A package keeps its answers under that name"),
    ],
)
def test_a_name_that_will_not_do_is_refused(name, said, tmp_path):
    with pytest.raises(UsageError, match=said):
        package(tmp_path, name)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["numpy", "json", "Norms", "a/b", "autograder", "class"])
def test_a_package_may_not_hide_another(name, tmp_path):
    with pytest.raises(UsageError, match=r"for the package|of a package"):
        package(tmp_path, package=name)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["../elsewhere", "a/b", "", ".hidden"])
def test_an_assignment_stays_in_its_folder(name, tmp_path):
    with pytest.raises(UsageError, match="of an assignment"):
        package(tmp_path, assignment=name)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    "signature",
    [
        "X",
        "()",
        "(eps=1)",
        "(X",
        "(X): pass\nimport os",
        "(X): import os  #",
        "(X) -> int",
        "(X: int)",
        "(*X)",
        "(**X)",
        "(X, /)",
        "(X, *, y)",
        "(X, y=[])",
        "(X, y=print())",
        "(X, y='\"')",
        "(X, X)",
        "(X, lambda)",
        f"({'x' * 60})",
        "(X\x00)",
    ],
)
def test_a_signature_that_will_not_do_is_refused(signature, tmp_path):
    with pytest.raises(UsageError, match="no signature that can be scaffolded"):
        package(tmp_path, signature=signature)
    assert tree(tmp_path) == {}


def test_outside_of_a_checkout_a_package_has_to_be_named(tmp_path):
    with pytest.raises(UsageError, match="--package NAME"):
        package(tmp_path, package=None)
    assert tree(tmp_path) == {}


# -- the command -----------------------------------------------------------------------------------


def new(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "autograder.cli", "new", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_says_what_it_wrote_and_what_is_left(tmp_path):
    done = new(tmp_path, "layer_norm", "--package", "norms")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["Written:", "  norms/reference/layer_norm.py"]
    assert f"Fill in what is marked {MARK}:" in lines
    assert "  1. Install the package: pip install --editable ." in lines


def test_wrong_use_is_one_line_and_exit_status_2(tmp_path):
    done = new(tmp_path, "layer_norm", "--signature", "X", "--package", "norms")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("autograder: 'X' is no signature")
