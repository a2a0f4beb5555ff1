"""Two known mistakes of `MultiHeadAttention` in one class.

Most mistakes are the right class with a method or two changed, so two that change different methods
make one class that inherits from both. Only likely ones are combined.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations as pairs_of
from types import FunctionType
from typing import Any

from autograder.exercise import Mistake
from autograder.exercises.answers.multi_head_attention import MISTAKES, masking
from autograder.exercises.answers.multi_head_attention.parts import OwnWeights
from autograder.exercises.answers.slips import Slip, as_mistake, left

LIKELY = (
    "split_without_transpose",
    "combine_without_transpose",
    "heads_interleaved",
    "heads_in_reverse_order",
    "output_projection_forgotten",
    "output_matrix_transposed",
    "values_not_projected",
    "keys_use_the_query_matrix",
    "everything_from_the_query",
    "values_from_the_key",
    "scales_by_model_width",
    "unscaled",
    "divides_by_head_width",
    "scales_by_number_of_heads",
    "softmax_over_queries",
    "mask_not_passed_on",
    "no_mask_argument",
    "blocked_and_visible_swapped",
    "mask_per_sequence_without_head_axis",
    "every_mask_gets_head_axis",
    "mask_after_softmax",
    "mask_subtracts_one",
    "mask_transposed",
)


def combinations() -> tuple[Mistake, ...]:
    """Every pair of likely mistakes that can be made in one class and leaves something."""
    return tuple(
        as_mistake((Slip(one.name), Slip(other.name)), (one, other), answer)
        for one, other, answer in pairs()
        if left((one, other)) > 0
    )


def pairs() -> Iterator[tuple[Mistake, Mistake, type]]:
    """Two mistakes and the class with both; two about the mask would only hide each other."""
    likely = [mistake for mistake in MISTAKES if mistake.name in LIKELY]
    for one, other in pairs_of(likely, 2):
        if one in masking.MISTAKES and other in masking.MISTAKES:
            continue
        classes: Any = one.answer, other.answer
        for order in (classes, classes[::-1]):
            if _fit(*order):
                yield one, other, type("MultiHeadAttention", order, {})
                break


def _fit(first: type, second: type) -> bool:
    """Whether a class that inherits from both, in this order, makes both mistakes."""
    own, others = _methods(first), _methods(second)
    if own.keys() & others or (issubclass(first, OwnWeights) and "attend" in others):
        return False
    # an `attend` of its own hands nothing on to the methods of `OwnWeights`
    alone = "attend" in own and "super" not in own["attend"].__code__.co_names
    return not (alone and issubclass(second, OwnWeights))


def _methods(cls: type) -> dict[str, FunctionType]:
    return {name: value for name, value in vars(cls).items() if isinstance(value, FunctionType)}
