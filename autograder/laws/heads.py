"""Laws of multi-head attention, as a class whose objects get their matrices from the grader.

Every run makes an object, sets W_q, W_k, W_v and W_o (d_model, d_model) and calls a method of it;
no law seeds anything. Mask 1 means blocked, in every head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from autograder.comparison import (
    CLEAR_CHANGE,
    ISOLATED,
    agree,
    agree_averages,
    as_array,
    as_real,
    differ,
    fail,
    number,
    shapes_agree,
    show,
)
from autograder.exercise import (
    CallMethod,
    Case,
    Construct,
    Disagreement,
    Disagrees,
    Domain,
    Handle,
    Property,
    SetAttribute,
    Step,
)
from autograder.laws.arrays import FloatArray, Reference, first
from autograder.strategies import heads
from autograder.strategies.heads import MATRICES

Steps: TypeAlias = Callable[[Case], Sequence[Step]]

# -- parts of calls --------------------------------------------------------------------------------


def forward(
    case: Case, *tokens: FloatArray, number: int = 0, mask: Any = None, **replaced: Any
) -> list[Step]:
    """The steps of run `number` of a case: make an object, set its matrices, call `forward`.

    Args:
        case: names d_model, num_heads and the matrices.
        tokens: query, key and value, or one sequence that is all three.
        number: counts the runs of a case from 0.
        mask: given by its keyword, unless it is None.
        replaced: what is used in place of the case's own value of that name.
    """
    made = Handle(number * (len(MATRICES) + 2))
    given = {**case, **replaced}
    sequences = tokens if len(tokens) > 1 else tokens * 3
    options = {} if mask is None else {"mask": mask}
    return [
        Construct(given["d_model"], given["num_heads"]),
        *(SetAttribute(made, name, given[name]) for name in MATRICES),
        CallMethod(made, "forward", *sequences, **options),
    ]


def _once(case: Case) -> Sequence[Step]:
    return forward(case, case.x)


# -- parts of verdicts -----------------------------------------------------------------------------


def returned(steps: Sequence[Step], answers: Sequence[Any]) -> list[Any]:
    """What the methods returned, out of the answers to all steps of a case."""
    return [
        answer for step, answer in zip(steps, answers, strict=True) if isinstance(step, CallMethod)
    ]


def right_outputs(reference: Reference, calls: Steps) -> Callable[[Case], tuple[Any, ...]]:
    """What the methods of the reference return for the steps of a case."""

    def expected(case: Case) -> tuple[Any, ...]:
        objects: dict[int, Any] = {}
        outputs = []
        for position, step in enumerate(calls(case)):
            match step:
                case Construct(args=args):
                    objects[position] = reference(*args)
                case SetAttribute(handle=made, name=name, value=value):
                    setattr(objects[made.step], name, value)
                case CallMethod(handle=made, name=name, args=args, kwargs=kwargs):
                    outputs.append(getattr(objects[made.step], name)(*args, **kwargs))
        return tuple(outputs)

    return expected


def output_of(answer: Any, like: FloatArray, *, name: str = "output") -> FloatArray:
    """An output of `forward` as float64, of the shape of `like`; raises `Disagrees`."""
    wrong = _not_the_output_alone(answer, like) or shapes_agree(
        as_array(answer, name=name), like.shape, name=name
    )
    if wrong is not None:
        raise Disagrees(wrong)
    return as_real(answer, name=name)


def _not_the_output_alone(answer: Any, like: FloatArray) -> Disagreement | None:
    """A message where the weights are returned too, which is no output in any shape."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return None
    try:
        if np.shape(answer[0]) != like.shape:
            return None
    except ValueError:
        return None
    return fail(
        "forward returns two results, but should return the output alone, without the weights.",
        expected=f"an array of shape {like.shape}",
        got=show(answer),
    )


