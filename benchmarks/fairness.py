"""Do right answers keep every point? Counts what they lose over many seeds, NumPys, precisions.

`python -m benchmarks.fairness` replays every known right answer of every exercise on the corpora
of 200 seeds; with `--float32` also on inputs cast to float32, whose expected values are those of
the very numbers that the answer sees, and with `--numpy 1.26` also under that NumPy, in an
environment made for it. Ends with status 1 if a point or a scored law is lost.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.other_numpy import OtherNumpy, UnavailableError
from benchmarks.replay import Dtype, Tally, replay_seed

SEEDS = 200
_COLUMNS = "{:<10} {:<9} {:>6} {:>8} {:>11} {:>10} {:>12} {:>8}"


class Run(msgspec.Struct):
    """What was found under one NumPy, in how many seconds; a `problem` says why nothing was."""

    numpy: str
    tallies: list[Tally] = msgspec.field(default_factory=list)
    seconds: float = 0.0
    problem: str = ""

    @property
    def lost(self) -> bool:
        """Whether a right answer lost anything."""
        return any(tally.losses or tally.points_lost for tally in self.tallies)


def measure(seeds: int, dtypes: Sequence[Dtype], jobs: int) -> Run:
    """Replay the seeds 0, 1, ... under the NumPy of this process."""
    _say(f"NumPy {np.__version__}: {seeds} seeds in {' and '.join(dtypes)} ...")
    start = time.perf_counter()
    totals = [Tally(dtype) for dtype in dtypes]
    for variable in ("OMP", "OPENBLAS", "MKL"):  # one thread each, as in a worker
        os.environ.setdefault(f"{variable}_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    # cycles are collected between the seeds alone: it takes a sixth less
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=gc.disable) as pool:
        for done, tallies in enumerate(
            pool.map(partial(_one_seed, dtypes=dtypes), range(seeds)), start=1
        ):
            for total, tally in zip(totals, tallies, strict=True):
                total.add(tally)
            if done % 20 == 0:
                lost = sum(len(total.losses) for total in totals)
                seconds = time.perf_counter() - start
                _say(f"{done} of {seeds} seeds, {seconds:.0f} s, {lost} laws lost")
    return Run(np.__version__, totals, time.perf_counter() - start)


def _one_seed(seed: int, dtypes: Sequence[Dtype]) -> list[Tally]:
    tallies = replay_seed(seed, dtypes)
    gc.collect()
    return tallies


def measure_under(numpy: str, arguments: Sequence[str]) -> Run:
    """The same under another NumPy, in an environment that lives as long as it takes."""
    with tempfile.TemporaryDirectory(prefix="fairness-") as folder:
        _say(f"NumPy {numpy}: making an environment ...")
        try:
            there = OtherNumpy(numpy, Path(folder) / "venv")
        except UnavailableError as error:
            return Run(numpy, problem=str(error))
        found = there.run_module("benchmarks.fairness", [*arguments, "--json"])
    (run,) = msgspec.json.decode(found, type=list[Run])
    return run


def report(runs: Sequence[Run]) -> str:
    """The table of all runs, then one line for every law that a right answer lost."""
    lines = [
        _COLUMNS.format(
            "NumPy", "inputs", "seeds", "answers", "calls", "laws lost", "points lost", "seconds"
        )
    ]
    for run in runs:
        if run.problem:
            lines.append(f"{run.numpy:<10} not measured: {run.problem}")
        for number, tally in enumerate(run.tallies):
            figures = f"{tally.calls:,}", len(tally.losses), f"{tally.points_lost:g}"
            seconds = f"{run.seconds:.0f}" if number == 0 else '"'
            lines.append(
                _COLUMNS.format(
                    run.numpy, tally.dtype, tally.seeds, tally.answers, *figures, seconds
                )
            )
    lines += [
        f"lost: {loss.exercise}, {loss.answer}, seed {loss.seed}, {loss.law} "
        f"(NumPy {run.numpy}, {tally.dtype}): {loss.message}"
        for run in runs
        for tally in run.tallies
        for loss in tally.losses
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print it; returns 1 if a right answer lost anything."""
    options = _parser().parse_args(argv)
    dtypes: list[Dtype] = ["float64", "float32"] if options.float32 else ["float64"]
    arguments = [f"--seeds={options.seeds}", f"--jobs={options.jobs}"]
    arguments += ["--float32"] if options.float32 else []
    runs = [measure(options.seeds, dtypes, options.jobs)]
    runs += [measure_under(numpy, arguments) for numpy in options.numpy]
    print(msgspec.json.encode(runs).decode() if options.json else report(runs))
    return int(any(run.lost for run in runs))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fairness", description=__doc__)
    parser.add_argument("--seeds", type=_positive, default=SEEDS, help="how many corpora")
    parser.add_argument("--jobs", type=_positive, default=2, help="how many processes")
    parser.add_argument("--float32", action="store_true", help="float32 inputs as well")
    parser.add_argument(
        "--numpy", nargs="+", default=[], metavar="VERSION", help="other NumPys, such as 1.26"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON alone")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
