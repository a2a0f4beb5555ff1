"""A worker that says what a test has written down, in a real process over a real socket."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.worker.isolation import Exit

_SCRIPT = """
import socket, struct, sys, time
connection = socket.socket(fileno=int(sys.argv[1]))
pause, size = float(sys.argv[2]), int(sys.argv[3])

def hear():
    left = 4
    length = b""
    while len(length) < 4:
        got = connection.recv(4 - len(length))
        if not got: sys.exit()
        length += got
    left = struct.unpack(">I", length)[0]
    while left:
        got = connection.recv(min(left, 65536))
        if not got: sys.exit()
        left -= len(got)

for line in sys.stdin:
    hear()
    data = bytes.fromhex(line)
    for start in range(0, len(data), size or len(data) or 1):
        connection.sendall(data[start : start + (size or len(data))])
        time.sleep(pause)
if sys.argv[4] == "stay": time.sleep(60)
"""


@dataclass(frozen=True)
class Puppet:
    """What a puppet does: after each request it writes one answer, then it ends or stays.

    Args:
        answers: bytes to write, one block per request.
        pause: seconds between pieces.
        size: bytes in a piece; 0 writes all at once.
        stays: whether it lives on when it has nothing more to say.
    """

    answers: Sequence[bytes]
    pause: float = 0.0
    size: int = 0
    stays: bool = False
    _spawned: list[int] = field(default_factory=list, repr=False)

    limited = True

    @property
    def started(self) -> int:
        """How many processes were asked for."""
        return len(self._spawned)

    def spawn(self) -> PuppetProcess:
        self._spawned.append(1)
        return PuppetProcess(self)

    def close(self) -> None:
        pass


class PuppetProcess:
    """One running puppet, with all that a `Channel` wants of a process."""

    def __init__(self, puppet: Puppet) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs, tempfile.TemporaryFile() as answers:
            answers.writelines(answer.hex().encode() + b"\n" for answer in puppet.answers)
            answers.seek(0)
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", _SCRIPT, str(theirs.fileno())),
                    *(str(puppet.pause), str(puppet.size), "stay" if puppet.stays else "end"),
                ],
                stdin=answers,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
            )
        self.socket.setblocking(False)
        self.pid = self._process.pid
        self.pidfd = os.pidfd_open(self.pid)
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)

    def kill(self) -> None:
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def reap(self) -> Exit:
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.socket.close()
        os.close(self.pidfd)
        self._process.stdout.close()
        return Exit(self._process.returncode, usage.ru_utime + usage.ru_stime)
