"""The references against mpmath at 50 digits, written down from the formulas once more."""

import mpmath
import numpy as np
import pytest

import reference

mpmath.mp.dps = 50


def precise_softmax(row):
    exponentials = [mpmath.exp(mpmath.mpf(float(z))) for z in row]
    total = mpmath.fsum(exponentials)
    return [e / total for e in exponentials]


def precise_attention(X, W_Q, W_K, W_V, mask=None, scale=True):
    X, W_Q, W_K, W_V = (mpmath.matrix(M.tolist()) for M in (X, W_Q, W_K, W_V))
    Q, K, V = X * W_Q, X * W_K, X * W_V
    divisor = mpmath.sqrt(W_Q.cols) if scale else mpmath.mpf(1)
    weights = mpmath.zeros(X.rows, X.rows)
    for i in range(X.rows):
        seen = [j for j in range(X.rows) if mask is None or mask[i, j]]
        scores = [mpmath.fsum(Q[i, k] * K[j, k] for k in range(W_Q.cols)) / divisor for j in seen]
        exponentials = [mpmath.exp(s) for s in scores]
        for j, e in zip(seen, exponentials, strict=True):
            weights[i, j] = e / mpmath.fsum(exponentials)
    return as_floats(weights * V), as_floats(weights)


def as_floats(matrix):
    return np.array(matrix.tolist(), dtype=float).reshape(matrix.rows, matrix.cols)


def tokens(seed, n=4, d=3, d_k=5, d_v=2):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in ((n, d), (d, d_k), (d, d_k), (d, d_v))]


def random_mask(seed, n=4):
    mask = np.random.default_rng(seed).random((n, n)) < 0.5
    np.fill_diagonal(mask, True)
    return mask


@pytest.mark.parametrize("scale", [0.3, 3.0, 1e4])
def test_softmax_equals_the_formula_in_50_digits(scale):
    z = scale * np.random.default_rng(7).standard_normal((4, 6))
    precise = np.array([[float(p) for p in precise_softmax(row)] for row in z])
    np.testing.assert_allclose(reference.softmax(z), precise, rtol=1e-11, atol=1e-300)


def test_softmax_runs_along_any_axis():
    z = np.random.default_rng(1).standard_normal((3, 4, 5))
    for axis in range(3):
        moved = reference.softmax(np.moveaxis(z, axis, -1))
        np.testing.assert_array_equal(reference.softmax(z, axis=axis), np.moveaxis(moved, -1, axis))


def test_softmax_gives_blocked_scores_no_weight_and_blocked_slices_nan():
    p = reference.softmax(np.array([[0.0, -np.inf], [-np.inf, -np.inf], [1.0, 1.0]]))
    np.testing.assert_array_equal(p, [[1, 0], [np.nan, np.nan], [0.5, 0.5]])


