"""Known mistakes made together: what two cost is at most what each costs alone.

Each known mistake is a slip in stages of an answer, and slips combine. The answers are checked,
diagnosed and scored by the very code that grades a student. Each slip is paired with many others in
the extra run (with all of them where PAIRS_PER_SLIP says so);
the ordinary one tries those that once lost too much, and a sample.
"""

from __future__ import annotations

import os
import random
from fractions import Fraction
from functools import cache
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.exercises import catalogue
from autograder.exercises.answers.slips import (
    Slip,
    Slips,
    attention_heatmap,
    causal_mask,
    create_causal_mask,
    cross_attention,
    linear_attention,
    local_attention,
    scaled_dot_product_attention,
    self_attention,
    self_attention_loop,
    sinusoidal_positions,
    softmax,
)
from autograder.grading import corpus
from autograder.grading.checker import Checker, same_reply
from autograder.grading.diagnosis import Diagnoser
from autograder.grading.known import under_name
from autograder.grading.submission import score_exercises
from autograder.results import Status
from autograder.settings import Settings
from autograder.worker.plain import PlainRunner

CATALOGUE = catalogue()
EXERCISES = {exercise.name: exercise for exercise in CATALOGUE.exercises}
POINTS = {
    name: points
    for assignment in CATALOGUE.assignments
    for name, points in assignment.exercises.items()
}
SLIPS = {
    "softmax": softmax.SLIPS,
    "self_attention_loop": self_attention_loop.SLIPS,
    "self_attention": self_attention.SLIPS,
    "causal_mask": causal_mask.SLIPS,
    "sinusoidal_positions": sinusoidal_positions.SLIPS,
    "attention_heatmap": attention_heatmap.SLIPS,
    "scaled_dot_product_attention": scaled_dot_product_attention.SLIPS,
    "create_causal_mask": create_causal_mask.SLIPS,
    "cross_attention": cross_attention.SLIPS,
    "local_attention": local_attention.SLIPS,
    "linear_attention": linear_attention.SLIPS,
}
"""Of the exercises in which two slips in one answer are likely."""
NAMES = [
    pytest.param(name, marks=[pytest.mark.extra] if name == "attention_heatmap" else [])
    for name in SLIPS  # drawing takes its time
]
ONE = Fraction(1)
STEP = Settings().rounding_step
SMALL = Fraction(1, 10)

# Pairs of each kind that lost more than the sum of their parts before pairs were recognised.
ONCE_UNFAIR = [
    # both change what the gate sees, and together they are no single mistake
    "softmax: axis_one_written_in+rounds_to_four_places",
    "self_attention_loop: loop_not_scaled+accumulator_not_reset",
    "self_attention: unscaled+results_swapped",
    "self_attention: attention_denominator_constant+weights_rounded",
    "causal_mask: leading_axis_added+additive_scores",
    "causal_mask: additive_scores+leading_axis_added",
    # the second is harmless on the gate's cases alone, but not on top of the first
    "softmax: half_precision_work+no_max_shift",
    "softmax: one_maximum_for_the_array+large_constant_in_denominator",
    "self_attention: attention_without_shift+divides_by_number_of_tokens",
    # the first is known by the laws that it fails, and with the second it fails more
    "self_attention: no_scale_argument+random_dropout",
    # together they fail laws that neither fails alone
    "self_attention: own_position_blocked+raises_on_blocked_row",
    "self_attention: mask_transposed+raises_on_blocked_row",
    "self_attention: always_causal+mask_after_softmax",
    "self_attention: maximum_before_mask+attention_denominator_constant",
]


STILL_SHORT = {
    # together they break every law, which tells them from nothing at all no more
    "self_attention: no_scale_argument+uses_a_notebook_global: "
    "0.92, 0.20 alone; 0.12 due, 0.00 paid",
    "self_attention: uses_a_notebook_global+scale_flag_ignored: "
    "0.20, 0.92 alone; 0.12 due, 0.00 paid",
    # triples of the sample: they are not recognised, and the pairs in them only as far as the third
    # slip leaves their answers alone
    "self_attention: adds_minus_1e9+scale_flag_ignored+own_position_blocked: "
    "0.96, 0.92, 0.65 alone; 0.53 due, 0.52 paid",
    "self_attention: attention_denominator_constant+attention_without_shift"
    "+scales_by_embedding_width: 0.60, 0.92, 0.60 alone; 0.12 due, 0.00 paid",
}


