"""Known answers to the exercise `cross_attention(X, context, W_Q, W_K, W_V)`.

The mistakes are grouped by what they get wrong: the roles of the two sequences, or the attention.
"""

from autograder.exercises.answers.cross_attention import right_answers, roles, weighting

MISTAKES = (*roles.MISTAKES, *weighting.MISTAKES)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
