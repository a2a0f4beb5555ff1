"""Warm processes fork clean workers, end with their grader, and are replaced when they are lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from autograder.exercise import Call
from autograder.worker.client import Cell, Session
from autograder.worker.isolation import ISOLATING, Spawned
from autograder.worker.isolation.zygotes import ZygoteLauncher
from tests.worker.sessions import PATIENT, NewSession, skip_without


@pytest.fixture
def launcher(sandbox: str) -> Iterator[ZygoteLauncher]:
    """A launcher with warm processes of its own."""
    if sandbox not in ISOLATING:
        pytest.skip(f"{sandbox} forks no workers")
    made = ZygoteLauncher({"numpy", "matplotlib"}, wrapped=sandbox == "bubblewrap")
    yield made
    made.close()


def end(worker: Spawned) -> None:
    worker.kill()
    worker.reap()


def parent_of(worker: Spawned) -> psutil.Process:
    parent = psutil.Process(worker.pid).parent()
    assert parent is not None
    return parent


def gone(pid: int) -> bool:
    """Whether a process ends within a few seconds."""
    for _ in range(200):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def answers(launcher: ZygoteLauncher, source: str, *calls: Call) -> list[object]:
    cells = [Cell(0, source)]
    with Session(launcher, cells, ["f"], budgets=PATIENT, allowed_imports={"numpy"}) as session:
        session.load()
        return [r.answers[0] for r in session.run("f", [[c] for c in calls], defaults={})]


def test_one_warm_process_serves_one_submission_after_another(launcher: ZygoteLauncher) -> None:
    first = launcher.spawn()
    warm = parent_of(first).pid
    end(first)
    second = launcher.spawn()
    assert parent_of(second).pid == warm
    assert second.pid != first.pid
    end(second)


def test_two_workers_at_a_time_share_no_warm_process(launcher: ZygoteLauncher) -> None:
    one, two = launcher.spawn(), launcher.spawn()
    assert parent_of(one).pid != parent_of(two).pid
    end(one)
    end(two)


def test_a_lost_warm_process_is_replaced(launcher: ZygoteLauncher) -> None:
    worker = launcher.spawn()
    lost = parent_of(worker).pid
    end(worker)
    os.kill(lost, signal.SIGKILL)
    worker = launcher.spawn()
    assert parent_of(worker).pid != lost
    end(worker)


def test_a_worker_dies_with_its_warm_process_and_its_end_is_told(launcher: ZygoteLauncher) -> None:
    worker = launcher.spawn()
    parent_of(worker).kill()
    assert gone(worker.pid)
    assert worker.reap().status == -signal.SIGKILL
    end(launcher.spawn())


def test_the_exit_of_a_worker_is_exact(launcher: ZygoteLauncher) -> None:
    worker = launcher.spawn()
    worker.kill()
    assert worker.reap().status == -signal.SIGKILL
    worker = launcher.spawn()
    worker.socket.close()
    assert gone(worker.pid)
    ended = worker.reap()
    assert ended.status == 0
    assert 0 < ended.cpu_seconds < 5


def test_nothing_of_one_submission_is_left_for_the_next(launcher: ZygoteLauncher) -> None:
    leave = (
        "import os, sys, builtins, numpy\n"
        "builtins.left = numpy.left = sys.left = 1\n"
        "def f():\n"
        "    for name in ('a', 'b/c/d'):\n"
        "        try:\n"
        "            os.makedirs(name, mode=0)\n"
        "            open('file', 'w').write('left')\n"
        "        except OSError: pass"
    )
    look = (
        "import os, sys, builtins, numpy\n"
        "def f():\n"
        "    found = [hasattr(x, 'left') for x in (builtins, numpy, sys)]\n"
        "    return found, os.listdir('.') if os.getcwd() != '/' else []"
    )
    answers(launcher, leave, Call())
    assert answers(launcher, look, Call()) == [([False] * 3, [])]


def test_what_takes_long_to_clear_away_costs_the_next_submission_nothing(
    launcher: ZygoteLauncher,
) -> None:
    deep = (
        "import os\n"
        "def f():\n"
        "    try:\n"
        "        for _ in range(3000):\n"
        "            os.mkdir('d'); os.chdir('d')\n"
        "    except OSError: pass"
    )
    answers(launcher, deep, Call())
    empty = "import os\ndef f(): return os.getcwd() == '/' or os.listdir('.') == []"
    assert answers(launcher, empty, Call()) == [True]


def test_workers_draw_different_random_numbers(launcher: ZygoteLauncher) -> None:
    source = "import random\nimport numpy as np\ndef f(): return random.random(), np.random.rand()"
    (one,), (two,) = (answers(launcher, source, Call()) for _ in range(2))
    assert not set(one) & set(two)  # type: ignore[call-overload]


def test_a_worker_holds_only_its_own_descriptors(launcher: ZygoteLauncher) -> None:
    worker = launcher.spawn()
    time.sleep(0.5)
    assert sorted(os.listdir(f"/proc/{worker.pid}/fd"), key=int) == ["0", "1", "2", "3"]
    end(worker)


def test_no_process_is_left_when_the_grader_is_killed(sandbox: str) -> None:
    if sandbox not in ISOLATING:
        pytest.skip(f"{sandbox} forks no workers")
    grader = (
        "import time, psutil\n"
        "from autograder.worker.isolation.zygotes import ZygoteLauncher\n"
        f"worker = ZygoteLauncher({{'numpy'}}, wrapped={sandbox == 'bubblewrap'}).spawn()\n"
        "print(worker.pid, psutil.Process(worker.pid).ppid(), flush=True)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", grader], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        process.kill()
        process.wait()
        assert [gone(pid) for pid in pids] == [True, True]


def test_a_worker_is_ready_soon_and_small(launcher: ZygoteLauncher) -> None:
    end(launcher.spawn())
    with Session(
        launcher, [Cell(0, "import numpy as np")], [], budgets=PATIENT, allowed_imports={"numpy"}
    ) as session:
        began = time.monotonic()
        session.load()
        assert time.monotonic() - began < 2.0  # a shell started anew takes longer
        assert session.private_memory_bytes() < 16 << 20


@pytest.mark.parametrize("backend", ISOLATING)
def test_a_worker_that_cannot_lock_itself_in_reads_nothing(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without(backend)
    from autograder.worker.client import WorkerError
    from autograder.worker.isolation import zygotes

    monkeypatch.setattr(zygotes, "compiled_filter", lambda: b"\xff" * 8)
    launcher = ZygoteLauncher({"numpy"}, wrapped=backend == "bubblewrap")
    session = Session(launcher, [Cell(0, "1")], [], budgets=PATIENT, allowed_imports={"numpy"})
    with session, pytest.raises(WorkerError, match=r"exit status 99(.|\n)*prctl"):
        session.load()
    launcher.close()


def test_files_are_capped_in_the_scratch_folder(new_session: NewSession, sandbox: str) -> None:
    if sandbox != "bubblewrap":
        pytest.skip("only bubblewrap has a scratch folder of a fixed size")
    session = new_session(
        "def f():\n"
        "    for n in range(40):\n"
        "        with open(f'file{n}', 'wb') as file:\n"
        "            file.write(bytes(1 << 20))"
    )
    session.load()
    (reply,) = session.run("f", [[Call()]], defaults={})
    assert "No space left" in getattr(reply.outcomes[0], "message", "")
    assert not Path("/scratch").exists()
