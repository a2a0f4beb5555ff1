"""The lecture's functions in plain NumPy: the right answers that every law is held against.

This package imports NumPy only, and nothing of the grader; the one that draws loads Matplotlib
when it is called.
"""

from reference.attention import self_attention, self_attention_loop
from reference.batched import scaled_dot_product_attention
from reference.cost import attention_cost
from reference.efficient import (
    chunked_attention,
    cross_attention,
    linear_attention,
    local_attention,
)
from reference.heatmap import attention_heatmap
from reference.lookup import soft_lookup
from reference.masks import causal_mask, create_causal_mask
from reference.multi_head import MultiHeadAttention
from reference.positions import sinusoidal_positions
from reference.softmax import softmax, softmax_jacobian_norm

__all__ = [
    "MultiHeadAttention",
    "attention_cost",
    "attention_heatmap",
    "causal_mask",
    "chunked_attention",
    "create_causal_mask",
    "cross_attention",
    "linear_attention",
    "local_attention",
    "scaled_dot_product_attention",
    "self_attention",
    "self_attention_loop",
    "sinusoidal_positions",
    "soft_lookup",
    "softmax",
    "softmax_jacobian_norm",
]