def test_softmax_takes_lists_integers_and_empty_batches():
    assert reference.softmax([[0, 0]]).tolist() == [[0.5, 0.5]]
    assert reference.softmax(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("form", [reference.self_attention, reference.self_attention_loop])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_both_forms_equal_the_formula_in_50_digits(form, masked, seed):
    arrays = tokens(seed)
    mask = random_mask(seed) if masked else None
    for got, precise in zip(
        form(*arrays, mask=mask), precise_attention(*arrays, mask), strict=True
    ):
        np.testing.assert_allclose(got, precise, rtol=1e-11, atol=1e-13)


def test_scale_false_leaves_the_division_out():
    arrays = tokens(5)
    unscaled = reference.self_attention(*arrays, scale=False)
    for got, precise in zip(unscaled, precise_attention(*arrays, scale=False), strict=True):
        np.testing.assert_allclose(got, precise, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("form", [reference.self_attention, reference.self_attention_loop])
def test_a_fully_blocked_row_is_nan_and_spoils_no_other(form):
    arrays, mask = tokens(2), random_mask(2)
    mask[1] = False
    seen = [0, 2, 3]
    for got, precise in zip(
        form(*arrays, mask=mask), precise_attention(*arrays, mask), strict=True
    ):
        assert np.isnan(got[1]).all()
        np.testing.assert_allclose(got[seen], precise[seen], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("form", [reference.self_attention, reference.self_attention_loop])
def test_no_token_gives_empty_results(form):
    X, *matrices = tokens(0)
    output, weights = form(X[:0], *matrices)
    assert output.shape == (0, 2)
    assert weights.shape == (0, 0)


def test_the_matrix_form_keeps_single_precision():
    output, weights = reference.self_attention(*(a.astype(np.float32) for a in tokens(0)))
    assert output.dtype == weights.dtype == np.float32


def test_causal_mask_lets_token_i_see_tokens_up_to_i():
    mask = reference.causal_mask(4)
    assert mask.dtype == np.bool_
    assert [[bool(m) for m in row] for row in mask] == [
        [j <= i for j in range(4)] for i in range(4)
    ]
    assert reference.causal_mask(0).shape == (0, 0)


# -- assignment attention_insight ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_soft_lookup_equals_the_formula_in_50_digits(seed):
    rng = np.random.default_rng(seed)
    query, keys, values = rng.standard_normal(3), rng.standard_normal((5, 3)), rng.normal(size=5)
    exact_query, exact_values = ([mpmath.mpf(float(x)) for x in v] for v in (query, values))
    scores = [mpmath.fdot(map(mpmath.mpf, map(float, key)), exact_query) for key in keys]
    weights = precise_softmax(scores)
    output, got = reference.soft_lookup(query, keys, values)
    np.testing.assert_allclose(got, [float(w) for w in weights], rtol=1e-12)
    np.testing.assert_allclose(output, float(mpmath.fdot(weights, exact_values)), rtol=1e-12)


def test_soft_lookup_mixes_vectors_too():
    output, weights = reference.soft_lookup(
        np.zeros(2), np.ones((4, 2)), np.arange(8.0).reshape(4, 2)
    )
    np.testing.assert_allclose(weights, [0.25] * 4)
    np.testing.assert_allclose(output, [3.0, 4.0])


@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_norm_equals_its_closed_form_in_50_digits(seed):
    p = reference.softmax(2 * np.random.default_rng(seed).standard_normal(7))
    exact = [mpmath.mpf(float(x)) for x in p]
    S2, S3 = (mpmath.fsum(x**k for x in exact) for k in (2, 3))
    closed = mpmath.sqrt(S2 - 2 * S3 + S2**2)
    # the closed form holds where the weights sum to one, which these do up to rounding
    np.testing.assert_allclose(reference.softmax_jacobian_norm(p), float(closed), rtol=1e-12)


def test_the_jacobian_norm_is_half_for_two_equal_weights_and_never_more():
    rng = np.random.default_rng(0)
    assert reference.softmax_jacobian_norm(np.array([0.5, 0.5, 0.0])) == 0.5
    assert max(map(reference.softmax_jacobian_norm, rng.dirichlet(np.ones(5), 500))) <= 0.5


@pytest.mark.parametrize(("n", "d"), [(1, 2), (7, 4), (200, 16), (5, 3)])
def test_positions_equal_the_formula_in_50_digits(n, d):
    P = reference.sinusoidal_positions(n, d)
    for p in range(n):
        for column in range(d):
            angle = p / mpmath.mpf(10000) ** (mpmath.mpf(column - column % 2) / d)
            wave = mpmath.cos if column % 2 else mpmath.sin
            assert abs(P[p, column] - float(wave(angle))) < 1e-13


def test_the_cost_is_counted_product_by_product():
    def products(n, d):
        linear = [(n, d, d)] * 4 + [(n, d, 4 * d), (n, 4 * d, d)]
        attention = [(n, d, n), (n, n, d)]
        return tuple(sum(a * b * c for a, b, c in part) for part in (linear, attention))

    for n, d in [(1, 1), (10, 3), (128, 768), (65536, 768)]:
        assert reference.attention_cost(n, d) == products(n, d)


def test_the_heat_map_shows_the_weights_with_the_tokens_beside_them():
    weights = np.array([[0.25, 0.75], [1.0, 0.0]])
    ax = reference.attention_heatmap(weights, ["a", "b"])
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), weights)
    for axis, label in ((ax.xaxis, "Key"), (ax.yaxis, "Query")):
        assert [text.get_text() for text in axis.get_ticklabels()] == ["a", "b"]
        assert axis.get_label_text() == label


# -- a whole batch, mask 1 = blocked ---------------------------------------------------------------


def batch(seed, B=2, n_q=3, n_k=4, d_k=5, d_v=2):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in ((B, n_q, d_k), (B, n_k, d_k), (B, n_k, d_v))]


def precise_rows(Q, K, V, blocked):
    """Output and weights of one sequence at 50 digits; what is blocked is left out of the sum."""
    Q, K, V = (mpmath.matrix(M.tolist()) for M in (Q, K, V))
    weights = mpmath.zeros(Q.rows, K.rows)
    for i in range(Q.rows):
        seen = [j for j in range(K.rows) if not blocked[i, j]]
        scores = [mpmath.fsum(Q[i, k] * K[j, k] for k in range(Q.cols)) for j in seen]
        exponentials = [mpmath.exp(s / mpmath.sqrt(Q.cols)) for s in scores]
        for j, e in zip(seen, exponentials, strict=True):
            weights[i, j] = e / mpmath.fsum(exponentials)
    return as_floats(weights * V), as_floats(weights)


