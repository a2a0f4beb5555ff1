"""What a sandbox may enforce, each in a few words that reports and documents use alike."""

from __future__ import annotations

from typing import Final

FILES_HIDDEN: Final = "file contents hidden"
PACKAGES_HIDDEN: Final = "the grader's packages hidden"
NO_WRITES: Final = "no write or chmod outside"
NO_NETWORK: Final = "no network"
NO_FORK: Final = "no fork"
NO_SIGNALS: Final = "no signals"
PROC_CLOSED: Final = "grader's /proc closed"
NO_NAMESPACES: Final = "no new namespaces"
MEMORY_CAP: Final = "memory cap"
DISK_CAP: Final = "total disk cap"
NAMES_HIDDEN: Final = "existence, size and mtime of files hidden"

REQUIRED: Final = (
    FILES_HIDDEN,
    PACKAGES_HIDDEN,
    NO_WRITES,
    NO_NETWORK,
    NO_FORK,
    NO_SIGNALS,
    PROC_CLOSED,
    NO_NAMESPACES,
    MEMORY_CAP,
    DISK_CAP,
)
"""A backend without one of these does not isolate."""
ALL: Final = (*REQUIRED, NAMES_HIDDEN)
