"""What `autograder doctor` does: try every backend on this machine."""

from __future__ import annotations

from autograder.reporting.doctor import BackendReport, DoctorReport
from autograder.worker.isolation import ISOLATING, MODES, examine


def diagnose_machine() -> DoctorReport:
    """Let a worker of every backend go after canaries, and tell what `auto` would take."""
    found = {name: examine(name) for name in MODES if name != "auto"}
    chosen = next((name for name in ISOLATING if not found[name].problem), None)
    sandbox = found[chosen].sandbox if chosen else None
    return DoctorReport(
        backend=chosen,
        enforced=sandbox.enforced if sandbox else (),
        missing=sandbox.missing if sandbox else (),
        backends={
            name: BackendReport(
                enforced=one.sandbox.enforced, missing=one.sandbox.missing, problem=one.problem
            )
            for name, one in found.items()
        },
    )
