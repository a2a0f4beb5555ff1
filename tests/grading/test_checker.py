"""Replay, judge, shrink: every status reaches its law, and no more than that law."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.exercise import CallMethod, Case, Construct, Handle, SetAttribute
from autograder.grading import corpus
from autograder.grading.checker import (
    Checker,
    case_size,
    every_law,
    is_constant_or_identity,
)
from autograder.results import CaseReply, Status
from autograder.worker.plain import PlainRunner


@pytest.fixture
def check(exercise):
    def run(function, exercise=exercise, **others):
        drawn = corpus.draw([exercise], 1, cases=12)
        return Checker(drawn, PlainRunner({exercise.name: function, **others})).check(exercise)

    return run


def test_a_right_answer_passes_every_law(check):
    outcome = check(lambda x: x + x)
    assert outcome.status is Status.PASSED
    assert outcome.passes_reference_laws


def test_a_wrong_answer_fails_only_the_laws_it_breaks(check):
    outcome = check(lambda x: x / 2)
    assert [law.status for law in outcome.laws] == [Status.FAILED, Status.PASSED]
    assert outcome.status is Status.FAILED


def test_an_exception_is_a_status_of_its_own(check):
    def raises(x):
        raise ValueError("not yet")

    outcome = check(raises)
    assert {law.status for law in outcome.laws} == {Status.EXCEPTION}
    raised = outcome.laws[0].failure.raised
    assert (raised.type_name, raised.message) == ("ValueError", "not yet")


def test_a_missing_function_is_missing_in_every_law(exercise):
    outcome = every_law(exercise, Status.MISSING, "There is no twice.")
    assert outcome.status is Status.MISSING
    assert outcome.laws[1].failure.detail == "There is no twice."


def test_a_verdict_that_fails_is_our_fault(check, make_exercise, make_law):
    def broken(case, expected, got):
        raise RuntimeError("a bug of ours")

    exercise = make_exercise(properties=(make_law(weight=100, verdict=broken),), mistakes=())
    assert check(lambda x: 2 * x, exercise).status is Status.INTERNAL_ERROR


def test_calls_that_fail_are_our_fault_and_leave_the_other_laws_alone(
    check, make_exercise, make_law
):
    def broken(case):
        raise RuntimeError("a bug of ours")

    laws = (make_law(), make_law("other", weight=40, calls=broken))
    outcome = check(lambda x: 2 * x, make_exercise(properties=laws, mistakes=()))
    assert [law.status for law in outcome.laws] == [Status.PASSED, Status.INTERNAL_ERROR]


def test_the_failing_case_shown_is_the_smallest_of_the_corpus(check):
    outcome = check(lambda x: x / 2)
    sizes = [case_size(case) for case in _cases(outcome)]
    assert case_size(outcome.laws[0].failure.case) == min(sizes)


def _cases(outcome):
    return (
        corpus.draw([outcome.exercise], 1, cases=12).of(outcome.exercise, outcome.laws[0].law).cases
    )


def test_shrinking_ends_on_the_smallest_case_and_changes_no_status(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": lambda x: np.where(x > 0, 2 * x + 1, 2 * x)}))
    before = checker.check(exercise)
    after = checker.shrink(before)
    assert after.laws[0].failure.case.x.tolist() == [1.0]
    assert [law.status for law in after.laws] == [law.status for law in before.laws]


def test_shrinking_tries_no_more_cases_than_allowed(exercise):
    calls = []

    def counted(x):
        calls.append(x)
        return x / 2

    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": counted}), shrink_evaluations=7)
    outcome = checker.check(exercise)
    calls.clear()
    checker.shrink(outcome)
    assert 0 < len(calls) <= 7


def test_shrinking_without_evaluations_keeps_the_case_of_the_corpus(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": lambda x: x / 2}), shrink_evaluations=0)
    outcome = checker.check(exercise)
    assert checker.shrink(outcome).laws[0].failure == outcome.laws[0].failure


@pytest.mark.parametrize("seed", range(20))
def test_a_function_that_answers_otherwise_when_asked_again_ends_the_search_alone(exercise, seed):
    rng = np.random.default_rng(seed)
    drawn = corpus.draw([exercise], 1, cases=12)
    checker = Checker(drawn, PlainRunner({"twice": lambda x: x * rng.choice([2.0, 3.0])}))
    outcome = checker.check(exercise)
    assert checker.shrink(outcome).laws[0].failure is not None


def test_shrinking_repeats(exercise):
    drawn = corpus.draw([exercise], 1, cases=12)

    def once():
        checker = Checker(drawn, PlainRunner({"twice": lambda x: np.round(2 * x)}))
        return checker.shrink(checker.check(exercise)).laws[0].failure.case.x.tobytes()

    assert once() == once()


def test_an_answer_that_changes_when_its_input_comes_again_fails_the_gate(check):
    seen = set()

    def right_once(x):
        first = x.tobytes() not in seen
        seen.add(x.tobytes())
        return 2 * x if first else x

    outcome = check(right_once)
    assert outcome.named("doubles").status is Status.FAILED
    assert "came a second time" in outcome.named("doubles").failure.disagreement.message


def test_a_function_that_counts_its_calls_is_found_out(check):
    calls = []

    def tires(x):
        calls.append(x)
        return 2 * x if len(calls) <= 24 else 0 * x

    assert check(tires).named("doubles").status is Status.FAILED


def test_remembering_right_answers_is_no_fault(check):
    memory = {}
    outcome = check(lambda x: memory.setdefault(x.tobytes(), 2 * x))
    assert outcome.status is Status.PASSED


@pytest.fixture
def with_peer(make_exercise, make_law):
    """`twice`, and `again`, whose second law compares it with the student's `twice`."""
    twice = make_exercise()
    peer = make_law(
        "equals_twice",
        weight=40,
        peer="twice",
        kind="metamorphic",
        expected=lambda case: (2 * case.x,),
        verdict=lambda case, expected, got: _equal(got, expected[0]),
    )
    again = make_exercise(name="again", properties=(make_law(), peer), mistakes=())
    return twice, again


