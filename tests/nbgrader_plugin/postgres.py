"""A real PostgreSQL server that the tests start themselves, by the system's own binaries."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_SETTINGS = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=40"]


@dataclass(frozen=True)
class Server:
    """A server that listens on a socket in a folder of its own, and on no port."""

    folder: Path
    binaries: Path
    prefix: tuple[str, ...]

    @property
    def owner(self) -> str:
        return "postgres" if self.prefix else getpass.getuser()

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{self.owner}@/{database}?host={self.folder}"

    def run(self, program: str, *arguments: str) -> str:
        """One of PostgreSQL's programs, as the server's owner."""
        done = subprocess.run(
            [*self.prefix, str(self.binaries / program), *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PGHOST": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sql(self, database: str, statement: str) -> str:
        return self.run("psql", "-d", database, "-v", "ON_ERROR_STOP=1", "-Atc", statement)

    def copy_of(self, template: str, name: str) -> str:
        """A new database that holds what another one does; gives its URL."""
        self.run("createdb", "--template", template, name)
        return self.url(name)

    def start(self) -> None:
        options = " ".join(f"-c {setting}" for setting in _SETTINGS)
        self.run(
            *("pg_ctl", "start", "--wait", "--silent", "--pgdata", f"{self.folder}/data"),
            *("--log", f"{self.folder}/log"),
            *("--options", f"-c listen_addresses='' -k {self.folder} {options}"),
        )

    def stop(self) -> None:
        self.run("pg_ctl", "stop", "--wait", "--silent", "-m", "fast", "-D", f"{self.folder}/data")


def find_binaries() -> Path | None:
    """Where the server's programs lie: on the path, or where Debian puts them."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_major)
    return debian[-1].parent if debian else None


def _major(path: Path) -> float:
    return float(path.parents[1].name)


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server in a new folder; afterwards it is stopped and the folder is gone.

    PostgreSQL refuses to run as root, so root starts it as the user that the package made.
    """
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL's programs are missing here: apt-get install postgresql")
    prefix: tuple[str, ...] = ()
    # /tmp, since the path of a socket is short
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            person = pwd.getpwnam("postgres")
            ids = (f"--reuid={person.pw_uid}", f"--regid={person.pw_gid}")
            prefix = ("setpriv", *ids, "--clear-groups", "--")
            os.chown(folder, person.pw_uid, person.pw_gid)
        server = Server(folder, binaries, prefix)
        server.run("initdb", "--no-sync", "--auth=trust", "--encoding=UTF8", f"-D{folder}/data")
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)
