"""A worker may read what it runs on, and no package of ours wherever that is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import autograder
import reference
from autograder.worker.imports import package_files
from autograder.worker.isolation.visible import PYTHON, Tree, visible

SEEN = visible({"numpy", "matplotlib"})


def covers(path: Path) -> bool:
    return any(part == path or part in path.parents for part in SEEN.readable())


@pytest.mark.parametrize(
    "path",
    [
        Path(os.__file__),
        PYTHON,
        Path(autograder.__file__).parent / "worker" / "wire.py",
        Path(autograder.__file__).parent / "worker" / "child" / "shell.py",
        *(Path(str(sys.modules[name].__file__)) for name in ("numpy", "msgspec")),
    ],
)
def test_what_a_worker_runs_on_is_visible(path: Path) -> None:
    assert covers(path.resolve())


@pytest.mark.parametrize(
    "path",
    [
        Path(autograder.__file__),
        Path(reference.__file__),
        Path(autograder.__file__).parent / "worker" / "client.py",
        Path(autograder.__file__).parent / "worker" / "isolation" / "selftest.py",
        Path(str(sys.modules["_pytest"].__file__)),
    ],
)
def test_nothing_else_is(path: Path) -> None:
    assert not covers(path.resolve())


def test_what_is_left_out_of_a_tree_is_in_none_of_its_parts(tmp_path: Path) -> None:
    for name in ("lib.so", "python3.11", "x86"):
        (tmp_path / name).mkdir()
    parts = list(Tree(tmp_path, ("python3.11",)).parts())
    assert parts == [tmp_path / "lib.so", tmp_path / "x86"]
    assert list(Tree(tmp_path).parts()) == [tmp_path]


def test_folders_come_before_what_lies_in_them() -> None:
    paths = [tree.path for tree in SEEN.trees]
    for number, path in enumerate(paths):
        assert not any(later in path.parents for later in paths[number:])


def test_packages_are_those_that_the_assignment_allows() -> None:
    names = {path.name for path in package_files(frozenset({"numpy"}))}
    assert {"numpy", "IPython", "landlockpy"} <= names
    assert not {"hypothesis", "nbgrader", "autograder", "reference", "__pycache__"} & names
    assert all(path.is_absolute() for path in package_files(frozenset({"numpy"})))
