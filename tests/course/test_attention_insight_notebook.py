"""The notebook `attention_insight`: its checks and the figures it prints."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from typing import Any

import matplotlib.pyplot as plt
import pytest
from nbformat import NotebookNode

from autograder.exercises import load_assignments, load_exercises
from autograder.exercises.answers import source_for_cell
from tests.course.conftest import Execute
from tests.course.test_self_attention_notebook import by_id, is_demo, printed

ASSIGNMENT = load_assignments()["attention_insight"]
EXERCISES = {name: load_exercises()[name] for name in ASSIGNMENT.exercises}


@pytest.fixture(scope="module")
def assignment() -> str:
    return ASSIGNMENT.name


def test_every_demonstration_is_held_against_its_figures(release: NotebookNode) -> None:
    assert {cell.id for cell in release.cells if is_demo(cell)} == {*FIGURES}


# -- what is run when grading ----------------------------------------------------------------------

RUN = """
import json, sys, time

class WithoutTheGrader:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("IPython", "autograder", "reference", "scipy", "seaborn"):
            raise ModuleNotFoundError(f"a student may lack {name}")

sys.meta_path.insert(0, WithoutTheGrader())
graded, checks = json.load(sys.stdin)
seconds = []
for _ in range(5):
    start, names = time.perf_counter(), {}
    for source in graded:
        exec(source, names)
    seconds.append(time.perf_counter() - start)
for source in checks:
    exec(source, names)
