"""The notebook `multi_head_attention`: its masks, its visible checks and the figures it prints."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode

from autograder.exercises import load_assignments, load_exercises
from autograder.exercises.answers import source_for_cell
from tests.course.conftest import Execute, read_notebook
from tests.course.test_self_attention_notebook import by_id, printed

ASSIGNMENT = load_assignments()["multi_head_attention"]
EXERCISES = {name: load_exercises()[name] for name in ASSIGNMENT.exercises}

ASK_THE_FIGURE = """
print(json.dumps([{
    "title": ax.get_title(), "x": ax.get_xlabel(), "y": ax.get_ylabel(),
    "x_ticks": [t.get_text() for t in ax.get_xticklabels()],
    "y_ticks": [t.get_text() for t in ax.get_yticklabels()],
    "texts": [t.get_text() for t in ax.texts],
} for ax in axes]))
"""


@pytest.fixture(scope="module")
def assignment() -> str:
    return ASSIGNMENT.name


@pytest.fixture(scope="module")
def executed(execute: Execute) -> dict[str, NotebookNode]:
    """The cells of the instructor's notebook after a run, hidden tests and all."""
    notebook = read_notebook("source", ASSIGNMENT.name)
    ask = f"import json\n{ASK_THE_FIGURE}"
    notebook.cells.append(nbformat.v4.new_code_cell(ask, id="ask-the-figure"))
    return execute(notebook)


def test_the_mask_convention_stands_out_and_is_compared_with_the_others(
    release: NotebookNode,
) -> None:
    text = by_id(release)["mask-text"].source
    convention = EXERCISES["scaled_dot_product_attention"].convention
    assert f"**{convention}**" in text
    assert text.count("\n| ") == 4  # a heading and three conventions


# -- the visible checks ----------------------------------------------------------------------------

ATTENTION = """
def scaled_dot_product_attention(query, key, value, mask=None):
    S = query @ key.transpose(0, 2, 1) / np.sqrt(key.shape[-1])
    if mask is not None:
        S = np.where(mask, -np.inf, S)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ value, A
"""


def run_check(source: NotebookNode, release: NotebookNode, name: str, answer: str) -> None:
    """Run the visible check of an exercise on an answer; it raises where the answer is wrong."""
    cells = by_id(source)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wrong answers overflow
        for text in (
            cells["imports"].source,
            cells["course-tools"].source,
            cells["worked-example"].source,
            cells["scaled_dot_product_attention-solution"].source,
            answer,
            by_id(release)[name].source,
        ):
            exec(text, names)


