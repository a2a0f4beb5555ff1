"""Drawn once, the same for the same seed, kept on disk, never given away."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.comparison import same
from autograder.exercise import Case, Domain
from autograder.grading import corpus


def drawn(exercise, seed=1, cases=12):
    return corpus.draw([exercise], seed, cases=cases)


def arrays(drawn_corpus, exercise):
    return [case.x for case in drawn_corpus.of(exercise, exercise.properties[0]).cases]


def test_a_law_gets_twelve_cases_with_their_expected_values(exercise):
    law = exercise.properties[0]
    cases = drawn(exercise).of(exercise, law)
    assert len(cases.cases) == len(cases.expected) == 12
    for case, expected in zip(cases.cases, cases.expected, strict=True):
        assert np.array_equal(expected, 2 * case.x)


def test_the_same_seed_draws_the_same_cases(exercise):
    assert same(arrays(drawn(exercise, 5), exercise), arrays(drawn(exercise, 5), exercise))


def test_another_seed_draws_other_cases(exercise):
    assert not same(arrays(drawn(exercise, 5), exercise), arrays(drawn(exercise, 6), exercise))


def test_two_laws_of_one_domain_get_different_cases(exercise):
    made = drawn(exercise)
    first, second = (made.of(exercise, law).cases for law in exercise.properties)
    assert not same([case.x for case in first], [case.x for case in second])


def test_a_constant_input_is_one_case(make_exercise, make_law):
    from hypothesis import strategies as st

    constant = Domain(lambda entropy: st.just(Case(x=np.ones(2))), constant=True)
    exercise = make_exercise(properties=(make_law(weight=100, inputs=constant),), mistakes=())
    assert len(arrays(drawn(exercise), exercise)) == 1


def test_fewer_cases_can_be_asked_for(exercise):
    assert len(arrays(drawn(exercise, cases=3), exercise)) == 3


def test_a_domain_that_raises_is_named(make_exercise, make_law):
    def broken(case):
        raise ZeroDivisionError("oops")

    exercise = make_exercise(properties=(make_law(weight=100, expected=broken),), mistakes=())
    with pytest.raises(corpus.CorpusError, match=r"'twice'.*'doubles'.*ZeroDivisionError: oops"):
        drawn(exercise)


def test_a_stored_corpus_comes_back_as_it_was(exercise):
    made = drawn(exercise)
    again = corpus.from_bytes(corpus.to_bytes(made))
    assert again is not None
    for key, law in made.laws.items():
        assert [dict(case).keys() for case in law.cases] == [
            dict(case).keys() for case in again.laws[key].cases
        ]
        for ours, theirs in zip(law.cases, again.laws[key].cases, strict=True):
            assert ours.x.tobytes() == theirs.x.tobytes()
        assert same(list(law.expected), list(again.laws[key].expected))


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-1], lambda b: b[:40] + b"x" + b[41:], lambda b: b""]
)
def test_a_damaged_store_is_noticed(exercise, spoil):
    assert corpus.from_bytes(spoil(corpus.to_bytes(drawn(exercise)))) is None


def test_a_stored_corpus_is_reused_and_readable_by_its_owner_alone(tmp_path, exercise):
    folder = tmp_path / "corpus"
    made = corpus.load_or_draw(folder, "key", lambda: drawn(exercise))

    def not_again():
        raise AssertionError("drawn twice")

    stored = corpus.load_or_draw(folder, "key", not_again)
    assert same(arrays(made, exercise), arrays(stored, exercise))
    assert (folder / "key").stat().st_mode & 0o777 == 0o600


def test_a_damaged_store_is_drawn_again(tmp_path, exercise):
    corpus.load_or_draw(tmp_path, "key", lambda: drawn(exercise))
    (tmp_path / "key").write_bytes(b"rubbish")
    corpus.load_or_draw(tmp_path, "key", lambda: drawn(exercise))
    assert corpus.from_bytes((tmp_path / "key").read_bytes()) is not None


def test_the_name_of_a_seed_does_not_give_it_away():
    assert corpus.seed_id(1) != corpus.seed_id(2)
    assert "12345" not in corpus.seed_id(12345)


def test_without_keep_a_stored_corpus_is_taken_and_a_new_one_not_stored(exercise, tmp_path):
    made = drawn(exercise)
    again = corpus.load_or_draw(tmp_path / "none", "key", lambda: made, keep=False)
    assert corpus.to_bytes(again) == corpus.to_bytes(made)
    assert list(tmp_path.iterdir()) == []
    corpus.load_or_draw(tmp_path, "key", lambda: made)
    other = corpus.load_or_draw(tmp_path, "key", lambda: drawn(exercise, 2), keep=False)
    assert corpus.to_bytes(other) == corpus.to_bytes(made)


def test_the_digest_of_an_exercise_names_its_cases(exercise, make_exercise):
    first = corpus.digests(drawn(exercise, 1))
    assert first == corpus.digests(drawn(exercise, 1))
    assert list(first) == [exercise.name]
    assert first != corpus.digests(drawn(exercise, 2))
    other = make_exercise(name="again")
    both = corpus.digests(corpus.draw([exercise, other], 1, cases=12))
    assert both[exercise.name] == first[exercise.name] != both["again"]