@cache
def a_corpus(seed=1):
    return corpus.draw(tuple(EXERCISES[name] for name in SLIPS), seed, cases=12)


@cache
def a_diagnoser(seed):
    return Diagnoser(a_corpus(seed))


def grade(name, answer, seed=1):
    """How an answer fares: its outcome, what it is recognised as, its fraction of the points."""
    exercise, diagnoser = EXERCISES[name], a_diagnoser(seed)
    runner = PlainRunner({name: under_name(answer, name)})
    outcome = Checker(a_corpus(seed), runner).check(exercise)
    recognised = diagnoser.recognise(outcome)
    scores = score_exercises({name: outcome}, {name: recognised}, {name: ONE}, diagnoser)
    return SimpleNamespace(outcome=outcome, recognised=recognised, paid=scores[name].points)


@cache
def graded_alone(name, mistake, seed=1):
    found = next(m for m in EXERCISES[name].mistakes if m.name == mistake)
    return grade(name, found.answer, seed)


def replies(name, answer, law, cases=2):
    """What an answer gives on the first cases of a law."""
    steps = [law.calls(case) for case in a_corpus().of(EXERCISES[name], law).cases[:cases]]
    runner = PlainRunner({name: under_name(answer, name)})
    return list(runner.run(name, steps, defaults=EXERCISES[name].defaults))


def passes_gate(name, slip):
    """Whether an answer with one slip passes the gate."""
    exercise = EXERCISES[name]
    runner = PlainRunner({name: under_name(SLIPS[name].answer([slip]), name)})
    law = exercise.property_named(exercise.gate)
    return Checker(a_corpus(), runner).check_law(exercise, law).status is Status.PASSED


def named(slips):
    return "+".join(slip.name for slip in slips)


