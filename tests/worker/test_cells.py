"""Cells run as in Jupyter, and one that fails costs only what it touches."""

from __future__ import annotations

import base64
from typing import Any

import nbformat
import nbformat.v4
import pytest

from autograder.results import Status
from autograder.worker.client import CellRun, Loaded
from tests.worker.sessions import SHORT, NewSession


def text_of(run: CellRun, kind: str = "stream") -> str:
    found: list[dict[str, Any]] = [o for o in run.outputs if o["output_type"] == kind]
    if kind == "error":
        return "\n".join("\n".join(o["traceback"]) for o in found)
    if kind == "execute_result":
        return "".join(o["data"]["text/plain"] for o in found)
    return "".join(o["text"] for o in found)


@pytest.fixture
def load(new_session: NewSession) -> Any:
    """Run cells and give what became of them."""

    def run(*sources: str, **options: Any) -> Loaded:
        return new_session(*sources, **options).load()

    return run


def test_outputs_are_those_of_a_notebook_in_their_order(load: Any) -> None:
    loaded = load(
        "import sys\nfrom IPython.display import display\n"
        "print('one'); print('two')\nprint('warned', file=sys.stderr)\ndisplay([1])\n"
        "print('three')\n{'a': 1}",
        "x = 1;",
        "x + 1;",
        "_",
    )
    first = loaded.cell_runs[0]
    assert [o["output_type"] for o in first.outputs] == [
        "stream",
        "stream",
        "display_data",
        "stream",
        "execute_result",
    ]
    assert first.outputs[0] == {"output_type": "stream", "name": "stdout", "text": "one\ntwo\n"}
    assert first.outputs[1]["name"] == "stderr"
    assert first.outputs[4]["data"]["text/plain"] == "{'a': 1}"
    assert first.outputs[4]["execution_count"] == 1
    assert loaded.cell_runs[1].outputs == loaded.cell_runs[2].outputs == ()
    assert text_of(loaded.cell_runs[3], "execute_result") == "{'a': 1}"
    assert all(run.status is Status.PASSED for run in loaded.cell_runs)
    assert loaded.notes == ()


def test_every_output_is_valid_in_a_notebook_file(load: Any) -> None:
    loaded = load(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint(1)",
        "1/0",
        "import os; os._exit(3)",
    )
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(o) for o in run.outputs])
            for run in loaded.cell_runs
        ]
    )
    nbformat.validate(notebook)
    assert [run.status for run in loaded.cell_runs] == [
        Status.PASSED,
        Status.EXCEPTION,
        Status.CRASHED,
    ]


def test_figures_are_shown_at_the_end_of_their_cell(load: Any) -> None:
    loaded = load(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.imshow([[1, 2]])\nplt.show();",
        "fig, ax = plt.subplots()\nprint(plt.get_fignums())",
        "from IPython.display import display\ndisplay(fig)\nprint(plt.get_fignums())",
    )
    for run in loaded.cell_runs:
        pictures = [o["data"]["image/png"] for o in run.outputs if "data" in o]
        assert [base64.b64decode(p)[:4] for p in pictures] == [b"\x89PNG"]
    assert "[1]" in text_of(loaded.cell_runs[1])
    assert "[]" in text_of(loaded.cell_runs[2])


def test_pyplot_is_not_loaded_for_a_notebook_that_does_not(load: Any) -> None:
    source = "import sys\nprint('matplotlib' in sys.modules)"
    loaded = load(source, sandbox="rlimit")  # a warm process has it loaded for everybody
    assert text_of(loaded.cell_runs[0]) == "False\n"


def test_ipython_semantics(load: Any) -> None:
    loaded = load(
        "import asyncio\nasync def five():\n    await asyncio.sleep(0)\n    return 5",
        "await five()",
        "len?",
        "%timeit -n1 -r1 len('a')",
        "\n%%time\ny = 3\nimport torch\n1 / 0\nasync def later(): return 7",
        "y, __name__, In is not None, await later()",
    )
    assert text_of(loaded.cell_runs[1], "execute_result") == "5"
    assert "Return the number of items" in text_of(loaded.cell_runs[2])
    assert "1 loop each" in text_of(loaded.cell_runs[3])
    assert loaded.cell_runs[4].line == 5
    assert text_of(loaded.cell_runs[5], "execute_result") == "(3, '__main__', True, 7)"


