"""What the tests of workers share."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from autograder.exercise import Budgets
from autograder.worker.client import Session
from autograder.worker.isolation import ISOLATING, examine

SHORT = Budgets(cell_seconds=0.3, case_seconds=0.3, total_seconds=20, memory_bytes=256 << 20)
PATIENT = Budgets(cell_seconds=30, case_seconds=10)

NewSession = Callable[..., Session]


def skip_without(backend: str) -> None:
    """Skip the test where a backend does not work, and say why."""
    problem = examine(backend).problem
    if problem:
        pytest.skip(f"{backend}: {problem}")


def best_backend() -> str:
    """The first backend that isolates here; without any, the one that limits.

    `TESTED_SANDBOX` in the environment names another.
    """
    return os.environ.get("TESTED_SANDBOX") or next(
        (name for name in ISOLATING if not examine(name).problem), "rlimit"
    )