def agree_with_output(got: Any, right: FloatArray, *, name: str = "output") -> Disagreement | None:
    """None if an answer of `forward` is the right output."""
    return agree_averages(output_of(got, right, name=name), right, name=name)


def _unused_matrices(case: Case, got: Any, right: FloatArray) -> Disagreement | None:
    """Another message for a wrong output where a matrix is zero: then the output must be, too."""
    wrong = agree_with_output(got, right)
    zero = next((name for name in ("W_o", "W_v") if not case[name].any()), None)
    if wrong is None or zero is None or right.any():
        return wrong
    output = output_of(got, right)
    place = tuple(int(i) for i in np.argwhere(~(output == 0))[0])
    where = f"[{', '.join(map(str, place))}]"
    return fail(
        f"{zero} was set to zeros, so the output should be 0, but output{where} is "
        f"{number(output[place])}. forward must use the matrices W_q, W_k, W_v and W_o of its "
        "object, under these names and as they are when it is called.",
        expected="0.0",
        got=number(output[place]),
        where=where,
    )


# -- equal to the reference ------------------------------------------------------------------------


def _equals_reference(
    reference: Reference,
    *,
    name: str,
    law: str,
    inputs: Domain,
    calls: Steps,
    weight: int,
    hint: str,
    judge: Callable[[Case, Any, FloatArray], Disagreement | None] | None = None,
    labels: Sequence[str] = ("",),
) -> Property:
    """A law that what every run returns equals what the reference returns.

    `labels` stand before `output` in messages, one per run.
    """

    def verdict(case: Case, expected: Any, *found: Any) -> Disagreement | None:
        outputs = returned(calls(case), found)
        return first(
            judge(case, got, right)
            if judge
            else agree_with_output(got, right, name=f"{label}output")
            for got, right, label in zip(outputs, expected, labels, strict=True)
        )

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        expected=right_outputs(reference, calls),
        weight=weight,
        hint=hint,
        kind="reference",
    )


def matches_reference(reference: Reference, *, weight: int) -> Property:
    """The output of self-attention in several heads is what the formula says."""
    return _equals_reference(
        reference,
        name="matches_reference",
        law="forward(x, x, x) = [head_1, ..., head_h] W_o, head_j = attention in its d_k columns",
        inputs=heads.sequences_and_matrices(),
        calls=_once,
        judge=_unused_matrices,
        weight=weight,
        hint="Project, split, attend in every head with its own columns, join, multiply by W_o.",
    )


def matches_reference_for_different_lengths(reference: Reference, *, weight: int) -> Property:
    """Queries come from one sequence, keys and values from others of another length.

    A second call of the same object has more queries than keys, and must know nothing of the first.
    """

    def calls(case: Case) -> Sequence[Step]:
        again = CallMethod(Handle(0), "forward", case.key, case.query, case.query)
        return [*forward(case, case.query, case.key, case.value), again]

    return _equals_reference(
        reference,
        name="matches_reference_for_different_lengths",
        law="Q = query W_q, K = key W_k, V = value W_v, where n_q and n_k may differ",
        inputs=heads.queries_keys_and_values(),
        calls=calls,
        labels=("", "in a second call, "),
        weight=weight,
        hint="Project keys from key and values from value, in every call, and read n_k from them.",
    )


def matches_reference_with_mask(reference: Reference, *, weight: int) -> Property:
    """A mask for all sequences, or one for each, holds in every head."""

    def calls(case: Case) -> Sequence[Step]:
        return [
            *forward(case, case.x, mask=case.mask),
            *forward(case, case.x, mask=case.masks, number=1),
        ]

    return _equals_reference(
        reference,
        name="matches_reference_with_mask",
        law="a key with mask 1 has weight 0 in every head; the mask is (n_q, n_k) or (B, n_q, n_k)",
        inputs=heads.masked_sequences(),
        calls=calls,
        labels=("with a mask (n, n), ", "with a mask (B, n, n), "),
        weight=weight,
        hint="Hand the mask to every head; one of shape (B, n_q, n_k) belongs to the sequences.",
    )


