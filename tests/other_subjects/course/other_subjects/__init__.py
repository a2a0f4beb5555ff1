"""A course on clusters, texts and dice: nothing of it is about attention."""

from __future__ import annotations

from fractions import Fraction

from autograder.exercise import Assignment, Catalogue


def catalogue() -> Catalogue:
    """What this course offers; the entry point in pyproject.toml names this function."""
    from other_subjects import expected_throws, initials, k_means, word_counts

    exercises = (
        k_means.EXERCISE,
        word_counts.EXERCISE,
        initials.EXERCISE,
        expected_throws.EXERCISE,
    )
    points = {"k_means": 10, "word_counts": 6, "initials": 4, "expected_throws": 2}
    assignment = Assignment(
        name="other_subjects",
        exercises={name: Fraction(value) for name, value in points.items()},
        allowed_imports=frozenset({"numpy"}),
    )
    return Catalogue(exercises=exercises, assignments=(assignment,))
