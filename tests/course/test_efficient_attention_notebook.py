"""The notebook `efficient_attention`: its structure, its checks and the figures it prints."""

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
from tests.course.test_self_attention_notebook import (
    by_id,
    is_demo,
    printed,
)

ASSIGNMENT = load_assignments()["efficient_attention"]
EXERCISES = {name: load_exercises()[name] for name in ASSIGNMENT.exercises}

ASK_THE_FIGURES = """
import json
print(json.dumps([{
    "title": ax.get_title(), "x": ax.get_xlabel(), "y": ax.get_ylabel(),
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
    notebook.cells.append(nbformat.v4.new_code_cell(ASK_THE_FIGURES, id="ask-the-figures"))
    return execute(notebook)


# -- structure -------------------------------------------------------------------------------------


def test_demonstrations_are_tagged_and_alone_draw(release: NotebookNode) -> None:
    demos = [cell for cell in release.cells if cell.id.endswith("-demo")]
    assert len(demos) == 7
    assert [cell for cell in release.cells if is_demo(cell)] == demos
    assert all(cell.cell_type == "code" and "nbgrader" not in cell.metadata for cell in demos)
    assert [c.id for c in release.cells if "matplotlib" in c.source] == ["weights-demo"]


# -- the visible checks ----------------------------------------------------------------------------


def run_check(source: NotebookNode, release: NotebookNode, name: str, answer: str) -> None:
    """Run the visible check of an exercise on an answer; it raises where the answer is wrong."""
    cells = by_id(source)
    names: dict[str, Any] = {}
    preparation = (cells[i].source for i in ("imports", "course-tools", "worked-example"))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # np.matrix announces its end, wrong answers overflow
        for text in (*preparation, answer, by_id(release)[name].source):
            exec(text, names)


RIGHT = [(name, a) for name, exercise in EXERCISES.items() for a in exercise.right_answers]
WRONG = [  # all but those that differ for huge scores, or axes of length 1, alone
    (name, mistake)
    for name, exercise in EXERCISES.items()
    for mistake in exercise.mistakes
    if mistake.caught_by != ("survives_huge_scores",) and mistake.name != "axes_of_one_dropped"
]


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=lambda value: getattr(value, "name", value))
def test_checks_accept_every_right_style(
    source: NotebookNode, release: NotebookNode, name: str, answer: Any
) -> None:
    run_check(source, release, name, source_for_cell(answer.answer, name))


@pytest.mark.parametrize(
    ("name", "mistake"), WRONG, ids=lambda value: getattr(value, "name", value)
)
def test_checks_stop_at_known_mistakes(
    source: NotebookNode, release: NotebookNode, name: str, mistake: Any
) -> None:
    with pytest.raises(Exception) as error:  # noqa: PT011 - its own error, or a failed assertion
        run_check(source, release, name, source_for_cell(mistake.answer, name))
    if isinstance(error.value, AssertionError):
        assert re.match(r"[A-Z][^\n]{15}", str(error.value))


@pytest.mark.parametrize(
    ("name", "mistake", "message"),
    [
        ("chunked_attention", "slice_stop_is_the_chunk_size", "every query sees every key"),
        ("chunked_attention", "weights_only", "not (n_q, d_v)"),
        ("chunked_attention", "chunks_not_scaled", "With one chunk of all 5 queries"),
        ("cross_attention", "results_swapped", "have shape"),
        ("cross_attention", "output_only", "two results"),
        ("cross_attention", "softmax_over_queries", "over the context"),
        ("cross_attention", "unscaled", "The weights should be"),
        ("local_attention", "past_side_alone", "abs(i - j) <= window"),
        ("local_attention", "zero_window_means_no_window", "the output is V"),
        ("linear_attention", "normaliser_from_queries_no_map", "divide by the sum"),
        ("linear_attention", "another_positive_feature_map", "elu(x) + 1"),
    ],
)
def test_checks_name_what_is_wrong(
    source: NotebookNode, release: NotebookNode, name: str, mistake: str, message: str
) -> None:
    answer = next(m.answer for m in EXERCISES[name].mistakes if m.name == mistake)
    with pytest.raises(AssertionError) as error:
        run_check(source, release, name, source_for_cell(answer, name))
    assert message in str(error.value)


def test_the_worked_example_follows_from_its_arrays(source: NotebookNode) -> None:
    names: dict[str, Any] = {"np": np}
    exec(by_id(source)["worked-example"].source, names)
    S = names["example_Q"] @ names["example_K"].T / np.sqrt(4)
    np.testing.assert_allclose(np.exp(S), names["example_powers"])


# -- the figures of the articles -------------------------------------------------------------------


@pytest.mark.slow
def test_the_instructors_notebook_runs_without_an_error(executed: dict[str, NotebookNode]) -> None:
    for name in EXERCISES:
        first, *report = printed(executed[name]).splitlines()
        assert first == f"{name}: every check passed."
        assert report[0] == f"{name} {ASSIGNMENT.exercises[name]}/{ASSIGNMENT.exercises[name]}"
    for cell in executed.values():
        for out in cell.get("outputs", []):
            score = out.output_type == "execute_result" and cell.id in EXERCISES
            assert score or out.output_type in ("stream", "display_data")
            assert out.get("name") != "stderr"


@pytest.mark.slow
def test_the_hidden_tests_give_the_instructor_full_points(
    executed: dict[str, NotebookNode],
) -> None:
    for name, points in ASSIGNMENT.exercises.items():
        (score,) = [out for out in executed[name].outputs if out.output_type == "execute_result"]
        assert score.data["text/plain"] == str(float(points))


FIGURES = {
    "chunked-demo": [
        "Token1 -0.858 -1.374 0.082\nToken2 0.315 1.498 0.812\nToken3 -0.733 -0.505 -0.836",
        "chunk size 1 gives the same: True\nchunk size 2 gives the same: True\n"
        "chunk size 3 gives the same: True\nchunk size 32 gives the same: True",
        "65536 queries at a time: 34.360 GB\n1024 queries at a time: 0.537 GB\n"
        "32 queries at a time: 0.017 GB",
    ],
    "half-demo": [
        "type of the weights: float16\nsums of their rows: 0.99989 0.99966 1.00006\n"
        "rows sum to 1 within 0.005: True\nlargest score: 2.3\n"
        "largest difference of a weight: 4e-04",
    ],
    "cross-demo": [
        "shapes of output and weights: (3, 3) (3, 5)\nevery row of the weights sums to 1: True",
        "another first token: outputs of the other two changed? False",
        "context reversed: output changed? False",
        "X as its own context: output of full self-attention? True",
    ],
    "local-demo": [
        "window 0 gives V: True",
        "Token1 -1.087 -1.928 -0.069\nToken2 0.315 1.498 0.812\nToken3 -0.671 -0.256 -0.973",
        "window 2 gives full attention: True",
    ],
    "linear-demo": [
        "the wrong form: 0.243 3.949 1.086\nlinear_attention: 1.000 1.000 1.000",
        "the wrong form for the query (1, -1, 0): beyond 10^8? True",
        "Token1 -0.375 0.049 -0.045\nToken2 -0.111 0.644 0.211\nToken3 -0.574 -0.366 -0.295",
    ],
    "cost-demo": ["64 0.0005 0.0005 1\n1024 0.1342 0.0084 16\n", "65536 549.7558 0.5369 1024"],
    "weights-demo": [
        "full largest weight 0.47, weights that are 0: 0\n"
        "local, window 1 largest weight 0.76, weights that are 0: 20\n"
        "linear largest weight 0.26, weights that are 0: 0",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("demo", FIGURES)
def test_each_demonstration_prints_its_figures(
    executed: dict[str, NotebookNode], demo: str
) -> None:
    text = printed(executed[demo])
    for figure in FIGURES[demo]:
        assert figure in text


@pytest.mark.slow
def test_the_heat_maps_can_be_read_without_colour_and_without_eyes(
    executed: dict[str, NotebookNode],
) -> None:
    panels = json.loads(printed(executed["ask-the-figures"]))
    assert [panel["title"] for panel in panels] == ["full", "local, window 1", "linear"]
    for panel in panels:
        assert (panel["x"], panel["y"]) == ("Key", "Query")
        rows = np.array(panel["texts"], dtype=float).reshape(6, 6)
        np.testing.assert_allclose(rows.sum(axis=1), 1, atol=0.03)
    local = np.array(panels[1]["texts"], dtype=float).reshape(6, 6)
    assert (local[np.abs(np.subtract.outer(range(6), range(6))) > 1] == 0).all()
    picture = next(o for o in executed["weights-demo"].outputs if o.output_type == "display_data")
    alt = picture.metadata["image/png"]["alt"]
    assert "every row sums to 1" in alt
    assert "local, window 1: the largest weight is 0.76, 20 of 36 weights are 0." in alt
