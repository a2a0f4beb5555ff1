"""`make bench`: the grader beside stock nbgrader, in turn, in one run.

The same submissions go through `nbgrader autograde` with stock preprocessors and eight plain
asserts, and through `autograder grade`. Times are wall-clock seconds of real processes. Both sides
slow down together on a busy machine, so ratios are what to compare between runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Final

import msgspec
import numpy as np

from autograder.course import assignment_named, exercises_of
from autograder.results import SubmissionResult, from_json
from autograder.sample import sample_class
from benchmarks.course import ROOT, CommandError, copy_course, run_quietly, sandbox
from benchmarks.figures import Figures, Pair, Ungraded, Warm, report
from benchmarks.stock import stock_course

ASSIGNMENT: Final = "self_attention"
SEED: Final = 0
JOBS: Final = 2
COLD_RUNS: Final = 3
LEAST_SUBMISSIONS: Final = 8
"""A smaller class holds no right answer to look at."""

NEEDS_A_PERSON: Final = 1
"""The exit status of both commands where a submission could not be graded."""


@cache
def grading() -> tuple[str, ...]:
    """The options of our own commands."""
    return ("--seed", str(SEED), "--sandbox", sandbox())


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two courses, released, and what its students will hand in."""

    folder: Path
    submissions: Mapping[str, bytes]

    def hand_in(self, students: Sequence[str]) -> None:
        """Let `submitted/` hold the submissions of these students and nothing else."""
        shutil.rmtree(self.folder / "submitted", ignore_errors=True)
        for student in students:
            path = self.folder / _notebook_of(student)
            path.parent.mkdir(parents=True)
            path.write_bytes(self.submissions[student])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return its exit status."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="autograder-bench-") as folder:
        try:
            figures = measure(Path(folder), options.submissions)
        except CommandError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    if options.json:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(figures)) + b"\n")
    else:
        print(report(figures))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument("--submissions", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print JSON alone")
    options = parser.parse_args(arguments)
    if options.submissions < LEAST_SUBMISSIONS:
        parser.error(f"--submissions should be at least {LEAST_SUBMISSIONS}")
    return options


def measure(folder: Path, submissions: int) -> Figures:
    """Grade a class both ways, half by half in turn, then one submission several times."""
    _say("Releasing both courses ...")
    source = ROOT / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    stock = _released(stock_course(folder / "stock", source, ASSIGNMENT), submissions)
    ours = _released(copy_course(folder / "autograder"), submissions)
    students = list(ours.submissions)
    halves = [_grade_both(stock, ours, half) for half in (students[::2], students[1::2])]
    results = _results(ours)
    right = [result for result in results if result.score == result.max_score]
    graded_by_stock = len(list((stock.folder / "autograded").glob("*/*/*.ipynb")))
    one = str(right[0].student)
    return Figures(
        submissions=submissions,
        right=len(right),
        batch=Pair(mean(half.stock for half in halves), mean(half.autograder for half in halves)),
        halves=tuple(halves),
        ungraded=Ungraded(submissions - graded_by_stock, submissions - len(results)),
        cold=_cold(stock, ours, one),
        warm=_warm(ours, one),
        median_calls=median(result.calls for result in results),
        least_calls_if_right=min(result.calls for result in right),
        machine={
            "cores": str(os.cpu_count()),
            "load": f"{os.getloadavg()[0]:.1f}",
            "Python": platform.python_version(),
            "NumPy": np.__version__,
        },
    )


def _released(course: Path, submissions: int) -> Side:
    """Make the release, and the sample class that hands it in.

    The submission that loops is left out: waiting for a time limit shows no speed.
    """
    run_quietly(["nbgrader", "generate_assignment", ASSIGNMENT], course)
    release = (course / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_bytes()
    exercises = exercises_of(assignment_named(ASSIGNMENT))
    made = sample_class(release, exercises, students=submissions + 1, seed=SEED)
    ending = (one for one in made if not one.description.endswith(" loops"))
    return Side(course, {one.student: one.notebook for one in islice(ending, submissions)})


def _grade_both(stock: Side, ours: Side, students: Sequence[str]) -> Pair:
    """Seconds per submission of both sides, one after the other."""
    for side in (stock, ours):
        side.hand_in(students)
    _say(f"{len(students)} submissions: nbgrader autograde ...")
    theirs = _seconds(["nbgrader", "autograde", ASSIGNMENT], stock)
    _say(f"{len(students)} submissions: autograder grade ...")
    own = _seconds(["autograder", "grade", ASSIGNMENT, "--jobs", str(JOBS), *grading()], ours)
    return Pair(theirs / len(students), own / len(students))


def _cold(stock: Side, ours: Side, student: str) -> Pair:
    """Seconds of both commands on one submission, in turn; medians of several starts."""
    _say(f"One submission, {COLD_RUNS} cold starts each ...")
    for side in (stock, ours):
        side.hand_in([student])
    theirs = ["nbgrader", "autograde", ASSIGNMENT, "--student", student, "--force"]
    own = ["autograder", "check", _notebook_of(student), *grading()]
    pairs = [(_seconds(theirs, stock), _seconds(own, ours)) for _ in range(COLD_RUNS)]
    return Pair(*(median(seconds) for seconds in zip(*pairs, strict=True)))


def _warm(side: Side, student: str) -> Warm:
    """One submission in a running grader, measured in a process of its own."""
    _say("One submission in a running grader ...")
    command = [
        sys.executable,
        "-m",
        "benchmarks.warm",
        _notebook_of(student),
        ASSIGNMENT,
        str(SEED),
    ]
    variables = {f"{blas}_NUM_THREADS": "1" for blas in ("OMP", "OPENBLAS", "MKL")}  # as a worker
    variables["PYTHONPATH"] = str(ROOT)
    out = run_quietly(command, side.folder, variables=variables)
    return msgspec.json.decode(out, type=Warm)


def _seconds(command: Sequence[str], side: Side) -> float:
    """Wall-clock seconds of a command that may leave single submissions ungraded."""
    start = time.perf_counter()
    run_quietly(command, side.folder, allowed=(0, NEEDS_A_PERSON))
    return time.perf_counter() - start


def _results(side: Side) -> list[SubmissionResult]:
    paths = (side.folder / ".autograder" / "results" / ASSIGNMENT).glob("*/*.json")
    return [from_json(path.read_bytes()) for path in sorted(paths)]


def _notebook_of(student: str) -> str:
    return f"submitted/{student}/{ASSIGNMENT}/{ASSIGNMENT}.ipynb"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
