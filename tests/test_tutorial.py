"""docs/add-an-exercise.md, done step by step: a reader who does what it says has an exercise."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.notebook import read, write
from autograder.sample import fill_in
from autograder.scaffold.writing import MARK
from benchmarks.course import sandbox
from tests.installed import install, plain_environment
from tests.test_docs import pattern_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "add-an-exercise.md"
STEP = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`(?:, cell `(?P<cell>[^`\n]+)`)?:\n\n)?"
    r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MOST_LINES = 60


class Step(NamedTuple):
    """A block of the page: a command with what it prints, or what goes into a file or cell."""

    kind: str
    body: str
    file: str | None
    cell: str | None


def steps() -> list[Step]:
    found = STEP.finditer(PAGE.read_text(encoding="utf-8"))
    return [Step(m["kind"], m["body"], m["file"], m["cell"]) for m in found]


# -- filling in ------------------------------------------------------------------------------------


def filled(text: str, block: str, *, python: bool = True) -> str:
    """The text with the block in place of what is marked, from the first to the last."""
    lines = text.splitlines(keepends=True)
    spans = [span for span in _statements(text, python) if MARK in "".join(lines[slice(*span)])]
    return "".join([*lines[: spans[0][0]], block, *lines[spans[-1][1] :]])


def _statements(text: str, python: bool) -> Iterator[tuple[int, int]]:
    """The first line of each statement, and the one after it; of other text, each line."""
    if not python:
        yield from ((i, i + 1) for i in range(len(text.splitlines())))
        return
    for node in ast.parse(text).body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        yield first - 1, node.end_lineno or node.lineno


def fill_in_file(root: Path, step: Step) -> None:
    path = root / str(step.file)
    if step.cell is None:
        path.write_text(filled(path.read_text(), step.body))
        return
    notebook = json.loads(path.read_text())
    (cell,) = (one for one in notebook["cells"] if one["id"] == step.cell)
    text = filled("".join(cell["source"]), step.body, python=cell["cell_type"] == "code")
    cell["source"] = text.splitlines(keepends=True)
    path.write_text(json.dumps(notebook))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a = 1\nb = 2  # FILL IN: b\nc = 3\n", "a = 1\nnew\nc = 3\n"),
        ("@f\ndef a():\n    'FILL IN'\n\nb = 2\nc = '''\nFILL IN'''\nd = 4\n", "new\nd = 4\n"),
    ],
)
def test_a_block_takes_the_place_of_all_that_is_marked(text, result):
    assert filled(text, "new\n") == result


# -- the page --------------------------------------------------------------------------------------


def run(root: Path, command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


class Reader(NamedTuple):
    """Somebody who has done all that the page says: where, and in which environment."""

    root: Path
    environment: dict[str, str]
    unfilled: str
    """What an audit said before anything was filled in."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    root = tmp_path_factory.mktemp("tutorial") / "course"
    root.mkdir()
    environment = plain_environment()
    unfilled = ""
    for step in steps():
        if step.file is not None:
            fill_in_file(root, step)
        elif step.kind == "sh":
            assert step.body == "pip install --editable .\n"
            environment = install(root, tmp_path_factory.mktemp("site"))
            shutil.copy(ROOT / "nbgrader_config.py", root)
            with (root / "nbgrader_config.py").open("a") as config:
                config.write(f"c.PropertyGrader.sandbox = {sandbox()!r}\n")
            unfilled = run(root, "autograder audit layer_norm", environment).stdout
        elif step.kind == "console":
            for part in re.split(r"^\$ ", step.body, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                done = run(root, command, environment)
                assert done.returncode == 0, f"$ {command}\n{done.stdout}"
                assert pattern_of(shown).fullmatch(done.stdout.rstrip("\n") + "\n"), (
                    f"$ {command}\n{done.stdout}\nis not what the page shows:\n{shown}"
                )
    return Reader(root, environment, unfilled)


def test_it_takes_fewer_than_sixty_lines():
    lines = [line for step in steps() if step.file for line in step.body.splitlines()]
    assert 30 < len([line for line in lines if line.strip()]) < MOST_LINES


@pytest.mark.extra
@pytest.mark.slow
def test_an_audit_of_what_is_not_filled_in_says_so_in_one_line(reader):
    (line,) = reader.unfilled.splitlines()
    assert line.startswith("autograder: exercise 'layer_norm'")
    assert line.endswith(f"{MARK}: the reference, written like the lecture")


@pytest.mark.extra
@pytest.mark.slow
def test_nothing_is_left_to_fill_in(reader):
    left = [
        path.name
        for path in reader.root.rglob("*")
        if path.suffix in (".py", ".ipynb", ".toml") and MARK in path.read_text()
    ]
    assert left == []


@pytest.mark.extra
@pytest.mark.slow
def test_the_test_that_was_scaffolded_passes(reader):
    done = run(reader.root, "python -m pytest -q -p no:cacheprovider tests", reader.environment)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


WRONG = "def layer_norm(X, eps=1e-5):\n    return (X - X.mean(0)) / (X.var(0) + eps) ** 0.5\n"
RIGHT = (
    "def layer_norm(X, eps=1e-5):\n"
    "    X = X - X.mean(-1)[..., None]\n"
    "    return X / (np.mean(X * X, -1, keepdims=True) + eps) ** 0.5\n"
)


@pytest.mark.extra
@pytest.mark.slow
def test_a_wrong_and_a_right_submission_get_what_they_deserve(reader):
    release = reader.root / "release" / "normalisation" / "normalisation.ipynb"
    for name, answer in (("wrong", WRONG), ("right", RIGHT)):
        notebook = fill_in(read(release.read_bytes(), verbatim=True), {"layer_norm": answer})
        (reader.root / f"{name}.ipynb").write_bytes(write(notebook))
    checked = run(reader.root, "autograder check wrong.ipynb right.ipynb", reader.environment)
    shown = PAGE.read_text(encoding="utf-8").partition("A student who took the wrong axis reads:")
    report = re.search(r"```\n(.*?)```", shown[2], re.DOTALL)
    assert report
    assert report[1] in checked.stdout
    assert "layer_norm   10/10" in checked.stdout