def _equal(got, expected):
    from autograder.comparison import agree

    return agree(got, expected)


def test_a_peer_that_passes_its_reference_laws_is_what_is_compared_with(with_peer):
    twice, again = with_peer
    drawn = corpus.draw(with_peer, 1, cases=12)
    asked = []

    def student_twice(x):
        asked.append(x)
        return 2 * x

    checker = Checker(drawn, PlainRunner({"twice": student_twice, "again": lambda x: 2 * x}))
    checker.check(twice)
    asked.clear()
    assert checker.check(again).status is Status.PASSED
    assert len(asked) == 12


def test_a_wrong_peer_gives_way_to_the_reference(with_peer):
    twice, again = with_peer
    drawn = corpus.draw(with_peer, 1, cases=12)
    wrong = {"twice": lambda x: x / 2, "again": lambda x: x / 2}
    checker = Checker(drawn, PlainRunner(wrong))
    checker.check(twice)
    assert checker.check(again).named("equals_twice").status is Status.FAILED


def test_a_class_is_compared_with_a_peer_that_is_a_class(make_exercise, make_law):
    class Doubler:
        def forward(self, x):
            return self.factor * x

    class Forgetful(Doubler):
        def forward(self, x):
            return 2 * x + 1

    def calls(case):
        return [
            Construct(),
            SetAttribute(Handle(0), "factor", 2.0),
            CallMethod(Handle(0), "forward", case.x),
        ]

    def law(name, **changes):
        return make_law(
            name,
            calls=calls,
            expected=lambda case: (Handle(0), None, 2 * case.x),
            verdict=lambda case, expected, *found: _equal(found[2], expected[2]),
            **changes,
        )

    peer = law("equals_doubler", weight=40, peer="Doubler", kind="metamorphic")
    alone = law("keeps_doubling", weight=40, kind="metamorphic")
    first = make_exercise(name="Doubler", properties=(law("doubles"), alone), mistakes=())
    second = make_exercise(name="Again", properties=(law("doubles"), peer), mistakes=())
    drawn = corpus.draw((first, second), 1, cases=12)
    for answer, status in ((Doubler, Status.PASSED), (Forgetful, Status.FAILED)):
        checker = Checker(drawn, PlainRunner({"Doubler": Doubler, "Again": answer}))
        assert checker.check(first).status is Status.PASSED
        assert checker.check(second).named("equals_doubler").status is status


def test_a_death_in_one_case_reaches_only_its_law(exercise):
    class Dies:
        def run(self, function, cases, *, defaults):
            for number, reply in enumerate(
                PlainRunner({"twice": lambda x: 2 * x}).run(function, cases, defaults=defaults)
            ):
                yield (
                    CaseReply(Status.TIMEOUT, detail="It took too long.") if number == 3 else reply
                )

    outcome = Checker(corpus.draw([exercise], 1, cases=12), Dies()).check(exercise)
    assert [law.status for law in outcome.laws] == [Status.TIMEOUT, Status.PASSED]
    assert outcome.laws[0].failure.detail == "It took too long."


@pytest.mark.parametrize(
    ("array", "free"),
    [
        (np.zeros((2, 3)), True),
        (np.ones(4), True),
        (np.eye(3), True),
        (np.array([1.0]), False),
        (np.arange(4.0), False),
        (np.zeros((1, 1)), False),
    ],
)
def test_arrays_that_numpy_writes_in_one_word_cost_nothing_to_read(array, free):
    assert is_constant_or_identity(array) is free


def test_size_counts_written_numbers_before_magnitudes():
    small = Case(x=np.array([1000.0]), mask=np.tri(5, dtype=bool), W=np.eye(4))
    large = Case(x=np.array([1.0, 0.0]))
    assert case_size(small) < case_size(large)
