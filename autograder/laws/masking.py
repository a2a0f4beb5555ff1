"""Laws of masks: what attention does under one, and what a causal mask is.

mask[i, j] = True means query i may attend to key j. Every random mask has a True in every row;
rows without one have a law of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.comparison import (
    CLEAR_CHANGE,
    agree_averages,
    agree_pairs,
    as_array,
    differ,
    equal,
    fail,
    number,
    shapes_agree,
)
from autograder.exercise import Call, Case, Disagreement, Disagrees, Echo, Property
from autograder.laws import arrays
from autograder.laws.arrays import (
    NOT_ECHOED,
    FloatArray,
    Reference,
    above,
    answers,
    blocked_row_is_nan,
    changed,
    echoing,
    first,
)
from autograder.laws.attention import (
    agree_with_answer,
    attend,
    equals_reference,
    own_results,
    results,
)
from autograder.strategies import huge_sequences as huge
from autograder.strategies import lengths, sequences, token_counts


def _under_mask(case: Case) -> Call:
    return attend(case, mask=case.mask)


def _one_call(case: Case) -> Sequence[Call]:
    return (_under_mask(case),)


# -- equal to the reference ------------------------------------------------------------------------


def matches_reference_with_mask(reference: Reference, *, weight: int) -> Property:
    """Both results are what the formula says, with blocked scores at -inf."""
    return equals_reference(
        reference,
        name="matches_reference_with_mask",
        law="weights = softmax(scores, with -inf where the mask is False)",
        inputs=sequences.masked_sequences(),
        calls=_one_call,
        weight=weight,
        hint="Set the scores where the mask is False to -inf, before softmax.",
    )


def blocked_huge_key_is_harmless(reference: Reference, *, weight: int) -> Property:
    """A blocked key changes nothing, however large its score."""
    return equals_reference(
        reference,
        name="blocked_huge_key_is_harmless",
        law="a blocked key with a score of 2e4 changes nothing",
        inputs=huge.blocked_huge_keys(),
        calls=_one_call,
        weight=weight,
        hint="Mask first, then subtract the maximum of what is left.",
    )


def mask_is_fifth_positional_argument(reference: Reference, *, weight: int) -> Property:
    """The mask may also be given by position."""

    def calls(case: Case) -> Sequence[Call]:
        return (Call(case.X, case.W_Q, case.W_K, case.W_V, case.mask),)

    return equals_reference(
        reference,
        name="mask_is_fifth_positional_argument",
        law="f(X, W_Q, W_K, W_V, mask) = f(X, W_Q, W_K, W_V, mask=mask)",
        inputs=token_counts.causal_sequences(4),
        calls=calls,
        weight=weight,
        hint="Keep the order of the parameters: the mask comes fifth.",
    )


def fully_blocked_row_is_nan(reference: Reference, *, weight: int) -> Property:
    """A row without True is nan in both results; all other rows are exact."""

    def calls(case: Case) -> Sequence[Call]:
        first_mask, *others = _blind_masks(case)
        return [echoing(attend(case, mask=first_mask)), *(attend(case, mask=m) for m in others)]

    def with_and_without(case: Case) -> Sequence[Call]:
        return *calls(case), attend(case)

    def verdict(case: Case, expected: Any, echo: Any, *others: Any) -> Disagreement | None:
        if not isinstance(echo, Echo):
            return fail(NOT_ECHOED)
        *right, (_, unmasked_weights) = expected
        return first(
            _blind_rows_are_nan(mask, own_results(case, got).weights, unmasked_weights)
            or agree_pairs(got, masked)
            for mask, got, masked in zip(
                _blind_masks(case), (echo.result, *others), right, strict=True
            )
        ) or _blind_rows_kept(case.mask, echo.kwargs.get("mask"))

    return Property(
        name="fully_blocked_row_is_nan",
        law="a row of the mask without True is nan in weights and output; other rows are exact",
        inputs=token_counts.blind_rows(),
        calls=calls,
        verdict=verdict,
        expected=answers(reference, with_and_without),
        weight=weight,
        hint="Blocked scores are -inf; a row of only -inf becomes nan by itself: leave it so.",
        charge_once="nan_rule",
    )


def _blind_masks(case: Case) -> list[NDArray[np.bool_]]:
    return [case[name] for name in ("mask", "blind") if name in case]


def _blind_rows_are_nan(
    mask: NDArray[np.bool_], weights: FloatArray, unmasked: FloatArray
) -> Disagreement | None:
    return first(
        blocked_row_is_nan(weights[i], unmasked[i], name=f"row {i} of the weights")
        for i in np.flatnonzero(~mask.any(axis=1))
    )


def _blind_rows_kept(before: NDArray[np.bool_], after: Any) -> Disagreement | None:
    """None unless the call changed rows without True in the caller's mask, and no other row.

    Who changes other rows too breaks the law on inputs, and is charged there alone.
    """
    if np.shape(after) != before.shape:
        return None
    touched, blind = (after != before).any(axis=1), ~before.any(axis=1)
    if not touched.any() or touched[~blind].any() or blind.all():
        return None
    return fail(changed("mask", before, after))


# -- exact values ----------------------------------------------------------------------------------


def future_weights_are_zero(*, weight: int) -> Property:
    """Under the causal mask, weights above the diagonal are 0 and all others are not."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        weights = own_results(case, answer).weights
        return equal(weights, np.where(case.mask, weights, 0.0), name="weights") or above(
            weights, 0.0, name="weights", where=case.mask
        )

    return Property(
        name="future_weights_are_zero",
        law="causal mask: weights[i, j] = 0 for j > i, and > 0 for j <= i",
        inputs=token_counts.causal_sequences(6, gentle=True),
        calls=_one_call,
        verdict=verdict,
        weight=weight,
        hint="True means may attend, and mask[i, j] speaks about query i and key j.",
        kind="exact",
    )


