"""A real Jupyter server with nbgrader's formgrader, and a TA who uses its interface."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.nbgrader_plugin.classroom import NAME, variables

TOKEN = "a-token-of-the-tests"  # noqa: S105
EXTENSION = "nbgrader.server_extensions.formgrader"


@dataclass(frozen=True)
class Formgrader:
    """The requests that formgrader's pages make."""

    address: str

    def request(self, method: str, path: str, body: Any = None) -> Any:
        asked = urllib.request.Request(  # noqa: S310
            f"{self.address}/formgrader/api/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}"},
            method=method,
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
            return json.load(answer)

    def submissions(self) -> dict[str, str]:
        """The id of each student's submitted notebook, for those that have one."""
        listed = self.request("GET", f"submitted_notebooks/{NAME}/{NAME}")
        return {item["student"]: item["id"] for item in listed if item["id"]}

    def grades(self, submission: str) -> dict[str, Any]:
        listed = self.request("GET", f"grades?submission_id={submission}")
        return {item["name"]: item for item in listed}

    def comments(self, submission: str) -> dict[str, Any]:
        listed = self.request("GET", f"comments?submission_id={submission}")
        return {item["name"]: item for item in listed}

    def mark(self, grade: Any, *, manual: float | None, extra: float | None) -> Any:
        body = {**grade, "manual_score": manual, "extra_credit": extra}
        return self.request("PUT", f"grade/{grade['id']}", body)

    def remark(self, comment: Any, text: str) -> Any:
        return self.request("PUT", f"comment/{comment['id']}", {**comment, "manual_comment": text})


@contextmanager
def formgrader(root: Path) -> Iterator[Formgrader]:
    """Serve a course on a free port of this machine alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": root,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "ServerApp.jpserver_extensions": {EXTENSION: True},
        "IdentityProvider.token": TOKEN,
    }
    log = root / "server.log"
    with log.open("wb") as file:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *(f"--{k}={v}" for k, v in options.items())],
            cwd=root,
            env=variables(root),
            stdout=file,
            stderr=file,
        )
    try:
        found = Formgrader(f"http://127.0.0.1:{port}")
        deadline = time.monotonic() + 120
        while not _answers(found):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield found
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _answers(server: Formgrader) -> bool:
    try:
        return bool(server.request("GET", "status")["status"])
    except (urllib.error.URLError, ConnectionError):
        return False
