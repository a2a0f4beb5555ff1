"""A soft dictionary: attention of one query, at its smallest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.softmax import softmax

Array = NDArray[Any]


def soft_lookup(query: Array, keys: Array, values: Array) -> tuple[Any, Array]:
    """What a dictionary answers when every key counts as far as it fits the query.

    Shapes: query (d,), keys (n, d), values (n,) -> output, a number, and weights (n,), which sum
    to 1. Values (n, d_v) give an output (d_v,). No mask and no scaling: every key is visible.
    """
    weights = softmax(np.dot(keys, query))
    return np.dot(weights, values), weights
