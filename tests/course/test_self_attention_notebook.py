"""The notebook `self_attention`: its story, its stubs, its checks and the figures it prints."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nbformat import NotebookNode

SIGNATURES = {
    "softmax": "z, axis=-1",
    "self_attention_loop": "X, W_Q, W_K, W_V, mask=None",
    "self_attention": "X, W_Q, W_K, W_V, mask=None, scale=True",
    "causal_mask": "n",
}
POINTS = {"softmax": 10, "self_attention_loop": 10, "self_attention": 15, "causal_mask": 5}
MASK = "mask[i, j] = True means token i may attend to token j; a row without True is nan."
CONVENTIONS = {
    "softmax": "A score of -inf means weight 0; a slice with only -inf is nan",
    "self_attention_loop": MASK,
    "self_attention": MASK,
    "causal_mask": "True means may attend: token i sees tokens 0..i.",
}


def by_id(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells}


def is_demo(cell: NotebookNode) -> bool:
    return "demo" in cell.metadata.get("tags", [])


def role(cell: NotebookNode) -> tuple[bool, bool, bool]:
    facts = cell.metadata.nbgrader
    return facts.grade, facts.solution, facts.locked


# -- structure -------------------------------------------------------------------------------------


def test_exercises_stand_in_the_order_of_the_assignment(source: NotebookNode) -> None:
    graded = [c for c in source.cells if c.metadata.get("nbgrader", {}).get("grade")]
    found = {cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points for cell in graded}
    assert list(found) == [*POINTS, "why-scale"]
    assert found == {**POINTS, "why-scale": 5}
    assert sum(found.values()) == 45


@pytest.mark.parametrize("name", SIGNATURES)
def test_each_stub_defines_its_function_alone(release: NotebookNode, name: str) -> None:
    (function,) = ast.parse(by_id(release)[f"{name}-solution"].source).body
    assert isinstance(function, ast.FunctionDef)
    assert function.name == name
    assert ast.unparse(function.args) == SIGNATURES[name]
    _, stub = function.body
    assert isinstance(stub, ast.Raise)


@pytest.mark.parametrize("name", SIGNATURES)
def test_each_stub_states_shapes_edges_errors_and_convention(
    release: NotebookNode, name: str
) -> None:
    (function,) = ast.parse(by_id(release)[f"{name}-solution"].source).body
    assert isinstance(function, ast.FunctionDef)
    text = " ".join((ast.get_docstring(function) or "").split())
    for part in ("Shapes: ", " -> ", "Edge rules: ", "Errors: ", CONVENTIONS[name]):
        assert part in text


def test_the_written_question_has_a_model_answer_and_a_mark_scheme(source: NotebookNode) -> None:
    cell = by_id(source)["why-scale"]
    assert cell.cell_type == "markdown"
    assert role(cell) == (True, True, False)
    answer, scheme = cell.source.split("=== BEGIN MARK SCHEME ===")
    assert "variance is $d_k$" in answer
    assert len(re.findall(r"^\d\. ", scheme, flags=re.MULTILINE)) == 5
    assert scheme.endswith("=== END MARK SCHEME ===")


def test_the_mask_convention_stands_out_and_is_compared_with_the_others(
    release: NotebookNode,
) -> None:
    text = by_id(release)["mask-text"].source
    assert f"**`mask[i, j] = True`{MASK.removeprefix('mask[i, j] = True')}**" in text
    assert text.count("\n| ") == 4  # a heading and three conventions


# -- demonstrations --------------------------------------------------------------------------------


def test_figures_are_drawn_in_demonstrations_alone(release: NotebookNode) -> None:
    drawing = [cell for cell in release.cells if "matplotlib" in cell.source]
    assert [cell.id for cell in drawing] == ["heat-map-demo"]
    assert all(is_demo(cell) for cell in drawing)


def test_no_graded_cell_is_a_demonstration(release: NotebookNode) -> None:
    demos = [cell for cell in release.cells if is_demo(cell)]
    assert len(demos) == 10
    assert all(cell.cell_type == "code" and "nbgrader" not in cell.metadata for cell in demos)


# -- the visible checks ----------------------------------------------------------------------------

PREPARATION = ("imports", "course-tools", "worked-example", "softmax-solution")


def run_check(source: NotebookNode, release: NotebookNode, name: str, answer: str) -> None:
    """Run the visible check of an exercise on an answer; it raises where the answer is wrong."""
    cells = by_id(source)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # np.matrix announces its end, wrong answers overflow
        for text in (*(cells[i].source for i in PREPARATION), answer, by_id(release)[name].source):
            exec(text, names)


ATTENTION = """
def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T / (np.sqrt(W_Q.shape[1]) if scale else 1)
    if mask is not None:
        S = S + np.where(mask, 0, -np.inf)
    A = softmax(S)
    return {result}