def blocked_weights_are_zero(*, weight: int) -> Property:
    """Blocked weights are exactly 0."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        weights = own_results(case, answer).weights
        return equal(weights, np.where(case.mask, weights, 0.0), name="weights")

    return Property(
        name="blocked_weights_are_zero",
        law="weights[i, j] = 0 where mask[i, j] is False",
        inputs=sequences.masked_sequences(),
        calls=_one_call,
        verdict=verdict,
        weight=weight,
        hint="Only a score of -inf gives a weight of exactly 0.",
        kind="exact",
    )


# -- runs against each other -----------------------------------------------------------------------


def all_true_mask_is_no_mask(*, weight: int) -> Property:
    """A mask that blocks nothing changes nothing."""

    def calls(case: Case) -> Sequence[Call]:
        n = len(case.X)
        return attend(case), attend(case, mask=np.ones((n, n), dtype=np.bool_))

    return Property(
        name="all_true_mask_is_no_mask",
        law="a mask of only True gives what no mask gives",
        inputs=sequences.sequences(),
        calls=calls,
        verdict=lambda case, answer, masked: agree_pairs(
            masked, own_results(case, answer), of="with a mask of only True, "
        ),
        weight=weight,
        hint="True means may attend: a mask of only True blocks nothing.",
        kind="metamorphic",
    )


def single_visible_key_copies_its_value(*, weight: int) -> Property:
    """Who sees one key takes its value."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        one_hot = case.mask.astype(np.float64)
        return agree_pairs(answer, (one_hot @ (case.X @ case.W_V), one_hot))

    return Property(
        name="single_visible_key_copies_its_value",
        law="one True per row: the weights are one-hot and each output row is that value row",
        inputs=token_counts.one_visible_key(),
        calls=_one_call,
        verdict=verdict,
        weight=weight,
        hint="Mask the scores, not the weights: what is left must still sum to one.",
        kind="metamorphic",
    )


def future_does_not_leak(reference: Reference, *, weight: int) -> Property:
    """Other tokens from t on leave the outputs before t alone, and change some later one."""

    def calls(case: Case) -> Sequence[Call]:
        X = np.concatenate([case.X[: case.t], case.tail])
        return _under_mask(case), attend(case, X=X, mask=case.mask)

    def must_change(case: Case) -> bool:
        before, after = answers(reference, calls)(case)
        return bool(np.abs(before[0] - after[0]).max() > CLEAR_CHANGE)

    def verdict(case: Case, changes: bool, answer: Any, other: Any) -> Disagreement | None:
        t = case.t
        before, after = own_results(case, answer).output, own_results(case, other).output
        leak = agree_averages(after[:t], before[:t], name=f"with other tokens from {t} on, output")
        if leak is not None or not changes:
            return leak
        message = f"Other tokens from {t} on change no output at all."
        return differ(after[t:], before[t:], message=message)

    return Property(
        name="future_does_not_leak",
        law="causal mask: changing the tokens from t on leaves the outputs before t alone",
        inputs=token_counts.replaced_tails(),
        calls=calls,
        verdict=verdict,
        expected=must_change,
        weight=weight,
        hint="Blocked keys must not take part in the sum: mask the scores before softmax.",
        kind="metamorphic",
    )


