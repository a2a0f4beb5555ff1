"""Mistakes of `scaled_dot_product_attention` about the mask, in which 1 means blocked."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake = answers.mistake


@mistake(
    hint="The mask is the wrong way round: here 1 means blocked, and your code blocks the zeros.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "mask_per_batch_item", "accepts_boolean_mask"),
)
def blocked_and_visible_swapped(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask == 0, -np.inf, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The mask is the wrong way round: here 1 means blocked; you lower scores where it is 0.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "mask_per_batch_item", "accepts_boolean_mask"),
)
def zeros_lowered(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + (1 - mask) * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The mask is the wrong way round: here 1 means blocked; you block where it is 0.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "mask_per_batch_item", "accepts_boolean_mask"),
)
def zeros_filled(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask == 0, -1e9, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Lowering a score by 1 does not block it.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def mask_subtracts_one(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S - mask
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="You add 1 to the blocked scores, which raises them; add -1e9 instead.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def mask_added_to_scores(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The sign is wrong: you raise the blocked scores by 1e9; lower them.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "blocked_huge_key_is_harmless"),
)
def blocked_scores_raised(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * 1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The mask has no effect on your weights.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def batched_mask_without_effect(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Your function takes no mask; its fourth argument says which keys are blocked.",
    share="0.6",
    caught_by=("matches_reference_with_mask",),
)
def no_mask_argument(query, key, value):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A score of 0 is an ordinary score; a blocked one is hugely negative.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def blocked_score_zero(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S * (1 - mask)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Blocked positions still get a little weight: use -1e9 or -inf.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def blocked_score_minus_ten(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask, -10.0, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Scores can be larger than 1e4: lower blocked ones by 1e9, or set them to -inf.",
    share="0.9",
    caught_by=("blocked_huge_key_is_harmless",),
)
def lowered_by_ten_thousand(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -1e4
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Visible scores can lie below -1e4: set blocked ones to -1e9 or -inf.",
    share="0.9",
    caught_by=("blocked_huge_key_is_harmless",),
)
def blocked_score_minus_ten_thousand(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask, -1e4, S)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Mask first, then subtract the maximum of what is left.",
    share="0.9",
    caught_by=("blocked_huge_key_is_harmless",),
)
def maximum_before_mask(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    S = S - S.max(axis=-1, keepdims=True)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S)
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Mask the scores, not the weights: next to a huge blocked score nothing is left to share.",
    share="0.9",
    caught_by=("blocked_huge_key_is_harmless",),
)
def weights_renormalised_after_mask(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    if mask is not None:
        A = A * (1 - mask)
        A = A / A.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Mask the scores, not the weights: the visible weights no longer sum to one.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def mask_after_softmax(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    if mask is not None:
        A = A * (1 - mask)
    return A @ value, A


@mistake(
    hint="Mask the scores before softmax, not the weights after it.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def blocked_weights_minus_1e9(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    if mask is not None:
        A = A + mask * -1e9
    return A @ value, A


@mistake(
    hint="0 times infinity is nan, so every visible score is lost: use np.where, or -1e9.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def infinity_times_the_mask(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask * -np.inf
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="mask[i, j] speaks about query i and key j; you read it the other way round.",
    share="0.6",
    caught_by=("matches_reference_with_mask",),
)
def mask_transposed(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + np.swapaxes(mask, -1, -2) * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A mask (B, n_q, n_k) has one matrix for each sequence; you use the first for all.",
    share="0.92",
    caught_by=("mask_per_batch_item",),
)
def first_mask_for_every_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        if mask.ndim == 3:
            mask = mask[0]
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A mask with three axes needs no further one: it has the shape of the scores.",
    share="0.92",
    caught_by=("mask_per_batch_item",),
)
def mask_gets_another_axis(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + mask[None] * -1e9
        S = S[0] if S.ndim > 3 and mask.ndim < 3 else S
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Only a mask with two axes has to be repeated for each sequence.",
    share="0.92",
    caught_by=("mask_per_batch_item",),
)
def mask_repeated_for_every_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + np.tile(mask, (len(query), 1, 1)) * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A mask with two axes serves every sequence as a whole; you use row b for sequence b.",
    share="0.68",
    caught_by=("matches_reference_with_mask",),
)
def row_of_the_mask_for_each_sequence(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.stack([S[b] + mask[b] * -1e9 for b in range(len(S))])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A mask may hold the numbers 1 and 0: turn it into booleans before you index with it.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "mask_per_batch_item"),
)
def boolean_mask_alone_works(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(~mask, S, -np.inf)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="A boolean mask has no minus sign: multiply the mask by -1e9.",
    share="0.95",
    caught_by=("accepts_boolean_mask",),
)
def minus_sign_before_the_mask(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + -mask * 1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The mask has n_q rows and n_k columns; you assume as many queries as keys.",
    share="0.65",
    caught_by=("matches_reference_with_mask", "mask_per_batch_item"),
)
def square_mask_alone_works(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        n = query.shape[1]
        S[:, np.arange(n)[:, None], np.arange(n)] += mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Ask `mask is not None`: an array of several numbers is neither true nor false.",
    share="0.6",
    caught_by=("matches_reference_with_mask",),
)
def asks_whether_the_mask_is_true(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Ask `mask is not None`: with != every entry of the mask is compared on its own.",
    share="0.6",
    caught_by=("matches_reference_with_mask",),
)
def mask_compared_with_none(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask != None:  # noqa: E711 - as students write it
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Without a mask every query sees every key.", share="0.3", caught_by=("matches_reference",)
)
def always_causal(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    S = S + np.triu(np.ones(S.shape[1:]), k=1) * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Use the mask as it is given; it need not be causal.",
    share="0.77",
    caught_by=("mask_per_batch_item",),
)
def own_causal_mask(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        S = S + np.triu(np.ones(S.shape[1:]), k=1) * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="The weights you return are not the ones you used.",
    share="0.65",
    caught_by=("matches_reference_with_mask",),
)
def unmasked_weights_returned(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    masked = S if mask is None else S + mask * -1e9
    M = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return (M / M.sum(axis=-1, keepdims=True)) @ value, A


@mistake(
    hint="Your function changes the mask that it was given: write mask = mask * -1e9.",
    share="0.9",
    caught_by=("inputs_unchanged", "accepts_boolean_mask"),
)
def mask_turned_into_scores_in_place(query, key, value, mask=None):
    S = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        mask *= -1e9
        S = S + mask
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


@mistake(
    hint="Your function changes the query that it was given: write query = query / ...",
    share="0.95",
    caught_by=("inputs_unchanged",),
)
def query_scaled_in_place(query, key, value, mask=None):
    query /= np.sqrt(query.shape[-1])
    S = query @ np.swapaxes(key, -1, -2)
    if mask is not None:
        S = S + mask * -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ value, A


MISTAKES = answers.mistakes
