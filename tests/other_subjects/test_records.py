"""The records of a course on clusters, texts and dice, held against their own known answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autograder.exercise import Catalogue
from autograder.exercises.answers import source_for_cell
from autograder.grading import corpus, counterexample
from autograder.grading.checker import Checker
from autograder.grading.diagnosis import Diagnoser
from autograder.results import Status
from autograder.worker.plain import PlainRunner

COURSE = Path(__file__).parent / "course"


@pytest.fixture(scope="module")
def offered() -> Catalogue:
    sys.path.insert(0, str(COURSE))
    try:
        from other_subjects import catalogue

        return catalogue()
    finally:
        sys.path.remove(str(COURSE))


@pytest.fixture(scope="module")
def drawn(offered) -> corpus.Corpus:
    """The cases as they come out of a store: texts, numbers and dicts survive it."""
    made = corpus.draw(offered.exercises, 0, cases=4)
    stored = corpus.from_bytes(corpus.to_bytes(made))
    assert stored is not None
    return stored


def broken(exercise, answer, drawn):
    outcome = Checker(drawn, PlainRunner({exercise.name: answer})).check(exercise)
    return outcome, {law.law.name for law in outcome.laws if law.status is not Status.PASSED}


def test_every_right_answer_passes_and_every_mistake_breaks_the_laws_it_names(offered, drawn):
    for exercise in offered.exercises:
        for right in exercise.right_answers:
            assert broken(exercise, right.answer, drawn)[1] == set(), right.name
        for mistake in exercise.mistakes:
            outcome, laws = broken(exercise, mistake.answer, drawn)
            assert set(mistake.caught_by) <= laws, mistake.name
            recognised = Diagnoser(drawn).recognise(outcome)
            assert recognised is not None, mistake.name
            assert mistake in recognised.mistakes


def test_every_message_is_a_sentence_with_the_convention_and_a_call_to_paste(offered, drawn):
    for exercise in offered.exercises:
        for mistake in exercise.mistakes:
            outcome, _ = broken(exercise, mistake.answer, drawn)
            for law in outcome.laws:
                if law.status is not Status.PASSED:
                    assert counterexample.message(exercise, law).endswith(exercise.convention)
                    assert f"{exercise.name}(" in counterexample.counterexample(exercise, law)


def test_the_known_answers_are_cells_of_their_own(offered):
    for exercise in offered.exercises:
        for known in (*exercise.mistakes, *exercise.right_answers):
            source = source_for_cell(known.answer, exercise.name)
            assert "other_subjects" not in source
            compile(source, exercise.name, "exec")
