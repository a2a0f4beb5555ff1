"""Known answers to the exercise `MultiHeadAttention(d_model, num_heads)`, a class.

The mistakes are grouped by what they get wrong.
"""

from autograder.exercises.answers.multi_head_attention import (
    form,
    masking,
    projecting,
    right_answers,
    splitting,
    weighting,
)

MISTAKES = (
    *splitting.MISTAKES,
    *projecting.MISTAKES,
    *weighting.MISTAKES,
    *masking.MISTAKES,
    *form.MISTAKES,
)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
