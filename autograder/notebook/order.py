"""Which items of a sequence are out of order?"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence


def moved(order: Sequence[int]) -> list[int]:
    """The fewest items that must move so that distinct integers ascend (patience sorting)."""
    tops: list[int] = []  # smallest last item of an ascending run of each length
    runs: list[tuple[int, ...]] = []  # and that run
    for item in order:
        length = bisect(tops, item)
        run = (*(runs[length - 1] if length else ()), item)
        tops[length : length + 1] = [item]
        runs[length : length + 1] = [run]
    stays = set(runs[-1]) if runs else set()
    return [item for item in order if item not in stays]
