"""Known answers to the exercise `local_attention(Q, K, V, window)`.

The mistakes are grouped by what they get wrong: who sees whom, or the attention in the band.
"""

from autograder.exercises.answers.local_attention import band, right_answers, weighting

MISTAKES = (*band.MISTAKES, *weighting.MISTAKES)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
