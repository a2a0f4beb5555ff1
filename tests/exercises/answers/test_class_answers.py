"""Known answers to an exercise that asks for a class: their cells, their names, their methods."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograder.exercise import Mistake, RightAnswer
from autograder.exercises import load_exercises
from autograder.exercises.answers import Answers, source_for_cell
from autograder.exercises.answers.multi_head_attention import MISTAKES, RIGHT_ANSWERS
from autograder.exercises.answers.slips import multi_head_attention as slips
from autograder.grading import corpus
from autograder.grading.checker import Checker, same_reply
from autograder.grading.diagnosis import Diagnoser
from autograder.grading.known import under_name
from autograder.grading.submission import score_exercises
from autograder.worker.plain import PlainRunner

NAME = "MultiHeadAttention"
EXERCISE = load_exercises()[NAME]
SPLIT = "split_and_combine_are_inverse"
KNOWN = [pytest.param(known, id=known.name) for known in (*RIGHT_ANSWERS, *MISTAKES)]
DRAW = {  # whose answers depend on matrices that they draw, in every law or in one
    "matches_reference": {
        "matrices_drawn_in_forward",
        "matrices_under_other_names",
        "matrices_cut_up_when_made",
    },
    SPLIT: {"combine_applies_the_output_matrix", "split_projects_too"},
}


@pytest.fixture(scope="module")
def drawn():
    return corpus.draw([EXERCISE], 1, cases=12)


@pytest.fixture(scope="module")
def diagnoser(drawn):
    return Diagnoser(drawn)


def notebook(cell: str) -> dict[str, Any]:
    """A notebook with that cell after one with a right function for single heads."""
    below = load_exercises()["scaled_dot_product_attention"].right_answers[0].answer
    names: dict[str, Any] = {"np": np, "__name__": "__main__"}
    for text in (source_for_cell(below, "scaled_dot_product_attention"), cell):
        exec(text, names)
    return names


@pytest.mark.parametrize("known", KNOWN)
def test_the_cell_answers_like_the_class(drawn, known: Mistake | RightAnswer):
    cell = notebook(source_for_cell(known.answer, NAME))[NAME]
    for law in EXERCISE.properties:
        if known.name in DRAW["matches_reference"] | DRAW.get(law.name, set()):
            continue
        steps = [law.calls(case) for case in drawn.of(EXERCISE, law).cases[:2]]
        ours, theirs = (
            PlainRunner({NAME: under_name(answer, NAME)}).run(NAME, steps, defaults={})
            for answer in (known.answer, cell)
        )
        assert all(map(same_reply, ours, theirs)), law.name


@pytest.mark.parametrize("known", KNOWN)
def test_the_cell_defines_the_name_and_tells_nothing_of_where_it_comes_from(known):
    text = source_for_cell(known.answer, NAME)
    defined = [node.name for node in ast.parse(text).body if hasattr(node, "name")]
    assert defined[-1] == NAME
    for word in ("reference", "autograder", "mistake", "answers.", "annotations", "hint="):
        assert word not in text


def test_a_decorator_that_does_something_stays_in_the_cell():
    dataclass = next(a.answer for a in RIGHT_ANSWERS if a.name == "dataclass")
    assert "\n@dataclass\nclass MultiHeadAttention:\n" in source_for_cell(dataclass, NAME)


def test_parts_of_another_module_stand_in_the_cell_before_what_inherits_from_them():
    unscaled = next(m.answer for m in MISTAKES if m.name == "unscaled")
    text = source_for_cell(unscaled, NAME)
    places = [text.index(f"class {name}") for name in ("Parts", "RightParts", "OwnWeights", NAME)]
    assert places == sorted(places)


def test_answers_of_a_class_exercise_are_classes_and_others_are_instances():
    class Callable:
        def __call__(self):
            return 1

    of_class, of_function = Answers(of_class=True), Answers()
    of_class.right_answer(Callable)
    of_function.right_answer(Callable)
    assert of_class.right_answers[0].answer is Callable
    assert of_function.right_answers[0].answer() == 1


# -- under the exercise's name ---------------------------------------------------------------------


class Wrong:
    """Takes too little, and knows exactly one attribute."""

    __slots__ = ("kept",)

    def method(self, x):
        return super().__repr__() and x


def test_pythons_messages_tell_the_name_of_the_exercise():
    renamed = under_name(Wrong, "Net")
    with pytest.raises(TypeError, match=r"^Net\.method\(\) missing 1 required"):
        renamed().method()
    with pytest.raises(TypeError, match=r"^Net\(\) takes no arguments"):
        renamed(1)


def test_a_renamed_class_takes_the_attributes_of_the_class_and_no_others():
    made = under_name(Wrong, "Net")()
    made.kept = 1
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'other'"):
        made.other = 1


def test_a_renamed_class_may_call_what_it_inherits():
    assert under_name(Wrong, "Net")().method(3) == 3


# -- what splits and joins -------------------------------------------------------------------------


def test_at_least_three_wrong_ways_to_split_and_three_to_combine_are_known():
    breaks = {m.name for m in MISTAKES if SPLIT in m.caught_by}
    assert len([name for name in breaks if name.startswith(("split", "only_split"))]) >= 3
    assert len([name for name in breaks if name.startswith("combine")]) >= 3


@pytest.mark.parametrize("method", ["split_heads", "combine_heads"])
def test_right_answers_split_and_combine_in_at_least_three_ways(method):
    written = {
        ast.unparse(ast.parse(source_for_cell(answer.answer, NAME))).split(f"def {method}")[1][:200]
        for answer in RIGHT_ANSWERS
    }
    assert len(written) >= 3


def test_the_mistakes_that_only_split_otherwise_keep_the_points_of_forward():
    alone = {m.name: m.share for m in MISTAKES if m.caught_by == (SPLIT,)}
    assert set(alone.values()) == {Fraction("0.85")}
    assert len(alone) >= 6


# -- two in one class ------------------------------------------------------------------------------

PAIRS = [
    pytest.param(
        one,
        other,
        answer,
        id=f"{one.name}+{other.name}",
        marks=() if number % 12 == 0 else pytest.mark.extra,
    )
    for number, (one, other, answer) in enumerate(slips.pairs())
]


@pytest.mark.parametrize(("one", "other", "answer"), PAIRS)
def test_two_mistakes_in_one_class_are_named_and_cost_what_both_cost(
    drawn, diagnoser, one, other, answer
):
    outcome = Checker(drawn, PlainRunner({NAME: under_name(answer, NAME)})).check(EXERCISE)
    recognised = diagnoser.recognise(outcome)
    whole = {NAME: Fraction(1)}
    score = score_exercises({NAME: outcome}, {NAME: recognised}, whole, diagnoser)[NAME]
    due = 1 - (1 - one.share) - (1 - other.share)
    assert score.points >= due
    if due > 0:
        assert [m.name for m in recognised.mistakes] == [f"{one.name}+{other.name}"]


def test_the_likely_mistakes_are_all_known_and_no_pair_is_built_twice():
    assert set(slips.LIKELY) <= {mistake.name for mistake in MISTAKES}
    names = [mistake.name for mistake in slips.combinations()]
    assert len(set(names)) == len(names) > 100
    assert len({param.id for param in PAIRS}) == len(PAIRS)
