"""Which backend a run uses. Nothing weaker is ever taken in silence."""

from __future__ import annotations

from functools import partial
from typing import Final

from autograder.worker.isolation.backend import Backend, SandboxError
from autograder.worker.isolation.plain import PlainLauncher

MODES: Final = ("auto", "bubblewrap", "landlock", "rlimit", "none")
"""What `--sandbox` takes."""

_ISOLATION: Final = (
    "file contents hidden",
    "no write or chmod outside",
    "no network",
    "no fork",
    "no signals",
    "grader's /proc closed",
    "existence, size and mtime of files hidden",
)
_MEMORY: Final = "memory cap"
_DISK: Final = "total disk cap"
_BANNER: Final = (
    "Sandbox {mode!r}: files, network and other processes of this machine are NOT protected "
    "from the code of the submissions.{memory} Use it only for submissions you trust."
)

_WEAK: Final = {
    "rlimit": Backend(
        name="rlimit",
        enforced=(_MEMORY,),
        missing=(*_ISOLATION, _DISK),
        banner=_BANNER.format(mode="rlimit", memory=""),
        launcher=partial(PlainLauncher, limited=True),
    ),
    "none": Backend(
        name="none",
        enforced=(),
        missing=(*_ISOLATION, _MEMORY, _DISK),
        banner=_BANNER.format(mode="none", memory=" Memory is not limited either."),
        launcher=partial(PlainLauncher, limited=False),
    ),
}


def choose(mode: str) -> Backend:
    """The backend of that name; raises SandboxError where it cannot be had."""
    if mode in _WEAK:
        return _WEAK[mode]
    if mode not in MODES:
        raise SandboxError(
            f"there is no sandbox {mode!r}. Choose one of {', '.join(MODES)} with --sandbox."
        )
    found = "no backend isolates student code" if mode == "auto" else f"{mode} does not work"
    raise SandboxError(
        f"{found} on this machine. Pass --sandbox rlimit to grade submissions that you trust with "
        "limits on memory and time alone."
    )
