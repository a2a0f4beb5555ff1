from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.notebook import defines
from autograder.notebook.names import looks_like, may_define, names_bound


@pytest.mark.parametrize(
    "source",
    [
        "def softmax(z): ...",
        "async def softmax(z): ...",
        "class softmax: ...",
        "softmax = lambda z: z",
        "first, softmax = f, g",
        "softmax: object = f",
        "from scipy.special import softmax",
        "import library.softmax as softmax",
        "if True:\n    def softmax(z): ...",
        "try:\n    pass\nexcept Exception:\n    pass\nelse:\n    softmax = 1",
        "for softmax in functions: pass",
        "print(softmax := f)",
        "%matplotlib inline\ndef softmax(z): ...",
        "%%time\ndef softmax(z): ...",
        "!pip install numpy\nfiles = !ls\nnp.exp?\nt = %timeit -o f()\nsoftmax = 1",
        "@decorated\ndef softmax(z):\n    return z\n)",  # broken after it
        "def softmax(z:\n",
        "x = 1\n\0\nsoftmax = 2",
        "'\\d'\ndef softmax(z): ...",
        "def softmax(z):\n\treturn z\n        \treturn z",
        "#" * 70_000 + "\ndef softmax(z): ...",
    ],
)
def test_name_is_bound_at_top_level(source):
    assert defines(source, "softmax")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "softmax(z)",
        "# def softmax(z):",
        "def other(z):\n    def softmax(z): ...",
        "class A:\n    def softmax(self): ...",
        "[softmax for softmax in f]",
        "f = lambda softmax: softmax",
        "softmax_2 = 1",
        "softmax == 1",
        "softmax == 1 (",
        "x.softmax = 1",
        "import softmax.inner as other",
    ],
)
def test_name_is_not_bound_at_top_level(source):
    assert not defines(source, "softmax")


@pytest.mark.parametrize(
    "source", ["(" * 100_000, "-" * 60_000 + "1", "a" + ".a" * 30_000, "[" * 5000 + "]" * 5000]
)
def test_code_that_breaks_the_parser_defines_nothing(source):
    assert not defines(source, "softmax")


def test_definition_inside_a_string_is_only_suspected():
    source = 'exec("def softmax(z): return z")'
    assert may_define(source, "softmax")
    assert not defines(source, "softmax")
    assert not may_define("softmax(z)", "softmax")


def test_names_are_told_apart_by_how_they_are_bound():
    found = names_bound("import a.b, c as d\nfrom e import f\nx, (y, *z) = 1\ndef g(): u = 1")
    assert found.imported == {"a", "d", "f"}
    assert found.assigned == {"x", "y", "z"}
    assert found.defined == {"g"}
    assert found.computed == {"x", "y", "z", "g"}


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(max_size=80) | st.text(alphabet="defx=:(), \n\t%!?'\"\\", max_size=60))
def test_any_text_is_answered_without_raising(source):
    assert defines(source + "\n\ndef softmax(z): ...", "softmax") in (True, False)
    assert isinstance(names_bound(source).all, frozenset)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def Softmax(z): ...", "Softmax"),
        ("def soft_max(z): ...", "soft_max"),
        ("softmx = lambda z: z", "softmx"),
        ("class SoftMax: ...", "SoftMax"),
        ("from scipy.special import soft_max", ""),
        ("def argmax(z): ...", ""),
        ("def softmax_of_all_the_scores(z): ...", ""),
        ("this is no Python", ""),
        ("", ""),
    ],
)
def test_a_name_that_looks_like_another_is_found(source, found):
    assert looks_like("softmax", [source, "x = 1"]) == found


def test_the_name_that_looks_most_alike_is_found_and_a_right_one_is_not():
    sources = ["def softmaxx(z): ...", "def Softmax(z): ..."]
    assert looks_like("softmax", sources) == "Softmax"
    assert looks_like("softmax", sources, apart_from={"Softmax"}) == "softmaxx"


def test_a_thousand_names_are_compared_in_no_time():
    source = "\n".join(f"softmaq{number} = {number}" for number in range(900))
    start = time.perf_counter()
    looks_like("softmax", [source])
    assert time.perf_counter() - start < 1
