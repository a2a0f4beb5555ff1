"""What no feedback page may show, wherever it came from.

In a sandbox a student's code can learn none of this, and no mask helps against code that spells a
secret in another way. The mask is for what an honest person's page would show by accident: paths
in a message, the line of a hidden test in an error, a weaker sandbox than there should be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MASK = "[hidden]"
SHORTEST = 8
"""A shorter text is no secret: it would be masked wherever it stands by chance."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts to be masked."""

    pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, texts: Iterable[str], *, known: str = "") -> Secrets:
        """Secrets of these texts, but for those that a reader of `known` has seen anyway."""
        kept = {text.strip() for text in texts}
        kept = {text for text in kept if len(text) >= SHORTEST and text not in known}
        if not kept:
            return cls()
        ordered = sorted(kept, key=lambda text: (-len(text), text))
        return cls(re.compile("|".join(map(re.escape, ordered))))

    def hide(self, text: str) -> str:
        """The text with a mask for each secret."""
        return self.pattern.sub(MASK, text) if self.pattern else text


def environment_values(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The values of this process's variables, and the parts of those that are lists of paths."""
    values = list(environment.values())
    return values + [part for value in values for part in value.split(os.pathsep)]


def hidden_lines(source: str, begin: str, end: str) -> list[str]:
    """The lines of a test cell's source between the marks of what students must not see."""
    lines, hidden = [], False
    for line in source.splitlines():
        if begin in line or end in line:
            hidden = begin in line
        elif hidden:
            lines.append(line.strip())
    return lines
