"""What a teaching assistant may rely on: whole notebooks through `check`, in real workers."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.exercises.answers import source_for_cell
from autograder.grading import corpus
from autograder.grading.checker import Checker
from autograder.grading.diagnosis import Diagnoser
from autograder.grading.submission import score_exercises
from autograder.notebook import write
from autograder.reporting import terminal
from autograder.reporting.text import comment, exercise_report
from autograder.results import Status, SubmissionResult
from autograder.worker.plain import PlainRunner
from tests.submissions import (
    EXERCISES,
    FULL_MARKS,
    RELEASE,
    broken,
    checked,
    code,
    edited,
    json_of,
    make_course,
    mistake,
    numbers_written_out,
    of,
    reproduces,
    right,
    scores,
    submission,
    with_scores,
)

LIMITS = "c.PropertyGrader.time_limit = 0.5\nc.PropertyGrader.cell_time_limit = 1.5\n"
FEW_NUMBERS = 8


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("acceptance") / "course", config=LIMITS)


# -- known faults: the law, a small input to paste, a hint -----------------------------------------

WRONG_AXIS = """
def softmax(z, axis=-1):
    e = np.exp(z - z.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
"""
FAULTS = {
    "softmax without the shift": (
        "softmax",
        mistake("softmax", "no_max_shift"),
        {"shift_invariant", "survives_huge_scores", "survives_very_negative_scores"},
    ),
    "softmax over the wrong axis": (
        "softmax",
        WRONG_AXIS,
        {"matches_reference", "rows_sum_to_one", "rows_are_independent"},
    ),
    "softmax that changes its argument": (
        "softmax",
        mistake("softmax", "shifts_the_callers_array"),
        {"inputs_unchanged"},
    ),
    "attention that is not scaled": (
        "self_attention",
        mistake("self_attention", "unscaled"),
        {"matches_reference", "scale_is_sqrt_key_width"},
    ),
    "attention that leaks the future": (
        "self_attention",
        mistake("self_attention", "mask_after_softmax"),
        {"future_does_not_leak"},
    ),
    "attention that poisons other rows": (
        "self_attention",
        mistake("self_attention", "blocked_row_spoils_the_others"),
        {"fully_blocked_row_is_nan"},
    ),
}


def function_in(source: str, name: str) -> Any:
    namespace: dict[str, Any] = {}
    exec("import numpy as np\n" + source, namespace)
    return namespace[name]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_law_a_small_input_to_paste_and_a_hint(fault, course):
    exercise, source, laws = FAULTS[fault]
    result = checked(course, submission(**{exercise: source}))
    found = of(result, exercise)
    failed = broken(found)
    assert laws <= set(failed)
    assert found.score < found.max_score
    assert scores(result) == with_scores(**{exercise: found.score})

    first = next(iter(failed.values()))
    assert numbers_written_out(first.counterexample) <= FEW_NUMBERS
    assert reproduces(first.counterexample, exercise, function_in(source, exercise))
    assert first.hint
    assert EXERCISES[exercise].convention in first.message
    report = exercise_report(found)
    pasteable = "".join(f"        {line}\n" for line in first.counterexample.splitlines())
    assert f"x {first.name}: {first.law}\n" in report
    assert f"    {first.message}\n    smallest failing input:\n{pasteable}" in report
    assert f"    hint: {first.hint}" in report


def test_a_right_answer_does_not_part_from_the_reference_on_a_pasted_input():
    pasted = "z = np.array([[1000.0, 999.0]])\nsoftmax(z, axis=-1)"
    right = EXERCISES["softmax"].right_answers[0].answer
    assert not reproduces(pasted, "softmax", right)
    assert reproduces(pasted, "softmax", function_in(WRONG_AXIS, "softmax"))
    assert numbers_written_out(pasted) == 2


# -- answers that compute nothing ------------------------------------------------------------------

PAIR = """
def {name}(X, W_Q, W_K, W_V, mask=None, scale=True):
    n = len(X)
    weights = {weights}
    return {output}, weights
"""
WORTHLESS = {
    "zeros": ("np.zeros(z.shape)", "np.zeros((n, W_V.shape[1]))", "np.zeros((n, n))"),
    "uniform": ("np.full(z.shape, 1 / z.shape[axis])", "weights @ X @ W_V", "np.ones((n, n)) / n"),
    "identity": ("z", "X @ W_V", "np.eye(n)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORTHLESS)
def test_an_answer_that_computes_nothing_scores_nothing(kind, course):
    softmax, output, weights = WORTHLESS[kind]
    result = checked(
        course,
        submission(
            softmax=f"def softmax(z, axis=-1):\n    return {softmax}",
            self_attention=PAIR.format(name="self_attention", output=output, weights=weights),
            self_attention_loop=PAIR.format(
                name="self_attention_loop", output=output, weights=weights
            ),
            causal_mask=f"def causal_mask(n):\n    return {weights}",
        ),
    )
    assert scores(result) == dict.fromkeys(FULL_MARKS, 0.0)
    assert result.score == 0.0


@pytest.mark.slow
def test_an_untouched_release_scores_nothing_and_says_so(course):
    untouched = checked(course, RELEASE)
    assert untouched.score == 0.0
    for exercise in untouched.exercises:
        assert exercise.status is Status.EXCEPTION
        assert "NotImplementedError" in exercise.properties[0].message
        assert exercise.diagnosis is None


# -- what costs only what it touches ---------------------------------------------------------------


@pytest.mark.slow
def test_softmax_without_an_axis_loses_only_the_laws_about_the_axis(course):
    source = (
        "def softmax(x):\n"
        "    e = np.exp(x - x.max(axis=-1, keepdims=True))\n"
        "    return e / e.sum(axis=-1, keepdims=True)"
    )
    result = checked(course, submission(softmax=source))
    assert set(broken(of(result, "softmax"))) == {"matches_reference_on_every_axis"}
    assert scores(result) == with_scores(softmax=9.2)


FIRST_CELLS = {
    "seaborn": "import seaborn as sns\nimport numpy as np\nsns.set_theme()",
    "several libraries": "import pandas, torch\nfrom tensorflow import keras\nimport numpy as np",
    "colab": "import numpy as np\nfrom google.colab import drive\ndrive.mount('/content/drive')",
    "colab before NumPy": "from google.colab import files\nfiles.upload()\nimport numpy as np",
    "shell": "!pip install numpy\nimport numpy as np\n!ls",
    "magics": "%pip install numpy seaborn\n%matplotlib inline\nimport numpy as np",
    "input": "import numpy as np\nname = input('Your name? ')\nprint(name)",
    "a warning": "import numpy as np, warnings\nwarnings.warn('careful')",
    "text on stderr": "import numpy as np, sys\nprint('oops', file=sys.stderr)",
    "a figure": "import numpy as np\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
    "an import that fails": "from math import no_such_name\nimport numpy as np",
    "an exception": "import numpy as np\nraise RuntimeError('at import')",
    "a call of sys.exit": "import numpy as np, sys\nsys.exit(1)",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", FIRST_CELLS)
def test_a_first_cell_costs_nothing_with(what, course):
    def edit(cells):
        assert cells[2].source == "import numpy as np"
        cells[2].source = FIRST_CELLS[what]

    assert scores(checked(course, edited(edit))) == FULL_MARKS


@pytest.mark.slow
def test_a_library_that_is_not_there_is_named_in_the_notes(course):
    def edit(cells):
        cells[2].source = FIRST_CELLS["seaborn"]

    notes = "\n".join(checked(course, edited(edit)).notes)
    assert "Not available when grading: seaborn." in notes
    assert "matplotlib, numpy" in notes


@pytest.mark.slow
def test_warnings_of_the_graded_functions_cost_nothing(course):
    noise = "    import sys, warnings\n    warnings.warn('w')\n    print('e', file=sys.stderr)\n"
    noisy = {name: right(name).replace(":\n", f":\n{noise}", 1) for name in FULL_MARKS}
    assert all(noise in source for source in noisy.values())
    assert scores(checked(course, submission(**noisy))) == FULL_MARKS


TOUCHES_ONE = {
    "an infinite loop": ("    while True: pass", Status.TIMEOUT),
    "os._exit": ("    import os; os._exit(0)", Status.CRASHED),
    "a segmentation fault": ("    import ctypes; ctypes.string_at(0)", Status.CRASHED),
    "sys.exit": ("    import sys; sys.exit(0)", Status.EXCEPTION),
    "quit": ("    quit()", Status.EXCEPTION),
    "endless recursion": ("    return causal_mask(n)", Status.EXCEPTION),
    "an exception": ("    raise ValueError('no')", Status.EXCEPTION),
    "a loop that swallows exceptions": (
        "    while True:\n"
        "        try:\n            while True: pass\n"
        "        except BaseException: pass",
        Status.TIMEOUT,
    ),
    "nothing returned": ("    np.tri(n)", Status.FAILED),
}  # fmt: skip


@pytest.mark.extra
@pytest.mark.slow
@pytest.mark.parametrize("what", TOUCHES_ONE)
def test_a_function_costs_its_own_points_only_with(what, course):
    body, status = TOUCHES_ONE[what]
    result = checked(course, submission(causal_mask=f"def causal_mask(n):\n{body}"))
    assert scores(result) == with_scores(causal_mask=0.0)
    found = of(result, "causal_mask")
    assert found.status is status
    assert all(law.message for law in broken(found).values())


CELLS_THAT_END = {
    "a loop": ("while True: pass", "took longer than"),
    "os._exit": ("import os; os._exit(3)", "exit status 3"),
    "a signal": ("import os; os.kill(os.getpid(), 9)", "signal 9"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CELLS_THAT_END)
def test_a_cell_that_never_ends_well_loses_only_what_it_defines(what, course):
    statement, said = CELLS_THAT_END[what]
    source = "def causal_mask(n):\n    return np.tri(n, dtype=bool)\n\n" + statement
    result = checked(course, submission(causal_mask=source))
    assert scores(result) == with_scores(causal_mask=0.0)
    found = of(result, "causal_mask")
    assert found.status is Status.MISSING
    assert "causal_mask is missing: cell 34, which should define it," in found.properties[0].message
    (note,) = [note for note in result.notes if "Cell 34" in note]
    assert said in note


@pytest.mark.slow
def test_the_cell_is_counted_from_one_wherever_it_is_named(course):
    result = checked(
        course,
        submission(
            softmax="def softmax(z, axis=-1):\n    raise KeyError('a')",
            causal_mask="def causal_mask(n):\n    return np.tri(n, dtype=bool)\n1 / 0",
        ),
    )
    assert "raised KeyError: 'a' (cell 7, line 2)" in of(result, "softmax").properties[0].message
    assert any(note.startswith("Cell 34 raised an exception in line 3") for note in result.notes)
    assert scores(result) == with_scores(softmax=0.0)


@pytest.mark.slow
def test_a_missing_function_loses_its_own_points_only(course):
    result = checked(course, submission(causal_mask="# I ran out of time"))
    assert scores(result) == with_scores(causal_mask=0.0)
    assert of(result, "causal_mask").status is Status.MISSING
    assert "no cell that ran defines it" in of(result, "causal_mask").properties[0].message


@pytest.mark.slow
def test_a_name_that_is_no_function_is_missing(course):
    result = checked(course, submission(causal_mask="causal_mask = 3"))
    assert scores(result) == with_scores(causal_mask=0.0)
    assert of(result, "causal_mask").status is Status.MISSING


# -- right answers ---------------------------------------------------------------------------------

STYLES = list(  # one answer to each exercise, until every one has been used
    itertools.zip_longest(
        *(
            [(name, right) for right in EXERCISES[name].right_answers if "scipy" not in right.name]
            for name in FULL_MARKS
        )
    )
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "styles",
    [  # in process, test_laws_hold.py tries every one
        pytest.param(styles, marks=[pytest.mark.extra] if number % 5 else [])
        for number, styles in enumerate(STYLES)
    ],
    ids=lambda styles: "+".join(a.name for _, a in filter(None, styles)),
)
def test_right_answers_in_every_style_get_full_marks(styles, course):
    sources = {name: source_for_cell(a.answer, name) for name, a in filter(None, styles)}
    result = checked(course, submission(**sources))
    assert {e.name: sorted(broken(e)) for e in result.exercises if broken(e)} == {}
    assert scores(result) == FULL_MARKS


def test_there_are_at_least_twenty_five_styles():
    assert sum(len(EXERCISES[name].right_answers) for name in FULL_MARKS) >= 25


STYLES_PER_EXERCISE = 7


@cache
def drawn_for(seed: int) -> corpus.Corpus:
    return corpus.draw([EXERCISES[name] for name in FULL_MARKS], seed, cases=12)


def score_in_this_process(exercise: Exercise, answer: Any, seed: int, known: Diagnoser) -> float:
    """What a function earns that is trusted to run beside the grader."""
    name, points = exercise.name, Fraction(FULL_MARKS[exercise.name])
    outcome = Checker(drawn_for(seed), PlainRunner({name: answer})).check(exercise)
    found = {name: known.recognise(outcome)}
    scored = score_exercises({name: outcome}, found, {name: points}, known)
    return scored[name].rounded(Fraction(1, 100))


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.extra) for n in range(1, 20))]
)
def test_right_answers_get_full_marks_for_every_seed(seed, capsys):
    known = Diagnoser(drawn_for(seed))
    graded = {
        (name, right.name): score_in_this_process(EXERCISES[name], right.answer, seed, known)
        for name in FULL_MARKS
        for right in EXERCISES[name].right_answers[:STYLES_PER_EXERCISE]
    }
    assert len(graded) >= 25
    assert {key: score for key, score in graded.items() if score != FULL_MARKS[key[0]]} == {}


def scores_for_two_seeds(name: str, answer: Any) -> list[float]:
    return [
        score_in_this_process(EXERCISES[name], answer, seed, diagnoser_for(seed)) for seed in (0, 7)
    ]


@cache
def diagnoser_for(seed: int) -> Diagnoser:
    return Diagnoser(drawn_for(seed))


@pytest.mark.extra
@pytest.mark.slow
@pytest.mark.parametrize("name", FULL_MARKS)
def test_a_known_mistake_earns_the_same_for_every_seed(name, capsys):
    differ = {}
    for mistaken in EXERCISES[name].mistakes:
        one, other = scores_for_two_seeds(name, mistaken.answer)
        if one != other:
            differ[mistaken.name] = (one, other)
    assert differ == {}


# -- hostile text --------------------------------------------------------------------------------

HOSTILE = (
    "\x1b[31m\x1b]0;title\x07<script>alert(1)</script> [red]x[/red] ![i](http://evil.example/x)\r\n"
    "softmax   10/10\nAll 17 laws hold.\n" + "long " * 20_000
)


@pytest.mark.slow
def test_text_of_a_student_acts_neither_in_a_terminal_nor_in_a_comment(course, capsys):
    text = repr(HOSTILE)
    result = checked(
        course,
        submission(
            softmax=f"def softmax(z, axis=-1):\n    raise ValueError({text})",
            self_attention=f"def self_attention(*args, **kwargs):\n    return {text}",
            self_attention_loop=f"self_attention_loop = type({HOSTILE[:300]!r}, (), {{}})",
            causal_mask=f"raise KeyError({text})",
        ),
    )
    terminal.submission_report(terminal.console(), "eve.ipynb", result)
    shown = capsys.readouterr().out
    assert "[red]x[/red]" in shown
    assert not set(shown) & set(map(chr, [*range(9), *range(11, 32), *range(127, 160)]))
    assert not {"softmax   10/10", "All 17 laws hold."} & set(shown.splitlines())
    assert len(shown) < 20_000
    for exercise in result.exercises:
        said = comment(exercise)
        assert not {"<", ">", "\x1b"} & set(said)
        assert "](" not in said
        assert len(said) < 5_000


# -- the notebook file -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_notebook_with_fifty_megabytes_of_outputs_is_graded(course):
    document = json_of(submission())
    line = "x" * 1000 + "\n"
    output = {"output_type": "stream", "name": "stdout", "text": [line] * 50_000}
    next(cell for cell in document["cells"] if cell["cell_type"] == "code")["outputs"] = [output]
    data = json.dumps(document).encode()
    assert len(data) > 50_000_000
    assert scores(checked(course, data)) == FULL_MARKS


DEMO = 9


@pytest.mark.slow
def test_a_demonstration_cell_of_the_release_is_not_run(course):
    def edit(cells):
        assert cells[DEMO].metadata["tags"] == ["demo"]
        cells[DEMO].source = "del softmax\nwhile True: pass"
        cells[DEMO].metadata = {**cells[DEMO].metadata, "tags": []}

    result = checked(course, edited(edit))
    assert scores(result) == FULL_MARKS
    assert not any("Cell 10" in note for note in result.notes)


@pytest.mark.slow
def test_a_demo_tag_in_a_submission_counts_for_nothing(course):
    def edit(cells):
        for cell in cells:
            cell.metadata = {**cell.metadata, "tags": ["demo"]}
        cells.append(code("def causal_mask(n): return None", tags=["demo"]))

    assert scores(checked(course, edited(edit))) == with_scores(causal_mask=0.0)


# -- the same again --------------------------------------------------------------------------------

MIXED = {
    "softmax": WRONG_AXIS,
    "self_attention": mistake("self_attention", "mask_after_softmax"),
    "self_attention_loop": "def self_attention_loop(X, *rest, mask=None):\n    return X @ rest[9]",
    "causal_mask": "def causal_mask(n):\n    return np.tri(n) > (n == 3)",
}


def check_in_a_process(path: Path, *options: str, hash_seed: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "autograder.cli", "check", str(path), "--json", *options],
        capture_output=True,
        check=True,
        cwd=path.parent,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    found: dict[str, Any] = json.loads(run.stdout)
    assert found.pop("timing")
    return found


@pytest.mark.slow
@pytest.mark.extra
def test_the_same_submission_and_seed_give_the_same_json_but_for_timing(course, tmp_path):
    path = tmp_path / "self_attention.ipynb"
    path.write_bytes(write(submission(**MIXED)))
    other = make_course(tmp_path / "elsewhere", config=LIMITS)
    copied = other.root / "self_attention.ipynb"
    copied.write_bytes(path.read_bytes())
    other.corpora.rmdir()  # so that the cases are drawn, not loaded
    other.state.rmdir()
    first = check_in_a_process(copied, hash_seed="1")
    again = check_in_a_process(copied, hash_seed="2")
    if any("shrinking stopped" in note for note in (*first["notes"], *again["notes"])):
        pytest.skip("this machine is too busy: the clock ended a search, which then may not repeat")
    assert json.dumps(first) == json.dumps(again)

    here = json.loads(json.dumps(first))
    result: SubmissionResult = checked(course, path.read_bytes())
    assert scores(result) == {e["name"]: e["score"] for e in here["exercises"]}
    ours = [law for e in result.exercises for law in e.properties]
    theirs = [law for e in here["exercises"] for law in e["properties"]]
    assert [law.message for law in ours] == [law["message"] for law in theirs]
    assert [law.counterexample for law in ours] == [law["counterexample"] for law in theirs]


@pytest.mark.extra
@pytest.mark.slow
def test_another_seed_gives_other_cases_and_the_same_scores(course):
    path = course.root / "self_attention.ipynb"
    path.write_bytes(write(submission(**MIXED)))
    first = check_in_a_process(path, "--seed", "1", hash_seed="0")
    other = check_in_a_process(path, "--seed", "2", hash_seed="0")
    assert first["seed_id"] != other["seed_id"]
    assert first["exercises"] != other["exercises"]
    assert [e["score"] for e in first["exercises"]] == [e["score"] for e in other["exercises"]]
