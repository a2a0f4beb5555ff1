"""Words and names."""

from __future__ import annotations


def word_counts(text: str) -> dict[str, int]:
    """How often each word is in a text; blanks and line ends separate words, case is ignored."""
    counts: dict[str, int] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def initials(name: str) -> str:
    """The first letters of a name's words, as capitals, each with a full stop."""
    return "".join(word[0].upper() + "." for word in name.split())
