"""Real workers, with limits short enough for a test, under every backend of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.exercise import Budgets
from autograder.worker.client import Cell, Session
from autograder.worker.isolation import choose
from tests.worker.sessions import PATIENT, NewSession, best_backend, skip_without


@pytest.fixture(
    params=[
        "best",
        *(pytest.param(n, marks=pytest.mark.extra) for n in ("bubblewrap", "landlock", "rlimit")),
    ]
)
def sandbox(request: pytest.FixtureRequest) -> str:
    """The backend under test: the best there is, and under the mark `extra` each of the others."""
    name: str = request.param
    if name == "best":
        return best_backend()
    if name == best_backend():
        pytest.skip(f"{name} is the backend that runs without the mark")
    skip_without(name)
    return name


@pytest.fixture
def new_session(sandbox: str) -> Iterator[NewSession]:
    """Build sessions from cell sources; all are closed in the end."""
    sessions: list[Session] = []

    def build(
        *sources: str,
        names: tuple[str, ...] = ("f",),
        budgets: Budgets = PATIENT,
        sandbox: str = sandbox,
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
