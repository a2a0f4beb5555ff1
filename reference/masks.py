"""Masks: which token may attend to which."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def causal_mask(n: int) -> NDArray[np.bool_]:
    """The mask under which token i sees tokens 0..i: True on and below the diagonal.

    Shapes: n tokens -> (n, n) boolean; row = query, column = key, True = may attend.
    Errors: ValueError for a negative n.
    """
    return np.tril(np.ones((n, n), dtype=np.bool_))
