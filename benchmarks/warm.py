"""One submission in a warm grader, against the same calls in this process; memory of both kinds.

`benchmarks.bench` runs it as a process of its own, in a course folder: it prints its figures as
JSON. Nothing here times the start of Python or the drawing of cases.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import numpy as np
import psutil

from autograder.course import Course, PlanSpec, build_plan
from autograder.exercise import Arranged, Call
from autograder.grading.submission import Plan, check, rebuilt, sha256
from autograder.notebook import read, runnable
from autograder.worker.client import Cell, Session
from benchmarks.course import sandbox
from benchmarks.figures import Warm

ROUNDS = 5

DirectCall = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def measure(notebook: Path, assignment: str, seed: int) -> Warm:
    """Measure one submission of the course in the working directory."""
    plan = _plan(assignment, seed)
    data = notebook.read_bytes()
    cells = [source for _, source in runnable(rebuilt(read(data), plan.skeleton), plan.skeleton)]
    check_seconds, direct_seconds, calls = [], [], 0
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows both alike
        start = time.perf_counter()
        checked = check(
            rebuilt(read(data), plan.skeleton), plan, student=None, submission_sha256=sha256(data)
        )
        check_seconds.append(time.perf_counter() - start)
        calls = checked.result.calls
        direct_seconds.append(_run_directly(cells, plan))
    return Warm(
        check_seconds=median(check_seconds),
        direct_seconds=median(direct_seconds),
        calls=calls,
        worker_bytes=_worker_memory(cells, plan),
        kernel_bytes=_kernel_memory(cells),
    )


def _plan(assignment: str, seed: int) -> Plan:
    course = Course.find(Path.cwd())
    if course is None:
        raise SystemExit("benchmarks.warm runs inside a course folder.")
    course = course.with_settings(seed=seed, sandbox=sandbox())
    return build_plan(
        PlanSpec(
            assignment=assignment,
            settings=course.settings,
            seed=course.seed(create=False),
            release=course.release(assignment),
            corpora=course.corpora,
        )
    )


def _run_directly(cells: list[str], plan: Plan) -> float:
    """Seconds for the cells and every call of the corpus in this process."""
    start = time.perf_counter()
    namespace: dict[str, Any] = {}
    for source in cells:
        exec(source, namespace)  # noqa: S102 - a sample of our own
    spent = time.perf_counter() - start
    calls = list(_calls(plan, namespace))
    with np.errstate(all="ignore"):
        start = time.perf_counter()
        for function, args, kwargs in calls:
            with contextlib.suppress(Exception):  # a right answer may fail a law that is only shown
                function(*args, **kwargs)
        return spent + time.perf_counter() - start


def _calls(plan: Plan, namespace: dict[str, Any]) -> Iterator[DirectCall]:
    for exercise in plan.exercises:
        for law in exercise.properties:
            for case in plan.corpus.of(exercise, law).cases:
                for step in law.calls(case):
                    assert isinstance(step, Call)  # noqa: S101 - these exercises only call
                    args = tuple(_plain(value) for value in step.args)
                    kwargs = {name: _plain(value) for name, value in step.kwargs.items()}
                    yield namespace[step.to or exercise.name], args, kwargs


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Arranged) else value


def _worker_memory(cells: list[str], plan: Plan) -> int:
    """Private bytes of a worker after the cells."""
    session = Session(
        plan.launcher,
        [Cell(index, source) for index, source in enumerate(cells)],
        [exercise.name for exercise in plan.exercises],
        budgets=plan.assignment.budgets,
        allowed_imports=plan.assignment.allowed_imports,
    )
    with session:
        session.load()
        return session.private_memory_bytes()


def _kernel_memory(cells: list[str]) -> int:
    """Private bytes of a Jupyter kernel after the cells."""
    from jupyter_client.manager import start_new_kernel

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    manager, client = start_new_kernel()
    try:
        for source in cells:
            client.execute_interactive(source, timeout=60, output_hook=lambda _: None)
        kernels = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
        return sum(kernel.memory_full_info().uss for kernel in kernels)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    figures = measure(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    sys.stdout.buffer.write(msgspec.json.encode(figures))
