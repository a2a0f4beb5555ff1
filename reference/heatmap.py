"""The picture of attention: who looks at whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def attention_heatmap(weights: NDArray[Any], tokens: Sequence[str]) -> Axes:
    """The weights as an image: one row per query, one column per key, tokens on both axes.

    Shapes: weights (n, n), n tokens -> Matplotlib Axes. Matplotlib is loaded when it is called.
    """
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    ax.imshow(weights)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax
