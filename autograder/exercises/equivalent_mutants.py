"""Automatic changes of the references that no input of the domain can show, each with the reason.

An audit makes the changes, finds those that no scored law tells from the reference, and asks for
a law, a case or an entry here. A name is written as the audit prints it.
"""

from __future__ import annotations

_LISTS = "scores are arrays; list_input shows what happens to lists, and is worth no points"
_WARNINGS = "it only keeps NumPy from warning, and a warning costs no points"
_NO_TOKENS = "the two differ for an empty sequence alone; empty_input shows it, worth no points"
_SAME_WIDTH = "W_Q and W_K have the same shape (d, d_k)"
_MATRIX = "a matrix has two axes: number 1 is the last"
_VECTOR = "the transpose of a vector is the vector itself"
_EVEN = "d is even: one cosine for every sine; odd_width shows an odd one, worth no points"
_ANY_NUMBERS = "a mask of 0.0 and 1.0 is accepted; is_boolean shows the type, worth no points"

SOFTMAX = {
    "softmax: z = np.asarray(z) dropped": _LISTS,
    "softmax: np.asarray(z) -> z in z = np.asarray(z)": _LISTS,
    "softmax: with np.errstate(invalid='ignore'): -> if True:": _WARNINGS,
    "softmax: invalid='ignore' dropped in np.errstate(invalid='ignore')": _WARNINGS,
}

SELF_ATTENTION_LOOP = {
    "self_attention_loop: W_Q -> W_K in W_Q.shape": _SAME_WIDTH,
    "self_attention_loop: 1 -> -1 in W_Q.shape[1]": _MATRIX,
    "self_attention_loop: 1 -> -1 in W_V.shape[1]": _MATRIX,
    "self_attention_loop: np.zeros -> np.ones in np.zeros((n, n))": (
        "every row of A is assigned before it is read"
    ),
    "self_attention_loop: x @ W_K -> x.T @ W_K in [x @ W_K for x in X]": _VECTOR,
    "self_attention_loop: x @ W_V -> x.T @ W_V in [x @ W_V for x in X]": _VECTOR,
    "self_attention_loop: X[i] @ W_Q -> X[i].T @ W_Q in query = X[i] @ W_Q": _VECTOR,
    "self_attention_loop: query @ keys[j] -> keys[j] @ query in query @ keys[j] / np.sqrt(d_k)": (
        "the dot product of two vectors is the same in either order"
    ),
    "self_attention_loop: query @ keys[j] -> query.T @ keys[j] in query @ keys[j] / np.sqrt(d_k)": (
        _VECTOR
    ),
    "self_attention_loop: query @ keys[j] -> query @ keys[j].T in query @ keys[j] / np.sqrt(d_k)": (
        _VECTOR
    ),
}

_A = "softmax(S, axis=-1) if S.size else S"

SELF_ATTENTION = {
    "self_attention: W_Q -> W_K in W_Q.shape": _SAME_WIDTH,
    "self_attention: 1 -> -1 in W_Q.shape[1]": _MATRIX,
    f"self_attention: {_A} -> softmax(S, axis=-1) in A = {_A}": _NO_TOKENS,
    f"self_attention: S.size -> S.ndim in {_A}": _NO_TOKENS,
    f"self_attention: S -> Q in {_A}": _NO_TOKENS,
    f"self_attention: S -> K in {_A}": _NO_TOKENS,
    f"self_attention: S -> V in {_A}": _NO_TOKENS,
    "self_attention: S -> Q in S.size": "Q has entries exactly where there are tokens, as S has",
    "self_attention: S -> K in S.size": "K has entries exactly where there are tokens, as S has",
    "self_attention: S -> V in S.size": "V has entries exactly where there are tokens, as S has",
    "self_attention: axis=-1 dropped in softmax(S, axis=-1)": "-1 is the default axis of softmax",
    "self_attention: axis=-1 -> axis=1 in softmax(S, axis=-1)": _MATRIX,
}

CAUSAL_MASK = {
    "causal_mask: (n, n) -> (n,) in np.ones((n, n), dtype=np.bool_)": (
        "np.tril of n ones gives their lower triangle in shape (n, n)"
    ),
    "causal_mask: dtype=np.bool_ dropped in np.ones((n, n), dtype=np.bool_)": _ANY_NUMBERS,
    "causal_mask: dtype=np.bool_ -> dtype=np.float64 in np.ones((n, n), dtype=np.bool_)": (
        _ANY_NUMBERS
    ),
}

SOFT_LOOKUP = {
    "soft_lookup: np.dot(weights, values) -> np.dot(values, weights) in "
    "(np.dot(weights, values), weights)": (
        "the dot product of two vectors is the same in either order; matrix_of_values shows "
        "values that are vectors, worth no points"
    ),
}

SOFTMAX_JACOBIAN_NORM = {
    "softmax_jacobian_norm: np.diag(p) - np.outer(p, p) -> np.outer(p, p) - np.diag(p) in "
    "np.linalg.norm(np.diag(p) - np.outer(p, p))": "a matrix and its negative have the same norm",
}

_COSINES = "np.cos(angles)[:, :d // 2]"

SINUSOIDAL_POSITIONS = {
    "sinusoidal_positions: 0::2 -> ::2 in (:, 0::2)": "a slice starts at 0 by itself",
    f"sinusoidal_positions: {_COSINES} -> np.cos(angles) in P[:, 1::2] = {_COSINES}": _EVEN,
    "sinusoidal_positions: (:, :d // 2) -> (:,) in np.cos(angles)[:, :d // 2]": _EVEN,
    "sinusoidal_positions: :d // 2 -> : in (:, :d // 2)": _EVEN,
    "sinusoidal_positions: :d // 2 -> :d // 2 + 1 in (:, :d // 2)": _EVEN,
    "sinusoidal_positions: d // 2 -> d * 2 in :d // 2": _EVEN,
    "sinusoidal_positions: d // 2 -> d in :d // 2": _EVEN,
    "sinusoidal_positions: 2 -> 1 in d // 2": _EVEN,
}

ATTENTION_COST: dict[str, str] = {}

_ONE_ROW_EACH = "there are as many tokens as rows of weights"

ATTENTION_HEATMAP = {
    "attention_heatmap: tokens -> weights in len(tokens)": _ONE_ROW_EACH,
    "attention_heatmap: tokens -> weights in len(tokens) (2)": _ONE_ROW_EACH,
}
