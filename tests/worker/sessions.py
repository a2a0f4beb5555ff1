"""What the tests of workers share."""

from __future__ import annotations

from collections.abc import Callable

from autograder.exercise import Budgets
from autograder.worker.client import Session

SHORT = Budgets(cell_seconds=0.3, case_seconds=0.3, total_seconds=20, memory_bytes=256 << 20)
PATIENT = Budgets(cell_seconds=30, case_seconds=10)

NewSession = Callable[..., Session]
