"""Every right answer is right: it equals the reference on random and on edge inputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from answer_inputs import (
    DRAWS,
    MODULES,
    RIGHT_ANSWERS,
    Inputs,
    batch,
    disagreement,
    label,
    ordinary_inputs,
    outcome,
    projections,
    scores,
)

from autograder.exercise import RightAnswer


def softmax_inputs() -> Iterator[Inputs]:
    for draw in range(DRAWS):
        rng = np.random.default_rng([5, draw])
        rank = 1 + draw % 4
        yield Inputs((scores(rng, rank), int(rng.integers(-rank, rank))))
        yield Inputs((scores(rng, rank),))
    yield Inputs((np.array([[1e4, 1e4 - 1, 0.0], [-1e4, -1e4 - 2, -1e4], [0.0, 1.0, -np.inf]]),))
    yield Inputs((np.array([[0.0, 1.0], [-np.inf, -np.inf], [2.0, -np.inf]]),), {"axis": -1})


def attention_inputs(exercise: str) -> Iterator[Inputs]:
    for draw in range(DRAWS):
        rng = np.random.default_rng([6, draw])
        arrays = projections(rng)
        n = len(arrays[0])
        mask = rng.random((n, n)) < 0.5
        mask[np.arange(n), rng.integers(n, size=n)] = True
        yield Inputs(arrays, {"mask": mask})
        yield Inputs((*arrays, mask))
        if exercise == "self_attention":
            yield Inputs(arrays, {"scale": False})
            yield Inputs(arrays, {"mask": mask, "scale": False})
            yield Inputs((*arrays, mask, False))
    blocked = mask.copy()
    blocked[-1] = False
    yield Inputs(arrays, {"mask": blocked})
    yield Inputs((60 * arrays[0], *arrays[1:]))


def batched_inputs() -> Iterator[Inputs]:
    for draw in range(DRAWS):
        rng = np.random.default_rng([7, draw])
        arrays = batch(rng)
        shape = len(arrays[0]), arrays[0].shape[1], arrays[1].shape[1]
        blocked = rng.random(shape) < 0.5
        blocked[:, :, rng.integers(shape[2])] = False
        for mask in (blocked.astype(float), blocked[0].astype(float), blocked[0], blocked):
            yield Inputs(arrays, {"mask": mask})
        yield Inputs((*arrays, blocked[0].astype(int)))
        yield Inputs(tuple(array[:1] for array in arrays), {"mask": blocked[:1] + 0.0})
    yield Inputs((60 * arrays[0], 60 * arrays[1], arrays[2]))


def inputs_for(exercise: str) -> Iterator[Inputs]:
    yield from ordinary_inputs(exercise)
    if exercise == "softmax":
        yield from softmax_inputs()
    elif exercise == "scaled_dot_product_attention":
        yield from batched_inputs()
    elif exercise.startswith("self_attention"):
        yield from attention_inputs(exercise)


@pytest.mark.parametrize(("exercise", "answer"), RIGHT_ANSWERS, ids=label)
def test_right_answer_equals_the_reference(exercise: str, answer: RightAnswer) -> None:
    for inputs in inputs_for(exercise):
        given = inputs.fresh()
        got = outcome(answer.answer, given)
        assert disagreement(exercise, got, inputs) is None, inputs
        for kept, now in zip(inputs.args, given.args, strict=True):
            np.testing.assert_array_equal(now, kept)


def test_there_are_at_least_45_right_styles() -> None:
    assert len(RIGHT_ANSWERS) >= 45
    assert all(module.RIGHT_ANSWERS for module in MODULES.values())


def test_only_styles_that_need_scipy_are_named_so() -> None:
    for _, answer in RIGHT_ANSWERS:
        code = getattr(answer.answer, "__code__", None)
        assert answer.name.startswith("scipy_") == (code is not None and "scipy" in code.co_names)
