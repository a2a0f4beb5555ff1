"""Known answers to the exercise `linear_attention(Q, K, V)`.

The mistakes are grouped by what they get wrong: the feature map, or the average it makes.
"""

from autograder.exercises.answers.linear_attention import averaging, features, right_answers

MISTAKES = (*features.MISTAKES, *averaging.MISTAKES)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