def test_first_cells_of_hosted_notebooks_cost_nothing(load: Any) -> None:
    loaded = load(
        "!pip install seaborn\n%pip install torch\n%load_ext no_such_extension\n"
        "%config InlineBackend.figure_format = 'retina'\nname = input('your name')\n"
        "files = !ls\n%matplotlib widget\nprint([name], list(files))",
        "%%bash\necho hello > there",
        "import os\nprint(os.path.exists('there'))",
    )
    assert "not run while grading: !pip install seaborn" in text_of(loaded.cell_runs[0])
    assert "not run while grading: %pip install torch" in text_of(loaded.cell_runs[0])
    assert text_of(loaded.cell_runs[0]).endswith("[''] []\n")
    assert text_of(loaded.cell_runs[1]) == "[not run while grading: %%bash]\n"
    assert text_of(loaded.cell_runs[2]) == "False\n"
    assert all(run.status is Status.PASSED for run in loaded.cell_runs)


def test_definitions_after_a_statement_that_raises_still_count(load: Any) -> None:
    loaded = load(
        "print('before')\nassert 1 == 2, 'no'\nprint('after')\nimport math\n"
        "def f(): return math.pi\nclass G: pass\nx = 1",
        "x",
        names=("f", "G"),
    )
    first, second = loaded.cell_runs
    assert (first.status, first.line, first.detail) == (Status.EXCEPTION, 2, "AssertionError: no")
    assert text_of(first) == "before\n"
    assert "cell 1, line 2, in <module>\n    assert 1 == 2, 'no'" in text_of(first, "error")
    assert loaded.functions == {"f": 0, "G": 0}
    assert second.status is Status.EXCEPTION
    assert loaded.notes[0] == "Cell 1 raised an exception in line 2: AssertionError: no."


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\ndef f(:\n    pass", "SyntaxError", 2),
        ("def f():\n    x = 1\n\treturn x", "TabError", 3),
        ("def f():\nreturn 1", "IndentationError", 2),
        ("x = 1\nreturn x", "SyntaxError", 2),
    ],
)
def test_a_cell_that_is_not_python_names_the_line(
    load: Any, source: str, kind: str, line: int
) -> None:
    loaded = load(source, "def f(): return 2")
    run = loaded.cell_runs[0]
    assert (run.status, run.detail.partition(":")[0], run.line) == (Status.EXCEPTION, kind, line)
    assert f"Cell 1 is not valid Python in line {line}" in loaded.notes[0]
    assert loaded.functions == {"f": 1}


@pytest.mark.parametrize(
    "ending",
    [
        "quit()",
        "exit()",
        "raise SystemExit(3)",
        "import sys; sys.exit()",
        "raise KeyboardInterrupt",
    ],
)
def test_leaving_the_interpreter_is_an_ordinary_error_of_the_cell(load: Any, ending: str) -> None:
    loaded = load(f"{ending}\ndef f(): pass", "1 + 1")
    assert loaded.cell_runs[0].status is Status.EXCEPTION
    assert loaded.cell_runs[0].detail.startswith(("SystemExit", "KeyboardInterrupt"))
    assert not [o for o in loaded.cell_runs[0].outputs if o["output_type"] == "stream"]
    assert text_of(loaded.cell_runs[1], "execute_result") == "2"
    assert loaded.functions == {"f": 0}


def test_the_last_callable_definition_counts(load: Any) -> None:
    loaded = load(
        "def f(): return 1\ndef g(): return 1\nh = 3",
        "def f(): return 2\nf = f()",
        "g = None",
        "del g",
        "class C:\n    def __call__(self): return 4\nh = C()",
        names=("f", "g", "h", "nothing"),
    )
    assert loaded.functions == {"f": 1, "g": 0, "h": 4}
    assert loaded.why_missing("nothing") == "No cell defines nothing."


def test_output_is_cut_and_the_cell_still_counts(load: Any) -> None:
    loaded = load("for _ in range(100): print('x' * 10_000)\ndef f(): pass")
    text = text_of(loaded.cell_runs[0])
    assert 64 << 10 <= len(text) < 66 << 10
    assert text.endswith("[more output was cut]\n")
    assert loaded.functions == {"f": 0}


def test_scripts_and_markup_of_a_cell_are_not_kept(load: Any) -> None:
    loaded = load("from IPython.display import HTML\nHTML('<script>alert(1)</script>')")
    (output,) = loaded.cell_runs[0].outputs
    assert set(output["data"]) == {"text/plain"}
    assert "script" not in str(output)


def test_cleared_output_is_gone(load: Any) -> None:
    loaded = load("from IPython.display import clear_output\nprint(1)\nclear_output()\nprint(2)")
    assert text_of(loaded.cell_runs[0]) == "2\n"


