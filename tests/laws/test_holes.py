"""Wrong answers that are right on small, ordinary inputs: each loses the law that looks there."""

import numpy as np
import pytest

from autograder.exercises import catalogue
from tests.exercises.driver import broken_laws

EXERCISES = {exercise.name: exercise for exercise in catalogue().exercises}
WRONG = []


def loses(law, exercise="softmax"):
    """Record the decorated function as an answer that loses the law."""

    def record(answer):
        WRONG.append(pytest.param(EXERCISES[exercise], answer, law, id=f"{answer.__name__}"))
        return answer

    return record


def softmax(z, axis=-1, largest=None):
    z = np.asarray(z)
    e = np.exp(z - (z.max(axis=axis, keepdims=True) if largest is None else largest))
    return e / e.sum(axis=axis, keepdims=True)


# -- softmax ---------------------------------------------------------------------------------------


@loses("survives_huge_scores")
def no_shift_of_a_vector(z, axis=-1):
    return softmax(z, axis, 0 if z.ndim == 1 else None)


@loses("survives_huge_scores")
def no_shift_beyond_two_axes(z, axis=-1):
    return softmax(z, axis, 0 if z.ndim > 2 else None)


@loses("survives_huge_scores")
def shift_by_the_first_score(z, axis=-1):
    return softmax(z, axis, np.take(z, [0], axis=axis) * np.ones((1,) * z.ndim))


@loses("matches_reference_on_every_axis")
def no_shift_off_the_last_axis(z, axis=-1):
    return softmax(z, axis, None if axis in (-1, z.ndim - 1) else 0)


@loses("matches_reference_on_every_axis")
def shift_along_the_last_axis_always(z, axis=-1):
    return softmax(z, axis, z.max(axis=-1, keepdims=True))


@loses("matches_reference_on_every_axis")
def first_axis_of_a_matrix_ignored(z, axis=-1):
    return softmax(z, -1 if z.ndim == 2 and axis == 0 else axis)


@loses("matches_reference_on_every_axis")
def negative_axis_of_a_matrix_ignored(z, axis=-1):
    return softmax(z, -1 if z.ndim == 2 and axis < 0 else axis)


@loses("survives_rows_of_different_scale")
def one_maximum_for_each_matrix_of_a_cube(z, axis=-1):
    return softmax(z, axis, z.max(axis=(-2, -1), keepdims=True) if z.ndim > 2 else None)


@loses("minus_infinity_gets_zero_weight")
def largest_of_finite_scores_and_zero(z, axis=-1):
    visible = np.where(np.isfinite(z), z, 0.0)
    nothing = np.isneginf(z).all(axis=axis, keepdims=True)
    blocked = np.isneginf(z).any()
    return (
        softmax(z, axis, np.where(nothing, -np.inf, visible.max(axis, keepdims=True)))
        if blocked
        else softmax(z, axis)
    )


@loses("minus_infinity_gets_zero_weight")
def minus_infinity_of_a_vector_counts_as_zero(z, axis=-1):
    return softmax(np.where(np.isneginf(z), 0.0, z) if z.ndim == 1 else z, axis)


@loses("fully_blocked_row_is_nan")
def blocked_vector_becomes_zeros(z, axis=-1):
    return np.nan_to_num(softmax(z, axis)) if z.ndim == 1 else softmax(z, axis)


@loses("fully_blocked_row_is_nan")
def blocked_slice_of_a_cube_becomes_zeros(z, axis=-1):
    return np.nan_to_num(softmax(z, axis)) if z.ndim > 2 else softmax(z, axis)


@loses("inputs_unchanged")
def blocked_scores_replaced_in_place(z, axis=-1):
    p = softmax(z, axis)
    if np.isneginf(z).any():
        z[np.isneginf(z)] = -1e9
    return p


# -- both forms of attention -----------------------------------------------------------------------


