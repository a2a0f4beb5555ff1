"""Known answers to the exercise `softmax_jacobian_norm(p)`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

import numpy as np

from autograder.exercises.answers import Answers
from reference import softmax

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


# -- mistakes: the norm --------------------------------------------------------------------------


@mistake(
    hint="Take the square root at the end.",
    share="0.6",
    caught_by=("matches_reference",),
)
def squared_norm(p):
    J = np.diag(p) - np.outer(p, p)
    return (J**2).sum()


@mistake(
    hint="The Frobenius norm squares the entries before it sums them.",
    share="0.4",
    caught_by=("matches_reference",),
)
def sum_of_absolute_values(p):
    return np.abs(np.diag(p) - np.outer(p, p)).sum()


@mistake(
    hint="That is the largest singular value; the Frobenius norm takes all entries.",
    share="0.5",
    caught_by=("matches_reference",),
)
def spectral_norm(p):
    return np.linalg.norm(np.diag(p) - np.outer(p, p), 2)


@mistake(
    hint="That is the nuclear norm; the Frobenius norm takes the root of the sum of squares.",
    share="0.5",
    caught_by=("matches_reference",),
)
def nuclear_norm(p):
    return np.linalg.norm(np.diag(p) - np.outer(p, p), "nuc")


@mistake(
    hint="Sum the squares over the whole matrix, not over its rows alone.",
    share="0.4",
    caught_by=("bounded_and_permutation_invariant", "matches_reference"),
)
def norm_of_each_row(p):
    return np.linalg.norm(np.diag(p) - np.outer(p, p), axis=1)


@mistake(
    hint="The Frobenius norm is a root of a sum, not of a mean.",
    share="0.5",
    caught_by=("matches_reference",),
)
def root_of_the_mean(p):
    return np.sqrt(np.mean((np.diag(p) - np.outer(p, p)) ** 2))


@mistake(
    hint="Do not divide the norm by the number of entries.",
    share="0.5",
    caught_by=("uniform_and_one_hot_values", "matches_reference"),
)
def divided_by_length(p):
    return np.linalg.norm(np.diag(p) - np.outer(p, p)) / len(p)


@mistake(
    hint="Return the norm of the matrix, not its largest entry.",
    share="0.3",
    caught_by=("matches_reference",),
)
def largest_entry(p):
    return np.abs(np.diag(p) - np.outer(p, p)).max()


@mistake(
    hint="Return full precision; round only when printing.",
    share="0.6",
    caught_by=("matches_reference",),
)
def rounds_to_two_places(p):
    return np.round(np.linalg.norm(np.diag(p) - np.outer(p, p)), 2)


@mistake(
    hint="The norm is one number; yours is an array that holds it.",
    share="0.8",
    caught_by=("matches_reference",),
)
def norm_in_an_array(p):
    return np.array([np.linalg.norm(np.diag(p) - np.outer(p, p))])


# -- mistakes: the matrix --------------------------------------------------------------------------


@mistake(
    hint="The outer product is subtracted.",
    share="0.4",
    caught_by=("bounded_and_permutation_invariant", "matches_reference"),
)
def plus_instead_of_minus(p):
    return np.linalg.norm(np.diag(p) + np.outer(p, p))


@mistake(
    hint="The Jacobian has entries off the diagonal too.",
    share="0.4",
    caught_by=("matches_reference", "uniform_and_one_hot_values", "matches_finite_differences"),
)
def diagonal_only(p):
    return np.sqrt(np.sum((p * (1 - p)) ** 2))


@mistake(
    hint="The Jacobian has entries on the diagonal too: p_i (1 - p_i).",
    share="0.3",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def off_diagonal_only(p):
    J = -np.outer(p, p)
    np.fill_diagonal(J, 0.0)
    return np.linalg.norm(J)


@mistake(
    hint="diag(p) is a matrix with p on its diagonal: without it p is added to every row.",
    share="0.3",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def row_for_diagonal(p):
    return np.linalg.norm(p - np.outer(p, p))


@mistake(
    hint="The diagonal of diag(p) holds p, not 1.",
    share="0.3",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def identity_for_diagonal(p):
    return np.linalg.norm(np.eye(len(p)) - np.outer(p, p))


@mistake(
    hint="p p^T is the outer product, a matrix; p @ p is one number.",
    share="0.3",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def inner_product(p):
    return np.linalg.norm(np.diag(p) - p @ p)


@mistake(
    hint="p p^T is the outer product, a matrix; p * p only squares the entries.",
    share="0.3",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def squares_for_outer_product(p):
    return np.linalg.norm(np.diag(p) - p * p)


@mistake(
    hint="The outer product is subtracted from diag(p); you take its norm alone.",
    share="0.2",
    caught_by=("uniform_and_one_hot_values", "matches_reference"),
)
def outer_product_alone(p):
    return np.linalg.norm(np.outer(p, p))


@mistake(
    hint="Check the powers: S_3 counts twice and is subtracted, S_2 is squared at the end.",
    share="0.4",
    caught_by=("matches_reference", "uniform_and_one_hot_values"),
)
def third_power_counted_once(p):
    S2, S3 = np.sum(p**2), np.sum(p**3)
    return np.sqrt(S2 - S3 + S2**2)


@mistake(
    hint="The last term is the square of the sum of squares, not the sum of fourth powers.",
    share="0.4",
    caught_by=("matches_reference",),
)
def fourth_power_for_square_of_the_sum(p):
    return np.sqrt(np.sum(p**2) - 2 * np.sum(p**3) + np.sum(p**4))


@mistake(
    hint="p already holds probabilities.",
    share="0.4",
    caught_by=("uniform_and_one_hot_values", "matches_reference"),
)
def softmax_applied_to_weights(p):
    p = softmax(p)
    return np.linalg.norm(np.diag(p) - np.outer(p, p))


@mistake(
    hint="The size is that of p, not of the first example.",
    share="0.2",
    caught_by=("matches_reference",),
)
def two_entries_alone(p):
    a, b = p[0], p[-1]
    return np.linalg.norm([[a - a * a, -a * b], [-a * b, b - b * b]])


@mistake(
    hint="The order of the entries does not matter: the loop stops one entry early.",
    share="0.3",
    caught_by=("bounded_and_permutation_invariant", "matches_reference"),
)
def last_row_skipped(p):
    total = 0.0
    for i in range(len(p) - 1):
        for j in range(len(p)):
            total += ((p[i] if i == j else 0.0) - p[i] * p[j]) ** 2
    return math.sqrt(total)


@mistake(
    hint="Return the norm of the matrix, one number.",
    share="0.4",
    caught_by=("matches_reference",),
)
def matrix_returned(p):
    return np.diag(p) - np.outer(p, p)


# -- mistakes: nothing computed --------------------------------------------------------------------


@mistake(hint="Nothing is computed.", share="0", caught_by=("matches_reference",))
def returns_zeros(p):
    return 0.0


@mistake(
    hint="You return what you were given; compute the norm.",
    share="0",
    caught_by=("matches_reference",),
)
def returns_its_input(p):
    return p


@mistake(
    hint="The norm depends on all weights, not on how many they are.",
    share="0",
    caught_by=("uniform_and_one_hot_values", "matches_reference"),
)
def returns_uniform(p):
    return np.sqrt(len(p) - 1) / len(p)


# -- right answers -------------------------------------------------------------------------------


@right_answer
def library_norm(p):
    return np.linalg.norm(np.diag(p) - np.outer(p, p))


@right_answer
def library_norm_by_name(p):
    return np.linalg.norm(np.diag(p) - p[:, None] * p[None, :], ord="fro")


@right_answer
def root_of_the_sum_of_squares(p):
    J = np.diag(p) - np.outer(p, p)
    return np.sqrt(np.sum(J**2))


@right_answer
def closed_form(p):
    S2, S3 = np.sum(p**2), np.sum(p**3)
    return np.sqrt(max(S2 - 2 * S3 + S2**2, 0.0))


@right_answer
def two_loops(p):
    total = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            entry = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
            total += entry * entry
    return total**0.5


@right_answer
def generator_and_math(p):
    n = len(p)
    return math.sqrt(
        math.fsum((p[i] * (i == j) - p[i] * p[j]) ** 2 for i in range(n) for j in range(n))
    )


@right_answer
def matrices_for_vectors(p):
    p = np.asarray(p).reshape(-1, 1)
    J = np.diagflat(p) - p @ p.T
    return np.sqrt(np.trace(J.T @ J))


@right_answer
def eigenvalues_of_a_symmetric_matrix(p):
    return np.sqrt((np.linalg.eigvalsh(np.diag(p) - np.outer(p, p)) ** 2).sum())


@right_answer
def singular_values(p):
    return np.sqrt((np.linalg.svd(np.diag(p) - np.outer(p, p), compute_uv=False) ** 2).sum())


@right_answer
def einsum_in_a_zero_dimensional_array(p):
    J = np.einsum("i,ij->ij", p, np.eye(len(p)) - p)
    return np.array(np.sqrt(np.einsum("ij,ij->", J, J)))


@right_answer
def diagonal_filled_in(p):
    J = -np.outer(p, p)
    np.fill_diagonal(J, p - p**2)
    return float(np.hypot.reduce(J.ravel()))


@right_answer
def single_precision_work(p):
    p = np.asarray(p, dtype=np.float32)
    return np.linalg.norm(np.diag(p) - np.outer(p, p))


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
