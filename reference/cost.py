"""What one layer of a transformer costs."""

from __future__ import annotations


def attention_cost(n: int, d: int) -> tuple[int, int]:
    """Multiply-adds of one layer: what grows with the tokens, and what with their square.

    The four projections (queries, keys, values, output) take n d^2 each, the feed-forward part
    from d to 4 d and back 8 n d^2; scores and weighted sum take n^2 d each. Both are equal at
    n = 6 d. Shapes: n tokens of width d -> (linear, attention).
    """
    linear = 4 * n * d**2 + 8 * n * d**2  # projections, feed-forward
    attention = 2 * n**2 * d  # scores, weighted sum
    return linear, attention
