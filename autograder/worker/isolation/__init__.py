"""Backends that hold the student's process: what they enforce, and whether they work here."""

from autograder.worker.isolation.backend import Backend, Exit, Launcher, SandboxError, Spawned
from autograder.worker.isolation.choose import (
    ISOLATING,
    MODES,
    Examination,
    choose,
    examine,
    resume,
)

__all__ = [
    "ISOLATING",
    "MODES",
    "Backend",
    "Examination",
    "Exit",
    "Launcher",
    "SandboxError",
    "Spawned",
    "choose",
    "examine",
    "resume",
]
