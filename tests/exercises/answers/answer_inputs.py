"""What the tests of the known answers share: the answers, inputs for them, and one way to call."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import reference
from autograder.comparison import EXACT, HUGE_SCORES, T, Tolerance, agree, agree_pairs
from autograder.exercise import Disagreement, Mistake, RightAnswer
from autograder.exercises.answers import (
    attention_cost,
    attention_heatmap,
    causal_mask,
    chunked_attention,
    create_causal_mask,
    cross_attention,
    linear_attention,
    local_attention,
    scaled_dot_product_attention,
    self_attention,
    self_attention_loop,
    sinusoidal_positions,
    soft_lookup,
    softmax,
    softmax_jacobian_norm,
)

DRAWS = 20
DEFAULTS = {"axis": -1, "mask": None, "scale": True}

MODULES: dict[str, ModuleType] = {
    "softmax": softmax,
    "self_attention_loop": self_attention_loop,
    "self_attention": self_attention,
    "causal_mask": causal_mask,
    "soft_lookup": soft_lookup,
    "softmax_jacobian_norm": softmax_jacobian_norm,
    "sinusoidal_positions": sinusoidal_positions,
    "attention_cost": attention_cost,
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "create_causal_mask": create_causal_mask,
    "chunked_attention": chunked_attention,
    "cross_attention": cross_attention,
    "local_attention": local_attention,
    "linear_attention": linear_attention,
}
PICTURES: dict[str, ModuleType] = {"attention_heatmap": attention_heatmap}
"""Their answers are compared by the laws alone: right ones differ in what they show."""
GIVE_PAIRS = (
    "self_attention",
    "self_attention_loop",
    "soft_lookup",
    "scaled_dot_product_attention",
    "cross_attention",
)

MISTAKES: list[tuple[str, Mistake]] = [
    (exercise, mistake) for exercise, module in MODULES.items() for mistake in module.MISTAKES
]
RIGHT_ANSWERS: list[tuple[str, RightAnswer]] = [
    (exercise, answer) for exercise, module in MODULES.items() for answer in module.RIGHT_ANSWERS
]
DRAWN: list[tuple[str, Mistake | RightAnswer]] = [
    (exercise, answer)
    for exercise, module in PICTURES.items()
    for answer in (*module.MISTAKES, *module.RIGHT_ANSWERS)
]
KNOWN: list[tuple[str, Mistake | RightAnswer]] = [*MISTAKES, *RIGHT_ANSWERS, *DRAWN]


@dataclass(frozen=True)
class Inputs:
    """The arguments of one call; `fresh` copies them, so that no call sees another's changes."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def fresh(self) -> Inputs:
        kwargs = {name: _copied(value) for name, value in self.kwargs.items()}
        return Inputs(tuple(map(_copied, self.args)), kwargs)


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray | list) else value


def label(value: Any) -> str | None:
    """A readable test id."""
    return value.name if isinstance(value, Mistake | RightAnswer) else None


def outcome(function: Callable[..., Any], inputs: Inputs) -> Any:
    """What a call returns, or the exception it raises; warnings are never judged.

    An argument at its default is left out where the function does not take it.
    """
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    taken = {p.name for p in parameters}
    kwargs = {
        name: value
        for name, value in inputs.kwargs.items()
        if takes_any or name in taken or value is not DEFAULTS[name]
    }
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*inputs.args, **kwargs)
        except Exception as error:
            return error


def disagreement(exercise: str, got: Any, inputs: Inputs) -> Disagreement | Exception | None:
    """How an outcome differs from the reference's answer, or None."""
    if isinstance(got, Exception):
        return got
    expected = outcome(getattr(reference, exercise), inputs.fresh())
    return same(exercise, got, expected, HUGE_SCORES if _is_huge(inputs.args[0]) else T)


def _is_huge(z: Any) -> bool:
    """Whether these are scores whose exponentials overflow."""
    return isinstance(z, np.ndarray) and bool((np.abs(z[np.isfinite(z)]) > 700).any())


def same(exercise: str, got: Any, expected: Any, tolerance: Tolerance = T) -> Disagreement | None:
    """None if two answers to an exercise agree at the documented tolerance."""
    if exercise == "attention_cost":
        return agree(got, expected, tolerance=EXACT)
    compare = agree_pairs if exercise in GIVE_PAIRS else agree
    return compare(got, expected, tolerance=tolerance)


