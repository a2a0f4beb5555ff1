"""Whatever a submission does to its process, its cases get a status and the next call works."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.exercise import Budgets, Call
from autograder.results import CaseReply, Status
from autograder.worker.client import Session
from tests.worker.sessions import SHORT, NewSession

ROOMY = replace(SHORT, case_seconds=5.0, cell_seconds=5.0)
FIND_SOCKET = """
import os, socket, stat, sys, struct, time, signal, ctypes
import numpy as np
def connection():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            pass
"""


def session_with(new_session: NewSession, body: str, budgets: Budgets, **options: str) -> Session:
    source = FIND_SOCKET + f"def f(bad):\n    if bad:\n        {body}\n    return 42\n"
    honest = "def g(): return 'honest'"
    session = new_session(source, honest, names=("f", "g"), budgets=budgets, **options)
    assert session.load().functions == {"f": 0, "g": 1}
    return session


def statuses(session: Session, *bad: bool) -> list[CaseReply]:
    replies = list(session.run("f", [[Call(b)] for b in bad], defaults={}))
    assert len(replies) == len(bad)
    return replies


@pytest.mark.parametrize(
    ("body", "status", "budgets"),
    [
        ("while True: pass", "timeout", SHORT),
        ("time.sleep(1e8)", "timeout", SHORT),
        ("while True: print('x' * 1000)", "timeout", SHORT),
        (
            "[signal.signal(s, signal.SIG_IGN) for s in range(1, 32) if s not in (9, 19)]\n"
            "        while True:\n            try:\n                while True: pass\n"
            "            except BaseException: pass",
            "timeout",
            SHORT,
        ),
        ("os.write(connection(), b'\\0\\0')\n        time.sleep(9)", "timeout", SHORT),
        ("os._exit(0)", "crashed", ROOMY),
        ("os._exit(7)", "crashed", ROOMY),
        ("ctypes.string_at(0)", "crashed", ROOMY),
        ("os.abort()", "crashed", ROOMY),
        ("os.kill(os.getpid(), 9)", "crashed", ROOMY),
        ("os.write(connection(), os.urandom(1000))\n        time.sleep(9)", "protocol", ROOMY),
        ("os.write(connection(), struct.pack('>I', 2**32 - 1))", "protocol", ROOMY),
        ("os.close(connection())\n        time.sleep(9)", "protocol", ROOMY),
        ("os.write(connection(), b'\\0\\0\\0\\x01\\xc0' * 100)", "protocol", ROOMY),
        (
            "import msgspec\n"
            "        reply = msgspec.msgpack.encode(['batch_done', 3])\n"
            "        os.write(connection(), struct.pack('>I', len(reply)) + reply)",
            "protocol",
            ROOMY,
        ),
        ("while True: os.write(1, b'x' * 10**5)", "output_limit", replace(ROOMY, case_seconds=60)),
        ("os.closerange(0, 64)", "crashed", ROOMY),
        ("np.ones(10**12)", "memory", ROOMY),
        ("x = [bytes(10**7) for _ in range(200)]", "memory", ROOMY),
        ("return np.ones(10**7)", "output_limit", ROOMY),
    ],
)  # fmt: skip
def test_a_hostile_call_gets_its_status_and_the_next_ones_work(
    new_session: NewSession, body: str, status: str, budgets: Budgets
) -> None:
    session = session_with(new_session, body, budgets)
    before, bad, after = statuses(session, False, True, False)
    assert bad.status == status
    assert bad.detail.endswith(".")
    assert before.answers == after.answers == [42]
    (honest,) = session.run("g", [[Call()]], defaults={})
    assert honest.answers == ["honest"]


def test_poisoned_modules_end_in_a_status(new_session: NewSession) -> None:
    session = session_with(
        new_session,
        "for name in ('json', 'socket', 'msgspec', 'struct', 'numpy'): sys.modules[name] = None\n"
        "        socket.socket.sendall = lambda *a: None",
        SHORT,
    )
    (bad, after) = statuses(session, True, False)
    assert bad.status in (Status.TIMEOUT, Status.CRASHED, Status.PROTOCOL, Status.PASSED)
    assert after.status is not Status.INTERNAL_ERROR
    (honest,) = session.run("g", [[Call()]], defaults={})
    assert honest.answers == ["honest"]


def test_the_words_tell_how_the_process_ended(new_session: NewSession) -> None:
    for body, words in (
        ("os._exit(7)", "f ended the process (exit status 7)."),
        ("os.abort()", "f ended the process (signal 6, aborted)."),
    ):
        session = session_with(new_session, body, ROOMY)
        assert statuses(session, True)[0].detail == words


def test_a_timeout_is_seen_twice_before_it_counts(new_session: NewSession, tmp_path: Path) -> None:
    marker = tmp_path / "slow"
    session = session_with(
        new_session,
        f"if not os.path.exists({str(marker)!r}):\n"
        f"            open({str(marker)!r}, 'w').close()\n            time.sleep(60)",
        SHORT,
        sandbox="rlimit",  # the marker lies where no sandbox lets it be written
    )
    assert statuses(session, False, True, False)[1].answers == [42]
    assert marker.exists()


def test_a_worker_that_something_kills_from_outside_costs_nothing(
    new_session: NewSession,
) -> None:
    session = session_with(new_session, "time.sleep(1.5)", ROOMY)
    worker = session._worker
    assert worker is not None
    killer = threading.Timer(0.3, os.kill, (worker.pid, signal.SIGKILL))
    killer.start()
    replies = statuses(session, False, True, False)
    killer.join()
    assert not psutil.pid_exists(worker.pid)
    assert [reply.answers for reply in replies] == [[42]] * 3


def test_a_cell_whose_worker_something_kills_from_outside_is_run_again(
    new_session: NewSession,
) -> None:
    session = new_session("import time; time.sleep(1.5)", "def f(): return 42", budgets=ROOMY)

    def kill_once() -> None:
        while session._worker is None:
            time.sleep(0.02)
        time.sleep(0.3)
        os.kill(session._worker.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_once)
    killer.start()
    loaded = session.load()
    killer.join()
    assert [run.status for run in loaded.cell_runs] == [Status.PASSED] * 2
    assert loaded.functions == {"f": 1}


def test_a_function_that_ended_three_processes_is_called_no_more(new_session: NewSession) -> None:
    session = session_with(new_session, "os._exit(1)", ROOMY)
    replies = statuses(session, *[True] * 5, False)
    assert [reply.status for reply in replies] == [Status.CRASHED] * 6
    assert "exit status 1" in replies[2].detail
    assert replies[3].detail == "f was not run: it had ended its process 3 times."
    began = time.monotonic()
    statuses(session, *[True] * 100)
    assert time.monotonic() - began < 1
    (honest,) = session.run("g", [[Call()]], defaults={})
    assert honest.answers == ["honest"]


def test_the_total_budget_ends_everything_with_a_complete_report(new_session: NewSession) -> None:
    session = session_with(new_session, "time.sleep(60)", replace(SHORT, total_seconds=0.5))
    replies = statuses(session, False, True, True, False)
    assert replies[0].answers == [42]
    assert {reply.status for reply in replies[1:]} == {Status.TIMEOUT}
    assert "used up its 0.5 s" in replies[-1].detail


def test_the_time_a_caller_takes_is_not_the_submissions(new_session: NewSession) -> None:
    session = session_with(new_session, "pass", replace(SHORT, total_seconds=2.0))
    for reply in session.run("f", [[Call(False)]] * 4, defaults={}):
        time.sleep(0.6)
        assert reply.answers == [42]


def test_a_forked_copy_does_not_speak_for_the_worker(new_session: NewSession) -> None:
    session = session_with(new_session, "os.fork()", ROOMY, sandbox="rlimit")
    replies = statuses(session, True, False)
    assert [reply.status for reply in replies] == [Status.PASSED] * 2
    orphan = session_with(new_session, "os.fork() and os._exit(5)", ROOMY, sandbox="rlimit")
    assert statuses(orphan, True)[0].status is Status.CRASHED


def test_no_process_of_a_submission_is_left(new_session: NewSession) -> None:
    session = session_with(
        new_session, "import subprocess; subprocess.Popen(['sleep', '4242'])", ROOMY
    )
    statuses(session, True)
    session.close()
    running = [
        Path(f"/proc/{pid}/cmdline").read_bytes()
        for pid in os.listdir("/proc")
        if pid.isdigit() and os.path.exists(f"/proc/{pid}/cmdline")
    ]
    assert b"sleep\x004242\x00" not in running


def test_without_limits_a_process_may_use_what_it_likes(new_session: NewSession) -> None:
    source = "def f(): return len([bytes(10**7) for _ in range(40)])"
    limited = new_session(source, budgets=replace(ROOMY, memory_bytes=128 << 20))
    limited.load()
    assert next(limited.run("f", [[Call()]], defaults={})).status is Status.MEMORY
    free = new_session(source, budgets=replace(ROOMY, memory_bytes=128 << 20), sandbox="none")
    free.load()
    assert next(free.run("f", [[Call()]], defaults={})).answers == [40]


def test_files_are_limited_and_gone_afterwards(new_session: NewSession) -> None:
    session = new_session(
        "import os\ndef f():\n    with open('big', 'wb') as file:\n"
        "        file.write(bytes(100 << 20))\ndef g(): return os.getcwd()",
        names=("f", "g"),
        sandbox="rlimit",
    )
    session.load()
    (reply,) = session.run("f", [[Call()]], defaults={})
    outcome: Any = reply.outcomes[0]
    assert (outcome.type_name, "File too large" in outcome.message) == ("OSError", True)
    (where,) = session.run("g", [[Call()]], defaults={})
    folder = where.answers[0]
    assert os.path.isdir(folder)
    session.close()
    assert not os.path.exists(folder)


def test_the_environment_of_the_grader_is_not_there(
    new_session: NewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", "secret")
    session = new_session("import os\ndef f(): return sorted(os.environ)")
    session.load()
    (reply,) = session.run("f", [[Call()]], defaults={})
    assert "CANVAS_TOKEN" not in reply.answers[0]
