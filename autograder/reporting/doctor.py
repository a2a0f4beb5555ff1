"""What `autograder doctor` shows: which protections hold on this machine, backend by backend."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from autograder.worker.isolation import guarantees

_CONTAINER = (
    "No backend isolates here, so grade refuses. Mend one of the above, or grade in a container: "
    "docs/threat-model.md has the command."
)


class BackendReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the self-test found of a backend; `problem` is why it can't be used, and a remedy."""

    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    problem: str


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """The machine.

    Args:
        backend: what `--sandbox auto` takes; None where it refuses.
        enforced: what that backend enforces.
        missing: what it does not.
        backends: every backend by name, the strongest first.
    """

    backend: str | None
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    backends: dict[str, BackendReport]


def doctor_text(report: DoctorReport) -> str:
    """The report as lines of text: a table, then what is wrong and how to mend it."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: DoctorReport) -> Iterator[str]:
    yield f"sandbox auto takes: {report.backend or 'nothing'}"
    yield ""
    width = max(map(len, guarantees.ALL)) + 2
    yield "".ljust(width) + "".join(name.ljust(12) for name in report.backends).rstrip()
    for item in guarantees.ALL:
        marks = [_mark(item, found) for found in report.backends.values()]
        yield item.ljust(width) + "".join(mark.ljust(12) for mark in marks).rstrip()
    problems = {name: found.problem for name, found in report.backends.items() if found.problem}
    if problems:
        yield ""
    for name, problem in problems.items():
        yield f"{name}: {problem}"
    if report.backend is None:
        yield _CONTAINER


def _mark(item: str, found: BackendReport) -> str:
    return "yes" if item in found.enforced else "no"