"""
LOOP = """
def self_attention_loop(X, W_Q, W_K, W_V, mask=None):
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    A = softmax(S if mask is None else np.where(mask, S, -np.inf))
    return {result}
"""
NAMED_PAIR = """
from typing import NamedTuple
class Pair(NamedTuple):
    output: object
    weights: object
"""
RESULTS = {
    "tuple": "A @ (X @ W_V), A",
    "list": "[A @ (X @ W_V), A]",
    "named tuple": "Pair(A @ (X @ W_V), A)",
    "matrices": "np.matrix(A @ (X @ W_V)), np.matrix(A)",
    "nested lists": "(A @ (X @ W_V)).tolist(), A.tolist()",
    "single precision": "(A @ (X @ W_V)).astype(np.float32), A.astype(np.float32)",
}


@pytest.mark.parametrize("style", RESULTS)
@pytest.mark.parametrize(
    ("name", "form"), [("self_attention", ATTENTION), ("self_attention_loop", LOOP)]
)
def test_checks_accept_results_in_any_style(
    source: NotebookNode, release: NotebookNode, name: str, form: str, style: str
) -> None:
    run_check(source, release, name, NAMED_PAIR + form.format(result=RESULTS[style]))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (
            "softmax",
            "def softmax(z, axis=-1):\n"
            "    if axis == 0:\n"
            "        return [list(column) for column in zip(*softmax(np.transpose(z)))]\n"
            "    rows = []\n"
            "    for row in z:\n"
            "        e = [np.exp(s - max(row)) for s in row]\n"
            "        rows.append([s / sum(e) for s in e])\n"
            "    return rows",
        ),
        ("causal_mask", "def causal_mask(n):\n    return np.tri(n)"),
        (
            "causal_mask",
            "def causal_mask(n):\n    return [[j <= i for j in range(n)] for i in range(n)]",
        ),
    ],
)
def test_checks_accept_lists_and_other_number_types(
    source: NotebookNode, release: NotebookNode, name: str, answer: str
) -> None:
    run_check(source, release, name, answer)


RIGHT = ATTENTION.format(result=RESULTS["tuple"])
SOFTMAX = "def softmax(z, axis=-1):\n    {}\n    return e / e.sum(axis=axis, keepdims=True)"


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("softmax", SOFTMAX.format("e = np.exp(z)"), "subtract the maximum"),
        ("softmax", SOFTMAX.format("e = np.exp(z - np.max(z))"), "subtract the maximum"),
        (
            "softmax",
            SOFTMAX.format("axis = -1; e = np.exp(z - z.max(axis=axis, keepdims=True))"),
            "use the argument axis",
        ),
        (
            "softmax",
            "def softmax(z, axis=-1):\n    return np.full(np.shape(z), 1 / 3)",
            "exponentials of its scores",
        ),
        ("self_attention", RIGHT.replace("np.sqrt(W_Q.shape[1])", "1"), "weights should be"),
        ("self_attention", RIGHT.replace("softmax(S)", "softmax(S, axis=0)"), "along the rows"),
        ("self_attention", RIGHT.replace("0, -np.inf", "-np.inf, 0"), "means token i may attend"),
        ("self_attention", RIGHT.replace("-np.inf", "-1e9"), "without True is nan"),
        ("self_attention", RIGHT.replace(" if scale else 1", ""), "scale=False"),
        ("self_attention", RIGHT.replace("A @ (X @ W_V), A", "A @ (X @ W_V)"), "two results"),
        ("self_attention", RIGHT.replace("A @ (X @ W_V), A", "A, A @ (X @ W_V)"), "have shape"),
        (
            "self_attention_loop",
            LOOP.format(result="A @ (X @ W_V)[::-1], A"),
            "the sum of the values",
        ),
        ("causal_mask", "def causal_mask(n):\n    return np.triu(np.ones((n, n)))", "below the"),
        ("causal_mask", "def causal_mask(n):\n    return np.tri(n)[None]", "shape"),
    ],
)
def test_checks_name_what_is_wrong(
    source: NotebookNode, release: NotebookNode, name: str, answer: str, message: str
) -> None:
    with pytest.raises(AssertionError) as error:
        run_check(source, release, name, answer)
    assert message in str(error.value)


def test_an_answer_that_changes_its_arguments_is_stopped(
    source: NotebookNode, release: NotebookNode
) -> None:
    greedy = RIGHT.replace("    S =", "    X -= X.mean()\n    S =", 1)
    with pytest.raises(ValueError, match="read-only"):
        run_check(source, release, "self_attention", greedy)


def test_the_worked_example_follows_from_its_matrices(source: NotebookNode) -> None:
    names: dict[str, Any] = {"np": np}
    exec(by_id(source)["worked-example"].source, names)
    X, W_Q, W_K, W_V = names["example"]
    powers = np.exp((X @ W_Q) @ (X @ W_K).T / np.sqrt(4))
    np.testing.assert_allclose(X @ W_V, names["example_values"])
    everything = np.ones((3, 3), dtype=bool)
    for mask, weights in [
        (everything, names["example_weights"]),
        (names["example_mask"], names["example_masked_weights"]),
        (names["example_blind_mask"], names["example_blind_weights"]),
    ]:
        visible = np.where(mask, powers, 0)
        with np.errstate(invalid="ignore"):
            expected = visible / visible.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(weights, expected)


# -- the figures of the lecture --------------------------------------------------------------------


def printed(cell: NotebookNode) -> str:
    """What a cell printed, with every run of blanks as one blank."""
    lines = "".join(out.get("text", "") for out in cell.outputs).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines)


@pytest.mark.slow
def test_the_instructors_notebook_runs_without_an_error(executed: dict[str, NotebookNode]) -> None:
    for name in SIGNATURES:
        assert printed(executed[name]) == f"{name}: every check passed."
    for cell in executed.values():
        for out in cell.get("outputs", []):
            assert out.output_type in ("stream", "display_data")
            assert out.get("name") != "stderr"


@pytest.mark.slow
def test_the_hidden_tests_give_the_instructor_full_points(
    source: NotebookNode, execute: Callable[[NotebookNode], dict[str, NotebookNode]]
) -> None:
    source.cells = [cell for cell in source.cells if not is_demo(cell)]
    cells = execute(source)
    for name, points in POINTS.items():
        (score,) = [out for out in cells[name].outputs if out.output_type == "execute_result"]
        assert score.data["text/plain"] == str(float(points))


FIGURES = {
    "softmax-demo": [
        "one nan -> float64 [nan, nan, nan]\none +inf -> float64 [nan, nan, nan]",
        "a number -> float64 1.0\nintegers -> float64 [0.25, 0.25, 0.25, 0.25]",
        "shape (0, 3) -> float64 []\nshape (3, 0) -> ValueError\nshape (0,) -> ValueError",
    ],
    "loop-demo": [
        "no token -> output (0, 3) and weights (0, 0), float64",
        "integers -> output (2, 3) and weights (2, 2), float64",
    ],
    "four-words-demo": [
        "the cat sat down\n"
        "the 0.23 0.31 0.23 0.23\n"
        "cat 0.15 0.28 0.21 0.37\n"
        "sat 0.75 0.07 0.17 0.01\n"
        "down 0.49 0.19 0.26 0.06",
        "the 1.23 -1.04 -0.96\ncat 1.09 -1.98 -1.59\nsat 0.72 0.66 0.56\ndown 0.93 0.07 -0.02",
        "loop equals matrix form: True\nevery row of A sums to 1: True",
    ],
    "three-tokens-demo": [
        "Token1 1.496 -1.949 -0.177\nToken2 -2.328 -2.197 1.165\nToken3 -0.027 1.607 -0.299",
        "Token1 0.820 0.026 0.154\nToken2 0.029 0.033 0.939\nToken3 0.145 0.744 0.111",
        "Token1 -0.858 -1.374 0.082\nToken2 0.315 1.498 0.812\nToken3 -0.733 -0.505 -0.836",
    ],
    "batch-demo": ["ValueError: "],
    "causal-demo": [
        "0 1 2 3\n0 1.00 0.00 0.00 0.00\n1 0.71 0.29 0.00 0.00\n"
        "2 1.00 0.00 0.00 0.00\n3 0.00 0.00 0.00 1.00",
        "last token changed: first three outputs changed? False",
        "each output equals that of the tokens up to it alone: True",
    ],
    "causal-clearer-demo": [
        "0 1 2 3\n0 1.00 0.00 0.00 0.00\n1 0.37 0.63 0.00 0.00\n"
        "2 0.79 0.05 0.16 0.00\n3 0.54 0.17 0.24 0.05",
    ],
    "decoder-demo": [
        "Token1 1.000 0.000 0.000\nToken2 0.467 0.533 0.000\nToken3 0.145 0.744 0.111",
        "the decoder's convention gives the same: True",
    ],
    "scale-demo": [
        "4 1.0\n64 1.0\n256 1.0",
        "without scaling, the largest of the 10 weights rises with d_k: True",
        "with scaling, it stays the same up to 0.05: True",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("demo", FIGURES)
def test_each_demonstration_prints_the_figures_of_the_lecture(
    executed: dict[str, NotebookNode], demo: str
) -> None:
    text = printed(executed[demo])
    for figure in FIGURES[demo]:
        assert figure in text


@pytest.mark.slow
def test_the_heat_map_can_be_read_without_colour_and_without_eyes(
    executed: dict[str, NotebookNode],
) -> None:
    figure = json.loads(printed(executed["ask-the-figure"]))
    weights = ["0.820", "0.026", "0.154", "0.029", "0.033", "0.939", "0.145", "0.744", "0.111"]
    tokens = ["Token1", "Token2", "Token3"]
    assert figure["title"] == "Attention weights: every row sums to 1"
    assert (figure["x"], figure["y"]) == ("Key", "Query")
    assert (figure["x_ticks"], figure["y_ticks"]) == (tokens, tokens)
    assert figure["texts"] == weights
    (picture,) = executed["heat-map-demo"].outputs
    assert "image/png" in picture.data
    assert re.findall(r"\d\.\d{3}", picture.metadata["image/png"]["alt"]) == weights


def test_the_generator_of_the_causal_demonstration_stands_where_the_lecture_left_it(
    source: NotebookNode,
) -> None:
    rng = np.random.default_rng(0)
    rng.standard_normal(52)  # X and three matrices of the four words
    for d_k in (4, 16, 64, 256, 1024):  # 2000 times a query, then ten keys
        rng.standard_normal(2000 * 11 * d_k)
    rng.standard_normal(60)  # three embeddings and three matrices of "dog bites man"
    tree = ast.parse(by_id(source)["causal-demo"].source)
    state = next(ast.literal_eval(node) for node in ast.walk(tree) if isinstance(node, ast.Dict))
    assert state == rng.bit_generator.state
