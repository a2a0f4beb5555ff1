"""The notebooks of this course: which exercises they hold and what each is worth."""

from __future__ import annotations

from fractions import Fraction

from autograder.exercise import Assignment, WrittenQuestion

SELF_ATTENTION = Assignment(
    name="self_attention",
    exercises={
        "softmax": Fraction(10),
        "self_attention_loop": Fraction(10),
        "self_attention": Fraction(15),
        "causal_mask": Fraction(5),
    },
    written=(WrittenQuestion(name="why-scale", points=Fraction(5)),),
)

ATTENTION_INSIGHT = Assignment(
    name="attention_insight",
    exercises={
        "soft_lookup": Fraction(5),
        "softmax_jacobian_norm": Fraction(5),
        "sinusoidal_positions": Fraction(5),
        "attention_cost": Fraction(5),
        "attention_heatmap": Fraction(5),
    },
)

MULTI_HEAD_ATTENTION = Assignment(
    name="multi_head_attention",
    exercises={
        "scaled_dot_product_attention": Fraction(10),
        "create_causal_mask": Fraction(5),
        "MultiHeadAttention": Fraction(15),
    },
)

EFFICIENT_ATTENTION = Assignment(
    name="efficient_attention",
    exercises={
        "chunked_attention": Fraction(10),
        "cross_attention": Fraction(5),
        "local_attention": Fraction(5),
        "linear_attention": Fraction(10),
    },
)
