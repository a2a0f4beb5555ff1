"""Notebooks in which students write a class: from the released notebook through a real worker."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from autograder.comparison import same
from autograder.course import Course, PlanSpec, build_plan
from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell
from autograder.grading.submission import check, rebuilt, sha256
from autograder.notebook import read, write
from autograder.results import Status
from autograder.sample import fill_in, sample_class
from tests.submissions import CONFIG, ROOT, broken, of

ASSIGNMENT = "multi_head_attention"
RELEASE = (ROOT / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_bytes()
EXERCISES = load_exercises()
NAMES = ("scaled_dot_product_attention", "create_causal_mask", "MultiHeadAttention")
FULL_MARKS = {"scaled_dot_product_attention": 10, "create_causal_mask": 5, "MultiHeadAttention": 15}

ATTENTION = """
def scaled_dot_product_attention(query, key, value, mask=None):
    S = query @ key.transpose(0, 2, 1) / np.sqrt(key.shape[-1])
    if mask is not None:
        S = S - 1e9 * mask
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ value, A
"""
HEADS = """
class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = np.random.randn(4, d_model, d_model)

    def split_heads(self, x):
        return x.reshape(len(x), -1, self.h, self.d_k).transpose(0, 2, 1, 3)

    def combine_heads(self, x):
        return x.transpose(0, 2, 1, 3).reshape(len(x), -1, self.h * self.d_k)

    def forward(self, query, key, value, mask=None):
        Q = self.split_heads(query @ self.W_q)
        K = self.split_heads(key @ self.W_k)
        V = self.split_heads(value @ self.W_v)
        heads = [
            scaled_dot_product_attention(Q[:, j], K[:, j], V[:, j], mask)[0]
            for j in range(self.h)
        ]
        return self.combine_heads(np.stack(heads, axis=1)) @ self.W_o