RIGHT = [
    pytest.param(name, answer.answer, id=f"{name}-{answer.name}")
    for name, exercise in EXERCISES.items()
    for answer in exercise.right_answers
    if not answer.name.startswith("scipy_")
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_checks_accept_every_right_style(
    source: NotebookNode, release: NotebookNode, name: str, answer: Any
) -> None:
    run_check(source, release, name, source_for_cell(answer, name))


@pytest.mark.parametrize(
    ("name", "mistake", "message"),
    [
        ("scaled_dot_product_attention", "all_axes_reversed", ""),
        ("scaled_dot_product_attention", "softmax_over_queries", "over the keys"),
        ("scaled_dot_product_attention", "blocked_and_visible_swapped", "mask 1 means blocked"),
        ("scaled_dot_product_attention", "batched_without_shift", "largest score of each row"),
        ("scaled_dot_product_attention", "batched_mask_without_effect", "mask 1 means blocked"),
        ("create_causal_mask", "visible_convention", "1 means blocked"),
        ("create_causal_mask", "own_position_marked", "1 means blocked"),
        ("create_causal_mask", "additive_values", "1 means blocked"),
        ("MultiHeadAttention", "split_without_transpose", "a bare reshape scrambles"),
        ("MultiHeadAttention", "combine_without_transpose", "must bring back"),
        ("MultiHeadAttention", "split_leaves_tokens_first", "not (B, h, n, d_k) = (2, 3, 5, 2)"),
        ("MultiHeadAttention", "scales_by_model_width", "The output should be"),
        ("MultiHeadAttention", "output_projection_forgotten", "With W_o all zero"),
        ("MultiHeadAttention", "matrices_under_other_names", "With W_o all zero"),
        ("MultiHeadAttention", "keys_use_the_query_matrix", "With one head"),
        ("MultiHeadAttention", "heads_in_reverse_order", "The output should be"),
        ("MultiHeadAttention", "everything_from_the_query", "Two queries may look at three keys"),
        ("MultiHeadAttention", "mask_not_passed_on", "in every head"),
        ("MultiHeadAttention", "mask_in_the_first_head_only", "in every head"),
        ("MultiHeadAttention", "returns_the_weights_too", "the output alone"),
    ],
)
def test_checks_name_what_is_wrong(
    source: NotebookNode, release: NotebookNode, name: str, mistake: str, message: str
) -> None:
    answer = next(m.answer for m in EXERCISES[name].mistakes if m.name == mistake)
    with pytest.raises((AssertionError, ValueError)) as error:
        run_check(source, release, name, source_for_cell(answer, name))
    assert message in str(error.value)


def test_an_answer_that_changes_its_arguments_is_stopped(
    source: NotebookNode, release: NotebookNode
) -> None:
    greedy = ATTENTION.replace("    S =", "    query -= query.mean()\n    S =", 1)
    with pytest.raises(ValueError, match="read-only"):
        run_check(source, release, "scaled_dot_product_attention", greedy)


def test_the_worked_example_follows_from_its_arrays(source: NotebookNode) -> None:
    names: dict[str, Any] = {"np": np}
    exec(by_id(source)["worked-example"].source, names)
    query, key = names["example_query"], names["example_key"]
    powers = np.exp(np.einsum("bqd,bkd->bqk", query, key) / 2)
    np.testing.assert_allclose(powers, names["example_powers"])
    visible = powers * (1 - names["example_mask"])
    masked = visible / visible.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(masked, names["example_masked_weights"])


# -- the demonstrations ----------------------------------------------------------------------------

FIGURES = {
    "three-tokens-demo": [
        "token 0 0.393 0.168 0.439\ntoken 1 0.231 0.283 0.486\ntoken 2 0.225 0.559 0.216",
        "token 0 -0.321 -0.470 -0.192 -0.077\ntoken 1 -0.302 -0.571 -0.037 0.019\n"
        "token 2 -0.461 -0.366 -0.418 0.856",
    ],
    "cross-demo": [
        "weights: (3, 2, 5) output: (3, 2, 4)",
        "a sequence alone gives the same as in the batch: True",
    ],
    "equal-scores-demo": [
        "0 0 1 1 1 1\n1 0 0 1 1 1\n2 0 0 0 1 1\n3 0 0 0 0 1\n4 0 0 0 0 0",
        "0 1.000 0.000 0.000 0.000 0.000\n1 0.500 0.500 0.000 0.000 0.000\n"
        "2 0.333 0.333 0.333 0.000 0.000\n3 0.250 0.250 0.250 0.250 0.000\n"
        "4 0.200 0.200 0.200 0.200 0.200",
    ],
    "conventions-demo": [
        "the two causal masks are complements: True",
        "all three give the same weights: True",
        "mixed up, token 0 gives itself the weight 0.0 instead of 1.0",
    ],
    "shapes-demo": [
        "input: (1, 4, 8) split: (1, 2, 4, 4) output: (1, 4, 8)",
        "first output row: 0.0937 -0.0025 -0.0118 0.0006 0.0564 0.0063 -0.0146 -0.0690",
    ],
    "two-heads-demo": [
        "the 0.13 0.04 0.57 0.26\ncat 0.12 0.69 0.01 0.18\n"
        "sat 0.16 0.71 0.02 0.11\ndown 0.08 0.80 0.01 0.11",
        "the 0.05 0.89 0.03 0.03\ncat 0.06 0.49 0.10 0.34\n"
        "sat 0.56 0.01 0.34 0.10\ndown 0.22 0.09 0.46 0.22",
    ],
    "future-demo": [
        "with the causal mask: outputs 0, 1, 2 changed? False",
        "without a mask: outputs 0, 1, 2 changed? True",
    ],
    "border-demo": ["three_heads_of_ten_columns: ValueError", "a_mask_with_four_axes: ValueError"],
}


@pytest.mark.slow
@pytest.mark.parametrize("demo", FIGURES)
def test_each_demonstration_prints_the_figures_of_the_course(
    executed: dict[str, NotebookNode], demo: str
) -> None:
    text = printed(executed[demo])
    for figure in FIGURES[demo]:
        assert figure in text


@pytest.mark.slow
def test_every_law_holds_for_the_instructors_solutions(executed: dict[str, NotebookNode]) -> None:
    for name, points in ASSIGNMENT.exercises.items():
        text = " ".join(printed(executed[name]).split())
        laws = r"(All \d+ laws hold|The one law holds)\."
        said = rf"{name}: every check passed\. {name} {points}/{points} {laws}"
        assert re.search(said, text)


@pytest.mark.slow
def test_the_pictures_can_be_read_without_colour_and_without_eyes(
    executed: dict[str, NotebookNode],
) -> None:
    words = ["the", "cat", "sat", "down"]
    figures = json.loads(printed(executed["ask-the-figure"]))
    assert [figure["title"] for figure in figures] == [
        "Head 0: every row sums to 1",
        "Head 1: every row sums to 1",
    ]
    weights = []
    for figure, table in zip(figures, FIGURES["two-heads-demo"], strict=True):
        assert (figure["x"], figure["y"]) == ("Key", "Query")
        assert (figure["x_ticks"], figure["y_ticks"]) == (words, words)
        assert figure["texts"] == re.findall(r"\d\.\d\d", table)
        weights += figure["texts"]
    picture = executed["two-heads-picture"].outputs[-1]
    assert "image/png" in picture.data
    assert re.findall(r"\d\.\d\d", picture.metadata["image/png"]["alt"]) == weights


@pytest.mark.slow
def test_what_the_text_says_of_the_two_heads_is_what_they_do(
    release: NotebookNode, executed: dict[str, NotebookNode]
) -> None:
    remark = by_id(release)["two-heads-remark"].source
    assert "*down* takes 80 %" in remark
    assert "46 % from *sat*" in remark
    text = printed(executed["two-heads-demo"])
    assert "down 0.08 0.80" in text
    assert "down 0.22 0.09 0.46" in text
