"""Masks: which token may attend to which, in both conventions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def causal_mask(n: int) -> NDArray[np.bool_]:
    """The mask under which token i sees tokens 0..i: True on and below the diagonal.

    Shapes: n tokens -> (n, n) boolean; row = query, column = key, True = may attend.
    Errors: ValueError for a negative n.
    """
    return np.tril(np.ones((n, n), dtype=np.bool_))


def create_causal_mask(seq_len: int) -> NDArray[np.float64]:
    """The mask under which token i sees tokens 0..i: 1 strictly above the diagonal, 0 elsewhere.

    Shapes: seq_len tokens -> (n, n) floats; row = query, column = key, 1 = blocked.
    Errors: ValueError for a negative seq_len.
    """
    return np.triu(np.ones((seq_len, seq_len)), k=1)
