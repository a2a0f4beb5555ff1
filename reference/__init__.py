"""The lecture's functions in plain NumPy: the right answers that every law is held against.

This package imports NumPy only, and nothing of the grader.
"""

from reference.attention import self_attention, self_attention_loop
from reference.batched import scaled_dot_product_attention
from reference.efficient import (
    chunked_attention,
    cross_attention,
    linear_attention,
    local_attention,
)
from reference.masks import causal_mask, create_causal_mask
from reference.multi_head import MultiHeadAttention
from reference.softmax import softmax

__all__ = [
    "MultiHeadAttention",
    "causal_mask",
    "chunked_attention",
    "create_causal_mask",
    "cross_attention",
    "linear_attention",
    "local_attention",
    "scaled_dot_product_attention",
    "self_attention",
    "self_attention_loop",
    "softmax",
]
