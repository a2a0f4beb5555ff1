"""What a confined worker costs beside a fresh Jupyter kernel: milliseconds and private memory.

`python -m benchmarks.worker_cost` prints both. Times are medians of wall-clock milliseconds, from
asking for a process to its first reply and to the reply of a first cell. Memory is what would be
free if the process ended, in MiB, before any figure is drawn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import psutil
from jupyter_client.manager import KernelManager

from autograder.worker import wire
from autograder.worker.channel import Budget
from autograder.worker.imports import importable_modules
from autograder.worker.isolation import ISOLATING, Backend, choose, examine
from autograder.worker.isolation.backend import DEFAULT_IMPORTS
from autograder.worker.process import WorkerProcess

WORKERS: Final = 30
KERNELS: Final = 3
CELL: Final = (
    "import numpy as np\nimport matplotlib.pyplot as plt\nX = np.ones((4, 4)) @ np.ones(4)"
)
_SECONDS: Final = 60.0
_MEMORY_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians over several processes of one kind."""

    name: str
    ready_ms: float
    first_cell_ms: float
    private_mib: float


def measure_worker(backend: Backend, workers: int = WORKERS) -> Cost:
    """Workers of a backend, one after the other; its warm process has started before."""
    launcher = backend.launcher()
    load = wire.Load(
        memory_bytes=_MEMORY_BYTES if launcher.limited else 0,
        cpu_seconds=0,
        file_bytes=0,
        output_bytes=wire.MAX_TEXT,
        names=[],
        allowed_imports=list(importable_modules(DEFAULT_IMPORTS)),
    )
    taken = [_one_worker(backend, load) for _ in range(workers + 1)]
    return _cost(backend.name, taken[1:])


def _one_worker(backend: Backend, load: wire.Load) -> tuple[float, float, int]:
    began = time.perf_counter()
    worker = WorkerProcess(backend.launcher(), load, Budget(_SECONDS))
    try:
        worker.start()
        ready = time.perf_counter() - began
        worker.run_cell(0, CELL, _SECONDS)
        first_cell = time.perf_counter() - began
        return ready, first_cell, worker.private_memory_bytes()
    finally:
        worker.close()


def measure_kernel(kernels: int = KERNELS) -> Cost:
    """Fresh Jupyter kernels, one after the other."""
    return _cost("jupyter kernel", [_one_kernel() for _ in range(kernels)])


def _one_kernel() -> tuple[float, float, int]:
    manager = KernelManager(kernel_name="python3")
    began = time.perf_counter()
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=_SECONDS)
        ready = time.perf_counter() - began
        client.execute_interactive(CELL, timeout=_SECONDS, output_hook=lambda message: None)
        first_cell = time.perf_counter() - began
        pid = getattr(manager.provisioner, "pid", None)
        return ready, first_cell, int(psutil.Process(pid).memory_full_info().uss)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _cost(name: str, taken: Sequence[tuple[float, float, int]]) -> Cost:
    ready, first_cell, memory = (median(column) for column in zip(*taken, strict=True))
    return Cost(name, 1000 * ready, 1000 * first_cell, memory / (1 << 20))


def table(costs: Sequence[Cost]) -> str:
    """The costs as lines of text."""
    lines = [f"{'':16}{'ready, ms':>12}{'first cell, ms':>18}{'private, MiB':>16}"]
    lines += [
        f"{c.name:16}{c.ready_ms:12.1f}{c.first_cell_ms:18.1f}{c.private_mib:16.1f}" for c in costs
    ]
    return "\n".join(lines)


def measure() -> list[Cost]:
    """Every isolating backend that works here, and a Jupyter kernel."""
    working = [name for name in ISOLATING if not examine(name).problem]
    return [*(measure_worker(choose(name)) for name in working), measure_kernel()]


if __name__ == "__main__":
    print(table(measure()))
    print(f"load {psutil.getloadavg()[0]:.1f} on {psutil.cpu_count()} cores", file=sys.stderr)
