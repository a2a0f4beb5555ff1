"""What an attack is: the text of cells, put into the release notebook and handed in.

Every attack is a real submission. It starts with a *briefing*, a cell that tells the student's
code what no student would know: where the course lies, the grader's process id, the ports that
somebody listens on. An attack that sees its own success calls `won(...)`, whose text no output may
hold; one that only a person outside can see is found by the arena.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import Any

from tests.submissions import FULL_MARKS, json_of, submission

Json = dict[str, Any]

WON = "PWNED"
"""What an attack says that succeeded. Its own source never holds the word in one piece."""

EVERY = tuple(FULL_MARKS)
OTHERS = tuple(name for name in FULL_MARKS if name != "softmax")

ZEROS = "def softmax(z, axis=-1):\n    return np.zeros(np.shape(z))\n"
"""The wrong answer beside most attacks: any point for it is a point gained."""

TOOLS = '''
import asyncio, ctypes, gc, os, re, resource, select, shutil, signal, socket, struct
import subprocess, sys, tempfile, threading, time, types
import numpy as np

DONE = []
libc = ctypes.CDLL(None, use_errno=True)

class Won(Exception):
    pass

def won(what):
    raise Won("PW" + "NED: " + str(what)[:200])

def attempt(what, action, *args, **kwargs):
    """Win if it works."""
    try:
        result = action(*args, **kwargs)
    except Exception:
        return
    won(f"{what}: {result!r}")

def attempt_c(what, function, *args):
    """Win if a C function does not return -1."""
    ctypes.set_errno(0)
    if function(*args) != -1:
        won(what)

def syscall(what, number, *args):
    attempt_c(f"{what} ({number})", libc.syscall, ctypes.c_long(number), *args)

def connection():
    """The socket to the grader."""
    import stat
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            pass
    raise LookupError("no socket")

def worker(name):
    """A module of the process that runs this code."""
    for key, module in list(sys.modules.items()):
        if key == "worker." + name or key.endswith(".worker." + name):
            return module
    raise LookupError(name)

def said(*message):
    """Write a message of the protocol to the grader."""
    import msgspec
    data = msgspec.msgpack.encode(list(message))
    os.write(connection(), struct.pack(">I", len(data)) + data)

def batch():
    """The request that is being answered, from the frames below."""
    frame = sys._getframe()
    while frame is not None:
        for value in frame.f_locals.values():
            if type(value).__name__ == "RunBatch":
                return frame, value
        frame = frame.f_back
    raise LookupError("no batch")
'''


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One hostile submission and what it honestly deserves.

    Args:
        name: words joined by underscores, unique.
        sentence: what it tries.
        cells: code cells put in front, after the briefing.
        last: code cells put at the end.
        sources: texts of solution cells; the others hold right answers.
        edit: changes the notebook's JSON at the end.
        raw: changes the file's bytes at the very end.
        worth: the most that an exercise may get; full marks where it is not named.
        keeps: exercises that get full marks all the same.
        runs: how often it is handed in, one after the other.
        unreadable: the file may be refused as a whole.
        quick: is part of `make test`.
    """

    name: str
    sentence: str
    cells: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=lambda: {"softmax": ZEROS})
    edit: Callable[[Json], None] | None = None
    raw: Callable[[bytes], bytes] | None = None
    worth: Mapping[str, float] = field(default_factory=lambda: {"softmax": 0.0})
    keeps: tuple[str, ...] = OTHERS
    runs: int = 1
    unreadable: bool = False
    quick: bool = False

    def notebook(self, briefing: Mapping[str, Any]) -> bytes:
        """The file that is handed in."""
        constants = "".join(f"{name} = {value!r}\n" for name, value in briefing.items())
        first = [constants + TOOLS, *self.cells]
        made = json_of(submission(**self.sources))
        made["cells"][:0] = [code_cell(f"first-{n}", text) for n, text in enumerate(first)]
        made["cells"] += [code_cell(f"last-{n}", text) for n, text in enumerate(self.last)]
        if self.edit is not None:
            self.edit(made)
        data = json.dumps(made).encode()
        return data if self.raw is None else self.raw(data)


def code_cell(cell_id: str, source: str, **metadata: Any) -> Json:
    """A code cell as a student adds it."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def cell(made: Json, grade_id: str) -> Json:
    """The cell of that grade_id."""
    found: Json = next(
        c for c in made["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )
    return found


def in_cell(name: str, sentence: str, source: str, **more: Any) -> Attack:
    """An attack in a code cell in front of all others, beside a softmax of zeros."""
    return Attack(name=name, sentence=sentence, cells=(dedent(source),), **more)


def at_end(name: str, sentence: str, source: str, **more: Any) -> Attack:
    """An attack in a code cell behind all others, beside a softmax of zeros."""
    return Attack(name=name, sentence=sentence, last=(dedent(source),), **more)


def in_call(name: str, sentence: str, body: str, *, setup: str = "", **more: Any) -> Attack:
    """An attack in the first call of softmax in a process; every call returns zeros."""
    source = (
        f"{dedent(setup)}\n\ndef softmax(z, axis=-1):\n    if not DONE:\n        DONE.append(1)\n"
        f"{indent(dedent(body).strip(), ' ' * 8)}\n    return np.zeros(np.shape(z))\n"
    )
    return Attack(name=name, sentence=sentence, sources={"softmax": source}, **more)


def returns(name: str, sentence: str, expression: str, *, setup: str = "", **more: Any) -> Attack:
    """A softmax whose every call returns something odd."""
    source = f"{dedent(setup)}\n\ndef softmax(z, axis=-1):\n    return {expression}\n"
    return Attack(name=name, sentence=sentence, sources={"softmax": source}, **more)


def edits(name: str, sentence: str, edit: Callable[[Json], None], **more: Any) -> Attack:
    """An attack on the notebook's own structure."""
    return Attack(name=name, sentence=sentence, edit=edit, **more)


HONEST = Attack(name="honest", sentence="Right answers.", sources={}, worth={}, keeps=EVERY)
"""What is handed in after every attack, and must get its full marks."""

HONEST_BESIDE: dict[str, Any] = {"sources": {}, "worth": {}, "keeps": EVERY}
"""For an attack that stands beside right answers, which keep their full marks."""
