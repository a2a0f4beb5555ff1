"""What a Matplotlib Axes shows, as data: matrices, and the labels beside their rows and columns.

Nothing here loads Matplotlib: without it there is no Axes to look at. Of what a function returns,
whatever plainly holds one Axes will do: its figure, its image, or a figure left open for pyplot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import type_name

_ROUNDING = 1e-9
"""How far, in widths of the whole matrix, a tick may lie beside its cell."""


class Matrix(NamedTuple):
    """An image or mesh as it lies in its Axes: by rising y and x, whatever end is up.

    Each row and column has the text of the tick label beside it, empty where there is none.
    """

    values: NDArray[Any]
    rows: list[str]
    columns: list[str]


# -- which Axes ------------------------------------------------------------------------------------


def close_figures() -> None:
    """Close what pyplot holds open, so that each call draws figures of its own."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


class Held:
    """An Axes that was not returned itself: what came in its place names a type."""

    def __init__(self, axes: Any, by: str) -> None:
        self.axes, self.by = axes, by


def left_open(result: Any) -> Any:
    """The Axes of the one figure that pyplot holds open, where nothing was returned.

    Pyplot itself counts as nothing too. Any other result is given back.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or (result is not None and result is not pyplot):
        return result
    numbers = pyplot.get_fignums()
    found = axes_in(pyplot.figure(numbers[0])) if len(numbers) == 1 else None
    return result if found is None else Held(found[0], type_name(result))


def axes_in(value: Any) -> tuple[Any, str] | None:
    """The one Axes that a value is or holds, and the type of what holds it; None if it has none."""
    if isinstance(value, Held):
        return value.axes, value.by
    if not _is_a(value, "matplotlib.artist", "Artist"):
        return None
    if _is_a(value, "matplotlib.axes", "Axes"):
        return value, ""
    found = value.axes
    if _is_a(value, "matplotlib.figure", "FigureBase"):
        bars = _colour_bars(found)
        found = _only([axes for axes in found if axes not in bars])
    return (found, type_name(value)) if _is_a(found, "matplotlib.axes", "Axes") else None


def _is_a(value: Any, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _colour_bars(axes: Sequence[Any]) -> list[Any]:
    bars = [getattr(artist, "colorbar", None) for one in axes for artist in _drawn(one)]
    return [bar.ax for bar in bars if bar is not None]


def _only(axes: Sequence[Any]) -> Any:
    """The only Axes, or the only one of several with a matrix; else None."""
    if len(axes) > 1:
        axes = [one for one in axes if matrices(one)]
    return axes[0] if len(axes) == 1 else None


# -- what it shows ---------------------------------------------------------------------------------


def label_of(axes: Any, axis: Any) -> str:
    """The label of an axis; empty where nobody sees it."""
    seen = axes.axison and axis.get_visible() and axis.label.get_visible()
    return axis.label.get_text() if seen else ""


def matrices(axes: Any) -> list[Matrix]:
    """The images and meshes that can be seen, in the order in which they are drawn."""
    ticks = _labelled_ticks(axes, axes.xaxis), _labelled_ticks(axes, axes.yaxis)
    artists = [artist for artist in _drawn(axes) if artist.get_visible()]
    artists.sort(key=lambda artist: artist.get_zorder())
    found = (_values_and_edges(artist) for artist in artists)
    return [_matrix(*parts, *ticks) for parts in found if parts is not None]


def _drawn(axes: Any) -> list[Any]:
    """Images and meshes; other collections, such as the points of a scatter plot, are none."""
    meshes = [
        artist
        for artist in axes.collections
        if _is_a(artist, "matplotlib.collections", "QuadMesh")
        or _is_a(artist, "matplotlib.collections", "PolyQuadMesh")
    ]
    return [*axes.images, *meshes]


def _values_and_edges(artist: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """The matrix of an artist and the edges of its columns and rows in the plane of the Axes."""
    values = artist.get_array()
    if values is None or np.ndim(values) < 2 or 0 in np.shape(values)[:2]:
        return None
    values = np.ma.getdata(values)
    rows, columns = values.shape[:2]
    if not hasattr(artist, "get_coordinates"):
        left, right, bottom, top = artist.get_extent()
        first, last = (top, bottom) if artist.origin == "upper" else (bottom, top)
        return values, np.linspace(left, right, columns + 1), np.linspace(first, last, rows + 1)
    corners = np.asarray(artist.get_coordinates())
    if np.ptp(corners[0, :, 0]) == 0 != np.ptp(corners[:, 0, 0]):  # x runs along the rows
        values, corners = values.swapaxes(0, 1), corners.swapaxes(0, 1)
    x, y = corners[0, :, 0], corners[:, 0, 1]
    if corners.shape[:2] == values.shape[:2]:  # shaded between centres
        x, y = _around(x), _around(y)
    return values, x, y


def _around(centres: NDArray[Any]) -> NDArray[Any]:
    """Edges halfway between centres."""
    inner = (centres[1:] + centres[:-1]) / 2
    outer = 2 * centres[[0, -1]] - inner[[0, -1]]
    return np.concatenate([outer[:1], inner, outer[1:]])


_Ticks = list[tuple[float, str]]


def _matrix(
    values: NDArray[Any],
    x: NDArray[Any],
    y: NDArray[Any],
    x_ticks: _Ticks,
    y_ticks: _Ticks,
) -> Matrix:
    if x[0] > x[-1]:
        values, x = values[:, ::-1], x[::-1]
    if y[0] > y[-1]:
        values, y = values[::-1], y[::-1]
    return Matrix(values, _labels(y_ticks, y), _labels(x_ticks, x))


def _labelled_ticks(axes: Any, axis: Any) -> _Ticks:
    """Position and text of every tick label that can be seen, by position."""
    if not (axes.axison and axis.get_visible()):
        return []
    axis.get_ticklabels(which="both")  # has the texts brought up to date
    return sorted(
        (float(tick.get_loc()), text)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        if (text := next(_texts(tick), ""))
    )


def _texts(tick: Any) -> Iterator[str]:
    for label in (tick.label1, tick.label2):  # below or left, above or right
        if label.get_visible() and label.get_text().strip():
            yield label.get_text()


def _labels(ticks: _Ticks, edges: NDArray[Any]) -> list[str]:
    """The label of every cell between the edges.

    As many labels as cells belong to them in order, where each lies in its cell or on an edge of
    it. Otherwise a label on an edge belongs to the cell above.
    """
    slack = _ROUNDING * abs(edges[-1] - edges[0])
    seen = [(at, text) for at, text in ticks if edges[0] - slack <= at <= edges[-1] + slack]
    cells = list(zip(edges[:-1] - slack, edges[1:] + slack, strict=True))
    if len(seen) == len(cells) and all(
        low <= at <= high for (low, high), (at, _) in zip(cells, seen, strict=True)
    ):
        return [text for _, text in seen]
    labels = [""] * len(cells)
    for at, text in seen:
        cell = min(int(np.searchsorted(edges - slack, at, side="right")), len(cells)) - 1
        labels[cell] = f"{labels[cell]} {text}".strip()
    return labels
