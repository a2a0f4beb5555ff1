"""Text of students loses what could harm a terminal or a file, and nothing else."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.worker.hygiene import clean_text


def test_ordinary_text_stays() -> None:
    text = "naïve\tsoftmax(x) → 1.0\n日本語 🙂"
    assert clean_text(text, 100) == text


def test_escape_sequences_and_reordering_marks_go() -> None:
    assert clean_text("\x1b[31mred\x1b[0m \x1b]0;title\x07ok\r\n\x00\u202egnp\ud800", 100) == (
        "red ok\ngnp"
    )


def test_long_text_is_cut_and_marked() -> None:
    assert clean_text("a" * 10, 4) == "aaa…"
    assert clean_text("a" * 4, 4) == "aaaa"
    assert clean_text("\x00" * 10**6 + "a", 4).endswith("…")


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(), max_size=50), st.integers(1, 60))
def test_no_control_character_and_never_longer_than_asked(text: str, limit: int) -> None:
    cleaned = clean_text(text, limit)
    assert len(cleaned) <= limit
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert clean_text(cleaned, limit) == cleaned
