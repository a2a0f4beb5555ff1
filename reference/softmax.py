"""Softmax: scores into weights that sum to one, and how steep it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def softmax(z: ArrayLike, axis: int = -1) -> NDArray[Any]:
    """Exponentials of the scores, divided by their sum along `axis`.

    Shapes: z of any shape -> the same shape; every slice along `axis` sums to 1.
    A score of -inf gets weight 0; a slice with only -inf is nan. Integers count as float64.
    Errors: ValueError for a slice without entries, AxisError for an axis that z lacks.
    """
    z = np.asarray(z)
    # The largest score of each slice becomes 0: the weights stay the same and exp cannot
    # overflow. keepdims leaves the reduced axis in place, so that the maximum of a slice is
    # subtracted from that slice.
    with np.errstate(invalid="ignore"):  # -inf - (-inf) is the nan that a blocked slice asks for
        exponentials = np.exp(z - z.max(axis=axis, keepdims=True))
        weights: NDArray[Any] = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return weights


def softmax_jacobian_norm(p: NDArray[Any]) -> np.floating[Any]:
    """How much softmax answers to its scores: the Frobenius norm of diag(p) - p p^T.

    Shapes: p (n,), the weights that softmax gave -> a number. One-hot weights give 0, uniform ones
    sqrt(n - 1) / n; it never exceeds 1/2, which two equal weights reach.
    """
    return np.linalg.norm(np.diag(p) - np.outer(p, p))
