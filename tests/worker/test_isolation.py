"""Backends say what they enforce, refuse what they cannot, and start clean processes."""

from __future__ import annotations

import os
import signal
import time

import pytest

from autograder.worker.isolation import MODES, Exit, SandboxError, choose
from autograder.worker.isolation.plain import PlainProcess, child_environment


@pytest.mark.parametrize("mode", ["auto", "bubblewrap", "landlock"])
def test_what_does_not_isolate_is_refused_with_a_remedy(mode: str) -> None:
    with pytest.raises(SandboxError, match="--sandbox rlimit"):
        choose(mode)


def test_an_unknown_mode_is_refused_with_the_list() -> None:
    with pytest.raises(SandboxError, match=", ".join(MODES)):
        choose("docker")


@pytest.mark.parametrize("mode", ["rlimit", "none"])
def test_weak_backends_say_so(mode: str) -> None:
    backend = choose(mode)
    assert "NOT protected" in backend.banner
    record = backend.record()
    assert record.backend == mode
    assert "no network" in record.missing
    assert ("memory cap" in record.enforced) == (mode == "rlimit")
    assert not set(record.enforced) & set(record.missing)


def test_the_environment_of_a_worker_holds_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    environment = child_environment("/scratch")
    assert "SECRET" not in environment
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "OPENBLAS_CORETYPE" not in environment
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert child_environment("/scratch")["OPENBLAS_CORETYPE"] == "Haswell"


def test_an_exit_is_told_in_words() -> None:
    assert str(Exit(3, 0.0)) == "exit status 3"
    assert str(Exit(-signal.SIGSEGV, 0.0)) == "signal 11, segmentation fault"


def test_killing_ends_the_process_and_leaves_nothing_behind() -> None:
    process = PlainProcess()
    scratch = os.readlink(f"/proc/{process.pid}/cwd")
    process.kill()
    assert process.reap().status == -signal.SIGKILL
    assert not os.path.exists(scratch)
    assert not os.path.exists(f"/proc/{process.pid}")


def test_a_worker_ends_when_the_grader_closes_the_connection() -> None:
    process = PlainProcess()
    process.socket.close()
    for _ in range(600):
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.05)
    assert process.reap().status == 0