def attention(X, W_Q, W_K, W_V, mask=None, scale=True, *, shift=True, d_k=None):
    S = (X @ W_Q) @ (X @ W_K).T
    if scale:
        S = S / np.sqrt(d_k or W_Q.shape[1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S, -1, None if shift else 0)
    return A @ (X @ W_V), A


def loses_in_both_forms(law):
    def record(answer):
        return loses(law, "self_attention")(loses(law, "self_attention_loop")(answer))

    return record


def nan_replaced(results, rows):
    for result in results:
        result[rows] = np.nan_to_num(result[rows])
    return results


@loses_in_both_forms("fully_blocked_row_is_nan")
def only_the_third_row_may_be_blind(X, W_Q, W_K, W_V, mask=None, scale=True):
    return nan_replaced(attention(X, W_Q, W_K, W_V, mask, scale), np.arange(len(X)) != 2)


@loses_in_both_forms("fully_blocked_row_is_nan")
def only_the_first_blind_row_is_nan(X, W_Q, W_K, W_V, mask=None, scale=True):
    results = attention(X, W_Q, W_K, W_V, mask, scale)
    return nan_replaced(results, np.flatnonzero(np.isnan(results[0][:, 0]))[1:])


@loses_in_both_forms("fully_blocked_row_is_nan")
def a_mask_without_true_is_no_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    return attention(X, W_Q, W_K, W_V, mask if mask is not None and mask.any() else None, scale)


@loses_in_both_forms("fully_blocked_row_is_nan")
def blind_rows_of_the_callers_mask_opened(X, W_Q, W_K, W_V, mask=None, scale=True):
    results = attention(X, W_Q, W_K, W_V, mask, scale)
    if mask is not None and not mask.any(axis=1).all():
        mask[~mask.any(axis=1)] = True
    return results


@loses_in_both_forms("inputs_unchanged")
def tokens_changed_where_there_is_no_mask(X, W_Q, W_K, W_V, mask=None, scale=True):
    results = attention(X, W_Q, W_K, W_V, mask, scale)
    if mask is None:
        X += 1.0
    return results


@loses_in_both_forms("works_for_every_length")
def at_most_sixteen_keys(X, W_Q, W_K, W_V, mask=None, scale=True):
    near = np.arange(len(X)) < 16
    return attention(X, W_Q, W_K, W_V, near[None, :] if mask is None else mask & near, scale)


@loses("scale_is_sqrt_key_width", "self_attention")
def no_shift_without_scaling(X, W_Q, W_K, W_V, mask=None, scale=True):
    return attention(X, W_Q, W_K, W_V, mask, scale, shift=scale)


@loses("scale_is_sqrt_key_width", "self_attention")
def key_width_of_at_most_sixteen(X, W_Q, W_K, W_V, mask=None, scale=True):
    return attention(X, W_Q, W_K, W_V, mask, scale, d_k=min(16, W_Q.shape[1]))


# -- causal_mask -----------------------------------------------------------------------------------


@loses("matches_reference", "causal_mask")
def at_most_thirty_two_tokens(n):
    return np.tri(n, dtype=bool) & (np.arange(n) < 32)


@loses("matches_reference", "causal_mask")
def places_in_eight_bits(n):
    places = np.arange(n).astype(np.uint8)
    return places[None, :] <= places[:, None]


@loses("matches_reference", "create_causal_mask")
def blocking_places_in_eight_bits(seq_len):
    places = np.arange(seq_len).astype(np.uint8)
    return places[None, :] > places[:, None]


# -- a whole batch, mask 1 = blocked ---------------------------------------------------------------


def batched(query, key, value, mask=None, *, largest=None, bias=None):
    S = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e9
    A = softmax(S if bias is None else S + bias, -1, largest)
    return A @ value, A


def loses_batched(law):
    return loses(law, "scaled_dot_product_attention")


@loses_batched("mask_per_batch_item")
def a_single_sequence_is_not_masked(query, key, value, mask=None):
    return batched(query, key, value, mask if len(query) > 1 else None)


@loses_batched("mask_per_batch_item")
def masks_of_the_sequences_in_reverse(query, key, value, mask=None):
    return batched(query, key, value, mask if mask is None or mask.ndim == 2 else mask[::-1])


@loses_batched("matches_reference_with_mask")
def a_mask_for_every_sequence_alone_counts(query, key, value, mask=None):
    return batched(query, key, value, None if mask is None or mask.ndim == 2 else mask)


@loses_batched("matches_reference_with_mask")
def the_future_alone_can_be_seen(query, key, value, mask=None):
    return batched(query, key, value, None if mask is None else np.tril(mask))


@loses_batched("matches_reference_with_mask")
def a_mask_of_tiny_numbers(query, key, value, mask=None):
    return batched(query, key, value, None if mask is None else mask * 1e-18)


@loses_batched("matches_reference_with_mask")
def weights_of_the_masked_and_output_of_all(query, key, value, mask=None):
    return batched(query, key, value)[0], batched(query, key, value, mask)[1]


@loses_batched("accepts_boolean_mask")
def booleans_mean_visible(query, key, value, mask=None):
    return batched(query, key, value, ~mask if mask is not None and mask.dtype == bool else mask)


@loses_batched("survives_huge_scores")
def maxima_of_the_first_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[-1])
    return batched(query, key, value, mask, largest=S[:1].max(axis=-1, keepdims=True))


