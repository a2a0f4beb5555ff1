"""A real Jupyter server on this machine, in a course, as an instructor starts it."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.nbgrader_plugin.classroom import variables

START_SECONDS = 90


@dataclass(frozen=True)
class Server:
    """A running server: the folder that it serves, and where."""

    root: Path
    address: str
    token: str

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"{self.address}/{path}"

    @property
    def entrance(self) -> str:
        """The address that lets a browser in, as Jupyter prints it when it starts."""
        return self.url(f"tree?token={self.token}")


@contextlib.contextmanager
def jupyter(root: Path) -> Iterator[Server]:
    """Start JupyterLab with nbgrader's extensions in a course, and end it afterwards."""
    port, token = _free_port(), secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"]
    command += ["--LabApp.collaborative=False", "--LabApp.news_url=None"]
    log = root / ".jupyter.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=variables(root),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            server = Server(root, f"http://127.0.0.1:{port}", token)
            _wait_for(server, process, log)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(server.entrance, timeout=5).close()  # noqa: S310
            return
        time.sleep(0.3)
    raise RuntimeError(f"Jupyter did not start: {log.read_text(errors='replace')[-3000:]}")
