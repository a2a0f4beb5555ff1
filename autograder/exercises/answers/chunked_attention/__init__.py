"""Known answers to the exercise `chunked_attention(Q, K, V, chunk_size=32)`.

The mistakes are grouped by what they get wrong: the cutting, or attention within a chunk.
"""

from autograder.exercises.answers.chunked_attention import cutting, right_answers, weighting

MISTAKES = (*cutting.MISTAKES, *weighting.MISTAKES)
RIGHT_ANSWERS = right_answers.RIGHT_ANSWERS
