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

_FAR_BELOW = "every such number lies far below all scores that are asked for"
_SWAP = "np.swapaxes(key, -1, -2)"

SCALED_DOT_PRODUCT_ATTENTION = {
    "scaled_dot_product_attention: (query, key, value, mask=None) -> (query, key, value, mask=0)": (
        "a mask of 0 blocks nothing, as None does"
    ),
    f"scaled_dot_product_attention: {_SWAP} -> np.swapaxes(key, -2, -1) in query @ {_SWAP}": (
        "swapping two axes is the same in either order"
    ),
    "scaled_dot_product_attention: key -> query in key.shape": "query and key have one width, d_k",
    **{
        f"scaled_dot_product_attention: -1000000000.0 -> {other} in mask * -1000000000.0": (
            _FAR_BELOW
        )
        for other in ("-2000000000.0", "-500000000.0", "-999999999.0")
    },
    "scaled_dot_product_attention: axis=-1 dropped in softmax(S, axis=-1)": (
        "-1 is the default axis of softmax"
    ),
}

CREATE_CAUSAL_MASK = {
    "create_causal_mask: (seq_len, seq_len) -> (seq_len,) in np.ones((seq_len, seq_len))": (
        "np.triu of n ones gives their upper triangle in shape (n, n)"
    ),
}

_MATRICES = "np.random.default_rng().standard_normal((4, d_model, d_model))"
_SET_BY_THE_GRADER = "the grader sets the four matrices, whatever they were before"
_FOUR_AXES = "an array of four axes: number 2 is the last but one, and -2 counts from the end"

MULTI_HEAD_ATTENTION = {
    f"MultiHeadAttention.__init__: {change}": _SET_BY_THE_GRADER
    for change in (
        f"0.1 * {_MATRICES} -> 0.1 / {_MATRICES} in matrices = 0.1 * {_MATRICES}",
        f"0.1 * {_MATRICES} -> 0.1 + {_MATRICES} in matrices = 0.1 * {_MATRICES}",
        f"0.1 * {_MATRICES} -> {_MATRICES} in matrices = 0.1 * {_MATRICES}",
        *(
            f"0.1 -> {other} in 0.1 * {_MATRICES}"
            for other in ("0.2", "0.05", "1.1", "-0.1", "0.0")
        ),
        "np.random.default_rng() -> np.random in np.random.default_rng().standard_normal",
        f"(4, d_model, d_model) -> (4, d_model) in {_MATRICES}",
        "d_model -> num_heads in (4, d_model, d_model)",
        "d_model -> num_heads in (4, d_model, d_model) (2)",
        "self.W_q, self.W_k, self.W_v, self.W_o = matrices dropped",
    )
} | {
    "MultiHeadAttention.split_heads: 2 -> -2 in "
    "x.reshape(B, n, self.num_heads, self.d_k).transpose(0, 2, 1, 3)": _FOUR_AXES,
    "MultiHeadAttention.combine_heads: 2 -> -2 in x.transpose(0, 2, 1, 3)": _FOUR_AXES,
    "MultiHeadAttention.forward: (self, query, key, value, mask=None) -> "
    "(self, query, key, value, mask=0)": "a mask of 0 blocks nothing, as no mask does",
}

_ANY_CHUNKS = "the output is the same for every chunk size, so for every default"
_SAME_KEY_WIDTH = "Q and K have the same width d_k"

CHUNKED_ATTENTION = {
    "chunked_attention: (Q, K, V, chunk_size=32) -> (Q, K, V, chunk_size=33)": _ANY_CHUNKS,
    "chunked_attention: (Q, K, V, chunk_size=32) -> (Q, K, V, chunk_size=31)": _ANY_CHUNKS,
    "chunked_attention: np.zeros -> np.ones in np.zeros((len(Q), V.shape[1]))": (
        "every row of the output is assigned"
    ),
    "chunked_attention: 1 -> -1 in V.shape[1]": _MATRIX,
    "chunked_attention: range(0, len(Q), chunk_size) -> range(0, len(Q)) in "
    "for start in range(0, len(Q), chunk_size):": (
        "chunks that overlap give every row its right output again"
    ),
    "chunked_attention: range(0, len(Q), chunk_size) -> range(0, len(Q) + 1, chunk_size) in "
    "for start in range(0, len(Q), chunk_size):": (
        "a chunk without queries adds no row to the output"
    ),
    "chunked_attention: slice(start, start + chunk_size) -> slice(start + chunk_size) in "
    "chunk = slice(start, start + chunk_size)": (
        "chunks that begin at the first query give every row its right output again"
    ),
    "chunked_attention: K -> Q in K.shape": _SAME_KEY_WIDTH,
    "chunked_attention: 1 -> -1 in K.shape[1]": _MATRIX,
}

CROSS_ATTENTION = {
    "cross_attention: W_Q -> W_K in W_Q.shape": _SAME_WIDTH,
    "cross_attention: 1 -> -1 in W_Q.shape[1]": _MATRIX,
}

_SAME_COUNT = "there are as many queries as keys and values"

LOCAL_ATTENTION = {
    "local_attention: Q -> K in len(Q)": _SAME_COUNT,
    "local_attention: Q -> V in len(Q)": _SAME_COUNT,
    "local_attention: position[:, np.newaxis] - position -> position - position[:, np.newaxis] "
    "in np.abs(position[:, np.newaxis] - position)": "abs(i - j) = abs(j - i)",
    "local_attention: K -> Q in K.shape": _SAME_KEY_WIDTH,
    "local_attention: 1 -> -1 in K.shape[1]": _MATRIX,
    "local_attention: np.inf -> 1000000000.0 in -np.inf": (
        "a query sees itself, so beside -1e9 there is a visible score, larger by far: weight 0"
    ),
}

_NEVER_TAKEN = "where() takes exp for x <= 0 alone; beyond that it only keeps exp from overflowing"

LINEAR_ATTENTION = {
    "linear_attention: phi_Q @ phi_K.sum(axis=0) -> phi_Q @ phi_K.sum(axis=0).T in "
    "normaliser = phi_Q @ phi_K.sum(axis=0)": _VECTOR,
    "_elu_plus_one: x > 0 -> x >= 0 in np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": (
        "at 0 both cases give 1"
    ),
    "_elu_plus_one: np.minimum(x, 0) -> np.minimum(0, x) in np.exp(np.minimum(x, 0))": (
        "the smaller of two numbers is the same in either order"
    ),
    "_elu_plus_one: np.minimum(x, 0) -> x in np.exp(np.minimum(x, 0))": _NEVER_TAKEN,
    "_elu_plus_one: 0 -> 1 in np.minimum(x, 0)": _NEVER_TAKEN,
}
