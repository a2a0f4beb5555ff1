"""Text that came out of a student's process, made safe to store and to show in a terminal.

Escaping for HTML or CSV remains the business of whoever writes those.
"""

from __future__ import annotations

import re

# C0 and C1 controls but \n and \t; marks that reorder or hide text; halves of surrogate pairs
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff]"
)
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
)


def clean_text(text: str, limit: int) -> str:
    """The text without control characters, cut to `limit` characters and then marked by `…`."""
    # twice the limit is enough to see whether the cleaned text must be cut, however long it was
    head = text[: 2 * limit + 1000]
    safe = _UNSAFE.sub("", _ESCAPE_SEQUENCE.sub("", head))
    if len(safe) > limit or len(head) < len(text):
        return safe[: limit - 1] + "…"
    return safe
