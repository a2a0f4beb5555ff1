"""Backends say what they enforce, refuse what they cannot, and start clean processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from autograder.results import Sandbox
from autograder.worker.isolation import (
    ISOLATING,
    MODES,
    Examination,
    Exit,
    SandboxError,
    choose,
    examine,
    guarantees,
    resume,
)
from autograder.worker.isolation.plain import PlainProcess, child_environment

NOTHING_ISOLATES = """
import errno, os, sys
import pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "landlock_create_ruleset")
rules.add_rule(pyseccomp.ERRNO(errno.EPERM), "unshare")
new_user = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, 0x10000000, 0x10000000)
rules.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", new_user)
rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
rules.load()
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
CHOOSE = """
from autograder.worker.isolation import SandboxError, choose
for mode in "auto", "bubblewrap", "landlock", "rlimit":
    try:
        print(mode, "->", choose(mode).name)
    except SandboxError as error:
        print(mode, "->", error)
"""


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


def test_where_nothing_isolates_auto_refuses_and_names_remedies() -> None:
    pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_ISOLATES, CHOOSE], capture_output=True, text=True, check=True
    )
    answers = dict(line.split(" -> ", 1) for line in done.stdout.splitlines())
    assert answers["rlimit"] == "rlimit"
    assert answers["auto"].startswith("no sandbox isolates student code here. bubblewrap: ")
    for mode in ("bubblewrap", "landlock"):
        assert answers[mode].startswith(f"the sandbox {mode!r} does not work here: ")
    assert "5.13" in answers["landlock"]
    for mode in ("auto", *ISOLATING):
        assert "--sandbox rlimit" in answers[mode]
        assert "container" in answers[mode]


def test_auto_takes_the_first_backend_that_isolates(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def examined(name: str) -> Examination:
        tried.append(name)
        sandbox = Sandbox(backend=name, enforced=guarantees.REQUIRED, missing=())
        return Examination(sandbox, "" if name == "landlock" else "it is not there.")

    monkeypatch.setattr(sys.modules[choose.__module__], "examine", examined)
    assert choose("auto").record().backend == "landlock"
    assert tried == ["bubblewrap", "landlock"]


def test_another_process_goes_on_with_what_was_tested() -> None:
    sandbox = Sandbox(backend="landlock", enforced=("no fork",), missing=("no network",))
    backend = resume(sandbox)
    assert backend.record() == sandbox
    assert backend.banner == ""
    weak = examine("rlimit").sandbox
    assert resume(weak).banner == choose("rlimit").banner


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


@pytest.mark.skipif(sys.platform != "linux", reason="Linux closes /proc like this")
def test_a_grader_is_closed_to_other_processes_of_its_user() -> None:
    code = (
        "import ctypes\n"
        "from autograder.worker.isolation import choose\n"
        "choose('none').launcher()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"  # PR_GET_DUMPABLE