def prefix_consistent(*, weight: int) -> Property:
    """Under the causal mask, the first t tokens alone give the first t rows."""

    def calls(case: Case) -> Sequence[Call]:
        t = case.t
        return _under_mask(case), attend(case, X=case.X[:t], mask=case.mask[:t, :t])

    def verdict(case: Case, answer: Any, prefix: Any) -> Disagreement | None:
        t, whole = case.t, own_results(case, answer)
        alone = results(prefix, case.X[:t], case.W_V, of=f"of the first {t} tokens, ")
        expected = whole.output[:t], whole.weights[:t, :t]
        return agree_pairs(alone, expected, of=f"of the first {t} tokens alone, ")

    return Property(
        name="prefix_consistent",
        law="causal mask: f(first t tokens) = first t rows of f(all tokens)",
        inputs=token_counts.prefixes(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        hint="Adding a token must not change the scores of the others: scale by d_k, not by n.",
        kind="metamorphic",
    )


def causal_mask_breaks_equivariance(*, weight: int) -> Property:
    """Control: under a fixed causal mask the order of the tokens matters."""

    def verdict(case: Case, answer: Any, reversed_: Any) -> Disagreement | None:
        output = own_results(case, answer).output
        realigned = own_results(case, reversed_).output[::-1]
        message = "Reversing the tokens under a causal mask gives each the same output as before."
        return differ(realigned, output, message=message)

    return Property(
        name="causal_mask_breaks_equivariance",
        law="under a fixed causal mask, reversed tokens get other outputs",
        inputs=token_counts.causal_sequences(6, gentle=True, small=False),
        calls=lambda case: (_under_mask(case), attend(case, X=case.X[::-1], mask=case.mask)),
        verdict=verdict,
        weight=weight,
        hint="The mask has no effect on your result.",
        kind="control",
    )


# -- arrays as arguments ---------------------------------------------------------------------------


def inputs_unchanged(*, weight: int) -> Property:
    """X, the matrices and the mask stay as they are."""
    return arrays.inputs_unchanged(
        lambda case: (_under_mask(case), attend(case)),
        agree_with_answer,
        inputs=sequences.masked_sequences(),
        weight=weight,
    )


def accepts_any_memory_layout(reference: Reference, *, weight: int) -> Property:
    """Views and read-only arrays are tokens, matrices and masks too."""
    return arrays.accepts_any_memory_layout(
        _under_mask,
        agree_with_answer,
        reference,
        inputs=sequences.masked_sequences(),
        weight=weight,
    )


def integer_or_float_mask(reference: Reference) -> Property:
    """Shown only: a mask of ones and zeros."""

    def calls(case: Case) -> Sequence[Call]:
        return attend(case, mask=case.mask.astype(np.int64)), attend(
            case, mask=case.mask.astype(np.float64)
        )

    return equals_reference(
        reference,
        name="integer_or_float_mask",
        law="a mask of ones and zeros counts as True and False",
        inputs=sequences.masked_sequences(),
        calls=calls,
        labels=("with an integer mask, ", "with a float mask, "),
        weight=0,
        hint="np.where takes any mask; ~mask and indexing need a boolean one.",
    )


# -- the causal mask itself ------------------------------------------------------------------------


def _as_mask(answer: Any, n: int, *, name: str, holds: str = "True and False") -> NDArray[np.bool_]:
    """The answer as booleans; raises `Disagrees` unless it holds only 0 and 1 in shape (n, n)."""
    array = as_array(answer, name=name)
    wrong_shape = shapes_agree(array, (n, n), name=name)
    if wrong_shape is not None:
        raise Disagrees(wrong_shape)
    other = array[(array != 0) & (array != 1)]
    if other.size:
        text = number(other[0])
        raise Disagrees(fail(f"{name} holds {text}, but a mask holds only {holds}.", got=text))
    return array.astype(np.bool_)


def _is_causal(answer: Any, n: int) -> Disagreement | None:
    return _is_mask(answer, np.tri(n, dtype=np.bool_), name=f"causal_mask({n})")


def _is_mask(
    answer: Any,
    right: NDArray[np.bool_],
    *,
    name: str,
    shown: Callable[[np.bool_], Any] = bool,
    holds: str = "True and False",
) -> Disagreement | None:
    """None if the answer is that mask; `shown` gives an entry as a message writes it."""
    mask = _as_mask(answer, len(right), name=name, holds=holds)
    if (mask == right).all():
        return None
    i, j = (int(k) for k in np.argwhere(mask != right)[0])
    got, expected = shown(mask[i, j]), shown(right[i, j])
    return fail(
        f"{name}[{i}, {j}] is {got}, but should be {expected}.",
        expected=expected,
        got=got,
        where=f"[{i}, {j}]",
        tolerance="exact",
    )


def causal_mask_matches_reference(*, weight: int) -> Property:
    """The mask is a boolean lower triangle with its diagonal."""
    return _is_the_mask_for_every_length(
        _is_causal,
        law="causal_mask(n)[i, j] is True for j <= i and False for j > i",
        weight=weight,
        hint="Rows are queries: True belongs on and below the diagonal.",
    )


def create_causal_mask_matches_reference(*, weight: int) -> Property:
    """The mask is 1 strictly above the diagonal."""

    def is_blocking(answer: Any, n: int) -> Disagreement | None:
        return _is_mask(
            answer,
            ~np.tri(n, dtype=np.bool_),
            name=f"create_causal_mask({n})",
            shown=int,
            holds="1 (blocked) and 0 (visible)",
        )

    return _is_the_mask_for_every_length(
        is_blocking,
        law="create_causal_mask(n)[i, j] is 1 for j > i and 0 for j <= i",
        weight=weight,
        hint="Rows are queries: 1 belongs strictly above the diagonal, where the future is.",
    )


def _is_the_mask_for_every_length(
    judge: Callable[[Any, int], Disagreement | None], *, law: str, weight: int, hint: str
) -> Property:
    """A gate: for each of several lengths, the answer is the right mask."""

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        return first(judge(got, n) for n, got in zip(case.values(), found, strict=True))

    return Property(
        name="matches_reference",
        law=law,
        inputs=lengths.lengths(),
        calls=lambda case: [Call(n) for n in case.values()],
        verdict=verdict,
        weight=weight,
        hint=hint,
        kind="exact",
    )


def nested_prefix(*, weight: int) -> Property:
    """A shorter sequence has the corner of the longer one's mask."""

    def verdict(case: Case, longer: Any, shorter: Any) -> Disagreement | None:
        n, t = case.n, case.t
        corner = _as_mask(longer, n, name=f"causal_mask({n})")[:t, :t]
        return equal(
            _as_mask(shorter, t, name=f"causal_mask({t})"), corner, name=f"causal_mask({t})"
        )

    return Property(
        name="nested_prefix",
        law="causal_mask(n)[:t, :t] = causal_mask(t)",
        inputs=lengths.length_pairs(),
        calls=lambda case: (Call(case.n), Call(case.t)),
        verdict=verdict,
        weight=weight,
        hint="The shape is (n, n), and the diagonal runs from the first to the last token.",
        kind="exact",
    )


def counts_visible_pairs(*, weight: int) -> Property:
    """Token i sees i + 1 tokens: n (n + 1) / 2 pairs in all."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        n, name = case.n, f"causal_mask({case.n})"
        mask = _as_mask(answer, n, name=name)
        return (
            equal(int(mask.sum()), n * (n + 1) // 2, name=f"the count of True in {name}")
            or equal(np.diag(mask), np.ones(n), name=f"the diagonal of {name}")
            or equal(mask[:1, 1:2], np.zeros((1, min(n - 1, 1))), name=f"{name}[:1, 1:2]")
        )

    return Property(
        name="counts_visible_pairs",
        law="n (n + 1) / 2 entries are True, the whole diagonal among them, and [0, 1] is not",
        inputs=lengths.six_tokens(),
        calls=lambda case: (Call(case.n),),
        verdict=verdict,
        weight=weight,
        hint="Token i may see tokens up to i, itself among them, not i + 1.",
        kind="exact",
    )


def causal_mask_shown_only() -> tuple[Property, ...]:
    """What lies outside the contract of the causal mask."""

    return (
        Property(
            name="is_boolean",
            law="the mask has dtype bool",
            inputs=lengths.six_tokens(),
            calls=lambda case: (Call(case.n),),
            verdict=lambda case, answer: _is_boolean(answer),
            weight=0,
            hint="dtype=bool makes ~mask and indexing by the mask work.",
            kind="exact",
        ),
        Property(
            name="empty_input",
            law="no token gives a mask of shape (0, 0)",
            inputs=lengths.no_token(),
            calls=lambda case: (Call(case.n),),
            verdict=lambda case, answer: _is_causal(answer, case.n),
            weight=0,
            hint="No token at all is fine where the shapes carry through.",
            kind="exact",
        ),
    )


def _is_boolean(answer: Any) -> Disagreement | None:
    dtype = as_array(answer).dtype
    if dtype == np.bool_:
        return None
    return fail(f"The mask has dtype {dtype}, not bool.", expected="bool", got=str(dtype))
