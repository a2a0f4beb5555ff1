"""Backends that hold the student's process: what they enforce, and whether they work here."""

from autograder.worker.isolation.backend import Backend, Exit, Launcher, SandboxError, Spawned
from autograder.worker.isolation.choose import MODES, choose

__all__ = ["MODES", "Backend", "Exit", "Launcher", "SandboxError", "Spawned", "choose"]
