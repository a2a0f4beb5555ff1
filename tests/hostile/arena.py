"""Where attacks are graded: a course full of canaries, listeners that nobody should reach.

An `Arena` starts one grader process and hands it attacks, each followed by an honest submission.
`fight` returns what is wrong afterwards, as sentences; an empty list is a contained attack.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import select
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import psutil

from autograder.grader_process import Graded, Job
from autograder.results import Status, SubmissionResult, to_json
from tests.hostile import grader
from tests.hostile.attack import HONEST, WON, Attack
from tests.hostile.grader import Answer, State
from tests.submissions import FULL_MARKS, RELEASE, ROOT

SEED = 7316524178843329011
"""Long enough to be found in an output by its digits alone."""
SETTINGS = f"""
c = get_config()
c.PropertyGrader.seed = {SEED}
c.PropertyGrader.cases = 3
c.PropertyGrader.time_limit = 0.5
c.PropertyGrader.cell_time_limit = 1.0
c.PropertyGrader.total_time_limit = 10.0
c.PropertyGrader.memory_limit = 256
c.PropertyGrader.shrink_evaluations = 20
c.PropertyGrader.sandbox = "{{sandbox}}"
"""
START_SECONDS = 120.0
JOB_SECONDS = 60.0
"""How long one submission may keep the grader, whose budget is 10 s: starts of workers included."""
REPORT_BYTES = 256 << 10
_MEDIA = {"text/plain", "image/png", "image/jpeg"}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LITTERED = ("/tmp", "/var/tmp", "/dev/shm", str(ROOT))  # noqa: S108 - looked at, never written


class GraderLostError(Exception):
    """The grader process hung or died: the worst that a submission can do."""


# -- what attacks are after ------------------------------------------------------------------------


@dataclass
class Canaries:
    """A course that everybody on this machine may read and write, and ports that nobody may reach.

    The permissions are wide open so that only the sandbox stands in the way.
    """

    sandbox: str
    brand: str = field(default_factory=lambda: f"hostile{secrets.token_hex(6)}")
    in_file: str = field(default_factory=lambda: secrets.token_hex(16))
    in_environment: str = field(default_factory=lambda: secrets.token_hex(16))
    in_memory: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.brand}-"))
        self.course = self.folder / "course"
        self._lay_out()
        self._open_to_all()
        self.listeners = dict(self._listeners())

    def _lay_out(self) -> None:
        for step in ("source", "release"):
            folder = self.course / step / "self_attention"
            folder.mkdir(parents=True)
            (folder / "self_attention.ipynb").write_bytes(RELEASE)
        (self.course / "nbgrader_config.py").write_text(SETTINGS.format(sandbox=self.sandbox))
        (self.course / ".autograder" / "corpus").mkdir(parents=True)
        (self.course / ".autograder" / "seeds").write_text(f"{SEED}\n{self.in_file}\n")
        (self.course / "secret.txt").write_text(self.in_file)
        (self.course / "plain.py").write_text(f"secret = '{self.in_file}'\n")
        other = self.course / "submitted" / "bob" / "self_attention"
        other.mkdir(parents=True)
        (other / "self_attention.ipynb").write_bytes(HONEST.notebook({"SECRET": self.in_file}))
        with contextlib.closing(sqlite3.connect(self.course / "gradebook.db")) as book, book:
            book.execute("create table grade (student text, auto_score float, extra_credit float)")
            book.execute("create table source_cell (name text, source text)")
            book.execute("insert into grade values ('mallory', 0, 0)")
            book.execute("insert into source_cell values ('softmax', ?)", (self.in_file,))

    def _open_to_all(self) -> None:
        self.folder.chmod(0o777)
        for path in self.folder.rglob("*"):
            path.chmod(0o777)

    def _listeners(self) -> Iterator[tuple[str, socket.socket]]:
        for name, family, kind, address in (
            ("TCP", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("UDP", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("UNIX", socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "door")),
            ("UNIX_UDP", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.folder / "letterbox")),
            ("ABSTRACT", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.brand}"),
        ):
            listener = socket.socket(family, kind)
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            if name.startswith("UNIX"):
                os.chmod(str(address), 0o777)  # noqa: S103 - the sandbox alone is to stand in the way
            yield name, listener

    def briefing(self, grader_pid: int) -> dict[str, Any]:
        """What the attacker is told."""
        addresses = {name: listener.getsockname() for name, listener in self.listeners.items()}
        return {
            **addresses,
            "BRAND": self.brand,
            "COURSE": str(self.course),
            "REPOSITORY": str(ROOT),
            "PACKAGES": os.path.dirname(os.path.dirname(msgspec.__file__)),
            "GRADER": grader_pid,
        }

    @property
    def secrets(self) -> dict[str, str]:
        """Texts that no output may hold."""
        return {
            "the secret in a file": self.in_file,
            "the secret in the environment": self.in_environment,
            "the secret in the grader's memory": self.in_memory,
            "the seed": str(SEED),
            "the seed in hexadecimal": f"{SEED:x}",
            "a cry of victory": WON,
        }

    def snapshot(self) -> dict[str, tuple[Any, ...]]:
        """Content, mode, owner, times and attributes of everything in the course."""
        return {str(path): _facts(path) for path in sorted(self.course.rglob("*"))}

    def litter(self) -> list[str]:
        """Files that carry the brand where none should be."""
        found = [path for place in _LITTERED for path in Path(place).glob(f"*{self.brand}*")]
        return [str(path) for path in found if path != self.folder]

    def heard(self) -> list[str]:
        """The listeners that somebody reached."""
        ready, _, _ = select.select(list(self.listeners.values()), [], [], 0)
        return [name for name, listener in self.listeners.items() if listener in ready]

    def close(self) -> None:
        """Remove everything."""
        for listener in self.listeners.values():
            listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _facts(path: Path) -> tuple[Any, ...]:
    info = path.lstat()
    data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    attributes = [(name, os.getxattr(path, name)) for name in os.listxattr(path)]
    return (
        hashlib.sha256(data).hexdigest(),
        info.st_mode,
        info.st_uid,
        info.st_nlink,
        info.st_mtime_ns,
        info.st_size,
        attributes,
    )


# -- the grader process ----------------------------------------------------------------------------


class GraderProcess:
    """A running `tests.hostile.grader`."""

    _stdin: BinaryIO
    _stdout: BinaryIO

    def __init__(self, canaries: Canaries, python: str, user: int | None) -> None:
        self.log = canaries.folder / "grader.log"
        self.log.touch()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [python, "-m", grader.__name__, str(canaries.course)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                env=_environment(canaries),
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
        self.pid = self._process.pid
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._stdin.write(f"{canaries.in_memory}\n".encode())
        self._stdin.flush()
        self.baseline = self._receive(START_SECONDS).state

    def grade(self, data: bytes) -> Answer:
        """Grade one submission of mallory's; raises GraderLostError."""
        try:
            grader.send(self._stdin, Job(student="mallory", data=data))
        except BrokenPipeError:
            raise GraderLostError(self._last_words()) from None
        return self._receive(JOB_SECONDS)

    def _receive(self, seconds: float) -> Answer:
        alarm = threading.Timer(seconds, self._process.kill)
        alarm.start()
        try:
            found = grader.receive(self._stdout, Answer)
        finally:
            alarm.cancel()
        if found is None:
            raise GraderLostError(self._last_words())
        return found

    def _last_words(self) -> str:
        code = self._process.wait()
        return f"the grader ended with {code}: {self.log.read_text(errors='replace')[-2000:]}"

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it, and whatever an attack left below it."""
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
        self._process.kill()
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _environment(canaries: Canaries) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "HOME": str(canaries.folder),
        "HOSTILE_SECRET": canaries.in_environment,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


# -- the fight -------------------------------------------------------------------------------------


class Arena:
    """One backend, one user: grades attacks and says what each of them achieved."""

    def __init__(
        self, sandbox: str, *, python: str = sys.executable, user: int | None = None
    ) -> None:
        self._sandbox = sandbox
        self.canaries = Canaries(sandbox)
        self._start = lambda: GraderProcess(self.canaries, python, user)
        self._grader: GraderProcess | None = None
        self._honest: bytes | None = None
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> GraderProcess:
        """The running grader, warmed by an honest submission that sets the standard."""
        if self._grader is not None and self._grader.running:
            return self._grader
        if self._grader is not None:
            self._grader.close()
        self._grader = running = self._start()
        answer = self._grade(HONEST)
        wrong = list(judged(HONEST, answer))
        if wrong:
            raise GraderLostError(f"not even an honest submission can be graded here: {wrong}")
        self._baseline = answer.state
        if self._honest is None:
            self._honest = _repeatable(answer)
        self._snapshot = self.canaries.snapshot()
        return running

    def _grade(self, attack: Attack) -> Answer:
        assert self._grader is not None
        return self._grader.grade(attack.notebook(self.canaries.briefing(self._grader.pid)))

    def fight(self, attack: Attack) -> tuple[Graded | None, list[str]]:
        """Grade an attack and then an honest submission; tell what is wrong."""
        self._begin()
        try:
            answers = [self._grade(attack) for _ in range(attack.runs)]
            honest = self._grade(HONEST)
        except GraderLostError as lost:
            return None, [str(lost)]
        wrong = [text for answer in answers for text in judged(attack, answer)]
        wrong += [text for answer in answers for text in self._leaks(answer)]
        wrong += [f"an honest submission afterwards: {text}" for text in judged(HONEST, honest)]
        if _repeatable(honest) != self._honest:
            wrong.append("an honest submission afterwards has another result than before")
        wrong += self._traces(honest.state)
        return answers[-1].graded, wrong

    def _leaks(self, answer: Answer) -> Iterator[str]:
        said = _every_byte(answer.graded) + self._log()
        for what, text in self.canaries.secrets.items():
            at = said.find(text)
            if at >= 0:
                yield f"the output holds {what}: …{said[max(0, at - 40) : at + 200]!r}…"

    def _log(self) -> str:
        assert self._grader is not None
        return self._grader.log.read_text(errors="replace")

    def _traces(self, after: State) -> Iterator[str]:
        """What is different in the world."""
        yield from changed(self._baseline, after)
        now = self.canaries.snapshot()
        for path in sorted(now.keys() ^ self._snapshot.keys()):
            yield f"{path} appeared or is gone"
        for path in sorted(now.keys() & self._snapshot.keys()):
            if now[path] != self._snapshot[path]:
                yield f"{path} was changed: {self._snapshot[path]} -> {now[path]}"
        self._snapshot = now
        yield from (f"{path} was left lying about" for path in self.canaries.litter())
        yield from (f"listener {name} was reached" for name in self.canaries.heard())

    @property
    def grader_state(self) -> State:
        """How the grader process was after its first honest submission."""
        return self._baseline

    def tidy_up(self) -> None:
        """Start afresh after an attack that got through: other canaries, another grader."""
        self.close()
        self.canaries, self._grader = Canaries(self._sandbox), None

    def close(self) -> None:
        """End the grader and remove the canaries and what was dropped about them."""
        if self._grader is not None:
            self._grader.close()
        for path in self.canaries.litter():
            os.unlink(path)
        self.canaries.close()


def _repeatable(answer: Answer) -> bytes:
    """The result of a submission without what may differ from run to run."""
    result = answer.graded.result if answer.graded is not None else None
    if result is None:
        return b""
    return to_json(msgspec.structs.replace(result, timing={}, sha256=""))


def _every_byte(graded: Graded | None) -> str:
    """All that grading made, with texts as they are and not as JSON writes them."""
    if graded is None:
        return ""
    parts = [graded.notebook.decode(errors="replace"), graded.unreadable, repr(graded.comments)]
    if graded.notebook:
        parts.append(repr([c.get("outputs") for c in json.loads(graded.notebook)["cells"]]))
    if graded.result is not None:
        parts.append(repr(graded.result))
    return "\n".join(parts)


# -- judgements ------------------------------------------------------------------------------------


def judged(attack: Attack, answer: Answer) -> Iterator[str]:
    """What is wrong with the verdict on a submission."""
    if answer.seconds > JOB_SECONDS / 2:
        yield f"grading took {answer.seconds:.0f} s"
    if answer.graded is None:
        yield f"grading raised {answer.error}"
        return
    if answer.graded.result is None:
        if not attack.unreadable:
            yield f"the submission was refused: {answer.graded.unreadable}"
        return
    result = answer.graded.result
    if tuple(exercise.name for exercise in result.exercises) != tuple(FULL_MARKS):
        yield f"the report holds {[exercise.name for exercise in result.exercises]}"
    yield from _points(attack, result)
    yield from _report(answer.graded, result)


def _points(attack: Attack, result: SubmissionResult) -> Iterator[str]:
    for exercise in result.exercises:
        full = FULL_MARKS[exercise.name]
        if exercise.score > attack.worth.get(exercise.name, full):
            yield f"{exercise.name} gained {exercise.score} points"
        if exercise.name in attack.keeps and exercise.score < full:
            yield f"{exercise.name} lost points: {exercise.score}, {_lost(exercise)}"
        if exercise.status is Status.INTERNAL_ERROR:
            yield f"{exercise.name} is an internal error: {_lost(exercise)}"
        if len(exercise.properties) == 0:
            yield f"{exercise.name} is reported without its laws"


def _lost(exercise: Any) -> str:
    bad = [law for law in exercise.properties if law.status is not Status.PASSED]
    return "; ".join(f"{law.name} {law.status}: {law.message}" for law in bad)[:500]


def _report(graded: Graded, result: SubmissionResult) -> Iterator[str]:
    sizes = {"result": len(to_json(result)), "comments": len(repr(graded.comments))}
    cells = json.loads(graded.notebook)["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    texts = [o for o in outputs if not _media(o) & {"image/png", "image/jpeg"}]
    sizes["text of the notebook"] = len(json.dumps(texts))
    for what, size in sizes.items():
        if size > REPORT_BYTES:
            yield f"the {what} has {size} bytes"
    for output in outputs:
        if not _media(output) <= _MEDIA:
            yield f"an output shows {_media(output)}"
    for what, text in _texts(graded, result, outputs):
        if _CONTROL.search(text):
            yield f"{what} holds control characters: {text[:200]!r}"
    for comment in graded.comments.values():
        if "<" in comment or ">" in comment or "](" in comment:
            yield f"a comment holds markup: {comment[:200]!r}"


def _media(output: Mapping[str, Any]) -> set[str]:
    return set(output.get("data", ()))


def _texts(
    graded: Graded, result: SubmissionResult, outputs: list[dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    yield from (("a comment", text) for text in graded.comments.values())
    yield from (("a note", text) for text in result.notes)
    for exercise in result.exercises:
        for law in exercise.properties:
            yield from (("a message", text) for text in (law.message, law.counterexample))
    for output in outputs:
        plain = output.get("data", {}).get("text/plain", "")
        for part in (output.get("text", ""), output.get("evalue", ""), plain):
            yield "an output", part if isinstance(part, str) else "".join(part)
        yield from (("a traceback", line) for line in output.get("traceback", ()))


def changed(before: State, after: State) -> Iterator[str]:
    """What is different in the grader process. Its standing helpers may have been replaced."""
    for name in ("nice", "affinity", "limits", "folder", "mask", "threads", "files"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield f"the grader's {name} changed from {was} to {now}"
    if len(after.descendants) > len(before.descendants):
        yield f"processes were left: {before.descendants} -> {after.descendants}"
    elif sorted(after.descendants.values()) != sorted(before.descendants.values()):
        yield f"the grader's helpers changed: {before.descendants} -> {after.descendants}"


Fight = Callable[[Attack], tuple[Graded | None, list[str]]]