@loses_batched("blocked_huge_key_is_harmless")
def blocked_scores_at_minus_ten_thousand(query, key, value, mask=None):
    if mask is None:
        return batched(query, key, value)
    S = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[-1])
    return batched(query, key, value, bias=np.where(mask, -1e4 - S, 0.0))


@loses_batched("returns_output_and_weights")
def a_single_key_loses_its_axis(query, key, value, mask=None):
    output, weights = batched(query, key, value, mask)
    return output, weights if weights.shape[2] > 1 else weights[:, :, 0]


@loses_batched("inputs_unchanged")
def values_changed_where_there_is_no_mask(query, key, value, mask=None):
    results = batched(query, key, value, mask)
    if mask is None:
        value *= 2
    return results


# -- attention that saves time or memory ----------------------------------------------------------


def full(Q, K, V, seen=None, largest=None):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    if seen is not None:
        S = np.where(seen, S, -np.inf)
    e = np.exp(S - (S.max(axis=1, keepdims=True) if largest is None else largest(S)))
    return e / e.sum(axis=1, keepdims=True) @ V


def band(Q, window):
    return abs(np.subtract.outer(np.arange(len(Q)), np.arange(len(Q)))) <= window


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear(Q, K, V, feature=phi):
    A = feature(Q) @ feature(K).T
    return A @ V / A.sum(axis=1, keepdims=True)


def at_least_zero(S):
    return np.maximum(S.max(axis=1, keepdims=True), 0)


@loses("survives_huge_scores", "chunked_attention")
def running_maximum_from_zero(Q, K, V, chunk_size=32):
    return full(Q, K, V, largest=at_least_zero)


@loses("survives_huge_scores", "local_attention")
def maximum_of_a_band_from_zero(Q, K, V, window):
    return full(Q, K, V, band(Q, window), largest=at_least_zero)


@loses("survives_huge_scores", "local_attention")
def hidden_keys_get_minus_ten_thousand(Q, K, V, window):
    S = np.where(band(Q, window), Q @ K.T / np.sqrt(Q.shape[1]), -1e4)
    return softmax(S) @ V


@loses("inputs_unchanged", "chunked_attention")
def values_changed_where_there_are_two_chunks(Q, K, V, chunk_size=32):
    output = full(Q, K, V)
    if len(Q) > chunk_size:
        V *= 2
    return output


@loses("inputs_unchanged", "local_attention")
def keys_changed_where_the_window_is_wide(Q, K, V, window):
    output = full(Q, K, V, band(Q, window))
    if window > 1:
        K *= 2
    return output


@loses("query_and_key_counts_may_differ", "chunked_attention")
def no_more_queries_than_two_chunks(Q, K, V, chunk_size=32):
    return full(Q, K, V) * (np.arange(len(Q)) < 2 * 32)[:, np.newaxis]


@loses("query_and_key_counts_may_differ", "chunked_attention")
def no_more_keys_than_two_chunks(Q, K, V, chunk_size=32):
    return full(Q, K[:64], V[:64])


@loses("query_and_key_counts_may_differ", "chunked_attention")
def column_loses_its_axis(Q, K, V, chunk_size=32):
    output = full(Q, K, V)
    return output[:, 0] if output.shape[1] == 1 else output


@loses("chunk_size_does_not_matter", "chunked_attention")
def row_loses_its_axis(Q, K, V, chunk_size=32):
    output = full(Q, K, V)
    return output[0] if len(output) == 1 else output


@loses("zero_window_returns_values", "local_attention")
def axes_of_one_are_dropped(Q, K, V, window):
    return np.squeeze(full(Q, K, V, band(Q, window)))


