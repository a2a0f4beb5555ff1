"""Known answers to the exercise `word_counts`, wrong ones and right ones."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


@mistake(
    hint="Capitals count as small letters: lower() the text first.",
    share="0.6",
    caught_by=("matches_reference",),
)
def capitals_apart(text):
    return dict(Counter(text.split()))


@mistake(
    hint="split(' ') finds empty words between two blanks; split() does not.",
    share="0.5",
    caught_by=("matches_reference", "counts_sum_to_the_number_of_words"),
)
def empty_words(text):
    return dict(Counter(text.lower().split(" ")))


@mistake(
    hint="Count words, not letters.",
    share="0.1",
    caught_by=("matches_reference", "counts_sum_to_the_number_of_words"),
)
def letters(text):
    return dict(Counter(text.lower().replace(" ", "").replace("\n", "").replace("\t", "")))


@mistake(
    hint="Return a dict, not a list of pairs.",
    share="0.7",
    caught_by=("matches_reference",),
)
def list_of_pairs(text):
    return sorted(Counter(text.lower().split()).items())


@mistake(
    hint="Return a dict of counts; a set forgets how often.",
    share="0.1",
    caught_by=("matches_reference",),
)
def set_of_words(text):
    return set(text.lower().split())


@mistake(
    hint="A word counts wherever it stands, not only where it differs from the one before.",
    share="0.3",
    caught_by=("order_does_not_matter", "matches_reference"),
)
def repeats_left_out(text):
    words = text.lower().split()
    return dict(Counter(w for w, before in zip(words, [None, *words]) if w != before))


@right_answer
def counter(text):
    return Counter(text.lower().split())


@right_answer
def default_dict(text):
    counts = defaultdict(int)
    for word in text.split():
        counts[word.lower()] += 1
    return counts


@right_answer
def unique_words(text):
    return dict(zip(*np.unique(text.lower().split(), return_counts=True)))


@right_answer
def counted_in_a_list(text):
    words = text.lower().split()
    return {word: float(words.count(word)) for word in set(words)}


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
