"""Positions as numbers: what tells the first token from the last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sinusoidal_positions(n: int, d: int) -> NDArray[np.float64]:
    """One row of sines and cosines per position; each pair of columns shares a frequency.

    P[p, 2i] = sin(p / 10000^(2i/d)) and P[p, 2i+1] = cos(p / 10000^(2i/d)), p = 0..n-1.
    Shapes: n positions, width d -> (n, d). With an odd d the last sine has no cosine beside it.
    Source: "Attention Is All You Need", section 3.5.
    """
    positions = np.arange(n)[:, None]
    angles = positions / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d // 2]
    return P
