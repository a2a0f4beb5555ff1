"""The known mistakes of `linear_attention` as slips."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers.linear_attention import MISTAKES
from autograder.exercises.answers.slips import NO_SHARE, Slip, Slips
from reference import softmax

_NO_FEATURES = "It is another kind of attention throughout, so no step is left for a second slip."


_RARE = "It is rarely made, so pairs with it are left out to keep them few."


def _signature(run):
    def linear_attention(Q, K, V):
        return run(Q=Q, K=K, V=V)

    return linear_attention


def _low(x):
    return np.exp(np.minimum(x, 0))


def _elu_plus_one(x):
    return np.where(x > 0, x + 1, _low(x))


def _by_rows(x):
    return np.where(x.sum(axis=1, keepdims=True) > 0, abs(x) + 1, np.exp(-abs(x)))


STAGES = {
    "parameters": lambda c: "all",
    "phi": lambda c: _elu_plus_one,
    "queries": lambda c: c.Q,
    "keys": lambda c: c.K,
    "values": lambda c: c.V,
    "features_Q": lambda c: c.phi(c.queries),
    "features_K": lambda c: c.phi(c.keys),
    "products": lambda c: c.features_Q @ c.features_K.T,
    "sums": lambda c: c.products @ c.values,
    "normaliser": lambda c: c.features_Q @ c.features_K.sum(axis=0),
    "divisor": lambda c: c.normaliser[:, None],
    "output": lambda c: c.sums / c.divisor,
    "result": lambda c: c.output,
}


def _maps_by(phi):
    return {"phi": lambda c: phi}


def _normalises_by(normaliser):
    return {"normaliser": normaliser}


def _divides_by(divisor):
    return {"divisor": divisor}


def _own_weights(c):
    return c.products / c.products.sum(axis=1, keepdims=True)


SLIPS = Slips(
    signatures={"all": _signature},
    stages=STAGES,
    slips=(
        # the feature map
        Slip("no_feature_map", _maps_by(lambda x: x)),
        Slip("another_positive_feature_map", _maps_by(np.exp)),
        Slip("relu_plus_a_small_constant", _maps_by(lambda x: np.maximum(x, 0) + 1e-6)),
        Slip("relu_plus_one", _maps_by(lambda x: np.maximum(x, 0) + 1)),
        Slip("softmax_as_feature_map", _maps_by(softmax)),
        Slip("features_can_be_zero", _maps_by(lambda x: np.maximum(x, 0))),
        Slip("elu_without_plus_one", _maps_by(lambda x: np.where(x > 0, x, _low(x) - 1))),
        Slip("one_added_twice", _maps_by(lambda x: np.where(x > 0, x + 1, _low(x) + 1))),
        Slip("one_forgotten_above_zero", _maps_by(lambda x: np.where(x > 0, x, _low(x)))),
        Slip("cases_swapped", _maps_by(lambda x: np.where(x < 0, x + 1, np.exp(x)))),
        Slip("one_case_for_each_row", _maps_by(_by_rows)),
        Slip("only_keys_mapped", replaces={"features_Q": lambda c: c.queries}),
        Slip("only_queries_mapped", replaces={"features_K": lambda c: c.keys}),
        Slip("values_mapped_too", replaces={"values": lambda c: _elu_plus_one(c.V)}),
        Slip("queries_scaled", wraps={"queries": lambda Q, c: Q / np.sqrt(Q.shape[1])}),
        Slip(
            "queries_and_keys_scaled",
            wraps=dict.fromkeys(("queries", "keys"), lambda x, c: x / x.shape[1] ** 0.25),
        ),
        # the normaliser
        Slip("normaliser_from_the_queries", _normalises_by(lambda c: c.features_Q.sum(axis=1))),
        Slip(
            "keys_summed_over_features",
            _normalises_by(lambda c: c.features_Q @ c.features_K.sum(axis=1)),
        ),
        Slip(
            "normaliser_without_the_map", _normalises_by(lambda c: c.features_Q @ c.K.sum(axis=0))
        ),
        Slip(
            "map_of_the_summed_keys",
            _normalises_by(lambda c: c.features_Q @ c.phi(c.K.sum(axis=0))),
        ),
        Slip(
            "mean_of_the_keys_in_the_normaliser",
            _normalises_by(lambda c: c.features_Q @ c.features_K.mean(axis=0)),
        ),
        Slip("large_constant_in_the_normaliser", wraps={"normaliser": lambda total, c: total + 1}),
        Slip("no_normaliser", _divides_by(lambda c: 1.0)),
        Slip("normaliser_from_the_keys", _divides_by(lambda c: c.features_K.sum())),
        Slip("divides_by_number_of_keys", _divides_by(lambda c: len(c.K))),
        Slip("divides_by_root_of_key_width", _divides_by(lambda c: np.sqrt(c.Q.shape[1]))),
        Slip("one_normaliser_for_all_queries", _divides_by(lambda c: c.normaliser.sum())),
        Slip("normaliser_without_its_dimension", _divides_by(lambda c: c.normaliser)),
        # the average
        Slip("keys_and_values_out_of_step", wraps={"values": lambda V, c: V[::-1]}),
        Slip(
            "later_keys_hidden",
            replaces=_normalises_by(lambda c: c.products.sum(axis=1)),
            wraps={"products": lambda A, c: np.tril(A)},
        ),
        Slip(
            "last_key_left_out",
            wraps={"keys": lambda K, c: K[:-1], "values": lambda V, c: V[:-1]},
        ),
        # what is returned
        Slip("weights_returned_too", replaces={"result": lambda c: (c.output, _own_weights(c))}),
        Slip("weights_only", replaces={"result": _own_weights}),
        Slip("output_rounded", wraps={"output": lambda output, c: np.round(output, 3)}),
    ),
    others={
        "normaliser_from_queries_no_map": "It is two slips already: no map, and no keys.",
        "scores_mapped": _NO_FEATURES,
        "softmax_attention": _NO_FEATURES,
        "unscaled_softmax_attention": _NO_FEATURES,
        "softmax_of_the_products": _NO_FEATURES,
        "normalised_over_queries": "It writes the weights out, so it has no normaliser of its own.",
        "queries_and_keys_swapped": "It raises before another slip could show.",
        "output_shaped_like_values": "It is written row by row, unlike all others.",
        "argument_changed_in_place": "It makes features in place, so it has no feature map.",
        "scaled_scores_mapped": _NO_FEATURES,
        "buffer_shaped_like_values": "It is written row by row, unlike all others.",
        "softplus_as_feature_map": _RARE,
        "sigmoid_as_feature_map": _RARE,
        "squares_as_feature_map": _RARE,
        "absolute_values_as_feature_map": _RARE,
        "derivative_of_elu": _RARE,
        "one_forgotten_below_zero": _RARE,
        "two_added": _RARE,
        "one_added_and_no_exponential": _RARE,
        "feature_of_zero_left_out": _RARE,
        "feature_of_zero_counted_twice": _RARE,
        "normaliser_is_a_product_of_sums": _RARE,
        "normaliser_with_unmapped_queries": _RARE,
        "output_divided_by_its_own_sum": _RARE,
        "output_scaled": _RARE,
        "keys_cut_to_the_queries": _RARE,
        "output_shaped_like_queries": _RARE,
        "axes_of_one_dropped": _RARE,
        "returns_zeros": NO_SHARE,
        "returns_its_input": NO_SHARE,
        "returns_its_values": NO_SHARE,
        "returns_the_mean": NO_SHARE,
    },
)


def combinations():
    """The pairs of known mistakes that leave some of the points."""
    return SLIPS.combinations(MISTAKES)
