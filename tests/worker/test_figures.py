"""What of a picture crosses to the grader, from a worker and from the grader's own process."""

import os
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from autograder.exercise import AxesSnapshot, Call, Opaque
from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell
from autograder.grading.checker import same_reply
from autograder.grading.known import under_name
from autograder.worker.child.values import Outbox, ResultTooLargeError
from autograder.worker.codec import decode_value
from autograder.worker.plain import PlainRunner

EXERCISE = load_exercises()["attention_heatmap"]
WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.2, 0.3, 0.5]])
TOKENS = ["the", "cat", "sat"]
CALL = Call(WEIGHTS, TOKENS)


def read(value):
    return decode_value(Outbox().to_wire(value))


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


def plainly(function, *steps):
    (reply,) = PlainRunner({"f": function}).run("f", [steps or (CALL,)], defaults={})
    return reply


def test_every_known_answer_is_read_alike_in_a_worker_and_in_the_graders_process(new_session):
    known = {one.name: one for one in (*EXERCISE.mistakes, *EXERCISE.right_answers)}
    cells = [source_for_cell(one.answer, name) for name, one in known.items()]
    session = new_session("import numpy as np", *cells, names=tuple(known))
    session.load()
    for name, one in known.items():
        (theirs,) = session.run(name, [[CALL]], defaults={})
        (ours,) = PlainRunner({name: under_name(one.answer, name)}).run(name, [[CALL]], defaults={})
        assert same_reply(theirs, ours), name


def test_no_figure_stays_open_after_the_calls_of_a_case():
    def f(weights, tokens):
        assert plt.get_fignums() == []
        return plt.subplots()[1]

    assert plainly(f, CALL, CALL).status == "passed"
    assert plt.get_fignums() == []


def test_no_figure_stays_open_after_an_exception():
    def f(weights, tokens):
        plt.subplots()
        raise ValueError("after drawing")

    assert plainly(f).status == "exception"
    assert plt.get_fignums() == []


def test_nothing_returned_is_nothing_where_no_figure_or_several_are_open():
    assert plainly(lambda weights, tokens: None).answers == [None]
    for drawing in (lambda: (plt.figure(), plt.figure()), lambda: plt.subplots(1, 2)):

        def f(weights, tokens, drawing=drawing):
            drawing()

        assert plainly(f).answers == [None]


def test_the_only_matrix_of_several_axes_is_found():
    fig, (left, right) = plt.subplots(1, 2)
    right.imshow(WEIGHTS)
    left.plot([1, 2])
    assert read(fig).images[0].values.tolist() == WEIGHTS.tolist()
    left.imshow(WEIGHTS)
    assert read(fig) == Opaque("Figure")


def test_a_colour_bar_is_no_axes_of_its_own():
    fig, ax = plt.subplots()
    fig.colorbar(ax.imshow(WEIGHTS))
    assert read(fig).images[0].values.tolist() == WEIGHTS.tolist()


def test_rows_run_by_rising_y_whichever_way_the_image_is_drawn():
    for origin, extent in [("upper", None), ("lower", None), ("upper", (3, 0, 0, 3))]:
        _, ax = plt.subplots()
        ax.imshow(WEIGHTS, origin=origin, extent=extent)
        values = read(ax).images[0].values
        assert values.tolist() == (WEIGHTS if extent is None else WEIGHTS[::-1, ::-1]).tolist()


def test_labels_belong_to_the_cells_they_stand_beside():
    _, ax = plt.subplots()
    ax.imshow(WEIGHTS)
    ax.set_xticks([1.9, 0.1], ["c", "a"])
    ax.set_yticks([0, 0.2, 7], ["p", "q", "far"])
    image = read(ax).images[0]
    assert image.column_labels == ("a", "", "c")
    assert image.row_labels == ("p q", "", "")


def test_labels_are_cut_and_lose_what_acts_in_a_terminal():
    _, ax = plt.subplots()
    ax.imshow(WEIGHTS)
    ax.set_xticks([0], ["\x1b[31mred" + "x" * 5000])
    ax.set_xlabel("\x1b]0;title\x07Key")
    shown = read(ax)
    assert shown.images[0].column_labels[0].startswith("redx")
    assert len(shown.images[0].column_labels[0]) <= 200
    assert shown.x_label == "Key"


def test_many_long_labels_count_towards_the_size_of_a_result():
    _, ax = plt.subplots()
    for _ in range(60):
        ax.imshow(np.zeros((1, 50)))
    ax.set_xticks(range(50), ["x" * 999] * 50)
    with pytest.raises(ResultTooLargeError):
        Outbox().to_wire(ax)


def test_an_axes_without_an_image_has_labels_for_its_axes_alone():
    _, ax = plt.subplots()
    ax.set_xlabel("Key")
    assert read(ax) == AxesSnapshot((), "Key", "")


def test_drawing_in_the_graders_process_opens_no_window_and_loads_nothing_early():
    program = (
        "import sys\n"
        "from autograder.exercises import load_exercises\n"
        "from autograder.worker.plain import PlainRunner\n"
        "from autograder.exercise import Call\n"
        "import numpy as np\n"
        "answer = load_exercises()['attention_heatmap'].right_answers[0].answer\n"
        "runner = PlainRunner({'f': answer})\n"
        "assert 'matplotlib' not in sys.modules\n"
        "(reply,) = runner.run('f', [[Call(np.eye(2), ['a', 'b'])]], defaults={})\n"
        "import matplotlib\n"
        "print(reply.status, matplotlib.get_backend().lower())\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "MPLBACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, "DISPLAY": ":99"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "passed agg\n"
