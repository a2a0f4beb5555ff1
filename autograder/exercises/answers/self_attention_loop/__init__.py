"""Known answers to the exercise `self_attention_loop(X, W_Q, W_K, W_V, mask=None)`.

The mistakes are grouped by what they get wrong.
"""

from autograder.exercises.answers.self_attention_loop import (
    buffers,
    looping,
    masking,
    right_answers,
    scaling,
    weighting,
    wiring,
    worthless,
)

MISTAKES = (
    *looping.MISTAKES,
    *buffers.MISTAKES,
    *scaling.MISTAKES,
    *masking.MISTAKES,
    *weighting.MISTAKES,
    *wiring.MISTAKES,
    *worthless.MISTAKES,
)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
