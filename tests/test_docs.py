"""The documentation is true: its commands run, its links lead somewhere, no command is left out."""

from __future__ import annotations

import dataclasses
import doctest
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
import typer.main

from autograder.cli import app
from autograder.exercises import load_assignments, load_exercises
from autograder.grading import corpus, counterexample
from autograder.grading.checker import Checker
from autograder.notebook import read, write
from autograder.results import (
    Basis,
    Diagnosis,
    ExerciseResult,
    PropertyResult,
    Regrade,
    Sandbox,
    Status,
    SubmissionResult,
    Versions,
)
from autograder.sample import fill_in, right_sources, sample_class
from autograder.settings import Settings
from autograder.worker.plain import PlainRunner
from benchmarks.course import sandbox
from tests.grading.conftest import an_exercise

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "tests" / "README.md",
    ROOT / "benchmarks" / "README.md",
]
FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")


class Example(NamedTuple):
    """A command of a page, and what the page says that it prints."""

    command: str
    shown: str


def fences(page: Path, kind: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [match["body"] for match in FENCE.finditer(text) if match["kind"] == kind]


def examples(page: Path) -> Iterator[Example]:
    """The commands of the blocks marked `console`, in order."""
    for block in fences(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield Example(command, shown)


def pattern_of(shown: str) -> re.Pattern[str]:
    """What is shown as a pattern: `...` stands for any lines, within a line for any text."""
    parts = []
    for line in shown.splitlines():
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            words = (re.escape(word) for word in line.rstrip().split("..."))
            parts.append(r"[^\n]*".join(words) + r"[ ]*\n")
    return re.compile("".join(parts))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are commonly made from their text."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def documentation() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


# -- commands --------------------------------------------------------------------------------------


def options_of_commands() -> dict[str, list[str]]:
    """Every command, with its options but `--help`."""
    group: Any = typer.main.get_command(app)
    return {
        name: [
            option
            for parameter in command.params
            if parameter.param_type_name == "option"
            for option in parameter.opts
            if option != "--help"
        ]
        for name, command in group.commands.items()
    }


COMMANDS = options_of_commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_an_example(name: str) -> None:
    shown = [example.command for page in PAGES for example in examples(page)]
    assert any(f"{command} ".startswith(f"autograder {name} ") for command in shown)


@pytest.mark.parametrize(
    "option", sorted({option for options in COMMANDS.values() for option in options})
)
def test_every_option_is_documented(option: str) -> None:
    assert f"`{option}" in documentation()


@pytest.mark.parametrize("setting", [field.name for field in dataclasses.fields(Settings)])
def test_every_setting_is_documented(setting: str) -> None:
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    assert f"| `{setting}` |" in page


def test_every_command_of_the_pages_is_one_of_ours_or_of_nbgrader() -> None:
    mentioned = set(re.findall(r"\bautograder ([a-z]+)\b(?= [A-Z\[-]|`)", documentation()))
    assert mentioned
    assert mentioned <= set(COMMANDS)


# -- results ---------------------------------------------------------------------------------------

RECORDS = (
    SubmissionResult,
    Versions,
    Sandbox,
    Basis,
    Regrade,
    ExerciseResult,
    Diagnosis,
    PropertyResult,
)


@pytest.mark.parametrize(
    "name",
    sorted({field.name for record in RECORDS for field in msgspec.structs.fields(record)}),
)
def test_every_field_of_a_result_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert re.search(rf"^\|[^|]*`{name}`", page, re.MULTILINE)


def test_every_status_is_documented_and_no_other() -> None:
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    table = page.partition("## Statuses")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(documented) == sorted(Status)


def refused_results() -> list[tuple[str, str]]:
    """What a page says of results that are no answer: the expression, and what a student reads."""
    page = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    table = page.partition("| returned | the message begins |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(.+)` \| (.+) \|$", table, re.MULTILINE)


@pytest.mark.parametrize(("expression", "message"), refused_results())
def test_a_student_reads_what_the_page_says_of_a_result_that_is_no_answer(
    expression: str, message: str
) -> None:
    exercise = an_exercise()
    answer = eval(f"lambda x: {expression}", {"np": np})
    drawn = corpus.draw([exercise], 0, cases=1)
    outcome = Checker(drawn, PlainRunner({exercise.name: answer})).check(exercise)
    assert counterexample.message(exercise, outcome.laws[0]).startswith(message)


def test_the_page_lists_results_that_are_no_answer() -> None:
    assert len(refused_results()) > 6


# -- links, files, code ----------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    dead = []
    for target in LINK.findall(text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(target)
    assert dead == []


def test_every_file_of_the_tree_exists() -> None:
    (tree,) = (body for body in fences(README, "") if body.startswith("source/"))
    paths, folder = [], ""
    for line in tree.splitlines():
        name = line.split()[0]
        if line.startswith("  "):
            paths.append(folder + name)
        else:
            paths.append(name)
            folder = name
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_code_of_the_readme_is_that_of_the_package() -> None:
    exercise, law = fences(README, "python")[1:]
    folder = ROOT / "autograder"
    assert exercise == (folder / "exercises" / "causal_mask.py").read_text(encoding="utf-8")
    assert law in (folder / "laws" / "masking.py").read_text(encoding="utf-8")


# -- examples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["masks.md"])
def test_sessions_print_what_the_page_shows(name: str) -> None:
    session = "".join(fences(ROOT / "docs" / name, "pycon"))
    examples_of_page = doctest.DocTestParser().get_doctest(session, {}, name, name, 0)
    assert examples_of_page.examples
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples_of_page, out=printed.append)
    assert not runner.failures, "".join(printed)


def test_no_page_with_a_session_is_left_out() -> None:
    assert [page.name for page in PAGES if fences(page, "pycon")] == ["masks.md"]


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a b...\n", "a bc d\n", True),
        ("...\n", "", True),
        ("", "a\n", False),
        ("a\n...\nd\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("a b...\n", "a c\nbc\n", False),
    ],
)
def test_what_is_shown_fits_what_is_printed_up_to_dots(
    shown: str, printed: str, fits: bool
) -> None:
    assert (pattern_of(shown).fullmatch(printed) is not None) is fits


@pytest.fixture(scope="module")
def released_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with its assignment released; read only."""
    course = tmp_path_factory.mktemp("docs") / "released"
    shutil.copytree(ROOT / "source", course / "source")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    with (course / "nbgrader_config.py").open("a") as config:
        # what the pages show holds where a sandbox isolates; elsewhere it is our own code that runs
        config.write(f"c.PropertyGrader.sandbox = {sandbox()!r}\n")
    assert run("nbgrader generate_assignment self_attention", course).returncode == 0
    return course


def run(command: str, course: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a page as a person would, standard error in the same stream."""
    here = str(Path(sys.executable).parent)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=course,
        env={**os.environ, "PATH": os.pathsep.join([here, os.environ["PATH"]])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def ada(course: Path) -> None:
    """The notebook that the README begins with: its softmax, and the rest right."""
    exercises = tuple(load_exercises()[name] for name in assignment_exercises())
    sources = right_sources(exercises, random.Random(0))  # noqa: S311 - any right answer will do
    sources["softmax"] = fences(README, "python")[0]
    release = (course / "release" / "self_attention" / "self_attention.ipynb").read_bytes()
    (course / "ada.ipynb").write_bytes(write(fill_in(read(release, verbatim=True), sources)))


def assignment_exercises() -> list[str]:
    return list(load_assignments()["self_attention"].exercises)


def class_of_four(course: Path) -> None:
    """Submissions as the teaching assistant's page finds them."""
    exercises = tuple(load_exercises()[name] for name in assignment_exercises())
    release = (course / "release" / "self_attention" / "self_attention.ipynb").read_bytes()
    for made in sample_class(release, exercises, students=4, seed=1):
        path = course / "submitted" / made.student / "self_attention" / "self_attention.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(made.notebook)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "prepare"),
    [
        (README, ada),
        pytest.param(ROOT / "docs" / "grading.md", class_of_four, marks=pytest.mark.extra),
        (ROOT / "docs" / "instructors.md", lambda _: None),
        (ROOT / "docs" / "audit.md", lambda _: None),
        pytest.param(
            ROOT / "docs" / "threat-model.md",
            lambda _: None,
            marks=pytest.mark.skipif(sandbox() != "auto", reason="nothing isolates here"),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_commands_print_what_the_page_shows(
    page: Path, prepare: object, released_course: Path, tmp_path: Path
) -> None:
    course = tmp_path / "course"
    shutil.copytree(released_course, course)
    assert callable(prepare)
    prepare(course)
    ran = 0
    for example in examples(page):
        done = run(example.command, course)
        assert done.returncode == 0, f"$ {example.command}\n{done.stdout}"
        fits = pattern_of(example.shown).fullmatch(done.stdout.rstrip("\n") + "\n")
        assert fits, (
            f"$ {example.command}\n{done.stdout}\nis not what the page shows:\n{example.shown}"
        )
        ran += 1
    assert ran


def test_no_page_with_examples_is_left_out() -> None:
    with_examples = {page.name for page in PAGES if fences(page, "console")}
    assert with_examples == {
        "README.md",
        "add-an-exercise.md",  # tests/test_tutorial.py
        "audit.md",
        "grading.md",
        "instructors.md",
        "threat-model.md",
    }
