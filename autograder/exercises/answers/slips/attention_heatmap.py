"""The known mistakes of `attention_heatmap` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.attention_heatmap import MISTAKES, heat_map
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips

ALONE = "Its laws cost it by themselves, and drawing is slow: pairs are kept few."
ANOTHER_WAY = "It draws something else; such pairs are rare, drawing is slow: they are kept few."
IN_PLACE = "It changes an argument after it has drawn, which no stage does."


def _signature(run):
    def attention_heatmap(weights, tokens):
        return run(weights=weights, tokens=tokens)

    return attention_heatmap


def _image(change):
    return {"image": lambda image, c: change(image)}


def _labels(rows=None, columns=None):
    labels = {"rows": rows, "columns": columns}
    return {name: lambda c, of=of: of(c.tokens) for name, of in labels.items() if of}


def _none(tokens):
    return []


def _reversed(tokens):
    return tokens[::-1]


def _numbers(tokens):
    return [str(i) for i in range(len(tokens))]


def _names(x=None, y=None):
    names = {"x_label": x, "y_label": y}
    return {name: lambda c, text=text: text for name, text in names.items() if text is not None}


STAGES = {
    "parameters": lambda c: "weights, tokens",
    "image": lambda c: c.weights,
    "rows": lambda c: c.tokens,
    "columns": lambda c: c.tokens,
    "x_label": lambda c: "Key",
    "y_label": lambda c: "Query",
    "axes": lambda c: heat_map(c.image, c.rows, c.columns, c.x_label, c.y_label),
    "result": lambda c: c.axes,
}

DRAWN = (
    Slip("transposed", wraps=_image(np.transpose)),
    Slip("upside_down", wraps=_image(lambda image: image[::-1])),
    Slip("rounds_to_two_places", wraps=_image(lambda image: np.round(image, 2))),
    Slip(
        "blocked_weights_become_nan",
        wraps=_image(lambda image: np.where(image == 0, np.nan, image)),
    ),
)
"""The slips that the gate sees: only with one of these do two cost more than each alone."""

SLIPS = Slips(
    signatures={"weights, tokens": _signature},
    stages=STAGES,
    slips=(
        *DRAWN,
        Slip("no_ticks", replaces=_labels(_none, _none)),
        Slip("ticks_are_numbers", replaces=_labels(_numbers, _numbers)),
        Slip("columns_alone_labelled", replaces=_labels(rows=_none)),
        Slip("rows_alone_labelled", replaces=_labels(columns=_none)),
        Slip("row_labels_reversed", replaces=_labels(rows=_reversed)),
        Slip("no_axis_labels", replaces=_names("", "")),
        Slip("axis_labels_swapped", replaces=_names("Query", "Key")),
        Slip("figure_returned", replaces={"result": lambda c: c.axes.figure}),
        Slip("image_returned", replaces={"result": lambda c: c.axes.images[0]}),
        Slip("nothing_returned", replaces={"result": lambda c: None}),
        Slip("figure_and_axes_returned", replaces={"result": lambda c: (c.axes.figure, c.axes)}),
    ),
    others={
        "stretched_to_zero_and_one": ANOTHER_WAY,
        "divided_by_the_maximum": ANOTHER_WAY,
        "softmax_applied_to_weights": ANOTHER_WAY,
        "rounds_to_one_place": ANOTHER_WAY,
        "mirrored": ANOTHER_WAY,
        "rows_divided_by_their_maximum": ANOTHER_WAY,
        "per_cent": ANOTHER_WAY,
        "logarithms": ANOTHER_WAY,
        "lower_triangle_alone": ANOTHER_WAY,
        "largest_of_each_row": ANOTHER_WAY,
        "colours_for_weights": ANOTHER_WAY,
        "three_tokens_written_in": ANOTHER_WAY,
        "axes_switched_off": ANOTHER_WAY,
        "pyplot_returned": ALONE,
        "column_labels_reversed": ALONE,
        "all_labels_reversed": ALONE,
        "labels_sorted": ALONE,
        "tick_positions_not_set": ALONE,
        "labels_one_cell_late": ALONE,
        "x_label_alone": ALONE,
        "y_label_alone": ALONE,
        "both_labels_key": ALONE,
        "both_labels_tokens": ALONE,
        "squeezed": ALONE,
        "at_most_six_tokens": ALONE,
        "tokens_changed_in_place": IN_PLACE,
        "weights_changed_in_place": IN_PLACE,
        "returns_empty_axes": NO_SHARE,
        "returns_another_plot": NO_SHARE,
        "returns_zeros": NO_SHARE,
        "returns_uniform": NO_SHARE,
        "returns_identity": NO_SHARE,
        "returns_its_input": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points, one of them seen by the gate."""
    seen = {slip.name for slip in DRAWN}
    made = SLIPS.combinations(MISTAKES)
    return tuple(mistake for mistake in made if seen.intersection(mistake.name.split("+")))