print(min(seconds))
"""


def test_what_grading_runs_is_fast_and_the_checks_need_numpy_and_matplotlib_alone(
    source: NotebookNode, release: NotebookNode
) -> None:
    solutions = by_id(source)
    code = [c for c in release.cells if c.cell_type == "code" and not is_demo(c)]
    graded = [
        solutions[cell.id].source if cell.id.endswith("-solution") else cell.source
        for cell in code
        if cell.id not in EXERCISES
    ]
    checks = [cell.source for cell in code if cell.id in EXERCISES]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN],
        input=json.dumps([graded, checks]),
        capture_output=True,
        text=True,
        timeout=120,
        env={"MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) < 0.05  # seconds
    assert done.stderr == ""


# -- the visible checks ----------------------------------------------------------------------------


def run_check(source: NotebookNode, release: NotebookNode, name: str, answer: str) -> None:
    """Run the visible check of an exercise on an answer; it raises where the answer is wrong."""
    names: dict[str, Any] = {}
    for text in (by_id(source)["imports"].source, by_id(source)["course-tools"].source, answer):
        exec(text, names)
    try:
        exec(by_id(release)[name].source, names)
    finally:
        plt.close("all")


STYLES = [
    pytest.param(name, answer, id=f"{name}-{answer.name}")
    for name, exercise in EXERCISES.items()
    for answer in exercise.right_answers
]
UNSEEN = {
    "soft_lookup": {"shifts_by_the_largest_size"},
    "attention_cost": {"integers_of_32_bits"},
    # the check sees which matrix and which labels there are, not what stands beside what
    "attention_heatmap": {
        "upside_down",
        "mirrored",
        "row_labels_reversed",
        "column_labels_reversed",
        "all_labels_reversed",
        "labels_sorted",
        "labels_one_cell_late",
        "tick_positions_not_set",
        "axes_switched_off",
        "at_most_six_tokens",
    },
}
"""Mistakes that only the laws find, on other inputs than those of the check."""


@pytest.mark.filterwarnings("ignore")  # a style of a student costs nothing
@pytest.mark.parametrize(("name", "answer"), STYLES)
def test_the_check_accepts_every_right_style(
    source: NotebookNode, release: NotebookNode, name: str, answer: Any
) -> None:
    run_check(source, release, name, source_for_cell(answer.answer, name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EXERCISES)
def test_the_check_stops_at_every_known_mistake_but_a_few(
    source: NotebookNode, release: NotebookNode, name: str
) -> None:
    unseen = set()
    for mistake in EXERCISES[name].mistakes:
        with contextlib.suppress(Exception):
            run_check(source, release, name, source_for_cell(mistake.answer, name))
            unseen.add(mistake.name)
    assert unseen == UNSEEN.get(name, set())


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("soft_lookup", "return softmax(keys @ query) @ values", "two results"),
        ("soft_lookup", "w = softmax(keys @ query)\n    return w, w @ values", "is one number"),
        (
            "soft_lookup",
            "w = softmax(keys @ query / 3**0.5)\n    return w @ values, w",
            "without any scaling",
        ),
        ("softmax_jacobian_norm", "return np.sum((np.diag(p) - np.outer(p, p)) ** 2)", "is 0.5"),
        ("softmax_jacobian_norm", "return np.sqrt(2 * np.sum((p * (1 - p)) ** 2))", "0.3"),
        ("sinusoidal_positions", "return np.zeros((d, n))", "shape (n, d)"),
        ("sinusoidal_positions", "return np.ones((n, d))", "start at 0"),
        ("attention_cost", "return 4 * n * d**2, 2 * n**2 * d", "4 + 8"),
        ("attention_heatmap", "return plt.figure()", "Return the Axes"),
        ("attention_heatmap", "return plt.gca()", "no image or mesh"),
        ("attention_heatmap", "plt.imshow(weights.T)\n    return plt.gca()", "neither transposed"),
        ("attention_heatmap", "plt.imshow(weights)\n    return plt.gca()", "must be the tokens"),
    ],
)
def test_checks_name_what_is_wrong(
    source: NotebookNode, release: NotebookNode, name: str, answer: str, message: str
) -> None:
    function = f"def {name}{EXERCISES[name].signature}:\n    {answer}"
    with pytest.raises(AssertionError) as error:
        run_check(source, release, name, function)
    assert message in str(error.value)


# -- the figures of the lecture --------------------------------------------------------------------


@pytest.mark.slow
def test_the_instructors_notebook_runs_without_an_error(executed: dict[str, NotebookNode]) -> None:
    for name in EXERCISES:
        assert printed(executed[name]) == f"{name}: every check passed."
    for cell in executed.values():
        for out in cell.get("outputs", []):
            assert out.output_type in ("stream", "display_data")
            assert out.get("name") != "stderr"


@pytest.mark.slow
def test_the_hidden_tests_give_the_instructor_full_points(
    source: NotebookNode, execute: Execute
) -> None:
    source.cells = [cell for cell in source.cells if not is_demo(cell)]
    cells = execute(source)
    for name, points in ASSIGNMENT.exercises.items():
        (score,) = [out for out in cells[name].outputs if out.output_type == "execute_result"]
        assert score.data["text/plain"] == str(float(points))


WEIGHTS = {
    "Token1": ["0.820", "0.026", "0.154"],
    "Token2": ["0.029", "0.033", "0.939"],
    "Token3": ["0.145", "0.744", "0.111"],
}
FIGURES = {
    "lookup-demo": [
        "(10.0, 0.0) 0.953 0.000 0.047 10.95",
        "( 1.0, 0.0) 0.474 0.174 0.351 18.77",
        "( 0.5, 0.5) 0.310 0.310 0.379 20.69",
    ],
    "jacobian-demo": [
        "4 2.0 0.497 0.3350 0.308 0.3395\n"
        "16 4.0 0.733 0.2608 0.317 0.3461\n"
        "64 8.1 0.856 0.1686 0.317 0.3485\n"
        "256 16.0 0.934 0.0869 0.319 0.3472\n"
        "1024 32.2 0.965 0.0480 0.320 0.3478",
    ],
    "order-demo": [
        "each word's output is the same in both orders: True True True",
        "dog is the same with the lecture's vectors: False",
        "dog is the same with sinusoidal_positions(3, 4): False",
    ],
    "cost-demo": [
        "128 0.91 0.03 2.7 %\n"
        "512 3.62 0.40 10.0 %\n"
        "1024 7.25 1.61 18.2 %\n"
        "4096 28.99 25.77 47.1 %\n"
        "16384 115.96 412.32 78.0 %\n"
        "65536 463.86 6597.07 93.4 %",
    ],
    "heatmap-demo": [
        f"{token} attends to "
        + ", ".join(f"{name} {weight}" for name, weight in zip(WEIGHTS, row, strict=True))
        for token, row in WEIGHTS.items()
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
    weights = [weight for row in WEIGHTS.values() for weight in row]
    assert figure["title"] == "Attention weights: every row sums to 1"
    assert (figure["x"], figure["y"]) == ("Key", "Query")
    assert (figure["x_ticks"], figure["y_ticks"]) == ([*WEIGHTS], [*WEIGHTS])
    assert figure["texts"] == weights
    pictures = [
        out for out in executed["heatmap-demo"].outputs if "image/png" in out.get("data", {})
    ]
    assert len(pictures) == 1
    alt = pictures[0].metadata["image/png"]["alt"]
    assert re.findall(r"\d\.\d{3}", alt) == weights
    assert printed(executed["heatmap-demo"]).split() == alt.split()
