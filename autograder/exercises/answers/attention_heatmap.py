"""Known answers to the exercise `attention_heatmap(weights, tokens)`.

Each loads Matplotlib when it is called, never before: most runs of the grader draw nothing.
"""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: B905 - a student zips without strict=

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


def heat_map(weights, rows, columns, x_label="Key", y_label="Query"):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.imshow(weights)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    return ax


# -- mistakes: what is drawn -----------------------------------------------------------------------


@mistake(
    hint="Rows are queries: draw the weights as they are, not transposed.",
    share="0.5",
    caught_by=("matches_reference",),
)
def transposed(weights, tokens):
    return heat_map(np.transpose(weights), tokens, tokens)


@mistake(
    hint="The rows are drawn in reverse order, but their labels are not.",
    share="0.5",
    caught_by=("matches_reference",),
)
def upside_down(weights, tokens):
    return heat_map(weights[::-1], tokens, tokens)


@mistake(
    hint="The columns are drawn in reverse order, but their labels are not.",
    share="0.5",
    caught_by=("matches_reference",),
)
def mirrored(weights, tokens):
    return heat_map(weights[:, ::-1], tokens, tokens)


@mistake(
    hint="Draw the weights as given: dividing each row by its maximum makes all rows look alike.",
    share="0.5",
    caught_by=("matches_reference",),
)
def rows_divided_by_their_maximum(weights, tokens):
    return heat_map(weights / weights.max(axis=1, keepdims=True), tokens, tokens)


@mistake(
    hint="Draw the weights as given; the colour map does the scaling.",
    share="0.5",
    caught_by=("matches_reference",),
)
def stretched_to_zero_and_one(weights, tokens):
    span = max(np.ptp(weights), 1e-12)
    return heat_map((weights - weights.min()) / span, tokens, tokens)


@mistake(
    hint="Draw the weights as given; the colour map does the scaling.",
    share="0.5",
    caught_by=("matches_reference",),
)
def divided_by_the_maximum(weights, tokens):
    return heat_map(weights / weights.max(), tokens, tokens)


@mistake(
    hint="The weights are weights already: no softmax before drawing.",
    share="0.4",
    caught_by=("matches_reference",),
)
def softmax_applied_to_weights(weights, tokens):
    e = np.exp(weights)
    return heat_map(e / e.sum(axis=1, keepdims=True), tokens, tokens)


@mistake(
    hint="Draw full precision; round only the numbers that you write into the cells.",
    share="0.6",
    caught_by=("matches_reference",),
)
def rounds_to_two_places(weights, tokens):
    return heat_map(np.round(weights, 2), tokens, tokens)


@mistake(
    hint="Draw full precision; round only the numbers that you write into the cells.",
    share="0.5",
    caught_by=("matches_reference",),
)
def rounds_to_one_place(weights, tokens):
    return heat_map(np.round(weights, 1), tokens, tokens)


@mistake(
    hint="Draw the weights as given; turn them into per cent only in the text of the cells.",
    share="0.6",
    caught_by=("matches_reference",),
)
def per_cent(weights, tokens):
    return heat_map(100 * weights, tokens, tokens)


@mistake(
    hint="Draw the weights, not their logarithms.",
    share="0.4",
    caught_by=("matches_reference",),
)
def logarithms(weights, tokens):
    return heat_map(np.log(weights + 1e-9), tokens, tokens)


@mistake(
    hint="Weights of blocked positions are drawn as given: 0, not nan.",
    share="0.6",
    caught_by=("matches_reference",),
)
def blocked_weights_become_nan(weights, tokens):
    return heat_map(np.where(weights == 0, np.nan, weights), tokens, tokens)


@mistake(
    hint="Draw all the weights: those above the diagonal count where nothing is blocked.",
    share="0.3",
    caught_by=("matches_reference",),
)
def lower_triangle_alone(weights, tokens):
    return heat_map(np.tril(weights), tokens, tokens)


