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
