"""One wrong function is charged once: what builds on it is judged with a right one in its place."""

from __future__ import annotations

import pytest

from tests.submissions import checked, make_course, mistake, scores, submission, with_scores

CALLS_SOFTMAX = """
def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    return A @ (X @ W_V), A
"""
UNSCALED = CALLS_SOFTMAX.replace("if scale", "if False")
OTHER_WAY = CALLS_SOFTMAX.replace("softmax(S)", "softmax(scores=S, along=1)")
OTHER_NAMES = """
def softmax(scores, along=-1):
    e = np.exp(scores)
    return e / e.sum(along, keepdims=True)
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("carried") / "course")


def test_a_wrong_softmax_costs_nothing_in_what_calls_it(course):
    wrong = submission(softmax=mistake("softmax", "no_max_shift"), self_attention=CALLS_SOFTMAX)
    result = checked(course, wrong)
    assert scores(result) == with_scores(softmax=7.0)
    assert any("self_attention was checked with a right softmax" in n for n in result.notes)


def test_a_mistake_of_its_own_is_still_charged(course):
    wrong = submission(softmax=mistake("softmax", "no_max_shift"), self_attention=UNSCALED)
    result = checked(course, wrong)
    assert scores(result) == with_scores(softmax=7.0, self_attention=9.0)
    diagnosis = result.exercise_named("self_attention").diagnosis
    assert diagnosis is not None
    assert diagnosis.mistake == "unscaled"


def test_the_calls_of_the_second_run_are_not_counted(course):
    alone = checked(course, submission(self_attention=CALLS_SOFTMAX)).calls
    broken = submission(
        softmax=mistake("softmax", "nan_slice_becomes_zeros"), self_attention=CALLS_SOFTMAX
    )
    # the loop's comparison with a matrix form that lost laws makes no calls of that form
    assert alone - 100 < checked(course, broken).calls <= alone


def test_a_right_softmax_starts_no_second_run(course):
    result = checked(course, submission(self_attention=UNSCALED))
    assert not any("in place of yours" in note for note in result.notes)


def test_a_stand_in_that_can_not_be_called_the_students_way_leaves_the_first_result(course):
    result = checked(course, submission(softmax=OTHER_NAMES, self_attention=OTHER_WAY))
    assert result.exercise_named("self_attention").score > 10
    assert not any("in place of yours" in note for note in result.notes)