def one_head_is_scaled_dot_product_attention(attention: Reference, *, weight: int) -> Property:
    """With a single head nothing is left but attention between the projections.

    `attention` is the trusted `scaled_dot_product_attention(query, key, value)`.
    """

    def calls(case: Case) -> Sequence[Step]:
        return forward(case, case.x, num_heads=1)

    def expected(case: Case) -> FloatArray:
        output, _ = attention(case.x @ case.W_q, case.x @ case.W_k, case.x @ case.W_v)
        joined: FloatArray = output @ case.W_o
        return joined

    def verdict(case: Case, right: Any, *found: Any) -> Disagreement | None:
        (got,) = returned(calls(case), found)
        return agree_with_output(got, right)

    return Property(
        name="one_head_is_scaled_dot_product_attention",
        law="num_heads = 1: forward(x, x, x) = attention(x W_q, x W_k, x W_v) W_o",
        inputs=heads.full_sequences(),
        calls=calls,
        verdict=verdict,
        expected=expected,
        weight=weight,
        hint="With one head: attention between the three projections, then W_o.",
        kind="metamorphic",
    )


# -- runs compared with each other -----------------------------------------------------------------


def _compared(
    reference: Reference | None,
    *,
    name: str,
    law: str,
    inputs: Domain,
    calls: Steps,
    kept: Callable[[Case, FloatArray, FloatArray], Disagreement | None],
    moves: Callable[[Case, FloatArray], FloatArray] = lambda case, output: output,
    still: str = "",
    weight: int,
    hint: str,
) -> Property:
    """A law about the outputs of two runs, of which a part must be kept.

    Where the part that may move clearly does in the reference, the student's must move as well;
    without a reference this is not asked.
    """

    def clearly_moves(case: Case) -> bool:
        if reference is None:
            return False
        before, after = right_outputs(reference, calls)(case)
        return bool(np.abs(moves(case, after - before)).max() > CLEAR_CHANGE)

    def verdict(case: Case, clearly: bool, *found: Any) -> Disagreement | None:
        before, after = (output_of(got, case.x) for got in returned(calls(case), found))
        wrong = kept(case, before, after)
        if wrong is not None or not clearly:
            return wrong
        return differ(moves(case, after), moves(case, before), message=still)

    return Property(
        name=name,
        law=law,
        inputs=inputs,
        calls=calls,
        verdict=verdict,
        expected=clearly_moves,
        weight=weight,
        hint=hint,
        kind="metamorphic",
    )


def future_does_not_leak(reference: Reference, *, weight: int) -> Property:
    """Under a causal mask other tokens from t on leave the outputs before t as they were."""

    def calls(case: Case) -> Sequence[Step]:
        return [
            *forward(case, case.x, mask=case.mask),
            *forward(case, case.x_changed, mask=case.mask, number=1),
        ]

    def kept(case: Case, before: FloatArray, after: FloatArray) -> Disagreement | None:
        t = case.t
        name = f"after a change of the tokens from {t} on, output[:, :{t}]"
        return agree_averages(after[:, :t], before[:, :t], name=name)

    return _compared(
        reference,
        name="future_does_not_leak",
        law="causal mask: output[:, :t] does not depend on the tokens t, t + 1, ...",
        inputs=heads.causal_sequences(),
        calls=calls,
        kept=kept,
        moves=lambda case, output: output[:, case.t :],
        still="Other tokens from t on change no output at all.",
        weight=weight,
        hint="A blocked key must reach the output through no head: hand the mask on to all.",
    )


