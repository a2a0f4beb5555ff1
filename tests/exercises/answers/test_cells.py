"""The text of a notebook cell stands alone and gives what the answer itself gives."""

from __future__ import annotations

import inspect
from itertools import islice
from typing import Any

import numpy as np
import pytest
from answer_inputs import (
    KNOWN,
    MODULES,
    PICTURES,
    Inputs,
    label,
    ordinary_inputs,
    outcome,
)

import reference
from autograder.comparison import same
from autograder.exercise import Mistake, RightAnswer
from autograder.exercises.answers import source_for_cell
from autograder.worker.child.figures import close_figures
from autograder.worker.child.values import Outbox
from autograder.worker.codec import decode_value


def cell_of(exercise: str, name: str) -> str:
    answers = (*MODULES[exercise].RIGHT_ANSWERS, *MODULES[exercise].MISTAKES)
    return source_for_cell(next(a.answer for a in answers if a.name == name), exercise)


def run(*cells: str) -> dict[str, Any]:
    """A notebook with those cells, whose first cell imports NumPy."""
    namespace: dict[str, Any] = {"np": np, "__name__": "__main__"}
    for cell in cells:
        exec(cell, namespace)  # noqa: S102 - our own text
    return namespace


EARLIER = {
    "soft_lookup": ("softmax",),
    "softmax_jacobian_norm": ("softmax",),
    "softmax": (),
    "self_attention_loop": ("softmax", "self_attention"),
    "self_attention": ("softmax",),
    "causal_mask": (),
    "scaled_dot_product_attention": (),
    "create_causal_mask": (),
    "chunked_attention": ("softmax",),
    "cross_attention": ("softmax",),
    "local_attention": ("softmax",),
    "linear_attention": ("softmax",),
}


@pytest.mark.parametrize(("exercise", "known"), KNOWN, ids=label)
def test_cell_defines_a_function_that_gives_the_same(
    exercise: str, known: Mistake | RightAnswer
) -> None:
    earlier = [cell_of(name, "textbook") for name in EARLIER.get(exercise, ())]
    function = run(*earlier, source_for_cell(known.answer, exercise))[exercise]
    some = 1 if exercise in PICTURES else 4
    for inputs in [*islice(ordinary_inputs(exercise), some), *with_a_mask(exercise)]:
        np.random.seed(1)  # the random mistakes draw from the global generator
        expected = outcome(known.answer, inputs.fresh())
        np.random.seed(1)
        got = outcome(function, inputs.fresh())
        if isinstance(expected, Exception):
            assert type(got) is type(expected)
        else:
            assert_alike(got, expected)


def assert_alike(got: Any, expected: Any) -> None:
    """Also for what no exercise asks for: three results, a dictionary of results, or none."""
    if hasattr(expected, "axes"):  # a picture, or what is part of one
        assert same(shown(got), shown(expected))
    elif isinstance(expected, dict):
        assert list(got) == list(expected)
        assert_alike(tuple(got.values()), tuple(expected.values()))
    elif isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_alike(one, other)
    elif expected is None or inspect.ismodule(expected):
        assert got is expected
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)


def shown(value: Any) -> Any:
    """What a picture shows, as a worker reads it; it is closed then."""
    snapshot = decode_value(Outbox().to_wire(value))
    close_figures()
    return snapshot


def with_a_mask(exercise: str) -> list[Inputs]:
    if "mask" not in inspect.signature(getattr(reference, exercise)).parameters:
        return []
    arrays = next(iter(ordinary_inputs(exercise))).args
    if exercise == "scaled_dot_product_attention":
        query, key, _ = arrays
        return [Inputs(arrays, {"mask": np.eye(query.shape[1], key.shape[1])})]
    return [Inputs(arrays, {"mask": np.tri(len(arrays[0]), dtype=bool)})]


@pytest.mark.parametrize(("exercise", "known"), KNOWN, ids=label)
def test_cell_shows_nothing_of_where_it_comes_from(
    exercise: str, known: Mistake | RightAnswer
) -> None:
    text = source_for_cell(known.answer, exercise)
    for word in ("reference", "autograder", "@", "annotations", "hint="):
        assert word not in text.replace(" @ ", " times ")


def test_cell_of_a_function_is_its_source_under_the_exercise_name() -> None:
    assert cell_of("causal_mask", "boolean_tri") == (
        "def causal_mask(n):\n    return np.tri(n, dtype=bool)\n"
    )


def test_cell_of_an_object_makes_the_object() -> None:
    cell = cell_of("softmax", "callable_object")
    assert cell.startswith("class CallableObject:\n")
    assert cell.endswith("\n\n\nsoftmax = CallableObject()\n")


def test_imports_and_helpers_stand_in_front() -> None:
    assert cell_of("softmax", "lists_and_math").startswith("import math\n\n\ndef softmax(")
    assert cell_of("self_attention", "named_tuple").startswith(
        "from collections import namedtuple\n\n\nAttention = namedtuple("
    )
    assert cell_of("self_attention", "uses_a_notebook_global").startswith("sentence = np.array(")


def test_answer_of_another_place_is_refused() -> None:
    with pytest.raises(KeyError):
        source_for_cell(lambda n: n, "causal_mask")