@pytest.mark.parametrize("axes", [0, 2, 3])
@pytest.mark.parametrize("dtype", [float, bool, int])
def test_batched_attention_equals_the_formula_in_50_digits(axes, dtype):
    query, key, value = batch(axes)
    blocked = np.random.default_rng(3).random((2, 3, 4)) < 0.5
    blocked[:, :, 1] = False
    blocked = {0: np.zeros_like(blocked), 2: blocked[0], 3: blocked}[axes]
    mask = blocked.astype(dtype) if axes else None
    output, weights = reference.scaled_dot_product_attention(query, key, value, mask)
    for b, matrix in enumerate(np.broadcast_to(blocked, (2, 3, 4))):
        precise = precise_rows(query[b], key[b], value[b], matrix)
        np.testing.assert_allclose(output[b], precise[0], rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(weights[b], precise[1], rtol=1e-11, atol=1e-13)
        np.testing.assert_array_equal(weights[b][matrix], 0)


def test_one_sequence_of_a_batch_is_self_attention_with_the_opposite_mask():
    X, W_Q, W_K, W_V = tokens(6)
    visible = reference.causal_mask(4)
    alone = reference.self_attention(X, W_Q, W_K, W_V, mask=visible)
    batched = reference.scaled_dot_product_attention(
        (X @ W_Q)[None], (X @ W_K)[None], (X @ W_V)[None], mask=reference.create_causal_mask(4)
    )
    for got, expected in zip(batched, alone, strict=True):
        np.testing.assert_allclose(got[0], expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_two_causal_masks_are_complements(n):
    blocking = reference.create_causal_mask(n)
    np.testing.assert_array_equal(blocking, 1 - reference.causal_mask(n).astype(float))
    assert blocking.tolist() == [[float(j > i) for j in range(n)] for i in range(n)]


# -- several heads ---------------------------------------------------------------------------------


def precise_heads(made, query, key, value, mask=None):
    """Multi-head attention in 50 digits, number by number; mask 1 = blocked."""
    B, n_q, d_model = query.shape
    d_k = d_model // made.num_heads
    exact = [mpmath.matrix(W.tolist()) for W in (made.W_q, made.W_k, made.W_v, made.W_o)]
    output = np.empty(query.shape)
    for b in range(B):
        Q, K, V = (
            mpmath.matrix(x[b].tolist()) * W
            for x, W in zip((query, key, value), exact[:3], strict=True)
        )
        blocked = np.zeros((n_q, key.shape[1])) if mask is None else mask
        joined = mpmath.zeros(n_q, d_model)
        for i in range(n_q):
            seen = np.flatnonzero(blocked[b, i] == 0 if blocked.ndim == 3 else blocked[i] == 0)
            for start in range(0, d_model, d_k):
                own = range(start, start + d_k)
                powers = [
                    mpmath.exp(mpmath.fsum(Q[i, c] * K[int(j), c] for c in own) / mpmath.sqrt(d_k))
                    for j in seen
                ]
                for c in own:
                    weighted = (p * V[int(j), c] for p, j in zip(powers, seen, strict=True))
                    joined[i, c] = mpmath.fsum(weighted) / mpmath.fsum(powers)
        output[b] = as_floats(joined * exact[3])
    return output


@pytest.mark.parametrize("masked", ["no mask", "one for all", "one for each"])
@pytest.mark.parametrize("num_heads", [1, 2, 3])
def test_heads_equal_the_formula_in_50_digits(num_heads, masked):
    rng = np.random.default_rng(num_heads)
    made = reference.MultiHeadAttention(6, num_heads)
    for name in ("W_q", "W_k", "W_v", "W_o"):
        setattr(made, name, rng.standard_normal((6, 6)))
    query, key, value = (rng.standard_normal((2, n, 6)) for n in (3, 4, 4))
    mask = (rng.random((2, 3, 4)) < 0.5).astype(float)
    mask[..., 1] = 0
    mask = {"no mask": None, "one for all": mask[0], "one for each": mask}[masked]
    np.testing.assert_allclose(
        made.forward(query, key, value, mask=mask),
        precise_heads(made, query, key, value, mask),
        rtol=1e-11,
        atol=1e-13,
    )


def test_splitting_gives_every_head_neighbouring_columns_and_joining_puts_them_back():
    made = reference.MultiHeadAttention(6, 3)
    x = np.arange(60.0).reshape(2, 5, 6)
    split = made.split_heads(x)
    assert split.shape == (2, 3, 5, 2)
    for j in range(3):
        np.testing.assert_array_equal(split[:, j], x[:, :, 2 * j : 2 * j + 2])
    np.testing.assert_array_equal(made.combine_heads(split), x)


def test_a_width_that_the_heads_do_not_share_is_refused():
    x = np.ones((1, 2, 10))
    with pytest.raises(ValueError, match="reshape"):
        reference.MultiHeadAttention(10, 3).forward(x, x, x)
