"""Verdicts are pure judgements: whatever comes back, they give a disagreement or None."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder.exercise import Disagreement, Echo, Handle, Opaque
from autograder.exercises import catalogue
from tests.exercises.driver import ordinary_cases, run
from tests.meta.answers import anything

LAWS = [
    pytest.param(exercise, law, id=f"{exercise.name}-{law.name}")
    for exercise in catalogue().exercises
    for law in exercise.properties
]


def right_shapes(exercise, law, case):
    """Answers of the right shape with wrong contents, which reach deeper into a verdict."""
    answers = run(exercise, exercise.reference, law.calls(case))
    answer = next(a for a in answers if a is not None and not isinstance(a, Handle))
    answer = answer.result if isinstance(answer, Echo) else answer
    if isinstance(answer, tuple):
        return tuple(npst.arrays("f8", np.shape(part)) for part in answer)
    return (npst.arrays(st.sampled_from(["f8", "c16"]), np.shape(answer)),)


@st.composite
def wrong_answers(draw, shapes, count):
    """One answer per step: anything, or the right shapes filled with anything."""
    plausible = shapes[0] if len(shapes) == 1 else st.tuples(*shapes)
    kept = st.lists(anything, max_size=2).map(tuple)
    echoes = st.builds(Echo, anything | plausible, kept, st.just({}))
    answer = st.one_of(plausible, anything, echoes)
    return [draw(answer) for _ in range(count)]


@pytest.mark.parametrize(
    "examples",
    [
        pytest.param(15, id="few"),
        pytest.param(150, id="many", marks=pytest.mark.extra),
    ],
)
@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_whatever_comes_back_is_judged_and_nothing_raises(exercise, law, examples):
    case = ordinary_cases(law, 0)[0]
    expected = law.expected(case) if law.expected else None

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(answers=wrong_answers(right_shapes(exercise, law, case), len(law.calls(case))))
    def is_judged(answers):
        verdict = law.judge(case, expected, answers)
        assert verdict is None or isinstance(verdict, Disagreement)

    is_judged()


@pytest.mark.parametrize(("exercise", "law"), LAWS)
@pytest.mark.parametrize("answer", [None, "abc", Opaque("Tensor"), [[1.0], [2.0, 3.0], []]])
def test_an_answer_that_is_no_array_breaks_every_law_in_whole_sentences(exercise, law, answer):
    case = ordinary_cases(law, 0)[0]
    expected = law.expected(case) if law.expected else None
    verdict = law.judge(case, expected, [answer for _ in law.calls(case)])
    assert verdict is not None
    assert verdict.message.endswith(".")


@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_judging_changes_no_answer_and_repeats(exercise, law):
    case = ordinary_cases(law, 1)[0]
    expected = law.expected(case) if law.expected else None
    answers = run(exercise, exercise.reference, law.calls(case))
    before = repr(answers)
    assert law.judge(case, expected, answers) is None
    assert law.judge(case, expected, answers) is None
    assert repr(answers) == before
