from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import reference
from autograder.exercises import load_assignments
from autograder.notebook import Notebook, read
from autograder.notebook.model import grade_id_of, nbgrader_of
from benchmarks import bench
from benchmarks.course import ROOT
from benchmarks.figures import Figures, Pair, Ungraded, Warm, report
from benchmarks.stock import PLAIN_ASSERTS, with_plain_asserts

FIGURES = Figures(
    submissions=40,
    right=13,
    batch=Pair(2.0, 0.5),
    halves=(Pair(2.0, 0.4), Pair(2.0, 0.6)),
    ungraded=Ungraded(1, 0),
    cold=Pair(4.5, 1.5),
    warm=Warm(
        check_seconds=0.9,
        direct_seconds=0.6,
        calls=2007,
        worker_bytes=20 << 20,
        kernel_bytes=50 << 20,
    ),
    median_calls=1998,
    least_calls_if_right=1990,
    machine={"cores": "2"},
)


def source() -> Notebook:
    path = ROOT / "source" / bench.ASSIGNMENT / f"{bench.ASSIGNMENT}.ipynb"
    return read(path.read_bytes(), verbatim=True)


def test_ratios_lead_the_report() -> None:
    lines = report(FIGURES).splitlines()
    assert [float(line.split()[0]) for line in lines[1:9:2]] == [4.0, 3.0, 1.5, 2.5]
    assert "ratio in each half of the class: 5.00, 3.33" in lines
    assert "not graded: 1 by nbgrader autograde, 0 by autograder grade" in lines


def test_figures_are_printed_as_json_and_read_again() -> None:
    assert msgspec.json.decode(msgspec.json.encode(FIGURES), type=Figures) == FIGURES


def test_a_class_too_small_to_hold_right_answers_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        bench.main(["--submissions", "3"])
    assert "at least 8" in capsys.readouterr().err


def test_the_stock_notebook_has_two_plain_tests_for_each_function_and_the_same_points() -> None:
    plain = with_plain_asserts(source())
    tests = [
        nbgrader_of(cell) for cell in plain.cells if cell.is_code and nbgrader_of(cell).get("grade")
    ]
    assert [test["grade_id"] for test in tests] == [
        f"{name}-{number}"
        for name in load_assignments()[bench.ASSIGNMENT].exercises
        for number in (1, 2)
    ]
    assert sum(test["points"] for test in tests) == 40


def test_the_stock_notebook_keeps_our_solutions_and_leaves_out_demonstrations() -> None:
    ours, plain = source().cells, with_plain_asserts(source()).cells
    solutions = [c.source for c in ours if (grade_id_of(c) or "").endswith("-solution")]
    assert [c.source for c in plain if (grade_id_of(c) or "").endswith("-solution")] == solutions
    assert any("demo" in cell.metadata.get("tags", ()) for cell in ours)
    assert not any("demo" in cell.metadata.get("tags", ()) for cell in plain)


@pytest.mark.parametrize("name", PLAIN_ASSERTS)
def test_plain_asserts_pass_the_reference_and_fail_zeros(name: str) -> None:
    right = getattr(reference, name)

    def zeros(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple(np.zeros_like(part) for part in result)
        return np.zeros_like(result)

    for source_text in PLAIN_ASSERTS[name]:
        exec(source_text, {"np": np, name: right})
    with pytest.raises(AssertionError):
        exec(PLAIN_ASSERTS[name][0], {"np": np, name: zeros})


@pytest.mark.extra
def test_a_small_benchmark_runs_to_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--submissions", "8", "--json"]) == 0
    figures = msgspec.json.decode(capfd.readouterr().out, type=Figures)
    assert figures.submissions == 8
    assert figures.least_calls_if_right >= 1500
    assert figures.ungraded.autograder == 0
