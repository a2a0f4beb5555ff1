"""Verdicts are pure judgements: whatever comes back, they give a disagreement or None."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder.exercise import Disagreement, Echo, Opaque
from autograder.exercises import catalogue
from tests.exercises.driver import ordinary_cases, run
from tests.meta.answers import anything

LAWS = [
    pytest.param(exercise, law, id=f"{exercise.name}-{law.name}")
    for exercise in catalogue().exercises
    for law in exercise.properties
]


def right_shapes(case):
    """Answers of the right shape with wrong contents, which reach deeper into a verdict."""
    if "X" in case:
        n, d_v = len(case.X), case.W_V.shape[1]
        return npst.arrays("f8", (n, d_v)), npst.arrays("f8", (n, n))
    if "query" in case:
        n_q, n_k, d_v = case.query.shape[1], case.key.shape[1], case.value.shape[2]
        shapes = ((len(case.query), n_q, d_v), (len(case.query), n_q, n_k))
        return tuple(npst.arrays("f8", shape) for shape in shapes)
    shape = (case.n, case.n) if "n" in case else next(iter(case.values()))
    shape = np.shape(shape) if isinstance(shape, np.ndarray) else shape
    return (npst.arrays(st.sampled_from(["f8", "c16"]), shape if shape != 1 else (1, 1)),)


@st.composite
def wrong_answers(draw, law, case):
    """One answer per step: anything, or the right shapes filled with anything."""
    shapes = right_shapes(case)
    plausible = shapes[0] if len(shapes) == 1 else st.tuples(*shapes)
    kept = st.lists(anything, max_size=2).map(tuple)
    echoes = st.builds(Echo, anything | plausible, kept, st.just({}))
    answer = st.one_of(plausible, anything, echoes)
    return [draw(answer) for _ in law.calls(case)]


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
    @given(answers=wrong_answers(law, case))
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
