"""Known answers to the exercise `scaled_dot_product_attention(query, key, value, mask=None)`.

The mistakes are grouped by what they get wrong.
"""

from autograder.exercises.answers.scaled_dot_product_attention import (
    masking,
    right_answers,
    scaling,
    weighting,
    wiring,
    worthless,
)

MISTAKES = (
    *scaling.MISTAKES,
    *masking.MISTAKES,
    *weighting.MISTAKES,
    *wiring.MISTAKES,
    *worthless.MISTAKES,
)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