def permutation_equivariant(*, weight: int) -> Property:
    """Without a mask the order of the tokens is nothing but the order of the outputs."""

    def calls(case: Case) -> Sequence[Step]:
        return [*forward(case, case.x), *forward(case, case.x_permuted, number=1)]

    def kept(case: Case, before: FloatArray, after: FloatArray) -> Disagreement | None:
        name = "output of the tokens in another order"
        return agree_averages(after, before[:, case.order], name=name)

    return _compared(
        None,
        name="permutation_equivariant",
        law="forward(x[:, order]) = forward(x)[:, order], without a mask",
        inputs=heads.permuted_sequences(),
        calls=calls,
        kept=kept,
        weight=weight,
        hint="Splitting into heads must leave the columns of one token together: no bare reshape.",
    )


def heads_are_isolated(reference: Reference, *, weight: int) -> Property:
    """With W_o the identity, other values of one head change the columns of that head alone."""

    def calls(case: Case) -> Sequence[Step]:
        return [*forward(case, case.x), *forward(case, case.x, W_v=case.W_v_changed, number=1)]

    def own_columns(case: Case, output: FloatArray) -> FloatArray:
        d_k = case.d_model // case.num_heads
        columns: FloatArray = output[..., case.head * d_k : (case.head + 1) * d_k]
        return columns

    def kept(case: Case, before: FloatArray, after: FloatArray) -> Disagreement | None:
        before, after = before.copy(), after.copy()
        for output in (before, after):
            own_columns(case, output)[...] = 0.0
        name = f"after a change of the columns of head {case.head} in W_v, output"
        return agree_averages(after, before, name=name, tolerance=ISOLATED)

    return _compared(
        reference,
        name="heads_are_isolated",
        law="W_o = identity: columns j d_k .. (j + 1) d_k of W_v reach only these output columns",
        inputs=heads.changed_value_columns(),
        calls=calls,
        kept=kept,
        moves=own_columns,
        still="Other columns of W_v change no column of their own head.",
        weight=weight,
        hint="Head j attends with its own columns of Q, K and V, and its result goes back there.",
    )


def split_and_combine_are_inverse(*, weight: int) -> Property:
    """`split_heads` gives every head its own columns, `combine_heads` puts them side by side."""

    def calls(case: Case) -> Sequence[Step]:
        made = Handle(0)
        return [
            Construct(case.d_model, case.num_heads),
            CallMethod(made, "split_heads", case.x),
            CallMethod(made, "combine_heads", case.heads),
        ]

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        split, joined = returned(calls(case), found)
        return agree(split, case.heads, name="split_heads(x)") or agree(
            joined, case.x, name="combine_heads(heads)"
        )

    return Property(
        name="split_and_combine_are_inverse",
        law="split_heads(x)[:, j] = x[..., j d_k : (j + 1) d_k], combine_heads(split_heads(x)) = x",
        inputs=heads.split_sequences(),
        calls=calls,
        verdict=verdict,
        weight=weight,
        needs=None,
        hint="Split: reshape to (B, n, h, d_k), then swap axes 1 and 2. Combine: the way back.",
        kind="exact",
    )


# -- shown only ------------------------------------------------------------------------------------


def batch_independent() -> Property:
    """Shown only: a sequence by itself gives what it gives in a batch."""

    def calls(case: Case) -> Sequence[Step]:
        runs = [case.x, *(case.x[b : b + 1] for b in range(len(case.x)))]
        return [step for k, x in enumerate(runs) for step in forward(case, x, number=k)]

    def verdict(case: Case, *found: Any) -> Disagreement | None:
        together, *alone = returned(calls(case), found)
        right = output_of(together, case.x)
        return first(
            agree_with_output(got, right[b : b + 1], name=f"output of sequence {b} alone")
            for b, got in enumerate(alone)
        )

    return Property(
        name="batch_independent",
        law="forward(x)[b] = forward(x[b:b + 1])",
        inputs=heads.full_sequences(),
        calls=calls,
        verdict=verdict,
        weight=0,
        hint="The sequences of a batch know nothing of each other.",
        kind="metamorphic",
    )
