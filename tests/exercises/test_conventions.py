"""Every failure message of every exercise states that exercise's convention, and no other one.

Three conventions of masks meet in this course, and two contradict each other: a message that leaves
it open which one holds sends a student the wrong way.
"""

import inspect
import re
from functools import cache

import pytest

from autograder.exercises import catalogue
from autograder.grading import corpus
from autograder.grading.checker import Checker
from autograder.grading.counterexample import message
from autograder.results import Status
from autograder.worker.plain import PlainRunner

EXERCISES = {exercise.name: exercise for exercise in catalogue().exercises}

MASKED = {
    "softmax": "A score of -inf means weight 0; a slice with only -inf is nan.",
    "self_attention_loop": (
        "mask[i, j] = True means token i may attend to token j; a row without True is nan."
    ),
    "self_attention": (
        "mask[i, j] = True means token i may attend to token j; a row without True is nan."
    ),
    "causal_mask": "True means may attend: token i sees tokens 0..i.",
    "scaled_dot_product_attention": (
        "mask 1 means blocked, 0 means visible: the opposite of assignment `self_attention`."
    ),
    "create_causal_mask": "1 means blocked: token i sees tokens 0..i.",
    "MultiHeadAttention": "mask 1 means blocked, in every head.",
}
OPPOSITE = {  # what a text of an exercise must not say, whoever reads it
    "True = may attend": re.compile(r"\b(1|True) (means|is) blocked|where the mask is (1|True)\b"),
    "1 = blocked": re.compile(
        r"\b(1|True) (means|is) (may attend|visible)|where the mask is False"
    ),
}
CONVENTION_OF = {
    "self_attention_loop": "True = may attend",
    "self_attention": "True = may attend",
    "causal_mask": "True = may attend",
    "scaled_dot_product_attention": "1 = blocked",
    "create_causal_mask": "1 = blocked",
    "MultiHeadAttention": "1 = blocked",
}


@cache
def a_corpus():
    return corpus.draw(tuple(EXERCISES.values()), 0, cases=1)


def answering(exercise, give):
    """A function, or a class whose methods all do this, in the place of a student's."""
    if not inspect.isclass(exercise.reference):
        return lambda *args, **kwargs: give()

    class Answering:
        def __init__(self, *args, **kwargs):
            pass

        def __getattr__(self, name):
            return lambda *args, **kwargs: give()

    return Answering


def nothing():
    return None


def not_written():
    raise NotImplementedError("Replace this line by your own code.")


@pytest.mark.parametrize("give", [nothing, not_written])
@pytest.mark.parametrize("name", EXERCISES)
def test_every_failure_message_states_the_convention_of_its_exercise(name, give):
    exercise = EXERCISES[name]
    checker = Checker(a_corpus(), PlainRunner({name: answering(exercise, give)}))
    others = {other.convention for other in EXERCISES.values()} - {exercise.convention}
    broken = [o for law in exercise.properties if (o := checker.check_law(exercise, law)).failure]
    assert exercise.gate in {outcome.law.name for outcome in broken}
    for outcome in broken:
        assert outcome.status in (Status.FAILED, Status.EXCEPTION), outcome.law.name
        said = message(exercise, outcome)
        assert said.endswith(f" {exercise.convention}"), outcome.law.name
        assert [other for other in others if other in said] == []


@pytest.mark.parametrize("name", MASKED)
def test_the_convention_is_said_in_the_words_of_the_course(name):
    assert EXERCISES[name].convention == MASKED[name]


def test_every_exercise_has_its_say_on_masks_in_one_whole_sentence():
    for exercise in EXERCISES.values():
        assert re.fullmatch(r".{10,120}\.", exercise.convention), exercise.name
        parameters = inspect.signature(exercise.reference).parameters
        if "mask" in parameters or "mask" in exercise.name:
            assert exercise.name in CONVENTION_OF


@pytest.mark.parametrize("name", CONVENTION_OF)
def test_no_law_or_hint_of_an_exercise_speaks_the_opposite_convention(name):
    exercise, opposite = EXERCISES[name], OPPOSITE[CONVENTION_OF[name]]
    texts = [exercise.convention]
    texts += [text for law in exercise.properties for text in (law.law, law.hint)]
    texts += [mistake.hint for mistake in exercise.mistakes]
    assert [text for text in texts if opposite.search(text)] == []


@pytest.mark.parametrize(
    ("text", "convention"),
    [
        ("In this assignment 1 means blocked.", "True = may attend"),
        ("Set the scores where the mask is False to -inf.", "1 = blocked"),
        ("In this assignment True means may attend.", "1 = blocked"),
    ],
)
def test_the_opposite_convention_is_seen(text, convention):
    assert OPPOSITE[convention].search(text)


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("self_attention", "mask_inverted"),
        ("self_attention_loop", "mask_inverted"),
        ("causal_mask", "true_means_blocked"),
        ("scaled_dot_product_attention", "blocked_and_visible_swapped"),
        ("create_causal_mask", "visible_convention"),
    ],
)
def test_the_mask_the_wrong_way_round_is_known_in_both_assignments(name, mistake):
    (found,) = [m for m in EXERCISES[name].mistakes if m.name == mistake]
    assert re.search(r"(True|1) means (may attend|blocked)", found.hint)
