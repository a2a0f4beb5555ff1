"""The self-test finds every protection that is missing, and does no harm where one is."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.worker.isolation import (
    ISOLATING,
    SandboxError,
    examine,
    guarantees,
    visible,
    zygotes,
)
from autograder.worker.isolation.plain import PlainLauncher
from autograder.worker.isolation.selftest import SelfTest, self_test
from autograder.worker.isolation.zygotes import ZygoteLauncher
from tests.worker.sessions import skip_without

ALLOW_ALL = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)


@pytest.fixture(params=ISOLATING)
def isolating(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    skip_without(name)
    return name


@contextmanager
def launched(backend: str) -> Iterator[ZygoteLauncher]:
    launcher = ZygoteLauncher({"numpy", "matplotlib"}, wrapped=backend == "bubblewrap")
    try:
        yield launcher
    finally:
        launcher.close()


def test_an_isolating_backend_enforces_all_that_is_required(isolating: str) -> None:
    found = examine(isolating)
    assert not found.problem
    assert set(guarantees.REQUIRED) <= set(found.sandbox.enforced)
    assert set(found.sandbox.missing) <= {guarantees.NAMES_HIDDEN}


def test_a_backend_is_examined_once_in_a_process(isolating: str) -> None:
    assert examine(isolating) is examine(isolating)


def test_a_plain_process_is_caught_at_everything() -> None:
    before = (os.nice(0), os.sched_getaffinity(0), sorted(os.listdir("/tmp")))  # noqa: S108
    found = self_test(PlainLauncher(limited=True))
    assert found.problem.startswith(f"{guarantees.FILES_HIDDEN!r} does not hold: reading ")
    assert found.enforced == (guarantees.MEMORY_CAP,)
    assert self_test(PlainLauncher(limited=False)).enforced == ()
    after = (os.nice(0), os.sched_getaffinity(0), sorted(os.listdir("/tmp")))  # noqa: S108
    assert after[:2] == before[:2]
    assert not [name for name in after[2] if name.startswith("full")]


def without_filter(backend: str, monkeypatch: pytest.MonkeyPatch) -> SelfTest:
    monkeypatch.setattr(zygotes, "compiled_filter", lambda: ALLOW_ALL)
    with launched(backend) as launcher:
        return self_test(launcher)


def test_a_missing_filter_of_system_calls_is_found(
    isolating: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = without_filter(isolating, monkeypatch)
    assert guarantees.NO_NETWORK not in found.enforced
    assert found.problem


def test_a_file_that_should_be_hidden_is_found(
    isolating: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(visible.__file__).parents[2]
    monkeypatch.setattr(visible, "_DATA", (*visible._DATA, str(package)))
    with launched(isolating) as launcher:
        found = self_test(launcher)
    assert guarantees.FILES_HIDDEN not in found.enforced
    assert guarantees.PACKAGES_HIDDEN not in found.enforced
    assert "exercise.py" in found.problem


def test_a_backend_that_does_not_start_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with (
        launched("bubblewrap") as launcher,
        pytest.raises(SandboxError, match="Install bubblewrap"),
    ):
        self_test(launcher)
