"""The right answers that the laws are held against."""

from other_subjects.reference.clusters import k_means
from other_subjects.reference.dice import expected_throws
from other_subjects.reference.texts import initials, word_counts

__all__ = ["expected_throws", "initials", "k_means", "word_counts"]
