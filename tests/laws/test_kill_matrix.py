"""Law by known mistake: every mistake is caught by the laws it names, every law catches one."""

from functools import cache

import pytest

from autograder.exercises import catalogue
from tests.exercises.driver import judged, ordinary_cases

EXERCISES = {exercise.name: exercise for exercise in catalogue().exercises}
MISTAKES = [
    pytest.param(exercise, mistake, id=f"{exercise.name}-{mistake.name}")
    for exercise in EXERCISES.values()
    for mistake in exercise.mistakes
]


@cache
def breaks(exercise, mistake, law, seed=0):
    return any(judged(exercise, law, mistake.answer, case) for case in ordinary_cases(law, seed))


@pytest.mark.extra  # an audit shows it too
@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_every_mistake_is_caught_by_the_laws_it_names(exercise, mistake):
    for seed in (0, 1):
        named = map(exercise.property_named, mistake.caught_by)
        assert [law.name for law in named if not breaks(exercise, mistake, law, seed)] == []


@pytest.mark.extra  # an audit shows it too
@pytest.mark.parametrize("name", EXERCISES)
def test_every_scored_law_catches_a_known_mistake(name):
    exercise = EXERCISES[name]
    scored = [law for law in exercise.properties if law.scored]
    idle = [law for law in scored if not any(breaks(exercise, m, law) for m in exercise.mistakes)]
    assert [law.name for law in idle] == []


def test_a_loop_is_compared_with_the_matrix_form_of_the_same_student():
    loop, matrix = EXERCISES["self_attention_loop"], EXERCISES["self_attention"]
    law = loop.property_named("loop_equals_matrix")
    unscaled = next(m.answer for m in matrix.mistakes if m.name == "unscaled")
    case = ordinary_cases(law, 0)[0]
    assert judged(loop, law, loop.reference, case, peer=matrix.reference) is None
    assert judged(loop, law, loop.reference, case, peer=unscaled) is not None
    assert judged(loop, law, unscaled, case, peer=unscaled) is None
