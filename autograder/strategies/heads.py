"""Domains of multi-head attention: sequences, four matrices, the number of heads.

Symbols: B sequences, n_q queries, n_k keys, h heads of d_k columns each, d_model = h d_k. Masks
hold 1 for blocked and leave a visible key in every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.exercise import Case, Domain
from autograder.strategies.drawing import FloatArray, Small, domain, normal

MATRICES = ("W_q", "W_k", "W_v", "W_o")

_SIZES = (2, 3, 4, 5, 7)
_WIDEST_HEAD = 5
"""Larger sizes are left to tokens and sequences, so that matrices stay small."""

Sizes = tuple[int, ...]


class _Drawn:
    """The sizes of an ordinary case, all distinct, and arrays in those sizes."""

    def __init__(self, rng: np.random.Generator, sizes: Sizes, scale: float) -> None:
        narrow = [size for size in sizes if size <= _WIDEST_HEAD]
        self.h, self.d_k = narrow[:2]
        self.B, self.n, self.n_k = (size for size in sizes if size not in narrow[:2])
        self.rng, self.scale, self.d_model = rng, scale, self.h * self.d_k

    def tokens(self, n: int) -> FloatArray:
        return normal(self.rng, self.B, n, self.d_model, scale=self.scale)

    def matrices(self) -> dict[str, FloatArray]:
        """Four matrices under which projections are as large as what is projected."""
        shape = self.d_model, self.d_model
        return {name: normal(self.rng, *shape) / np.sqrt(self.d_model) for name in MATRICES}

    def widths(self) -> dict[str, int]:
        return {"d_model": self.d_model, "num_heads": self.h}

    def mask(self, *shape: int) -> FloatArray:
        """A mask of that shape; one key of every row is visible, and one row sees no other."""
        blocked = self.rng.random(shape) < 0.5
        visible = self.rng.integers(shape[-1], size=(*shape[:-1], 1))
        np.put_along_axis(blocked, visible, False, axis=-1)
        blocked[..., 0, :] = np.arange(shape[-1]) != visible[..., 0, :]
        return blocked.astype(np.float64)


def _domain(ordinary: Any, small: Any) -> Domain:
    return domain(
        lambda rng, sizes, scale: ordinary(_Drawn(rng, sizes, scale)),
        lambda draws: small(draws, draws.size(1, 2), draws.size(1, 2)),
        sizes=_SIZES,
    )


def _small_parts(small: Small, h: int, d_k: int) -> dict[str, Any]:
    matrices = {name: small.matrix(h * d_k, h * d_k) for name in MATRICES}
    return {"d_model": h * d_k, "num_heads": h, **matrices}


def _small_tokens(small: Small, d_model: int, n: int) -> FloatArray:
    return small.matrix(n, d_model)[np.newaxis]


def full_sequences() -> Domain:
    """Tokens x (B, n, d_model) and four matrices."""
    return _domain(_full, _small_full)


def _full(drawn: _Drawn) -> Case:
    return Case(**drawn.widths(), **drawn.matrices(), x=drawn.tokens(drawn.n))


def _small_full(small: Small, h: int, d_k: int) -> Case:
    parts = _small_parts(small, h, d_k)
    return Case(**parts, x=_small_tokens(small, h * d_k, small.size(1, 2)))


def sequences_and_matrices() -> Domain:
    """Tokens and four matrices, where W_o or W_v is zero in some of the cases.

    Then the output is 0 whatever else is wrong, unless the matrices that were set are not used.
    """

    def with_zeros(case: Case, name: str) -> Case:
        return Case(**{**case, name: np.zeros_like(case[name])}) if name else case

    def ordinary(drawn: _Drawn) -> Case:
        return with_zeros(_full(drawn), str(drawn.rng.choice(["W_o", "W_v", "", "", "", ""])))

    def small(draws: Small, h: int, d_k: int) -> Case:
        # the zeros first: whatever fails with them is shown with them
        name = draws.choice(("W_o", "W_v", "", ""))
        return with_zeros(_small_full(draws, h, d_k), name)

    return _domain(ordinary, small)


def queries_keys_and_values() -> Domain:
    """Three sequences of their own: query (B, n_q, d_model), key and value (B, n_k, d_model)."""

    def ordinary(drawn: _Drawn) -> Case:
        return Case(
            **drawn.widths(),
            **drawn.matrices(),
            query=drawn.tokens(drawn.n),
            key=drawn.tokens(drawn.n_k),
            value=drawn.tokens(drawn.n_k),
        )

    def small(draws: Small, h: int, d_k: int) -> Case:
        n_k = draws.size(1, 2)
        return Case(
            **_small_parts(draws, h, d_k),
            query=_small_tokens(draws, h * d_k, draws.size(1, 2)),
            key=_small_tokens(draws, h * d_k, n_k),
            value=_small_tokens(draws, h * d_k, n_k),
        )

    return _domain(ordinary, small)


def masked_sequences() -> Domain:
    """Tokens with a causal mask (n, n) and a mask of their own for each sequence (B, n, n)."""

    def ordinary(drawn: _Drawn) -> Case:
        B, n = drawn.B, drawn.n
        return Case(
            **drawn.widths(),
            **drawn.matrices(),
            x=drawn.tokens(n),
            mask=_causal(n),
            masks=drawn.mask(B, n, n),
        )

    def small(draws: Small, h: int, d_k: int) -> Case:
        B, n = draws.size(1, 2), draws.size(1, 2)
        x = np.concatenate([_small_tokens(draws, h * d_k, n) for _ in range(B)])
        masks = 1.0 - np.array([draws.mask(n) for _ in range(B)])
        return Case(**_small_parts(draws, h, d_k), x=x, mask=_causal(n), masks=masks)

    return _domain(ordinary, small)


def causal_sequences() -> Domain:
    """Tokens under a causal mask, and the same with others in place of those from `t` on.

    They are near 0, so that no weight is lost among much larger ones.
    """

    def ordinary(drawn: _Drawn) -> Case:
        n, t = drawn.n, int(drawn.rng.integers(1, drawn.n))
        x, others = (normal(drawn.rng, drawn.B, n, drawn.d_model, scale=0.5) for _ in range(2))
        return Case(
            **drawn.widths(),
            **drawn.matrices(),
            x=x,
            x_changed=np.concatenate([x[:, :t], others[:, t:]], axis=1),
            mask=_causal(n),
            t=t,
        )

    def small(draws: Small, h: int, d_k: int) -> Case:
        parts = _small_parts(draws, h, d_k)
        x, others = (_small_tokens(draws, h * d_k, 2) for _ in range(2))
        changed = np.concatenate([x[:, :1], others[:, 1:]], axis=1)
        return Case(**parts, x=x, x_changed=changed, mask=_causal(2), t=1)

    return _domain(ordinary, small)


def permuted_sequences() -> Domain:
    """Tokens, and the same in another order."""

    def permuted(case: Case, order: Any) -> Case:
        return Case(**case, x_permuted=case.x[:, order], order=order)

    def ordinary(drawn: _Drawn) -> Case:
        return permuted(_full(drawn), drawn.rng.permutation(drawn.n))

    def small(draws: Small, h: int, d_k: int) -> Case:
        case = Case(**_small_parts(draws, h, d_k), x=_small_tokens(draws, h * d_k, 2))
        return permuted(case, np.array([1, 0]))

    return _domain(ordinary, small)


def changed_value_columns() -> Domain:
    """Tokens, W_o the identity, and a second W_v, other in the columns of one head."""

    def changed(case: Case, head: int) -> Case:
        d_k = case.d_model // case.num_heads
        W_v = case.W_v.copy()
        W_v[:, head * d_k : (head + 1) * d_k] += 1.0
        identity = {"W_o": np.eye(case.d_model)}
        return Case(**{**case, **identity}, W_v_changed=W_v, head=head)

    def ordinary(drawn: _Drawn) -> Case:
        return changed(_full(drawn), int(drawn.rng.integers(drawn.h)))

    def small(draws: Small, h: int, d_k: int) -> Case:
        return changed(_small_full(draws, h, d_k), draws.choice(range(h)))

    return _domain(ordinary, small)


def split_sequences() -> Domain:
    """Tokens x (B, n, d_model), and the same split into heads (B, h, n, d_k)."""

    def case_of(x: FloatArray, h: int, d_k: int) -> Case:
        heads = np.stack([x[..., j * d_k : (j + 1) * d_k] for j in range(h)], axis=1)
        return Case(d_model=h * d_k, num_heads=h, x=x, heads=heads)

    def ordinary(drawn: _Drawn) -> Case:
        return case_of(drawn.tokens(drawn.n), drawn.h, drawn.d_k)

    def small(draws: Small, h: int, d_k: int) -> Case:
        return case_of(draws.array(1, draws.size(1, 2), h * d_k), h, d_k)

    return _domain(ordinary, small)


def _causal(n: int) -> FloatArray:
    return np.triu(np.ones((n, n)), k=1)
