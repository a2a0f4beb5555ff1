"""What lies beside a submitted notebook: its time, and the secret that names its feedback."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

from nbgrader import utils

TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"  # noqa: S105 - the name of a file
"""What names a student's feedback in the exchange; `nbgrader submit` makes it."""


def read_timestamp(folder: Path) -> Any:
    """The time of a submission from its `timestamp.txt`; None where there is no usable one."""
    try:
        text = (_small_file(folder / TIMESTAMP) or b"").decode("utf-8", "replace").strip()
        return utils.parse_utc(text) if text else None
    except (ValueError, OverflowError):
        return None


def read_secret(folder: Path) -> bytes | None:
    """The secret of a submission as `nbgrader submit` wrote it; None where there is none."""
    found = _small_file(folder / SECRET)
    return found if found and re.fullmatch(rb"[0-9a-f]+", found) else None


def _small_file(path: Path) -> bytes | None:
    """The bytes of an ordinary small file of a student's; None where it is anything else."""
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > 200:
            return None
        return path.read_bytes()
    except OSError:
        return None
