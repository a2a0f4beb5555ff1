"""Exercise `word_counts`: a text goes in, a dict comes out."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.comparison import agree, agree_data, fail
from autograder.exercise import Call, Case, Disagreement, Domain, Exercise, Property
from autograder.laws import arrays
from autograder.strategies.drawing import Small, domain
from other_subjects.answers import word_counts as answers
from other_subjects.reference import word_counts

WORDS = ("rose", "is", "a", "Rose", "A", "it's", "Über", "42", "IS", "thorn")
SEPARATORS = (" ", "  ", "\n", "\t ")


def texts() -> Domain:
    """Texts of few different words, with any blanks between and around them."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        words = [str(word) for word in rng.choice(WORDS, size=4 * sizes[0])]
        between = [str(blank) for blank in rng.choice(SEPARATORS, size=len(words))]
        return Case(text="".join(word + blank for word, blank in zip(words, between, strict=True)))

    def few(small: Small) -> Case:
        return Case(text=small.choice(("a", "", "A", "a a", "a A", "a  b", "b a b")))

    return domain(ordinary, few)


def call(case: Case) -> Call:
    """The call that a case asks for."""
    return Call(case.text)


def counts_sum_to_the_number_of_words(weight: int) -> Property:
    """Every word is counted once."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        if not isinstance(answer, dict):
            return agree_data(answer, {})
        total = sum(np.asarray(list(answer.values()), dtype=float)) if answer else 0
        return agree(total, len(case.text.split()), name="the sum of the counts")

    def judged(case: Case, answer: Any) -> Disagreement | None:
        try:
            return verdict(case, answer)
        except (TypeError, ValueError):
            return fail("a count is no number.")

    return Property(
        name="counts_sum_to_the_number_of_words",
        law="sum of all counts = number of words",
        inputs=texts(),
        calls=lambda case: (call(case),),
        verdict=judged,
        weight=weight,
        hint="split() without an argument takes any number of blanks as one.",
        kind="metamorphic",
    )


def order_does_not_matter(weight: int) -> Property:
    """The words in another order have the same counts."""

    def in_order(case: Case) -> str:
        return " ".join(sorted(case.text.split()))

    return Property(
        name="order_does_not_matter",
        law="word_counts(words in any order) is the same",
        inputs=texts(),
        calls=lambda case: (call(case), Call(in_order(case))),
        verdict=lambda case, answer, reordered: agree_data(reordered, answer),
        weight=weight,
        hint="Neighbours don't matter; count each word on its own.",
        kind="metamorphic",
    )


EXERCISE = Exercise(
    name="word_counts",
    signature="(text)",
    convention="Any blanks separate words, and capitals count as small letters.",
    reference=word_counts,
    gate="matches_reference",
    properties=(
        arrays.matches_reference(
            word_counts,
            call,
            agree_data,
            law="word_counts(text)[w] is how often w stands in the text",
            inputs=texts(),
            weight=60,
            hint="A dict with a small-letter word as key and its count as value.",
        ),
        counts_sum_to_the_number_of_words(weight=20),
        order_does_not_matter(weight=20),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
)
