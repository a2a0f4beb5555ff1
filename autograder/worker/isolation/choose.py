"""Which backend a run uses. Nothing weaker is ever taken in silence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from autograder.results import Sandbox
from autograder.worker.isolation import guarantees
from autograder.worker.isolation.backend import DEFAULT_IMPORTS, Backend, Launcher, SandboxError
from autograder.worker.isolation.plain import PlainLauncher

ISOLATING: Final = ("bubblewrap", "landlock")
"""The backends that isolate, the stronger one first."""
MODES: Final = ("auto", *ISOLATING, "rlimit", "none")
"""What `--sandbox` takes."""

_BANNER: Final = (
    "Sandbox {mode!r}: files, network and other processes of this machine are NOT protected "
    "from the code of the submissions.{memory} Use it only for submissions you trust."
)
_ENFORCED: Final = {"rlimit": (guarantees.MEMORY_CAP,), "none": ()}
_ELSE: Final = (
    "Grade in a container (docs/threat-model.md), or pass --sandbox rlimit to grade submissions "
    "that you trust with limits on memory and time alone."
)


@dataclass(frozen=True, slots=True)
class Examination:
    """What the self-test of a backend found on this machine.

    Args:
        sandbox: what it enforces and what it does not.
        problem: why it may not be used, with its remedy; empty where it may.
    """

    sandbox: Sandbox
    problem: str = ""


def choose(mode: str) -> Backend:
    """The backend of that name, tested on this machine; `auto` is the first that isolates.

    Raises:
        SandboxError: there is none of that name, or it does not pass its self-test here.
    """
    if mode not in MODES:
        raise SandboxError(
            f"there is no sandbox {mode!r}. Choose one of {', '.join(MODES)} with --sandbox."
        )
    if mode != "auto":
        found = examine(mode)
        if found.problem:
            raise SandboxError(f"the sandbox {mode!r} does not work here: {found.problem} {_ELSE}")
        return resume(found.sandbox)
    problems = []
    for name in ISOLATING:
        found = examine(name)
        if not found.problem:
            return resume(found.sandbox)
        problems.append(f"{name}: {found.problem}")
    raise SandboxError(f"no sandbox isolates student code here. {' '.join(problems)} {_ELSE}")


@lru_cache
def examine(name: str) -> Examination:
    """Test a backend on this machine, once in each process."""
    if name in _ENFORCED:
        return Examination(_record(name, _ENFORCED[name]))
    if sys.platform != "linux":
        return Examination(_record(name, ()), "it needs Linux.")
    # the test drives a real worker, and workers know their backends
    from autograder.worker.isolation.selftest import self_test

    try:
        result = self_test(_shared(name, DEFAULT_IMPORTS))
    except SandboxError as error:
        return Examination(_record(name, ()), _with_remedy(name, str(error)))
    sandbox = _record(name, result.enforced)
    return Examination(sandbox, _with_remedy(name, result.problem) if result.problem else "")


def resume(sandbox: Sandbox) -> Backend:
    """The backend that another process of this run has tested here already.

    It still fails closed: a worker that cannot lock itself in ends before it reads anything.
    """
    name = sandbox.backend
    start: Callable[[frozenset[str]], Launcher] = partial(_shared, name)
    banner = ""
    if name in _ENFORCED:
        limited = name == "rlimit"
        start = partial(_plain, limited=limited)
        memory = "" if limited else " Memory is not limited either."
        banner = _BANNER.format(mode=name, memory=memory)
    return Backend(name, sandbox.enforced, sandbox.missing, banner, start)


def _record(name: str, enforced: tuple[str, ...]) -> Sandbox:
    missing = tuple(item for item in guarantees.ALL if item not in enforced)
    return Sandbox(backend=name, enforced=enforced, missing=missing)


def _plain(allowed: frozenset[str], *, limited: bool) -> Launcher:
    return PlainLauncher(limited=limited)


@lru_cache
def _shared(name: str, allowed: frozenset[str]) -> Launcher:
    """One launcher per process, so that what the self-test warmed up grades the first notebook."""
    from autograder.worker.isolation.zygotes import ZygoteLauncher

    return ZygoteLauncher(allowed, wrapped=name == "bubblewrap")


_REMEDIES: Final = (
    ("bwrap is not there", ""),
    (
        "uid map",
        "User namespaces are closed to bubblewrap: as on Ubuntu 24.04, give /usr/bin/bwrap an "
        "AppArmor profile with the rule 'userns,'.",
    ),
    ("RTM_NEWADDR", "Give /usr/bin/bwrap an AppArmor profile with the rule 'userns,'."),
    ("namespace", "In a container, use landlock, or grade outside of it."),
    ("disable-userns", "Install bubblewrap 0.8 or newer."),
    ("no Landlock", "Use Linux 5.13 or newer with landlock among its security modules."),
    (
        "may not read",
        "Use a Python that every user may read, such as /usr/bin/python3, or grade as the user "
        "whose home it lies in.",
    ),
)


def _with_remedy(name: str, problem: str) -> str:
    """The problem as a sentence, and what mends it where that is known."""
    sentence = problem.rstrip(".") + "."
    for sign, remedy in _REMEDIES:
        if sign in problem:
            return f"{sentence} {remedy}".rstrip()
    return sentence