def test_replaced_streams_do_not_outlive_their_cell(load: Any) -> None:
    loaded = load("import sys, io\nsys.stdout = io.StringIO()", "print('seen')")
    assert text_of(loaded.cell_runs[1]) == "seen\n"


def test_a_cell_that_loops_is_skipped_and_all_others_count(load: Any) -> None:
    loaded = load(
        "def f(): return 1",
        "while True: pass",
        "def g(): return f()",
        names=("f", "g"),
        budgets=SHORT,
    )
    assert [run.status for run in loaded.cell_runs] == [
        Status.PASSED,
        Status.TIMEOUT,
        Status.PASSED,
    ]
    assert loaded.functions == {"f": 0, "g": 2}
    assert loaded.notes == ("Cell 2 took longer than 0.3 s. It was skipped.",)
    assert loaded.why_missing("h") == "No cell defines h. Not run to their end: cell 2."


def test_a_cell_that_sleeps_is_given_a_second_chance(load: Any, tmp_path: Any) -> None:
    marker = tmp_path / "slept"
    loaded = load(
        f"import os, time\nif not os.path.exists({str(marker)!r}):\n"
        f"    open({str(marker)!r}, 'w').close()\n    time.sleep(60)\ndef f(): pass",
        budgets=SHORT,
        sandbox="rlimit",  # the marker lies where no sandbox lets it be written
    )
    assert loaded.cell_runs[0].status is Status.PASSED
    asleep = load("import time; time.sleep(60)", budgets=SHORT)
    assert asleep.cell_runs[0].status is Status.TIMEOUT


def test_a_cell_that_ends_the_process_is_skipped(load: Any) -> None:
    loaded = load("import os; os._exit(0)", "def f(): pass", "import ctypes; ctypes.string_at(0)")
    assert [run.status for run in loaded.cell_runs] == [
        Status.CRASHED,
        Status.PASSED,
        Status.CRASHED,
    ]
    assert "exit status 0" in loaded.notes[0]
    assert "segmentation fault" in loaded.notes[1]
    assert loaded.functions == {"f": 1}


def test_when_time_is_used_up_the_report_is_still_complete(new_session: NewSession) -> None:
    from dataclasses import replace

    session = new_session(
        "def f(): return 1",
        *["while True: pass"] * 5,
        budgets=replace(SHORT, total_seconds=0.8),
    )
    loaded = session.load()
    assert len(loaded.cell_runs) == 6
    assert loaded.cell_runs[-1].status is Status.TIMEOUT
    assert "used up its 0.8 s" in loaded.cell_runs[-1].detail


def test_an_ordinary_test_cell_runs_in_the_students_process(new_session: NewSession) -> None:
    session = new_session("def f(): return 1")
    session.load()
    assert session.run_cell("assert f() == 1\n0.5", index=5).status is Status.PASSED
    wrong = session.run_cell("assert f() == 2, 'one'", index=6)
    assert (wrong.status, wrong.detail) == (Status.EXCEPTION, "AssertionError: one")
    assert "cell 7, line 1" in text_of(wrong, "error")
    dead = session.run_cell("import os; os._exit(1)", index=7)
    assert (dead.status, dead.detail) == (
        Status.CRASHED,
        "Cell 8 ended the process (exit status 1).",
    )
    assert session.run_cell("f()").status is Status.PASSED


@pytest.mark.parametrize(
    "trick",
    [
        "import numpy as np\nnp.allclose = lambda *a, **k: True",
        "import numpy as np\nnp.array_equal = np.shape",
        "import numpy.testing as t\ndef nothing(*a, **k): pass\nt.assert_allclose = nothing",
        "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])",
        "import builtins\nbuiltins.print = len",
        "get_ipython().showtraceback = lambda *a, **k: None",
        "get_ipython().events.register('pre_run_cell', lambda info: None)",
        "import sys\nsys.setprofile(lambda *a: None)",
    ],
)
def test_signs_of_tampering_are_told(new_session: NewSession, trick: str) -> None:
    session = new_session(trick)
    session.load()
    assert session.run_cell("1").tampered


def test_honest_notebooks_show_no_sign_of_tampering(new_session: NewSession) -> None:
    session = new_session(
        "import numpy as np, math\nimport matplotlib.pyplot as plt\nplt.plot([1])\n"
        "from numpy.testing import assert_allclose\n%timeit -n1 -r1 1\nsum = 3\n1/0",
        "%%time\ndef f(): return np.linalg.norm([1.0])",
    )
    session.load()
    assert not session.run_cell("assert_allclose(f(), 1)\nassert True").tampered
