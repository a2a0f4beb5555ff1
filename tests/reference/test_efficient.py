"""The references of efficient attention against mpmath at 50 digits, written down once more."""

import mpmath
import numpy as np
import pytest

import reference

mpmath.mp.dps = 50


def precise_average(weigh, Q, K, V, seen=lambda i, j: True):
    """Output and weights where `weigh(q, k)` is the weight of a key, before it is normalised."""
    exact = [[[mpmath.mpf(float(x)) for x in row] for row in M] for M in (Q, K, V)]
    queries, keys, values = exact
    output, weights = [], []
    for i, q in enumerate(queries):
        w = [weigh(q, k) if seen(i, j) else mpmath.mpf(0) for j, k in enumerate(keys)]
        w = [one / mpmath.fsum(w) for one in w]
        weights.append([float(one) for one in w])
        columns = zip(*values, strict=True)
        output.append([float(mpmath.fsum(map(lambda a, b: a * b, w, c))) for c in columns])
    return np.array(output), np.array(weights)


def dot(q, k):
    return mpmath.fsum(a * b for a, b in zip(q, k, strict=True))


def softmax_weight(q, k):
    return mpmath.exp(dot(q, k) / mpmath.sqrt(len(q)))


def elu_weight(q, k):
    def phi(x):
        return x + 1 if x > 0 else mpmath.exp(x)

    return dot(map(phi, q), map(phi, k))


def arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def close(got, precise):
    np.testing.assert_allclose(got, precise, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 5, 7, 100])
@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (5, 3), (3, 6)])
def test_chunks_of_any_size_give_full_attention(chunk_size, n_q, n_k):
    Q, K, V = arrays(n_q, (n_q, 4), (n_k, 4), (n_k, 2))
    precise, _ = precise_average(softmax_weight, Q, K, V)
    close(reference.chunked_attention(Q, K, V, chunk_size), precise)


def test_the_default_chunk_is_one_of_several_for_a_long_sequence():
    Q, K, V = arrays(1, (40, 3), (4, 3), (4, 2))
    precise, _ = precise_average(softmax_weight, Q, K, V)
    close(reference.chunked_attention(Q, K, V), precise)


def test_whole_numbers_as_values_are_averaged_all_the_same():
    Q, K, V = np.zeros((1, 2)), np.zeros((2, 2)), np.array([[0], [1]])
    assert reference.chunked_attention(Q, K, V).tolist() == [[0.5]]


def test_a_chunk_of_nothing_is_refused():
    with pytest.raises(ValueError, match="must not be zero"):
        reference.chunked_attention(*arrays(1, (3, 2), (3, 2), (3, 2)), chunk_size=0)


@pytest.mark.parametrize(("n_q", "n_c"), [(2, 6), (6, 2), (4, 4)])
def test_cross_attention_asks_one_sequence_and_averages_the_other(n_q, n_c):
    X, context, W_Q, W_K, W_V = arrays(n_q, (n_q, 3), (n_c, 3), (3, 5), (3, 5), (3, 2))
    precise = precise_average(softmax_weight, X @ W_Q, context @ W_K, context @ W_V)
    for got, right in zip(
        reference.cross_attention(X, context, W_Q, W_K, W_V), precise, strict=True
    ):
        close(got, right)


def test_with_itself_as_context_a_sequence_attends_to_itself():
    X, *matrices = arrays(3, (4, 3), (3, 5), (3, 5), (3, 2))
    for cross, own in zip(
        reference.cross_attention(X, X, *matrices),
        reference.self_attention(X, *matrices),
        strict=True,
    ):
        close(cross, own)


@pytest.mark.parametrize("window", [0, 1, 2, 4, 5, 50])
def test_a_window_hides_what_is_further_away(window):
    Q, K, V = arrays(window, (6, 4), (6, 4), (6, 2))
    precise, _ = precise_average(softmax_weight, Q, K, V, lambda i, j: -window <= i - j <= window)
    close(reference.local_attention(Q, K, V, window), precise)


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_linear_attention_weighs_by_positive_features(scale):
    Q, K, V = arrays(7, (3, 4), (5, 4), (5, 2))
    precise, weights = precise_average(elu_weight, scale * Q, scale * K, V)
    close(reference.linear_attention(scale * Q, scale * K, V), precise)
    assert (weights > 0).all()


def test_features_of_huge_numbers_overflow_nowhere():
    Q, K, V = np.array([[1e5, -1e5]]), np.array([[1e5, 0.0], [-1e5, 1e5]]), np.eye(2)
    with np.errstate(all="raise", under="ignore"):
        assert reference.linear_attention(Q, K, V).tolist() == [[1.0, 0.0]]
