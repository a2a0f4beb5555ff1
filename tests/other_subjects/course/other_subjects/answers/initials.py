"""Known answers to the exercise `initials`, wrong ones and right ones."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


@mistake(hint="Initials are capitals.", share="0.6", caught_by=("matches_reference",))
def as_written(name):
    return "".join(word[0] + "." for word in name.split())


@mistake(hint="Put a full stop after each.", share="0.6", caught_by=("matches_reference",))
def without_stops(name):
    return "".join(word[0].upper() for word in name.split())


@mistake(
    hint="Leave the blanks out between them.", share="0.8", caught_by=("joins", "matches_reference")
)
def with_blanks(name):
    return " ".join(word[0].upper() + "." for word in name.split())


@mistake(hint="Join the parts to one text.", share="0.5", caught_by=("matches_reference",))
def a_list(name):
    return [word[0].upper() + "." for word in name.split()]


@mistake(hint="A name may have many words.", share="0.4", caught_by=("joins", "matches_reference"))
def first_and_last_word(name):
    words = name.split()
    return f"{words[0][0].upper()}.{words[-1][0].upper()}."


@right_answer
def title_letters(name):
    return ".".join(word[:1] for word in name.title().split()) + "."


@right_answer
def numpy_text(name):
    return np.str_("".join([f"{word[0].capitalize()}." for word in name.split()]))


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
