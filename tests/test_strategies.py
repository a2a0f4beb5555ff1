"""Where cases come from: what every domain promises, and that Hypothesis is only imported late."""

import subprocess
import sys

import numpy as np
import pytest

from autograder.exercise import Case
from autograder.exercises import catalogue
from autograder.strategies import (
    batches,
    drawing,
    huge_batches,
    huge_sequences,
    scores,
    sequences,
    token_counts,
)
from autograder.strategies.sequence_parts import LARGEST_SCORE, scores_of
from tests.exercises.driver import drawn

LAWS = [
    pytest.param(exercise, law, id=f"{exercise.name}-{law.name}")
    for exercise in catalogue().exercises
    for law in exercise.properties
]
MATRICES = ("X", "W_Q", "W_K", "W_V")


def ordinary(domain, count=12, entropy=(3, 5)):
    return drawn(domain.ordinary(entropy), entropy, count)


def small(domain, count=100):
    return drawn(domain.small(), 0, count)


def same_case(one: Case, other: Case) -> bool:
    return list(one) == list(other) and all(
        np.array_equal(one[name], other[name], equal_nan=name == "z") for name in one
    )


def test_loading_exercises_does_not_import_hypothesis():
    program = (
        "import sys\n"
        "from autograder.exercises import load_exercises\n"
        "law = load_exercises()['self_attention'].property_named('matches_reference')\n"
        "assert 'hypothesis' not in sys.modules\n"
        "law.inputs.small()\n"
        "assert 'hypothesis' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_same_entropy_gives_the_same_cases_and_another_gives_others():
    domain = sequences.masked_sequences()
    again, other = ordinary(domain), ordinary(domain, entropy=(4, 5))
    assert all(map(same_case, ordinary(domain), again))
    assert not all(map(same_case, again, other))


@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_every_ordinary_case_fills_the_corpus_and_every_input_is_plain(exercise, law):
    cases = ordinary(law.inputs, law.case_count)
    assert len(cases) == law.case_count
    for case in cases:
        for value in case.values():
            assert isinstance(value, np.ndarray | int | list)
            assert not isinstance(value, np.generic)


def test_ordinary_sizes_are_distinct_and_between_two_and_seven():
    for case in ordinary(sequences.sequences(), 40):
        sizes = [*case.X.shape, case.W_Q.shape[1], case.W_V.shape[1]]
        assert len(set(sizes)) == 4
        assert set(sizes) <= set(range(2, 8))


def test_fixed_sizes_stay_distinct_from_drawn_ones():
    for domain in (token_counts.one_visible_key(), token_counts.replaced_tails()):
        for case in ordinary(domain, 40):
            assert len({*case.X.shape, case.W_Q.shape[1], case.W_V.shape[1]}) == 4


def test_ordinary_arrays_are_not_always_of_one_scale():
    spread = [np.std(case.z) for case in ordinary(scores.scores(), 40)]
    assert min(spread) < 1.5
    assert max(spread) > 5


def test_ordinary_scores_never_overflow_exp():
    peaks = [np.abs(scores_of(dict(case))).max() for case in ordinary(sequences.sequences(), 200)]
    assert max(peaks) <= LARGEST_SCORE * (1 + 1e-9)
    assert max(peaks) > LARGEST_SCORE / 2


def test_gentle_scores_stay_below_two():
    for case in ordinary(token_counts.gentle_sequences(5), 100):
        assert np.abs(scores_of(dict(case))).max() <= 2 + 1e-9


@pytest.mark.parametrize("branch", [ordinary, small])
def test_random_masks_leave_a_visible_key_in_every_row(branch):
    cases = branch(sequences.masked_sequences())
    assert all(case.mask.any(axis=1).all() for case in cases)
    assert not all(case.mask.all() for case in cases)


@pytest.mark.parametrize("branch", [ordinary, small])
def test_blind_masks_have_rows_without_a_visible_key(branch):
    for case in branch(token_counts.blind_rows()):
        assert (~case.mask.any(axis=1)).any()
        assert case.get("blind", case.mask).dtype == np.bool_


def test_one_row_then_two_or_all_rows_are_blind_and_each_row_is_once():
    cases = ordinary(token_counts.blind_rows(), 40)
    first = [np.flatnonzero(~case.mask.any(axis=1)).tolist() for case in cases]
    assert {tuple(rows) for rows in first} == {(0,), (1,), (2,), (3,), (4,)}
    assert {int((~case.blind.any(axis=1)).sum()) for case in cases} == {2, 5}


def test_scores_on_every_axis_are_far_apart_and_leave_something_to_see():
    for case in ordinary(scores.scores_for_every_axis(), 40):
        slices = np.moveaxis(case.far, case.a, -1)
        assert case.a < case.far.ndim - 1
        assert np.isfinite(slices).any(axis=-1).all()
        assert np.isneginf(slices).any(axis=-1).all()
        assert np.ptp(slices[np.isfinite(slices)]) > 15000


def test_the_same_columns_of_far_scores_are_blocked():
    for case in ordinary(scores.minus_infinities(), 40):
        blocked = np.isneginf(case.far)
        assert (blocked[0] == blocked[1]).all()
        assert case.far[0].max() < -9000
        assert case.far[1].max() > 9000


def test_one_slice_of_any_rank_is_blocked():
    cases = ordinary(scores.fully_blocked_slices(), 40)
    assert {case.z.ndim for case in cases} == {1, 2, 3}
    assert all(np.isneginf(case.z).all(axis=-1).sum() == 1 for case in cases)


def test_a_blocked_key_has_scores_of_order_two_times_ten_to_the_four():
    for case in ordinary(huge_sequences.blocked_huge_keys(), 40):
        S = scores_of(dict(case)) / np.sqrt(case.W_Q.shape[1])
        assert S[:2, 2].min() >= 2e3 - 1
        assert 2e4 - 1 <= S[:2, 2].max() <= 2e5 + 1
        assert not case.mask[:2, 2].any()


def test_shifted_scores_are_exact_in_single_precision():
    for case in ordinary(scores.scores_and_row_shifts(), 40):
        assert (np.float32(case.z) + np.float32(case.c) == case.z + case.c).all()
        assert np.abs(case.c).max() > 100


def test_huge_sequences_have_no_near_tie():
    for case in ordinary(huge_sequences.huge_sequences(), 40):
        S = np.sort(scores_of(dict(case)) / np.sqrt(case.W_Q.shape[1]), axis=1)
        assert (S[:, -1] - S[:, -2] > 50).all()
        assert np.abs(S).max() > 800


def test_small_cases_are_whole_numbers_of_sizes_one_to_three():
    for case in small(sequences.sequences(), 200):
        for name in MATRICES:
            assert set(case[name].shape) <= {1, 2, 3}
            assert (case[name] == np.rint(case[name])).all()
            assert np.abs(case[name]).max() <= max(drawing.WHOLE)


def test_controls_and_logarithms_have_no_small_branch():
    without = {law.values[1].name for law in LAWS if law.values[1].inputs.small is None}
    assert {
        "causal_mask_breaks_equivariance",
        "log_ratios_equal_score_differences",
        "swapping_projections_transposes_scores",
    } <= without
    assert not without & {"matches_reference", "shift_invariant", "future_does_not_leak"}


def test_choices_that_are_equal_keep_their_types():
    def both(draws):
        return Case(whole=draws.choice((0, 1)), truth=draws.choice((False, True)))

    for case in small(drawing.constant(Case(n=1), both), 4):
        assert (type(case.whole), type(case.truth)) == (int, bool)


# -- batches ---------------------------------------------------------------------------------------

MASKED_BATCHES = (
    batches.causal_batches,
    batches.masked_batches,
    batches.boolean_masks,
    batches.masks_per_sequence,
    huge_batches.blocked_huge_keys,
)


def sizes_of(case):
    return [*case.query.shape, case.key.shape[1], case.value.shape[2]]


def divided_scores(query, key):
    return query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[-1])


