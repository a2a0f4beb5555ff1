"""Real workers, with limits short enough for a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.exercise import Budgets
from autograder.worker.client import Cell, Session
from autograder.worker.isolation import choose
from tests.worker.sessions import PATIENT, NewSession


@pytest.fixture
def new_session() -> Iterator[NewSession]:
    """Build sessions from cell sources; all are closed in the end."""
    sessions: list[Session] = []

    def build(
        *sources: str,
        names: tuple[str, ...] = ("f",),
        budgets: Budgets = PATIENT,
        sandbox: str = "rlimit",
    ) -> Session:
        session = Session(
            choose(sandbox).launcher(),
            [Cell(index, source) for index, source in enumerate(sources)],
            names,
            budgets=budgets,
            allowed_imports={"numpy", "matplotlib"},
        )
        sessions.append(session)
        return session

    yield build
    for session in sessions:
        session.close()
