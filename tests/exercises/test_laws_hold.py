"""Right answers obey every law: the references in both branches, every style in many runs."""

import hypothesis
import pytest
from hypothesis import HealthCheck, given

from autograder.exercises import catalogue
from tests.exercises.driver import SEEDS, broken_laws, judged

EXERCISES = {exercise.name: exercise for exercise in catalogue().exercises}
SMALL = [
    pytest.param(exercise, law, id=f"{exercise.name}-{law.name}")
    for exercise in EXERCISES.values()
    for law in exercise.properties
    if law.inputs.small is not None
]
ONE_RUN = [  # benchmarks/fairness.py replays them in many more
    pytest.param(SEEDS[:1], id="one-run"),
    pytest.param(SEEDS[1:], id="the-others-of-twenty", marks=pytest.mark.extra),
]
RUNS = [
    pytest.param(SEEDS[:3], id="three-runs"),
    pytest.param(SEEDS[3:], id="the-others-of-twenty", marks=pytest.mark.extra),
]
STYLES = [
    pytest.param(exercise, answer, id=f"{exercise.name}-{answer.name}")
    for exercise in EXERCISES.values()
    for answer in exercise.right_answers
]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", RUNS)
@pytest.mark.parametrize("name", EXERCISES)
def test_the_reference_obeys_every_law_in_every_run(name, seeds):
    exercise = EXERCISES[name]
    for seed in seeds:
        assert broken_laws(exercise, exercise.reference, seed, scored_only=False) == {}


SLOW = {"attention_heatmap": 10}  # drawing takes its time


@pytest.mark.parametrize("examples", [60, pytest.param(300, marks=pytest.mark.extra)])
@pytest.mark.parametrize(("exercise", "law"), SMALL)
def test_the_reference_obeys_every_law_on_small_inputs(exercise, law, examples):
    @hypothesis.settings(
        max_examples=SLOW.get(exercise.name, examples),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=law.inputs.small())
    def obeys(case):
        assert judged(exercise, law, exercise.reference, case) is None

    obeys()


@pytest.mark.slow
@pytest.mark.parametrize("seeds", ONE_RUN)
@pytest.mark.parametrize(("exercise", "answer"), STYLES)
def test_every_right_style_obeys_every_scored_law_in_every_run(exercise, answer, seeds):
    for seed in seeds:
        assert broken_laws(exercise, answer.answer, seed) == {}
