"""The laws of the heat map: what a right picture may look like, and what is wrong in a wrong one.

The pictures are drawn by Matplotlib and read as a worker reads them.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from autograder.exercise import AxesSnapshot, Case, Disagreement, Echo, Opaque, ShownImage
from autograder.exercises import load_exercises
from autograder.worker.plain import PlainRunner
from tests.exercises.driver import ordinary_cases

EXERCISE = load_exercises()["attention_heatmap"]
WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.0, 0.4, 0.6], [0.3, 0.3, 0.4]])
TOKENS = ["the", "cat", "sat"]


def broken(function):
    """The laws that a function breaks in the run of seed 0, each with the message."""
    found = {}
    for one in EXERCISE.properties:
        (case,) = ordinary_cases(one, 0)
        runner = PlainRunner({"attention_heatmap": function})
        (reply,) = runner.run("attention_heatmap", [one.calls(case)], defaults={})
        if reply.status != "passed":
            found[one.name] = reply.outcomes[-1].message
        elif (verdict := one.judge(case, None, reply.answers)) is not None:
            found[one.name] = verdict.message
    return found


def drawn(weights, tokens, **options):
    _, ax = plt.subplots()
    ax.imshow(weights, **options)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set(xlabel="Key", ylabel="Query")
    return ax


# -- right pictures that are no known answers ------------------------------------------------------


def other_end_up(weights, tokens):
    ax = drawn(weights, tokens, origin="lower")
    ax.invert_yaxis()
    return ax


def extent_of_its_own(weights, tokens):
    n = len(tokens)
    _, ax = plt.subplots()
    ax.imshow(weights, extent=(0, 1, 1, 0), interpolation="bilinear")
    ax.set_xticks((np.arange(n) + 0.5) / n, tokens)
    ax.set_yticks((np.arange(n) + 0.5) / n, tokens)
    ax.set(xlabel="Key", ylabel="Query")
    return ax


def rows_in_alphabetical_order(weights, tokens):
    order = np.argsort(tokens)
    ax = drawn(weights[order], tokens)
    ax.set_yticks(range(len(tokens)), [tokens[place] for place in order])
    return ax


def shaded_between_centres(weights, tokens):
    if len(tokens) < 2:
        return drawn(weights, tokens)
    _, ax = plt.subplots()
    ax.pcolormesh(weights, shading="gouraud")
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set(xlabel="Key", ylabel="Query")
    return ax


def labels_at_the_edges_of_a_mesh(weights, tokens):
    _, ax = plt.subplots()
    ax.pcolormesh(weights)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(1, len(tokens) + 1), tokens)
    ax.set(xlabel="Key", ylabel="Query")
    return ax


def labels_of_several_lines(weights, tokens):
    return drawn(weights, [token.replace(" ", "\n") for token in tokens])


def one_empty_label_in_front(weights, tokens):
    ax = drawn(weights, tokens)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(plt.matplotlib.ticker.FixedLocator([-1, *range(len(tokens))]))
        axis.set_major_formatter(plt.matplotlib.ticker.FixedFormatter(["", *tokens]))
    return ax


def labels_on_minor_ticks(weights, tokens):
    ax = drawn(weights, tokens)
    ax.set_xticks([])
    ax.set_xticks(range(len(tokens)), tokens, minor=True)
    return ax


def beside_another_axes(weights, tokens):
    fig = plt.figure()
    drawing = fig.add_subplot(1, 2, 1)
    drawing.plot([0, 1])
    ax = fig.add_subplot(1, 2, 2)
    ax.imshow(weights)
    plt.xticks(range(len(tokens)), tokens)
    plt.yticks(range(len(tokens)), tokens)
    plt.xlabel("Key")
    plt.ylabel("Query")
    return plt.gca()


def single_precision_data(weights, tokens):
    ax = drawn(weights, tokens)
    ax.images[0].set_data(np.asarray(weights, dtype=np.float32))
    return ax


RIGHT = [
    other_end_up,
    extent_of_its_own,
    rows_in_alphabetical_order,
    shaded_between_centres,
    labels_at_the_edges_of_a_mesh,
    labels_of_several_lines,
    one_empty_label_in_front,
    labels_on_minor_ticks,
    beside_another_axes,
    single_precision_data,
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_a_picture_in_which_labels_and_matrix_agree_is_right(function):
    found = broken(function)
    # which of two equal labels comes first, a matrix in another order cannot tell
    assert set(found) - {"repeated_tokens"} == set()


# -- wrong pictures that are no known mistakes -----------------------------------------------------


def change(what):
    """A picture that is right but for one change of its Axes."""

    def function(weights, tokens):
        ax = drawn(weights, tokens)
        what(ax, weights, tokens)
        return ax

    return function


def rows_alone_shifted(ax, weights, tokens):
    ax.images[0].set_data(np.roll(weights, 1, axis=0))


def scatter_for_image(ax, weights, tokens):
    ax.images[0].remove()
    x, y = np.meshgrid(range(len(tokens)), range(len(tokens)))
    ax.scatter(x.ravel(), y.ravel(), c=weights.ravel())


def contours_for_image(ax, weights, tokens):
    ax.images[0].remove()
    ax.contourf(np.pad(weights, 1))


def image_hidden(ax, weights, tokens):
    ax.images[0].set_visible(False)


def mesh_with_mixed_up_grids(ax, weights, tokens):
    ax.images[0].remove()
    x, y = np.meshgrid(np.arange(len(tokens) + 1), np.arange(len(tokens) + 1), indexing="ij")
    ax.pcolormesh(x - 0.5, y - 0.5, weights)


def labels_hidden(ax, weights, tokens):
    ax.tick_params(labelleft=False)


def two_labels_swapped(ax, weights, tokens):
    ax.set_yticks(range(len(tokens)), [*tokens[1::-1], *tokens[2:]])


def labels_upper_case(ax, weights, tokens):
    ax.set_xticks(range(len(tokens)), [f"<{token}>" for token in tokens])


def labels_far_away(ax, weights, tokens):
    ax.set_xticks(np.arange(len(tokens)) + 100, tokens)


def axis_label_hidden(ax, weights, tokens):
    ax.xaxis.label.set_visible(False)


GATE, TICKS, NAMES = (
    "matches_reference",
    "tick_labels_are_tokens",
    "axis_labels_name_key_and_query",
)


@pytest.mark.parametrize(
    ("what", "law", "message"),
    [
        (rows_alone_shifted, GATE, "the image[0, 0] is "),
        (scatter_for_image, GATE, "no image or mesh"),
        (contours_for_image, GATE, "no image or mesh"),
        (image_hidden, GATE, "no image or mesh"),
        (mesh_with_mixed_up_grids, GATE, "the image[0, 1] is "),
        (labels_hidden, TICKS, "rows (y axis) are missing"),
        (two_labels_swapped, TICKS, "rows (y axis) read '"),
        (labels_upper_case, TICKS, "columns (x axis) read '<"),
        (labels_far_away, TICKS, "columns (x axis) are missing"),
        (axis_label_hidden, NAMES, "the x label is '', but should be 'Key'"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_wrong_picture_is_told_what_is_wrong(what, law, message):
    found = broken(change(what))
    assert message in found[law]
    if law != GATE:  # one slip costs one law
        assert set(found) - {"repeated_tokens"} == {law}


@pytest.mark.parametrize(
    ("result", "named"),
    [
        (lambda ax: ax.figure, "an object of type Figure"),
        (lambda ax: ax.images[0], "an object of type AxesImage"),
        (lambda ax: None, "None"),
        (lambda ax: plt, "pyplot"),
        (lambda ax: (ax.figure, ax), "a tuple"),
        (lambda ax: [ax], "a list"),
        (lambda ax: ax.xaxis, "an object of type XAxis"),
    ],
)
def test_what_holds_the_axes_is_read_and_costs_the_law_about_it_alone(result, named):
    found = broken(lambda weights, tokens: result(drawn(weights, tokens)))
    assert found == {"returns_axes": f"the result is {named}, but should be the Axes itself."}


@pytest.mark.parametrize(
    "function",
    [
        lambda weights, tokens: None,
        lambda weights, tokens: weights,
        lambda weights, tokens: Figure(),
        lambda weights, tokens: plt.subplots(1, 2)[0],
        lambda weights, tokens: "heat map",
    ],
)
def test_what_plainly_holds_no_axes_breaks_every_law(function):
    assert set(broken(function)) == {law.name for law in EXERCISE.properties}


# -- verdicts on snapshots -------------------------------------------------------------------------


def snapshot(values=WEIGHTS, rows=TOKENS, columns=TOKENS, **names):
    names = {"x_label": "Key", "y_label": "Query"} | names
    return AxesSnapshot((ShownImage(np.asarray(values), tuple(rows), tuple(columns)),), **names)


def verdict(law, answer):
    return EXERCISE.property_named(law).judge(Case(weights=WEIGHTS, tokens=TOKENS), None, [answer])


def test_snapshots_are_judged_by_what_they_say():
    for law in (GATE, TICKS, NAMES, "returns_axes"):
        assert verdict(law, snapshot()) is None
        assert verdict(law, Echo(snapshot(), (), {})) is None
        assert isinstance(verdict(law, Opaque("Axes")), Disagreement)


@pytest.mark.parametrize(
    "image",
    [
        ShownImage(np.zeros((3, 3, 4)), ("the",) * 9, ()),
        ShownImage(np.zeros(3), tuple(TOKENS), tuple(TOKENS)),
        ShownImage(np.full((3, 3), 1 + 1j), tuple(TOKENS), tuple(TOKENS)),
        ShownImage(np.full((3, 3), np.nan), (), ()),
        ShownImage(np.zeros((0, 0)), (), ()),
    ],
)
def test_an_image_that_no_axes_draws_is_wrong_and_raises_nothing(image):
    for law in (GATE, TICKS):
        assert isinstance(verdict(law, AxesSnapshot((image,), "Key", "Query")), Disagreement)


def test_labels_of_a_reversed_matrix_must_be_reversed_too():
    turned = snapshot(WEIGHTS[::-1], rows=TOKENS[::-1])
    assert verdict(GATE, turned) is None
    assert verdict(TICKS, turned) is None
    assert verdict(GATE, snapshot(WEIGHTS[::-1])) is not None
    assert verdict(GATE, snapshot(rows=TOKENS[::-1])) is None
    assert verdict(TICKS, snapshot(rows=TOKENS[::-1])) is not None


def test_of_several_images_one_must_show_the_weights():
    other = ShownImage(np.zeros((3, 3)), ("",) * 3, ("",) * 3)
    for images in ((other, *snapshot().images), (*snapshot().images, other)):
        both = AxesSnapshot(images, "Key", "Query")
        assert verdict(GATE, both) is None
        assert verdict(TICKS, both) is None
    assert verdict(GATE, AxesSnapshot((other, other), "Key", "Query")) is not None


@pytest.mark.parametrize("label", ["Key", " KEY\n", "k e y"])
def test_blanks_and_case_of_an_axis_label_do_not_matter(label):
    assert verdict(NAMES, snapshot(x_label=label)) is None
    assert verdict(NAMES, snapshot(x_label=f"{label}s")) is not None


def test_a_changed_list_of_tokens_is_rejected():
    law = EXERCISE.property_named("inputs_unchanged")
    case = Case(weights=WEIGHTS, tokens=TOKENS)
    right = [Echo(snapshot(), (WEIGHTS, TOKENS), {}), snapshot()]
    assert law.judge(case, None, right) is None
    for args in ((WEIGHTS, TOKENS[::-1]), (WEIGHTS, [WEIGHTS]), (WEIGHTS, None), (WEIGHTS,)):
        assert law.judge(case, None, [Echo(snapshot(), args, {}), snapshot()]) is not None