"""
DEFINITION = "def __init__(self, d_model, num_heads):"


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    (root / "release" / ASSIGNMENT).mkdir(parents=True)
    (root / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").write_bytes(RELEASE)
    found = Course.find(root)
    return build_plan(
        PlanSpec(
            assignment=ASSIGNMENT,
            settings=found.settings,
            seed=found.seed(create=False),
            release=found.release(ASSIGNMENT),
            corpora=None,
        )
    )


@pytest.fixture
def grade(plan):
    """What `autograder check` makes of the release with these cells."""

    def graded(heads=HEADS, attention=ATTENTION):
        mask = source_for_cell(
            EXERCISES["create_causal_mask"].right_answers[0].answer, "create_causal_mask"
        )
        cells = dict(zip(NAMES, (attention, mask, heads), strict=True))
        return check_bytes(plan, write(fill_in(read(RELEASE, verbatim=True), cells)))

    return graded


def check_bytes(plan, data):
    """What `autograder check` makes of a notebook, with what is drawn and started only once."""
    notebook = rebuilt(read(data), plan.skeleton)
    return check(notebook, plan, student=None, submission_sha256=sha256(data)).result


def points(result):
    return {exercise.name: exercise.score for exercise in result.exercises}


def messages(result):
    laws = broken(of(result, "MultiHeadAttention"))
    return {name: law.message for name, law in laws.items()}


# -- right in any form -----------------------------------------------------------------------------

RIGHT = {
    "as asked": HEADS,
    "defaults and other names": HEADS.replace(
        DEFINITION, "def __init__(self, d_model=512, num_heads=8, *, bias=False):"
    ),
    "a subclass with super": HEADS.replace(
        "class MultiHeadAttention:",
        "class Module:\n    def __init__(self, **kwargs):\n        self.training = False\n\n"
        "    def __call__(self, *args, **kwargs):\n        return self.forward(*args, **kwargs)\n\n"
        "class MultiHeadAttention(Module):",
    ).replace("        self.h,", "        super().__init__()\n        self.h,", 1),
    "an abstract base": "from abc import ABC, abstractmethod\n\nclass Layer(ABC):\n"
    "    @abstractmethod\n    def forward(self, *args): ...\n"
    + HEADS.replace("class MultiHeadAttention:", "class MultiHeadAttention(Layer):"),
    "a generic base": "from typing import Generic, TypeVar\nT = TypeVar('T')\n"
    + HEADS.replace("class MultiHeadAttention:", "class MultiHeadAttention(Generic[T]):"),
    "methods patched in later": HEADS
    + "\n_forward = MultiHeadAttention.forward\ndel MultiHeadAttention.forward\n"
    "MultiHeadAttention.forward = _forward\n",
    "called as well": HEADS.replace("def forward(", "def __call__(") + "    forward = __call__\n",
    "attributes kept in a dictionary": HEADS
    + "    def __setattr__(self, name, value):\n        self.__dict__['_' + name] = value\n\n"
    "    def __getattr__(self, name):\n        return self.__dict__['_' + name]\n",
    "a decorator around forward": "import functools\n\ndef logged(f):\n    @functools.wraps(f)\n"
    "    def inner(*args, **kwargs):\n        print('called')\n        return f(*args, **kwargs)\n"
    "    return inner\n" + HEADS.replace("    def forward(", "    @logged\n    def forward("),
    "a result in nested lists": HEADS.replace("@ self.W_o\n", "@ self.W_o).tolist()\n").replace(
        "return self.combine_heads(np.stack", "return (self.combine_heads(np.stack"
    ),
    "an object of its own beside it": HEADS + "\nmha = MultiHeadAttention(8, 2)\n",
    "a helper class": HEADS.replace("scaled_dot_product_attention(", "Head().attend(")
    + "\nclass Head:\n    def attend(self, *args):\n"
    "        return scaled_dot_product_attention(*args)\n",
}


ALWAYS = {
    "as asked",
    "a subclass with super",
    "attributes kept in a dictionary",
    "called as well",
    "a result in nested lists",
}


@pytest.mark.parametrize(
    "style",
    [pytest.param(style, marks=() if style in ALWAYS else pytest.mark.extra) for style in RIGHT],
)
def test_a_right_class_in_any_form_keeps_every_point(grade, style):
    result = grade(RIGHT[style])
    assert messages(result) == {}
    assert points(result) == FULL_MARKS


def test_an_unknown_mask_helper_of_ones_own_does_not_matter(grade):
    own = HEADS.replace("scaled_dot_product_attention", "attend") + ATTENTION.replace(
        "scaled_dot_product_attention", "attend"
    )
    result = grade(own, attention=ATTENTION.replace("np.sqrt(key.shape[-1])", "1"))
    assert points(result) == FULL_MARKS | {"scaled_dot_product_attention": 6}
    assert not any("in place of yours" in note for note in result.notes)


# -- wrong forms, and what the student is told -----------------------------------------------------


@pytest.mark.parametrize(
    ("heads", "told"),
    [
        (
            HEADS.replace("def forward(", "def __call__("),
            "it has no method forward; write one inside the class: def forward(self, ...), not",
        ),
        (
            "def MultiHeadAttention(query, key, value, num_heads, mask=None):\n"
            "    return scaled_dot_product_attention(query, key, value, mask)[0]\n",
            "it is a function, but should be a class",
        ),
        (
            HEADS.replace("self.W_", "self.w_"),
            "forward must use the matrices W_q, W_k, W_v and W_o of its object",
        ),
        (
            HEADS.replace("class MultiHeadAttention:", "class MultiHeadAttention:\n    __slots__ ="
            " ('h', 'd_k', 'w')").replace(
                "self.W_q, self.W_k, self.W_v, self.W_o = np.random", "self.w = np.random"
            ),
            "object has no attribute 'W_q'",
        ),
        (
            HEADS.replace(DEFINITION, "def __init__(self):").replace(
                "        self.h,", "        d_model, num_heads = 8, 2\n        self.h,"
            ),
            "takes 1 positional argument but 3 were given",
        ),
        (
            HEADS.replace("@ self.W_o", "@ self.W_o, heads"),
            "forward returns two results, but should return the output alone",
        ),
        (
            HEADS.replace("        return self.combine_heads(np", "        self.combine_heads(np"),
            "output is None, but should be an array of numbers",
        ),
    ],
)  # fmt: skip
def test_a_wrong_form_is_named_in_the_first_message(grade, heads, told):
    found = messages(grade(heads))
    assert told in found["matches_reference"]
    assert all(text.endswith("mask 1 means blocked, in every head.") for text in found.values())


@pytest.mark.parametrize("method", ["split_heads", "combine_heads"])
def test_a_method_under_another_name_costs_its_law_alone_and_is_named(grade, method):
    result = grade(HEADS.replace(method, f"_{method}"))
    assert points(result) == FULL_MARKS | {"MultiHeadAttention": 12.75}
    (text,) = messages(result).values()
    assert f"it has no method {method}; write one inside the class: def {method}(self" in text


def test_a_class_under_another_name_is_missing(grade):
    result = grade(HEADS.replace("class MultiHeadAttention", "class MultiheadAttention"))
    exercise = of(result, "MultiHeadAttention")
    assert (exercise.status, exercise.score) == (Status.MISSING, 0)
    assert "There is MultiheadAttention: rename it to MultiHeadAttention." in (
        exercise.properties[0].message
    )


def test_the_stub_earns_nothing_and_is_told_so(plan):
    exercise = of(check_bytes(plan, RELEASE), "MultiHeadAttention")
    assert exercise.score == 0
    assert "NotImplementedError: Replace this line" in exercise.properties[0].message


# -- one mistake is charged once -------------------------------------------------------------------


def test_a_wrong_attention_costs_nothing_in_the_class_that_calls_it(grade):
    result = grade(attention=ATTENTION.replace("np.sqrt(key.shape[-1])", "key.shape[-1]"))
    assert points(result) == FULL_MARKS | {"scaled_dot_product_attention": 6}
    assert any(
        "MultiHeadAttention was checked with a right scaled_dot_product_attention" in note
        for note in result.notes
    )


def test_a_missing_attention_costs_nothing_in_the_class_that_calls_it(grade):
    result = grade(attention="def attention(query, key, value, mask=None):\n    pass\n")
    assert points(result) == FULL_MARKS | {"scaled_dot_product_attention": 0}


def test_a_mistake_of_the_class_is_charged_and_named_on_top_of_a_wrong_attention(grade):
    result = grade(
        HEADS.replace(" @ self.W_o\n", "\n"),
        attention=ATTENTION.replace("np.sqrt(key.shape[-1])", "key.shape[-1]"),
    )
    assert points(result) == FULL_MARKS | {
        "scaled_dot_product_attention": 6,
        "MultiHeadAttention": 7.5,
    }
    assert of(result, "MultiHeadAttention").diagnosis.mistake == "output_projection_forgotten"


# -- the counterexample ----------------------------------------------------------------------------


def test_the_counterexample_of_a_class_fails_when_it_is_pasted(grade):
    wrong = HEADS.replace("np.stack(heads, axis=1)", "np.stack(heads[::-1], axis=1)")
    shown = broken(of(grade(wrong), "MultiHeadAttention"))["matches_reference"].counterexample
    *setup, call = shown.splitlines()
    assert "multi_head_attention.W_o = W_o" in setup
    assert call == "multi_head_attention.forward(x, x, x)"
    answers = []
    for cells in ((ATTENTION, wrong), ()):
        names = {"np": np, "MultiHeadAttention": reference.MultiHeadAttention}
        for text in (*cells, *setup):
            exec(text, names)
        answers.append(eval(call, names))
    assert not same(*answers)


@pytest.mark.extra  # one of them loops
def test_a_sample_class_is_graded_as_its_samples_say(plan):
    exercises = tuple(EXERCISES[name] for name in NAMES)
    for made in sample_class(RELEASE, exercises, students=10, seed=3):
        result = check_bytes(plan, made.notebook)
        exercise, _, mistake = made.description.partition(": ")
        known = {m.name: m.share for m in EXERCISES[exercise].mistakes} if mistake else {}
        if mistake:
            lost = (1 - known[mistake]) * FULL_MARKS[exercise]
            assert points(result) == pytest.approx(
                FULL_MARKS | {exercise: float(FULL_MARKS[exercise] - lost)}, abs=0.01
            )
        elif made.description == "right":
            assert points(result) == FULL_MARKS
        assert all(e.status is not Status.INTERNAL_ERROR for e in result.exercises)
