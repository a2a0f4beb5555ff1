"""Laws of the soft dictionary. Every call is `f(query, keys, values)`, all by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.comparison import (
    CLEAR_CHANGE,
    HUGE_SCORES,
    T,
    Tolerance,
    agree,
    agree_averages,
    fail,
    number,
    pair,
    within,
)
from autograder.exercise import Call, Case, Disagreement, Domain, Property
from autograder.laws import arrays
from autograder.laws.arrays import Calls, FloatArray, Reference, answers, real
from autograder.laws.attention import Results
from autograder.strategies import lookups


def _look_up(case: Case, **replaced: Any) -> Call:
    return Call(*(replaced.get(name, case[name]) for name in ("query", "keys", "values")))


def _once(case: Case) -> Sequence[Call]:
    return (_look_up(case),)


def _found(case: Case, answer: Any, *, of: str = "") -> Results:
    """The two results as float64; raises `Disagrees` where they are not of the right shapes."""
    output, weights = pair(answer)
    wanted = case["values"].shape
    return Results(
        real(output, wanted[1:], name=f"{of}output"), real(weights, wanted[:1], name=f"{of}weights")
    )


def _agree(
    got: Any, right: Any, values: FloatArray, *, of: str = "", tolerance: Tolerance = T
) -> Disagreement | None:
    """None if output and weights agree with the right pair; the output averages `values`."""
    output, weights = pair(got)
    right_output, right_weights = right
    return agree(
        weights, right_weights, name=f"{of}weights", tolerance=tolerance
    ) or agree_averages(
        output, right_output, name=f"{of}output", tolerance=tolerance, averaged=values
    )


def _equals_reference(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    weight: int,
    hint: str,
    calls: Calls = _once,
    tolerance: Tolerance = T,
) -> Property:
    def compare(call: Call, got: Any, right: Any) -> Disagreement | None:
        return _agree(got, right, call.args[2], tolerance=tolerance)

    return arrays.equals_reference(
        reference,
        compare,
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        weight=weight,
        hint=hint,
    )


def _one_run(
    *,
    name: str,
    law: str,
    judge: Callable[[Case, Results], Disagreement | None],
    weight: int,
    hint: str,
) -> Property:
    """A law about the two results of one call."""
    return Property(
        name=name,
        law=law,
        inputs=lookups.lookups(),
        calls=_once,
        verdict=lambda case, answer: judge(case, _found(case, answer)),
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


# -- laws ------------------------------------------------------------------------------------------


def lookup_matches_reference(reference: Reference, *, weight: int) -> Property:
    """Both results are what the formula says, also on the lecture's own dictionary."""

    def calls(case: Case) -> Sequence[Call]:
        if "lecture_query" not in case:
            return _once(case)
        lecture = (case[f"lecture_{name}"] for name in ("query", "keys", "values"))
        return _look_up(case), Call(*lecture)

    return _equals_reference(
        reference,
        name="matches_reference",
        law="weights = softmax(keys query), output = sum_i weights_i values_i",
        inputs=lookups.lookups_and_the_lecture(),
        calls=calls,
        weight=weight,
        hint="Score every key with the query, take softmax over the keys, average the values.",
    )


def lookup_rows_sum_to_one(*, weight: int) -> Property:
    """The weights are a distribution over the entries."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        return within(found.weights, 0.0, np.inf, name="weights") or agree(
            found.weights.sum(), 1.0, name="weights.sum()"
        )

    return _one_run(
        name="rows_sum_to_one",
        law="weights_i >= 0 and sum_i weights_i = 1, one weight for each entry",
        judge=judge,
        weight=weight,
        hint="Divide the exponentials by their sum over all entries.",
    )


def lookup_output_is_weights_times_values(*, weight: int) -> Property:
    """The output is the average that the returned weights tell."""

    def judge(case: Case, found: Results) -> Disagreement | None:
        with np.errstate(all="ignore"):
            average = found.weights @ case["values"]
        return agree_averages(found.output, average, name="output", averaged=case["values"])

    return _one_run(
        name="output_is_weights_times_values",
        law="output = sum_i weights_i values_i for the weights that you return",
        judge=judge,
        weight=weight,
        hint="Average the values with the very weights that you return.",
    )


def entry_order_does_not_matter(*, weight: int) -> Property:
    """A dictionary has no order: permuted entries have permuted weights and the same output."""

    def permuted(case: Case) -> Call:
        return _look_up(case, keys=case["keys"][case.order], values=case["values"][case.order])

    def verdict(case: Case, answer: Any, again: Any) -> Disagreement | None:
        found = _found(case, answer)
        return _agree(
            again,
            (found.output, found.weights[case.order]),
            case["values"],
            of="for keys[order] and values[order], ",
        )

    return Property(
        name="entry_order_does_not_matter",
        law="f(q, keys[order], values[order]) has the same output, and weights[order]",
        inputs=lookups.lookups_and_orders(),
        calls=lambda case: (_look_up(case), permuted(case)),
        verdict=verdict,
        weight=weight,
        hint="An entry counts by its key, not by its place.",
        kind="metamorphic",
    )


def longer_query_is_sharper(reference: Reference, *, weight: int) -> Property:
    """A query three times as long makes the largest weight larger, unless all scores are equal."""

    def calls(case: Case) -> Sequence[Call]:
        return _look_up(case), _look_up(case, query=3 * case.query)

    def rises(case: Case) -> bool:
        short, long = (weights.max() for _, weights in answers(reference, calls)(case))
        return bool(long - short > CLEAR_CHANGE)

    def verdict(case: Case, right_one_rises: Any, answer: Any, longer: Any) -> Disagreement | None:
        short = _found(case, answer).weights.max()
        long = _found(case, longer, of="for 3 * query, ").weights.max()
        needed = short + T.rtol if right_one_rises else short - T.rtol
        if long >= needed:
            return None
        return fail(
            f"the largest weight is {number(short)} for query and {number(long)} for 3 * query, "
            f"but should {'rise' if right_one_rises else 'not fall'}.",
            expected=f"at least {number(needed)}",
            got=number(long),
        )

    return Property(
        name="longer_query_is_sharper",
        law="max f(3 q) > max f(q), unless all scores are equal",
        inputs=lookups.gentle_lookups(),
        calls=calls,
        verdict=verdict,
        expected=rises,
        weight=weight,
        hint="The score is the plain dot product: the length of the query counts.",
        kind="metamorphic",
    )


def lookup_survives_huge_scores(reference: Reference, *, weight: int) -> Property:
    """Scores of order 1e4 of either sign give finite results."""
    return _equals_reference(
        reference,
        name="survives_huge_scores",
        law="output and weights stay finite and exact for scores about 1e4 and about -1e4",
        inputs=lookups.huge_lookups(),
        weight=weight,
        hint="exp overflows above about 709: subtract the largest score first.",
        tolerance=HUGE_SCORES,
    )


def lookup_inputs_unchanged(*, weight: int) -> Property:
    """Query, keys and values stay as they are."""
    return arrays.inputs_unchanged(
        _once,
        lambda got, other: _agree(got, pair(other), np.zeros(1)),
        inputs=lookups.lookups(),
        weight=weight,
    )


def matrix_of_values(reference: Reference) -> Property:
    """Shown only: values may be vectors, and the output is one then."""
    return _equals_reference(
        reference,
        name="matrix_of_values",
        law="values of shape (n, d_v) give an output of shape (d_v,)",
        inputs=lookups.lookups_of_vectors(),
        weight=0,
        hint="weights @ values works for numbers and for vectors alike.",
    )