@mistake(
    hint="Draw the weights, not which of them is the largest.",
    share="0.2",
    caught_by=("matches_reference",),
)
def largest_of_each_row(weights, tokens):
    return heat_map(weights == weights.max(axis=1, keepdims=True), tokens, tokens)


@mistake(
    hint="Hand the weights to imshow and let it choose the colours; yours are colours already.",
    share="0.6",
    caught_by=("matches_reference",),
)
def colours_for_weights(weights, tokens):
    import matplotlib

    return heat_map(matplotlib.colormaps["viridis"](weights), tokens, tokens)


@mistake(
    hint="The number of tokens is that of the arguments, not that of one example.",
    share="0.4",
    caught_by=("matches_reference",),
)
def three_tokens_written_in(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.imshow(weights)
    ax.set_xticks([0, 1, 2], tokens)
    ax.set_yticks([0, 1, 2], tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


# -- mistakes: what is returned --------------------------------------------------------------------


@mistake(
    hint="Return the Axes, not the figure: `fig, ax = plt.subplots()` gives both.",
    share="0.9",
    caught_by=("returns_axes",),
)
def figure_returned(weights, tokens):
    return heat_map(weights, tokens, tokens).figure


@mistake(
    hint="Return the Axes; ax.imshow returns an image, which is not the Axes.",
    share="0.9",
    caught_by=("returns_axes",),
)
def image_returned(weights, tokens):
    return heat_map(weights, tokens, tokens).images[0]


@mistake(
    hint="The picture is drawn, but nothing comes back: end with `return ax`.",
    share="0.9",
    caught_by=("returns_axes",),
)
def nothing_returned(weights, tokens):
    heat_map(weights, tokens, tokens)


@mistake(
    hint="Return the Axes alone, without the figure.",
    share="0.9",
    caught_by=("returns_axes",),
)
def figure_and_axes_returned(weights, tokens):
    ax = heat_map(weights, tokens, tokens)
    return ax.figure, ax


@mistake(
    hint="Return the Axes, not pyplot: plt.gca() gives the current one.",
    share="0.9",
    caught_by=("returns_axes",),
)
def pyplot_returned(weights, tokens):
    import matplotlib.pyplot as plt

    heat_map(weights, tokens, tokens)
    return plt


# -- mistakes: tick labels -------------------------------------------------------------------------


@mistake(
    hint="The rows and columns bear no tokens: set the ticks and their labels on both axes.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def no_ticks(weights, tokens):
    return heat_map(weights, [], [])


@mistake(
    hint="The ticks show numbers: give them the tokens as labels.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def ticks_are_numbers(weights, tokens):
    numbers = [str(i) for i in range(len(tokens))]
    return heat_map(weights, numbers, numbers)


@mistake(
    hint="The rows bear no tokens: label the ticks of the y axis too.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def columns_alone_labelled(weights, tokens):
    return heat_map(weights, [], tokens)


@mistake(
    hint="The columns bear no tokens: label the ticks of the x axis too.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def rows_alone_labelled(weights, tokens):
    return heat_map(weights, tokens, [])


@mistake(
    hint="The labels of the rows run the wrong way: row 0 is the first token, wherever it stands.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def row_labels_reversed(weights, tokens):
    return heat_map(weights, tokens[::-1], tokens)


@mistake(
    hint="The labels of the columns run the wrong way: column 0 is the first token.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def column_labels_reversed(weights, tokens):
    return heat_map(weights, tokens, tokens[::-1])


@mistake(
    hint="Both rows and columns are labelled in reverse: row 0 and column 0 are the first token.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def all_labels_reversed(weights, tokens):
    return heat_map(weights, tokens[::-1], tokens[::-1])


@mistake(
    hint="Keep the tokens in the order of the sentence: sorting them labels the wrong rows.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def labels_sorted(weights, tokens):
    return heat_map(weights, sorted(tokens), sorted(tokens))


@mistake(
    hint="Set the positions of the ticks as well: Matplotlib puts them where it likes otherwise.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def tick_positions_not_set(weights, tokens):
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedFormatter

    fig, ax = plt.subplots()
    ax.imshow(weights)
    ax.xaxis.set_major_formatter(FixedFormatter(tokens))
    ax.yaxis.set_major_formatter(FixedFormatter(tokens))
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@mistake(
    hint="The first label belongs to row 0 and column 0: yours start one cell too late.",
    share="0.8",
    caught_by=("tick_labels_are_tokens",),
)
def labels_one_cell_late(weights, tokens):
    ax = heat_map(weights, tokens, tokens)
    ax.set_xticks(range(1, len(tokens) + 1), tokens)
    ax.set_yticks(range(1, len(tokens) + 1), tokens)
    ax.set_xlim(-0.5, len(tokens) - 0.5)
    ax.set_ylim(len(tokens) - 0.5, -0.5)
    return ax


# -- mistakes: axis labels -------------------------------------------------------------------------


@mistake(
    hint="Say which axis is which: x label Key, y label Query.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def no_axis_labels(weights, tokens):
    return heat_map(weights, tokens, tokens, "", "")


@mistake(
    hint="Columns are keys, rows are queries: you have the two labels swapped.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def axis_labels_swapped(weights, tokens):
    return heat_map(weights, tokens, tokens, "Query", "Key")


@mistake(
    hint="The y axis has no label: rows are queries.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def x_label_alone(weights, tokens):
    return heat_map(weights, tokens, tokens, "Key", "")


@mistake(
    hint="The x axis has no label: columns are keys.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def y_label_alone(weights, tokens):
    return heat_map(weights, tokens, tokens, "", "Query")


@mistake(
    hint="Both axes say the same: columns are keys, rows are queries.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def both_labels_key(weights, tokens):
    return heat_map(weights, tokens, tokens, "Key", "Key")


@mistake(
    hint="Tokens stand on both axes; say which are the keys and which the queries.",
    share="0.8",
    caught_by=("axis_labels_name_key_and_query",),
)
def both_labels_tokens(weights, tokens):
    return heat_map(weights, tokens, tokens, "Tokens", "Tokens")


@mistake(
    hint="A title is not an axis label: use set_xlabel and set_ylabel.",
    share="0.6",
    caught_by=("axis_labels_name_key_and_query", "tick_labels_are_tokens"),
)
def axes_switched_off(weights, tokens):
    ax = heat_map(weights, tokens, tokens)
    ax.set_title("Key by Query")
    ax.axis("off")
    return ax


# -- mistakes: other sizes, and the arguments ------------------------------------------------------


@mistake(
    hint="One token is a sentence too: np.squeeze turns its matrix into a number.",
    share="0.95",
    caught_by=("works_for_every_length",),
)
def squeezed(weights, tokens):
    return heat_map(np.squeeze(weights), tokens, tokens)


@mistake(
    hint="Long sentences count too: draw all rows and columns.",
    share="0.95",
    caught_by=("works_for_every_length",),
)
def at_most_six_tokens(weights, tokens):
    return heat_map(weights[:6, :6], tokens[:6], tokens[:6])


@mistake(
    hint="Your function changes the tokens it was given; work on a new list.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def tokens_changed_in_place(weights, tokens):
    ax = heat_map(weights, tokens, list(tokens))
    tokens.reverse()
    return ax


@mistake(
    hint="Your function changes the weights it was given; work on a new array.",
    share="0.95",
    caught_by=("inputs_unchanged",),
    recognised_by="laws",
)
def weights_changed_in_place(weights, tokens):
    ax = heat_map(weights, tokens, tokens)
    weights *= 100
    for (i, j), per_cent in np.ndenumerate(weights):
        ax.text(j, i, f"{per_cent:.0f} %", ha="center", va="center")
    return ax


# -- mistakes: nothing drawn -----------------------------------------------------------------------


@mistake(
    hint="The Axes is empty: draw the weights with ax.imshow(weights).",
    share="0",
    caught_by=("matches_reference",),
)
def returns_empty_axes(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    return ax


@mistake(
    hint="A heat map is an image or mesh of the weights: ax.imshow(weights).",
    share="0",
    caught_by=("matches_reference",),
)
def returns_another_plot(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.plot(weights.T, label=tokens)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@mistake(hint="Draw the weights, not zeros.", share="0", caught_by=("matches_reference",))
def returns_zeros(weights, tokens):
    return heat_map(np.zeros_like(weights), tokens, tokens)


@mistake(
    hint="Draw the weights: your picture shows equal ones.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_uniform(weights, tokens):
    return heat_map(np.full_like(weights, 1 / len(tokens)), tokens, tokens)


@mistake(
    hint="Draw the weights: your picture shows every token looking at itself.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_identity(weights, tokens):
    return heat_map(np.eye(len(tokens)), tokens, tokens)


@mistake(
    hint="You return the weights themselves; draw them and return the Axes.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(weights, tokens):
    return weights


# -- right answers -------------------------------------------------------------------------------


@right_answer
def imshow_on_new_axes(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(5, 4))
    image = ax.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    fig.colorbar(image, ax=ax, label="weight")
    ax.set_xticks(range(len(tokens)), labels=tokens, rotation=45, ha="right")
    ax.set_yticks(range(len(tokens)), labels=tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    ax.set_title("Attention")
    for i in range(len(tokens)):
        for j in range(len(tokens)):
            ax.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center")
    return ax


@right_answer
def pyplot_alone(weights, tokens):
    import matplotlib.pyplot as plt

    plt.figure()
    plt.imshow(weights, aspect="auto", cmap="gray")
    plt.xticks(np.arange(len(tokens)), tokens, rotation="vertical")
    plt.yticks(np.arange(len(tokens)), tokens)
    plt.xlabel("Key")
    plt.ylabel("Query")
    plt.colorbar()
    plt.tight_layout()
    return plt.gca()


@right_answer
def matshow_labels_on_top(weights, tokens):
    import matplotlib.pyplot as plt

    fig = plt.figure()
    ax = fig.add_subplot(111)
    fig.colorbar(ax.matshow(weights))
    ax.set_xticks(np.arange(len(tokens)))
    ax.set_yticks(np.arange(len(tokens)))
    ax.set_xticklabels(tokens, rotation=90)
    ax.set_yticklabels(tokens)
    ax.xaxis.set_label_position("top")
    ax.set(xlabel="Key", ylabel="Query")
    return ax


@right_answer
def mesh_in_the_manner_of_seaborn(weights, tokens):
    import matplotlib.pyplot as plt

    ax = plt.gca()
    mesh = ax.pcolormesh(weights, edgecolors="white")
    ax.set(xlim=(0, weights.shape[1]), ylim=(0, weights.shape[0]))
    ax.figure.colorbar(mesh)
    ax.invert_yaxis()
    ax.set(xticks=np.arange(len(tokens)) + 0.5, yticks=np.arange(len(tokens)) + 0.5)
    ax.set_xticklabels(tokens, rotation="horizontal")
    ax.set_yticklabels(tokens, rotation="vertical")
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def first_query_at_the_bottom(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.pcolor(weights, cmap="Greys")
    ax.set_xticks(np.arange(len(tokens)) + 0.5, tokens)
    ax.set_yticks(np.arange(len(tokens)) + 0.5, tokens)
    ax.set_xlabel("key")
    ax.set_ylabel("query")
    return ax


@right_answer
def origin_below(weights, tokens):
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 1)
    axes.imshow(weights, origin="lower", interpolation="nearest")
    axes.set_xticks(list(range(len(tokens))), list(tokens))
    axes.set_yticks(list(range(len(tokens))), list(tokens))
    axes.set_xlabel(" KEY ")
    axes.set_ylabel("Query\n")
    axes.invert_xaxis()
    return axes


@right_answer
def rows_and_labels_reversed(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.pcolormesh(weights[::-1])
    ax.set_xticks(np.arange(len(tokens)) + 0.5, tokens)
    ax.set_yticks(np.arange(len(tokens)) + 0.5, tokens[::-1])
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def labels_by_a_function(weights, tokens):
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    def token(position, _):
        place = int(round(position))
        return tokens[place] if place == position and 0 <= place < len(tokens) else ""

    fig, ax = plt.subplots()
    ax.imshow(weights)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(1))
        axis.set_major_formatter(FuncFormatter(token))
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def locator_and_formatter(weights, tokens):
    import matplotlib.pyplot as plt
    from matplotlib import ticker

    ax = plt.subplot()
    ax.imshow(weights)
    for axis, label in ((ax.xaxis, "Key"), (ax.yaxis, "Query")):
        axis.set_major_locator(ticker.FixedLocator(range(len(tokens))))
        axis.set_major_formatter(ticker.FixedFormatter(tokens))
        axis.set_label_text(label)
    return ax


@right_answer
def figure_without_pyplot(weights, tokens):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0.2, 0.2, 0.7, 0.7))
    ax.imshow(np.asarray(weights), extent=(0, len(tokens), len(tokens), 0))
    centres = [place + 0.5 for place in range(len(tokens))]
    ax.set_xticks(centres)
    ax.set_xticklabels(tokens)
    ax.set_yticks(centres)
    ax.set_yticklabels(tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def tokens_as_categories(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.pcolormesh(tokens, tokens, weights, shading="nearest")
    ax.invert_yaxis()
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def blocked_cells_masked(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    colours = plt.get_cmap("viridis").with_extremes(bad="lightgrey")
    ax.imshow(np.ma.masked_equal(weights, 0), cmap=colours)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def white_grid_by_minor_ticks(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.imshow(weights)
    ax.set_xticks(np.arange(len(tokens)), tokens)
    ax.set_yticks(np.arange(len(tokens)), tokens)
    ax.set_xticks(np.arange(len(tokens) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(tokens) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.tick_params(which="both", length=0, top=True, labeltop=True, labelbottom=True)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def mesh_with_edges_of_its_own(weights, tokens):
    import matplotlib.pyplot as plt

    edges = np.arange(len(tokens) + 1) - 0.5
    x, y = np.meshgrid(edges, edges, indexing="ij")
    fig, ax = plt.subplots()
    ax.pcolormesh(x, y, np.transpose(weights))
    ax.set_ylim(ax.get_ylim()[::-1])
    plt.setp(ax, xticks=range(len(tokens)), xticklabels=tokens)
    plt.setp(ax, yticks=range(len(tokens)), yticklabels=tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def an_empty_image_below(weights, tokens):
    import matplotlib.pyplot as plt

    n = len(tokens)
    fig, ax = plt.subplots()
    ax.imshow(np.zeros((n, n)), cmap="gray")
    ax.imshow(weights.tolist(), alpha=0.9)
    ax.set_xticks(range(n), tokens)
    ax.set_yticks(range(n), tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def single_precision_image(weights, tokens):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(layout="constrained")
    fig.colorbar(ax.pcolorfast(weights.astype(np.float32)))
    ax.set_xticks([i + 0.5 for i in range(len(tokens))], tokens)
    ax.set_yticks([i + 0.5 for i in range(len(tokens))], tokens)
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    return ax


@right_answer
def subplot_mosaic(weights, tokens):
    import matplotlib.pyplot as plt

    fig, panels = plt.subplot_mosaic([["map"]])
    ax = panels["map"]
    ax.imshow(weights)
    plt.sca(ax)
    plt.xticks(ticks=range(len(tokens)), labels=tokens)
    plt.yticks(ticks=range(len(tokens)), labels=tokens)
    plt.xlabel("Key")
    plt.ylabel("Query")
    plt.close(fig)
    return ax


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
