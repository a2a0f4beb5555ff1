"""Clusters by Lloyd's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np


def nearest(X: Any, centres: Any) -> Any:
    """For each row of X (n, d) the number of the nearest row of centres (k, d) -> (n,)."""
    squares = (X[:, None] - centres) ** 2
    return squares.sum(axis=2).argmin(axis=1)


def k_means(X: Any, k: int, seed: int, steps: int = 10) -> tuple[Any, Any]:
    """Centres (k, d) and the labels (n,) of the rows of X (n, d) that are nearest to them.

    The first centres are k different rows, drawn by `default_rng(seed).choice`. A step labels all
    rows and moves every centre to the mean of its rows; a centre without rows stays where it is.
    """
    first = np.random.default_rng(seed).choice(len(X), size=k, replace=False)
    centres = X[first]
    for _ in range(steps):
        labels = nearest(X, centres)
        for j in set(labels):
            centres[j] = X[labels == j].mean(axis=0)
    return centres, nearest(X, centres)
