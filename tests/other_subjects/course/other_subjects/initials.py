"""Exercise `initials`: a text goes in, a text comes out."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.comparison import agree_data
from autograder.exercise import Call, Case, Domain, Exercise, Property
from autograder.laws import arrays
from autograder.strategies.drawing import domain
from other_subjects.answers import initials as answers
from other_subjects.reference import initials

NAMES = ("ada", "King", "lovelace", "Émilie", "du", "châtelet", "ørsted", "Noether")


def names() -> Domain:
    """Two names of up to four words."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        words = [str(word) for word in rng.choice(NAMES, size=6)]
        cut = 1 + sizes[0] % 4
        return Case(first=" ".join(words[:cut]), last="  ".join(words[cut:]))

    return domain(ordinary, lambda small: Case(first="ada", last=small.choice(("b", "B c"))))


def joins(weight: int) -> Property:
    """Two names in a row have the initials of both in a row."""

    def verdict(case: Case, first: Any, last: Any, both: Any) -> Any:
        return agree_data(both, f"{first}{last}", name="initials(first + ' ' + last)")

    return Property(
        name="joins",
        law="initials(a + ' ' + b) = initials(a) + initials(b)",
        inputs=names(),
        calls=lambda case: (Call(case.first), Call(case.last), Call(f"{case.first} {case.last}")),
        verdict=verdict,
        weight=weight,
        hint="Every word of the name counts.",
        kind="metamorphic",
    )


EXERCISE = Exercise(
    name="initials",
    signature="(name)",
    convention="Each initial is a capital with a full stop, without blanks.",
    reference=initials,
    gate="matches_reference",
    properties=(
        arrays.matches_reference(
            initials,
            lambda case: Call(case.last),
            agree_data,
            law="initials('ada lovelace') = 'A.L.'",
            inputs=names(),
            weight=70,
            hint="word[0].upper() and a full stop, for every word.",
        ),
        joins(weight=30),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
)