def test_the_five_sizes_of_a_batch_are_distinct():
    for case in ordinary(batches.batches(), 40):
        assert len(set(sizes_of(case))) == 5
        assert set(sizes_of(case)) <= set(range(2, 8))


def test_fixed_sizes_of_a_batch_stay_apart_from_drawn_ones():
    for case in ordinary(batches.three_sequences(), 40):
        assert len(case.query) == 3
        assert len(set(sizes_of(case))) == 5
    for case in ordinary(batches.causal_batches(), 40):
        assert case.query.shape[1] == case.key.shape[1] == 4
        assert len(set(sizes_of(case))) == 4


def test_every_key_width_is_in_every_case_and_no_other_size_equals_it():
    for case in ordinary(batches.key_widths(), 40):
        assert case.widths == [16, 1, 2, 9]
        assert not set(case.widths) & {*case.query.shape[:2], case.key.shape[1]}


def test_scores_of_a_batch_never_overflow_exp():
    peaks = [np.abs(batches.scores_of(dict(c))).max() for c in ordinary(batches.batches(), 200)]
    assert max(peaks) <= LARGEST_SCORE * (1 + 1e-9)
    assert max(peaks) > 30


@pytest.mark.parametrize("branch", [ordinary, small])
@pytest.mark.parametrize("domain", MASKED_BATCHES)
def test_no_mask_of_a_batch_blocks_a_whole_row(domain, branch):
    cases = branch(domain())
    assert all((case.mask == 0).any(axis=-1).all() for case in cases)
    assert any((case.mask == 1).any() for case in cases)


def test_sequences_of_a_batch_have_masks_of_their_own():
    for case in ordinary(batches.masks_per_sequence(), 40):
        assert case.mask.shape == (*case.query.shape[:2], case.key.shape[1])
        assert not (case.mask == case.mask[0]).all()


def test_huge_scores_of_a_batch_have_no_near_tie():
    for case in ordinary(huge_batches.huge_batches(), 40):
        S = divided_scores(case.query, case.key)
        assert huge_batches.lead(S).min() > 50
        assert np.abs(S).max() > 1e4


@pytest.mark.parametrize("branch", [ordinary, small])
def test_a_blocked_key_of_a_batch_is_far_above_or_below_the_visible_ones(branch):
    for case in branch(huge_batches.blocked_huge_keys()):
        assert divided_scores(case.query, case.key)[:, :, -1].min() >= 2e4 - 1
        low = divided_scores(case.query, case.low)
        assert low[:, :, :-1].max() <= -2e4 + 1
        assert (case.mask[:, -1] == 1).all()
        assert not case.mask[:, :-1].any()
