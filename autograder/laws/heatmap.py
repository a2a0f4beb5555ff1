"""Laws of the heat map. Every call is `f(weights, tokens)` and gives a Matplotlib Axes.

A picture is judged by its data: the matrices in the Axes and the labels beside their rows and
columns, never by pixels. Which end is up does not matter, as long as labels and matrix agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autograder.comparison import agree, fail, shapes_agree, show
from autograder.exercise import (
    AxesSnapshot,
    Call,
    Case,
    Disagreement,
    Disagrees,
    Domain,
    Echo,
    Property,
    ShownImage,
)
from autograder.laws import arrays
from autograder.laws.arrays import FloatArray, first
from autograder.strategies import heatmaps

_LABELS_SHOWN = 60


class _Drawn(NamedTuple):
    """What came back for one picture, and what it was to show."""

    answer: Any
    weights: FloatArray
    tokens: Sequence[str]


Judge = Callable[[_Drawn], Disagreement | None]


def _pictures(case: Case) -> Iterator[tuple[FloatArray, list[str]]]:
    """The pairs of weights and tokens that a case holds."""
    for name, value in case.items():
        if "weights" in name:
            yield value, case[name.replace("weights", "tokens")]


def _every_picture(case: Case) -> Sequence[Call]:
    return [Call(weights, tokens) for weights, tokens in _pictures(case)]


def _of_every_picture(
    judge: Judge,
    *,
    name: str,
    law: str,
    inputs: Domain,
    weight: int,
    hint: str,
) -> Property:
    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(judge(drawn) for drawn in _drawn(case, found))

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=_every_picture,
        verdict=verdict,
        weight=weight,
        hint=hint,
        kind="exact",
        cases=1,
    )


def _drawn(case: Case, found: Sequence[Any]) -> Iterator[_Drawn]:
    for answer, (weights, tokens) in zip(found, _pictures(case), strict=True):
        yield _Drawn(answer, weights, tokens)


# -- reading an Axes -------------------------------------------------------------------------------


def _read(answer: Any) -> AxesSnapshot:
    """The Axes in an answer; raises `Disagrees` where it plainly holds none.

    A figure or image crosses with the one Axes it holds; of several results one may be it.
    """
    if isinstance(answer, Echo):
        answer = answer.result
    if isinstance(answer, tuple | list):
        axes = [part for part in answer if isinstance(part, AxesSnapshot)]
        if axes:
            kind = "tuple" if isinstance(answer, tuple) else "list"
            return replace(min(axes, key=lambda part: part.held_by != ""), held_by=kind)
    if not isinstance(answer, AxesSnapshot):
        raise Disagrees(
            fail(
                f"the result is {show(answer)}, but should be a Matplotlib Axes.",
                expected="a Matplotlib Axes",
                got=show(answer),
            )
        )
    return answer


def _images(drawn: _Drawn) -> tuple[ShownImage, ...]:
    """The images and meshes that the Axes holds; raises `Disagrees` where there is none."""
    images = _read(drawn.answer).images
    if not images:
        raise Disagrees(
            fail(
                "the Axes holds no image or mesh, but should show the weights as one.",
                expected="an image or mesh",
                got="none",
            )
        )
    return images


def _plain(text: str) -> str:
    """A label without its blanks and line breaks, and in lower case."""
    return "".join(text.split()).casefold()


def _read_order(labels: Sequence[str], tokens: Sequence[str]) -> list[int] | None:
    """Where each token stands among the labels; None where they are not just the tokens."""
    seen, wanted = [*map(_exact, labels)], [*map(_exact, tokens)]
    if seen == wanted:  # also where a token comes twice
        return [*range(len(wanted))]
    if sorted(seen) != sorted(wanted) or len({*seen}) < len(seen):
        return None
    return [seen.index(token) for token in wanted]


def _exact(text: str) -> str:
    """A token as it reads on paper: line breaks are blanks."""
    return " ".join(text.split())


def _as_it_lies(image: ShownImage, drawn: _Drawn) -> Disagreement | None:
    """None if the matrix holds the weights, the first query and key at the smallest y and x."""
    return agree(image.values, drawn.weights, name="the image")


def _as_labelled(image: ShownImage, drawn: _Drawn) -> Disagreement | None:
    """None if the matrix holds the weights when read by its labels, wherever these stand."""
    wrong_shape = shapes_agree(image.values, drawn.weights.shape, name="the image")
    if wrong_shape is not None:
        return wrong_shape
    rows = _read_order(image.row_labels, drawn.tokens) or range(len(drawn.tokens))
    columns = _read_order(image.column_labels, drawn.tokens) or range(len(drawn.tokens))
    return agree(image.values[np.ix_(rows, columns)], drawn.weights, name="the image")


def _shows_weights(drawn: _Drawn) -> Disagreement | None:
    """None if one of the images shows the weights; else what is wrong with the one on top."""
    images = _images(drawn)
    wrong = [_as_it_lies(image, drawn) and _as_labelled(image, drawn) for image in images]
    return None if None in wrong else _as_it_lies(images[-1], drawn)


def _shows_tokens(drawn: _Drawn) -> Disagreement | None:
    """None if the labels beside an image that shows the weights are the tokens.

    An image of something else is no better for its labels.
    """
    wrong = [_wrong_labels(image, drawn) for image in reversed(_images(drawn))]
    return None if None in wrong else wrong[0]


def _wrong_labels(image: ShownImage, drawn: _Drawn) -> Disagreement | None:
    beside = {"x": image.column_labels, "y": image.row_labels}
    orders = {axis: _read_order(labels, drawn.tokens) for axis, labels in beside.items()}
    mismatch = _as_labelled(image, drawn)
    if mismatch is None and None not in orders.values():
        return None
    if mismatch is not None and _as_it_lies(image, drawn) is not None:
        return mismatch
    in_order = [*range(len(drawn.tokens))]
    axis = next(axis for axis, order in orders.items() if order != in_order)
    return _labels_differ(axis, beside[axis], drawn.tokens)


def _labels_differ(axis: str, labels: Sequence[str], tokens: Sequence[str]) -> Disagreement:
    cells = "columns" if axis == "x" else "rows"
    got, expected = _listed(labels), _listed(tokens)
    said = f"read {got}" if any(labels) else "are missing"
    return fail(
        f"the tick labels of the {cells} ({axis} axis) {said}, but should read {expected}.",
        expected=expected,
        got=got,
    )


def _listed(texts: Sequence[str]) -> str:
    listed = ", ".join(repr(_exact(text)) for text in texts)
    return listed if len(listed) <= _LABELS_SHOWN else f"{listed[:_LABELS_SHOWN]} …"


def _labels_axes(drawn: _Drawn) -> Disagreement | None:
    """None if the x axis is labelled Key and the y axis Query."""
    axes = _read(drawn.answer)
    return first(
        fail(
            f"the {axis} label is {_exact(label)[:_LABELS_SHOWN]!r}, but should be {wanted!r}.",
            expected=wanted,
            got=_exact(label)[:_LABELS_SHOWN],
        )
        for axis, label, wanted in (("x", axes.x_label, "Key"), ("y", axes.y_label, "Query"))
        if _plain(label) != _plain(wanted)
    )


_NOT_THE_AXES = {"NoneType": "None", "module": "pyplot", "tuple": "a tuple", "list": "a list"}


def _is_axes(drawn: _Drawn) -> Disagreement | None:
    """None if the Axes itself came back."""
    kind = _read(drawn.answer).held_by
    if not kind:
        return None
    got = _NOT_THE_AXES.get(kind, f"an object of type {kind}")
    return fail(
        f"the result is {got}, but should be the Axes itself.",
        expected="a Matplotlib Axes",
        got=got,
    )


# -- laws ------------------------------------------------------------------------------------------


def heatmap_matches_reference(*, weight: int) -> Property:
    """The weights are drawn as they are given, blocked ones too."""
    return _of_every_picture(
        _shows_weights,
        name="matches_reference",
        law="the Axes shows the weights as an image or mesh: rows are queries, columns are keys",
        inputs=heatmaps.heatmaps(),
        weight=weight,
        hint="Draw the weights themselves, neither transposed nor rounded: ax.imshow(weights).",
    )


def returns_axes(*, weight: int) -> Property:
    """The Axes comes back, not the figure or image that it belongs to."""
    return _of_every_picture(
        _is_axes,
        name="returns_axes",
        law="the result is the Axes",
        inputs=heatmaps.four_token_heatmaps(),
        weight=weight,
        hint="End with `return ax`.",
    )


def tick_labels_are_tokens(*, weight: int) -> Property:
    """Each row and each column bears its token."""
    return _of_every_picture(
        _shows_tokens,
        name="tick_labels_are_tokens",
        law="the tick label of row i and of column i is tokens[i]",
        inputs=heatmaps.four_token_heatmaps(),
        weight=weight,
        hint="Set both: ax.set_xticks(range(n), tokens) and ax.set_yticks(range(n), tokens).",
    )


def axis_labels_name_key_and_query(*, weight: int) -> Property:
    """A reader sees which axis is which."""
    return _of_every_picture(
        _labels_axes,
        name="axis_labels_name_key_and_query",
        law="the x label is Key and the y label is Query",
        inputs=heatmaps.four_token_heatmaps(),
        weight=weight,
        hint="Columns are keys, rows are queries: set the x label Key and the y label Query.",
    )


def works_for_every_length(*, weight: int) -> Property:
    """What is right for the first length is right for one token, for two and for seven.

    What is wrong for the first one has a law of its own, and costs nothing here.
    """

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        usual, *others = _drawn(case, found)
        right = [judge for judge in (_is_axes, _shows_tokens, _labels_axes) if not judge(usual)]
        return first(
            _with_length(judge(drawn), len(drawn.tokens))
            for drawn in (usual, *others)
            for judge in (_shows_weights, *right)
        )

    return Property(
        name="works_for_every_length",
        law="the same holds for any number of tokens, one among them",
        inputs=heatmaps.heatmaps_of_every_length(),
        calls=_every_picture,
        verdict=verdict,
        weight=weight,
        hint="Take the number of tokens from the arguments.",
        kind="exact",
        cases=1,
    )


def _with_length(wrong: Disagreement | None, n: int) -> Disagreement | None:
    return wrong and replace(wrong, message=f"for n = {n}, {wrong.message}")


def heatmap_inputs_unchanged(*, weight: int) -> Property:
    """Weights and tokens stay as they are."""

    def compare(got: Any, other: Any) -> Disagreement | None:
        _read(got), _read(other)
        return None

    law = arrays.inputs_unchanged(
        _every_picture, compare, inputs=heatmaps.four_token_heatmaps(), weight=weight
    )
    return replace(law, cases=1)


def repeated_tokens() -> Property:
    """Shown only: a word may come twice in a sentence."""
    return _of_every_picture(
        _shows_tokens,
        name="repeated_tokens",
        law="a token that comes twice stands beside both of its rows and columns",
        inputs=heatmaps.repeated_tokens(),
        weight=0,
        hint="Give the labels by position: a category or a dictionary knows each token once.",
    )
