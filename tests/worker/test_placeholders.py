"""Importing what is not available costs nothing; using it raises; libraries are told the truth."""

from __future__ import annotations

from autograder.results import Status
from tests.worker.sessions import NewSession

FORMS = """
import seaborn as sns
from google.colab import drive, files
import torch.nn as nn, torch
from jaxtyping import Float
from no_such_package.deep.inside import thing
import importlib
pandas = importlib.import_module("pandas")
import scipy.special, hypothesis
"""


def test_every_form_of_import_succeeds_and_is_named(new_session: NewSession) -> None:
    loaded = new_session(FORMS + "def f(): return 1").load()
    assert loaded.cell_runs[0].status is Status.PASSED
    assert loaded.functions == {"f": 0}
    assert loaded.placeholders == (
        "seaborn",
        "google",
        "torch",
        "jaxtyping",
        "no_such_package",
        "pandas",
        "scipy",
        "hypothesis",
    )
    assert "Not available when grading: seaborn, google" in loaded.notes[0]
    assert "the standard library, matplotlib, numpy" in loaded.notes[0]


def test_our_own_package_is_not_available_either(new_session: NewSession) -> None:
    loaded = new_session(
        "import autograder, reference\nfrom autograder.laws import softmax", "reference.softmax(1)"
    ).load()
    assert loaded.placeholders == ("autograder", "reference")
    assert "reference.softmax is not available when grading" in loaded.cell_runs[1].detail


def test_after_a_use_the_rest_of_the_cell_runs(new_session: NewSession) -> None:
    loaded = new_session(
        "from google.colab import drive\ndrive.mount('/content/drive')\nx = 5\nprint(x)",
        "x",
    ).load()
    first, second = loaded.cell_runs
    assert "google.colab.drive.mount is not available when grading" in first.detail
    assert first.outputs[-1]["text"] == "5\n"
    assert second.status is Status.PASSED


USES = (
    "torch()",
    "torch.tensor([1])",
    "torch.x + 1",
    "1 - torch.x",
    "list(torch.x)",
    "len(torch.x)",
    "if torch.cuda: pass",
    "float(torch.x)",
    "class M(torch.nn.Module): pass\nM()",
    "with torch.no_grad(): pass",
    "torch.x[0] = 1",
    "np.asarray(torch.x)",
    "torch.x < 1",
)


def test_using_a_placeholder_raises(new_session: NewSession) -> None:
    session = new_session("import torch\nimport numpy as np")
    session.load()
    for use in USES:
        assert session.run_cell(use).detail.startswith("PlaceholderUsed: torch"), use


def test_naming_a_placeholder_does_not(new_session: NewSession) -> None:
    session = new_session(
        "import torch\nfrom jaxtyping import Float\nimport numpy as np\n"
        "def f(x: torch.Tensor | None, y: Float[np.ndarray, 'n d']) -> list[torch.Tensor]:\n"
        "    return isinstance(x, torch.Tensor)\n"
        "class M(torch.nn.Module):\n    pass\n"
        "torch.backends.cudnn.deterministic = True\nprint(f(1, 2), torch.float32)"
    )
    loaded = session.load()
    assert loaded.cell_runs[0].status is Status.PASSED
    assert loaded.cell_runs[0].outputs[0]["text"] == (
        "False <torch.float32: not available when grading>\n"
    )


def test_a_cell_that_catches_the_import_error_gets_it(new_session: NewSession) -> None:
    loaded = new_session(
        "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n"
        "    IN_COLAB = False\n"
        "def available():\n    try:\n        import cupy\n"
        "    except (ModuleNotFoundError, OSError):\n        return False\n    return True\n"
        "try:\n    import jax\nexcept ValueError:\n    pass\n"
        "print(IN_COLAB, available())"
    ).load()
    assert loaded.cell_runs[0].outputs[0]["text"] == "False False\n"
    assert loaded.placeholders == ("jax",)


def test_libraries_are_told_the_truth(new_session: NewSession) -> None:
    loaded = new_session(
        "import matplotlib.pyplot as plt\nimport sqlite3, xml.etree.ElementTree\n"
        "fig, ax = plt.subplots()\nax.imshow([[1.0]])\nax.set_xticks([0], labels=['a'])\n"
        "import matplotlib.no_such_part"
    ).load()
    assert loaded.cell_runs[0].detail == (
        "ModuleNotFoundError: No module named 'matplotlib.no_such_part'"
    )
    assert loaded.placeholders == ()