@loses("matches_reference", "local_attention")
def window_of_three_at_most(Q, K, V, window):
    return full(Q, K, V, band(Q, window if window >= len(Q) - 1 else min(window, 3)))


@loses("output_depends_on_own_query_only", "cross_attention")
def axes_of_one_are_dropped_from_both(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return np.squeeze(A @ (context @ W_V)), np.squeeze(A)


@loses("output_depends_on_own_query_only", "cross_attention")
def outputs_of_few_queries_alone(X, context, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[1]))
    return A @ (context @ W_V) * (len(X) < 9), A


@loses("matches_reference", "linear_attention")
def feature_of_zero_left_out(Q, K, V):
    return linear(Q, K, V, lambda x: np.where(x == 0, 0.0, phi(x)))


@loses("matches_reference", "linear_attention")
def feature_of_zero_counted_twice(Q, K, V):
    return linear(Q, K, V, lambda x: np.where(x == 0, 2.0, phi(x)))


@loses("equal_keys_average_the_values", "linear_attention")
def axes_of_one_are_dropped_from_the_output(Q, K, V):
    return np.squeeze(linear(Q, K, V))


@loses("constant_values_stay_constant", "linear_attention")
def keys_beyond_the_eighth_left_out_of_the_sums(Q, K, V):
    A = phi(Q) @ phi(K).T
    return A[:, :8] @ V[:8] / A.sum(axis=1, keepdims=True)


class SumsKeptByTheirKeys:
    def __init__(self):
        self.kept = {}

    def __call__(self, Q, K, V):
        sums = self.kept.setdefault(K.tobytes(), phi(K).T @ V)
        return phi(Q) @ sums / (phi(Q) @ phi(K).sum(axis=0))[:, np.newaxis]


WRONG.append(
    pytest.param(
        EXERCISES["linear_attention"],
        SumsKeptByTheirKeys(),
        "equal_keys_average_the_values",
        id="sums_kept_by_their_keys",
    )
)


# -- the tests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("exercise", "answer", "law"), WRONG)
def test_wrong_answers_lose_the_law_that_looks_there(exercise, answer, law, seed):
    assert law in broken_laws(exercise, answer, seed)


def test_weights_that_round_at_far_apart_scores_break_no_law():
    def exponential_minus_one(z, axis=-1):
        e = np.expm1(z - z.max(axis=axis, keepdims=True)) + 1
        return e / e.sum(axis=axis, keepdims=True)

    for seed in range(10):
        assert broken_laws(EXERCISES["softmax"], exponential_minus_one, seed) == {}


@pytest.mark.parametrize("seed", [0, 1])
def test_no_shift_costs_nothing_where_the_axis_or_a_blocked_score_is_asked_for(seed):
    def no_shift(z, axis=-1):
        return softmax(z, axis, 0)

    assert set(broken_laws(EXERCISES["softmax"], no_shift, seed)) == {
        "shift_invariant",
        "survives_huge_scores",
        "survives_very_negative_scores",
        "survives_rows_of_different_scale",
    }


@pytest.mark.parametrize("seed", [0, 1])
def test_a_batch_without_a_shift_loses_the_law_on_huge_scores_alone(seed):
    def no_shift(query, key, value, mask=None):
        return batched(query, key, value, mask, largest=0)

    exercise = EXERCISES["scaled_dot_product_attention"]
    assert set(broken_laws(exercise, no_shift, seed)) == {"survives_huge_scores"}


@pytest.mark.parametrize("low", [-1e9, -1e12, -1e30, np.finfo(np.float64).min])
def test_however_far_below_a_blocked_score_lies_it_costs_nothing(low):
    def blocks(query, key, value, mask=None):
        bias = None if mask is None else mask * low
        return batched(query, key, value, bias=bias)

    assert broken_laws(EXERCISES["scaled_dot_product_attention"], blocks, 0) == {}


@pytest.mark.parametrize("seed", [0, 1])
def test_a_changed_mask_is_charged_by_the_laws_on_arguments_alone(seed):
    def flips(X, W_Q, W_K, W_V, mask=None, scale=True):
        results = attention(X, W_Q, W_K, W_V, mask, scale)
        if mask is not None:
            np.logical_not(mask, out=mask)
        return results

    assert set(broken_laws(EXERCISES["self_attention"], flips, seed)) == {
        "inputs_unchanged",
        "accepts_any_memory_layout",
    }
