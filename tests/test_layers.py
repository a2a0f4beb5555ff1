"""The floors of docs/architecture.md hold, and every contract that guards them can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

# contract -> a file and the import in it that the contract must refuse
FORBIDDEN = {
    "arrows run downward": ("autograder/comparison.py", "autograder.grading"),
    "the engine knows no particular exercise": (
        "autograder/grading/scoring.py",
        "autograder.exercises",
    ),
    "the content imports no engine": ("autograder/laws/softmax.py", "autograder.notebook"),
    "the worker's child reads wire and nothing else of ours": (
        "autograder/worker/child/calls.py",
        "autograder.results",
    ),
    "the wire imports nothing of ours": ("autograder/worker/wire.py", "autograder.exercise"),
    "the reference imports nothing of ours": ("reference/softmax.py", "autograder.comparison"),
    "only exercises see the reference": ("autograder/reporting/__init__.py", "reference"),
    "nbgrader stays inside its plugin": ("autograder/grading/scoring.py", "nbgrader.api"),
    "hypothesis only draws and shrinks": ("autograder/comparison.py", "hypothesis"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    for package in ("autograder", "reference"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        "autograder",
        "reference",
        include_external_packages=True,
        exclude_type_checking_imports=True,
        cache_dir=None,
    )


def foreign_imports(graph: grimp.ImportGraph, package: str) -> set[str]:
    """What `package` imports from neither itself nor the standard library."""
    modules = {package} | graph.find_descendants(package)
    imported = set().union(*map(graph.find_modules_directly_imported_by, modules)) - modules
    return imported - set(sys.stdlib_module_names)


def test_every_floor_keeps_its_contracts() -> None:
    run = lint(ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_contract_has_an_import_that_must_break_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(FORBIDDEN) == {c["name"] for c in settings["tool"]["importlinter"]["contracts"]}


@pytest.mark.parametrize("contract", FORBIDDEN)
def test_a_forbidden_import_breaks_its_contract(contract: str, scratch: Path) -> None:
    file, module = FORBIDDEN[contract]
    with (scratch / file).open("a", encoding="utf-8") as source:
        source.write(f"\n\ndef offender():\n    import {module}\n")
    run = lint(scratch)
    assert run.returncode == 1
    assert f"{contract} BROKEN" in run.stdout, run.stdout + run.stderr


def test_a_module_that_stands_on_no_floor_is_refused(scratch: Path) -> None:
    (scratch / "autograder" / "stray.py").touch()
    assert "arrows run downward BROKEN" in lint(scratch).stdout


def test_the_reference_imports_numpy_and_for_its_picture_matplotlib(
    graph: grimp.ImportGraph,
) -> None:
    assert foreign_imports(graph, "reference") == {"numpy", "matplotlib"}
    assert graph.find_modules_that_directly_import("matplotlib") & {
        "reference", *graph.find_descendants("reference"),
    } == {"reference.heatmap"}  # fmt: skip


def test_the_child_imports_only_what_is_visible_inside_the_sandbox(
    graph: grimp.ImportGraph,
) -> None:
    inside = {"IPython", "landlockpy", "matplotlib", "msgspec", "numpy", "traitlets"}
    inside.add("autograder.worker.wire")
    assert foreign_imports(graph, "autograder.worker.child") <= inside
