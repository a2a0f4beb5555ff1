"""Dice."""

from __future__ import annotations


def expected_throws() -> float:
    """How many throws of a die it takes on average until all six faces were seen."""
    return sum(6 / missing for missing in range(1, 7))