def rounded(name, fraction):
    """The points of an exercise, rounded up as a student's are."""
    points = fraction * POINTS[name]
    return -(-points // STEP) * STEP


def unfair(name, slips, seed=1):
    """What is wrong with the score of slips made together; None if it is fair."""
    alone = [graded_alone(name, slip.name, seed).paid for slip in slips]
    paid = grade(name, SLIPS[name].answer(slips), seed).paid
    due = 1 - sum(1 - one for one in alone)
    rounded_due = POINTS[name] - sum(POINTS[name] - rounded(name, one) for one in alone)
    # a small slip on top of mistakes that leave something together leaves something too
    before_small = [1 - sum(1 - one for one in alone if one != small) for small in alone]
    takes_all = any(
        before > 0 and 1 - small <= SMALL for small, before in zip(alone, before_small, strict=True)
    )
    if paid < due or rounded(name, paid) < rounded_due or (takes_all and not paid):
        shares = ", ".join(f"{float(one):.2f}" for one in alone)
        return (
            f"{name}: {named(slips)}: {shares} alone; {float(due):.2f} due, {float(paid):.2f} paid"
        )
    return None


PAIRS_PER_SLIP = int(os.environ.get("PAIRS_PER_SLIP", "8"))
"""With how many others a slip is paired; PAIRS_PER_SLIP=1000 tries every pair (half an hour)."""


def sample(name, number, count):
    """Some sets of so many slips, the same in every run."""
    rng = random.Random(f"{name} {number}")  # noqa: S311
    every = SLIPS[name].slips
    found = []
    while len(found) < count:
        chosen = rng.sample(every, number)
        if all(a.combines_with(b) for a in chosen for b in chosen if a is not b):
            found.append(tuple(chosen))
    return found


# -- slips -----------------------------------------------------------------------------------------


def test_slips_combine_unless_they_replace_one_stage():
    a, b = Slip("a", replaces={"x": abs}), Slip("b", replaces={"x": abs})
    c, d = Slip("c", wraps={"x": abs}), Slip("d", wraps={"x": abs})
    slips = Slips(signatures={}, stages={}, slips=(a, b, c, d), others={})
    assert list(map(named, slips.made_together(2))) == ["a+c", "a+d", "b+c", "b+d", "c+d", "d+c"]


def test_a_later_slip_changes_what_earlier_ones_give():
    slips = Slips(
        signatures={"x": lambda run: lambda x: run(x=x)},
        stages={"parameters": lambda c: "x", "twice": lambda c: 2 * c.x},
        slips=(
            adds := Slip("adds", wraps={"twice": lambda value, c: value + 1}),
            squares := Slip("squares", wraps={"twice": lambda value, c: value**2}),
            thrice := Slip("thrice", replaces={"twice": lambda c: 3 * c.x}),
        ),
        others={},
    )
    answers = [slips.answer(made)(2) for made in ((), (adds, squares), (squares, adds), (thrice,))]
    assert answers == [4, 25, 17, 6]
    assert slips.answer([adds, thrice])(2) == 7


@pytest.mark.parametrize("name", NAMES)
def test_every_known_mistake_is_a_slip_or_says_why_not(name):
    slips = [slip.name for slip in SLIPS[name].slips]
    others = SLIPS[name].others
    assert len(set(slips)) == len(slips)
    assert not set(slips) & set(others)
    assert {*slips, *others} == {mistake.name for mistake in EXERCISES[name].mistakes}
    assert all(others.values())


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_in_stages_is_right(name):
    assert grade(name, SLIPS[name].answer()).paid == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_slip_alone_answers_like_the_known_mistake(name):
    exercise, known = EXERCISES[name], {m.name: m.answer for m in EXERCISES[name].mistakes}
    different = {
        f"{slip.name} on {law.name}"
        for slip in SLIPS[name].slips
        for law in exercise.properties
        if slip.repeats and law.scored
        if not all(
            map(
                same_reply,
                replies(name, SLIPS[name].answer([slip]), law),
                replies(name, known[slip.name], law),
            )
        )
    }
    assert different == set()


VARIANTS = [
    (name, known, variant)
    for name, slips in SLIPS.items()
    for known, variants in slips.variants.items()
    for variant in variants
]


@pytest.mark.extra
@pytest.mark.parametrize(
    ("name", "known", "variant"), VARIANTS, ids=lambda value: getattr(value, "name", value)
)
def test_a_known_mistake_with_another_number_in_it_is_paid_alike(name, known, variant):
    share = next(m.share for m in EXERCISES[name].mistakes if m.name == known)
    graded = grade(name, SLIPS[name].answer([variant]))
    assert graded.recognised.mistakes[0].name == variant.name
    assert graded.paid == share


@pytest.mark.parametrize("name", NAMES)
def test_what_is_harmless_is_right_alone(name):
    changes = [change for group in SLIPS[name].harmless.values() for change in group]
    assert [change.name for change in changes if not passes_gate(name, change)] == []


@pytest.mark.parametrize("constant", [1e-8, 1e-12])
def test_a_tiny_constant_without_a_shift_costs_nothing_whatever_the_seed(constant):
    def softmax(z, axis=-1):
        e = np.exp(z)
        return e / (e.sum(axis=axis, keepdims=True) + constant)

    assert {grade("softmax", softmax, seed).paid for seed in (1, 2)} == {Fraction("0.7")}


RANDOM = [(n, slip) for n, slips in SLIPS.items() for slip in slips.slips if not slip.repeats]


@pytest.mark.parametrize(("name", "slip"), RANDOM, ids=lambda value: getattr(value, "name", value))
def test_a_slip_that_does_not_repeat_is_recognised_as_the_known_mistake(name, slip):
    found = grade(name, SLIPS[name].answer([slip])).recognised
    assert found.complete
    assert [mistake.name for mistake in found.mistakes] == [slip.name]


# -- what they cost --------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", ONCE_UNFAIR)
def test_a_pair_costs_at_most_the_sum_of_its_parts(pair):
    name, _, text = pair.partition(": ")
    by_name = {slip.name: slip for slip in SLIPS[name].slips}
    assert unfair(name, [by_name[part] for part in text.split("+")]) is None


@pytest.mark.extra
@pytest.mark.parametrize(
    ("name", "first"),
    [(name, slip) for name, slips in SLIPS.items() for slip in slips.slips],
    ids=lambda value: getattr(value, "name", value),
)
def test_no_pair_costs_more_than_the_sum_of_its_parts(name, first):
    pairs = [slips for slips in SLIPS[name].made_together(2) if slips[0] is first]
    if len(pairs) > PAIRS_PER_SLIP:
        pairs = random.Random(f"{name} {first.name}").sample(pairs, PAIRS_PER_SLIP)  # noqa: S311
    assert {wrong for pair in pairs if (wrong := unfair(name, pair))} <= STILL_SHORT


@pytest.mark.extra
@pytest.mark.parametrize("name", [name for name in SLIPS if name != "attention_heatmap"])
def test_of_sampled_triples_few_cost_more_than_their_parts(name):
    # three at once are not recognised, so a triple whose parts all change the gate may be short;
    # of a picture, where each slip changes what the gate sees, half of them are
    tried = sample(name, 3, 100)
    short = {wrong for slips in tried if (wrong := unfair(name, slips))}
    assert len(short) <= 0.03 * len(tried) + 1, short


# -- what they are called --------------------------------------------------------------------------


def test_a_pair_is_named_after_both_with_both_hints():
    by_name = {slip.name: slip for slip in SLIPS["self_attention"].slips}
    answer = SLIPS["self_attention"].answer([by_name["unscaled"], by_name["results_swapped"]])
    diagnosis = grade("self_attention", answer).recognised.diagnosis()
    assert diagnosis.mistake == "unscaled+results_swapped"
    assert diagnosis.share == 0.3
    assert diagnosis.message == (
        "The scores grow with d_k: divide by its square root. "
        "Return the output first, then the weights."
    )


def test_two_mistakes_that_leave_the_gate_alone_are_named_too():
    by_name = {slip.name: slip for slip in SLIPS["softmax"].slips}
    slips = [by_name["no_axis_argument"], by_name["nan_slice_becomes_zeros"]]
    graded = grade("softmax", SLIPS["softmax"].answer(slips))
    assert [m.name for m in graded.recognised.mistakes] == [named(slips)]
    assert graded.paid == Fraction("0.87")


@pytest.mark.parametrize("name", NAMES)
def test_combinations_are_named_once_and_leave_something(name):
    combined = EXERCISES[name].combinations()
    assert len({mistake.name for mistake in combined}) == len(combined) > 0
    assert all(mistake.share > 0 for mistake in combined)
    known = {mistake.name for mistake in EXERCISES[name].mistakes if mistake.share}
    variants = {v.name for variants in SLIPS[name].variants.values() for v in variants}
    harmless = {h.name for changes in SLIPS[name].harmless.values() for h in changes}
    parts = {part for mistake in combined for part in mistake.name.split("+")}
    assert parts <= known | variants | harmless
    assert len(combined) <= 2000


@pytest.mark.parametrize("name", NAMES)
def test_no_combination_answers_like_what_is_worth_nothing(name):
    exercise = EXERCISES[name]
    gate = exercise.property_named(exercise.gate)
    worthless = [replies(name, m.answer, gate) for m in exercise.mistakes if m.share == 0]
    known = a_diagnoser(1).known
    alike = [
        mistake.name
        for mistake in exercise.combinations()
        if mistake.recognised_by == "outputs"
        and any(
            all(map(same_reply, nothing, islice(known.replies(exercise, mistake, gate), 2)))
            for nothing in worthless
        )
    ]
    assert alike == []


# -- what computes nothing -------------------------------------------------------------------------

NUMBERS = np.random.default_rng(5)


def not_written(*args, **kwargs):
    raise NotImplementedError


def another_call_is_wrong(*args, **kwargs):
    return undefined_name(*args)  # noqa: F821 - a student's slip


def random_numbers(X, *rest, **kwargs):
    n = X if isinstance(X, int) else len(X)
    if not rest or np.ndim(rest[0]) == 0:
        return NUMBERS.random(np.shape(X) or (n, n))
    return NUMBERS.random((n, rest[2].shape[1])), NUMBERS.random((n, n))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "function",
    [
        not_written,
        another_call_is_wrong,
        lambda *args, **kwargs: None,
        lambda *args, **kwargs: "weights",
        lambda *args, **kwargs: 0.0,
        lambda *args, **kwargs: (0.5, 0.5),
        lambda *args, **kwargs: args,
        random_numbers,
    ],
    ids=["stub", "name", "none", "text", "zero", "pair", "copy", "random"],
)
def test_what_computes_nothing_is_no_mistake_and_earns_nothing(name, function):
    graded = grade(name, function)
    assert graded.recognised is None or graded.recognised.mistakes[0].share == 0
    assert graded.paid == 0


# -- shares ----------------------------------------------------------------------------------------


@pytest.mark.extra  # an audit finds it too
@pytest.mark.parametrize("name", NAMES)
def test_every_known_mistake_is_paid_exactly_its_share(name):
    paid = {m.name: graded_alone(name, m.name).paid for m in EXERCISES[name].mistakes}
    assert paid == {mistake.name: mistake.share for mistake in EXERCISES[name].mistakes}


def test_known_mistakes_that_are_one_function_have_one_share():
    shares = {m.name: m.share for m in EXERCISES["self_attention"].mistakes}
    assert shares["queries_against_queries"] == shares["keys_use_query_matrix"]
