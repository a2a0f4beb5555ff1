"""Arenas: one for `make test`, one for every backend and user for `make test-all`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from tests.hostile.arena import Arena
from tests.hostile.people import ordinary_user, readable_python, refusal

ISOLATING = ("bubblewrap", "landlock")
GROUNDS = [(sandbox, who) for sandbox in ISOLATING for who in ("root", "ordinary user")]


@pytest.fixture(scope="session")
def arena() -> Iterator[Arena]:
    """The first backend that isolates here, with this Python and for this user."""
    reasons = {sandbox: refusal(sandbox, sys.executable, None) for sandbox in ISOLATING}
    working = [sandbox for sandbox, reason in reasons.items() if not reason]
    if not working:
        pytest.skip(f"no backend isolates here: {reasons}")
    made = Arena(working[0])
    yield made
    made.close()


@pytest.fixture(scope="session")
def anybodys_python() -> Iterator[str]:
    """A Python that every user may read."""
    try:
        with readable_python() as python:
            yield python
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def somebody() -> Iterator[int | None]:
    """The id of an ordinary user: a new one for root, and oneself otherwise."""
    if os.geteuid() != 0:
        yield None
        return
    with ordinary_user() as user:
        yield user


@pytest.fixture(scope="session", params=GROUNDS, ids=[f"{s}-{w}" for s, w in GROUNDS])
def every_arena(
    request: pytest.FixtureRequest, anybodys_python: str, somebody: int | None
) -> Iterator[Arena]:
    """Every backend, as root and as an ordinary user; what can't be had is skipped with reasons."""
    sandbox, who = request.param
    if who == "root" and os.geteuid() != 0:
        pytest.skip("root is needed to grade as root")
    user = somebody if who == "ordinary user" else None
    reason = refusal(sandbox, anybodys_python, user)
    if reason:
        pytest.skip(f"{sandbox} as {who}: {reason}")
    made = Arena(sandbox, python=anybodys_python, user=user)
    yield made
    made.close()