def ordinary_inputs(exercise: str) -> Iterator[Inputs]:
    """Twenty calls with small random arguments, all sizes distinct, no mask, last axis."""
    for draw in range(DRAWS):
        rng = np.random.default_rng([4, draw])
        if exercise.endswith("causal_mask"):
            yield Inputs((draw % 8 + 1,))
        elif exercise == "softmax":
            yield Inputs((scores(rng, 2 + draw % 2),), {"axis": -1})
        elif exercise in OTHERS:
            yield Inputs(OTHERS[exercise](rng))
        elif exercise == "scaled_dot_product_attention":
            yield Inputs(batch(rng))
        elif exercise == "chunked_attention":
            # with the default chunk size in every fifth draw
            yield Inputs((*queries_keys_values(rng), *([draw % 5] * (draw % 5 > 0))))
        elif exercise == "linear_attention":
            yield Inputs(queries_keys_values(rng))
        elif exercise == "local_attention":
            yield Inputs((*queries_keys_values(rng, n_q=7, n_k=7), draw % 8))
        elif exercise == "cross_attention":
            X, *matrices = projections(rng)
            yield Inputs((X, rng.standard_normal((7, X.shape[1])), *matrices))
        else:
            yield Inputs(projections(rng))


def dictionary(rng: np.random.Generator) -> tuple[Any, ...]:
    """A query (d,), keys (n, d) and values (n,)."""
    n, d = rng.permutation([2, 3, 4, 5, 6])[:2]
    return rng.standard_normal(d), rng.standard_normal((n, d)), rng.standard_normal(n)


def weights(rng: np.random.Generator) -> tuple[Any, ...]:
    """Random weights p, 3 to 9 of them."""
    return (reference.softmax(2 * rng.standard_normal(rng.integers(3, 10))),)


def sizes(rng: np.random.Generator) -> tuple[Any, ...]:
    """A number of positions from 9 on, and a smaller even width."""
    return int(rng.integers(9, 40)), 2 * int(rng.integers(1, 5))


def layer(rng: np.random.Generator) -> tuple[Any, ...]:
    """A number of tokens and a larger width."""
    return int(rng.integers(2, 20)), int(rng.integers(20, 50))


def picture(rng: np.random.Generator) -> tuple[Any, ...]:
    """Causal weights for four tokens, and the tokens."""
    rows = np.tril(rng.random((4, 4)))
    return rows / rows.sum(axis=1, keepdims=True), ["the", "cat", "sat", "down"]


OTHERS: dict[str, Callable[[np.random.Generator], tuple[Any, ...]]] = {
    "soft_lookup": dictionary,
    "softmax_jacobian_norm": weights,
    "sinusoidal_positions": sizes,
    "attention_cost": layer,
    "attention_heatmap": picture,
}


def scores(rng: np.random.Generator, rank: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Random scores with distinct sizes out of 2..6."""
    return 3 * rng.standard_normal(rng.permutation([2, 3, 4, 5, 6])[:rank])


def queries_keys_values(
    rng: np.random.Generator, n_q: int = 0, n_k: int = 0
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], ...]:
    """Q (n_q, d_k), K (n_k, d_k), V (n_k, d_v), sizes that are not given distinct out of 2..6."""
    some_q, some_k, d_k, d_v = rng.permutation([2, 3, 4, 5, 6])[:4]
    n_q, n_k = n_q or some_q, n_k or some_k
    return tuple(rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


def projections(rng: np.random.Generator) -> tuple[np.ndarray[Any, np.dtype[np.float64]], ...]:
    """X (n, d), W_Q and W_K (d, d_k), W_V (d, d_v) with distinct sizes out of 2..6."""
    n, d, d_k, d_v = rng.permutation([2, 3, 4, 5, 6])[:4]
    shapes = ((n, d), (d, d_k), (d, d_k), (d, d_v))
    return tuple(rng.standard_normal(shape) for shape in shapes)


def batch(rng: np.random.Generator) -> tuple[np.ndarray[Any, np.dtype[np.float64]], ...]:
    """Query (B, n_q, d_k), key (B, n_k, d_k), value (B, n_k, d_v), distinct sizes out of 2..6."""
    B, n_q, n_k, d_k, d_v = rng.permutation([2, 3, 4, 5, 6])
    shapes = ((B, n_q, d_k), (B, n_k, d_k), (B, n_k, d_v))
    return tuple(rng.standard_normal(shape) for shape in shapes)
