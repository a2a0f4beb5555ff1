"""An ordinary user, and a Python that serves everybody, for as long as the tests run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.hostile.people import ordinary_user, readable_python


@pytest.fixture(scope="session")
def somebody() -> Iterator[int | None]:
    """The id of a user made for the tests; None where the tests themselves run as one."""
    if os.geteuid():
        yield None
        return
    with ordinary_user() as user:
        yield user


@pytest.fixture(scope="session")
def anybodys_python() -> Iterator[str]:
    """A Python that any user may run, with our packages."""
    try:
        with readable_python() as python:
            yield python
    except LookupError as error:
        pytest.skip(str(error))
