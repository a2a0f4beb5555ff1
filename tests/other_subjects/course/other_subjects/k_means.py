"""Exercise `k_means`: two results, and randomness that a seed decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.comparison import agree, agree_data, fail, pair
from autograder.exercise import Call, Case, Disagreement, Domain, Exercise, Property
from autograder.laws import arrays
from autograder.strategies.drawing import Small, domain, normal
from other_subjects.answers import k_means as answers
from other_subjects.reference import k_means

EQUIVALENT = {
    "nearest: X[:, None] - centres -> centres - X[:, None] in (X[:, None] - centres) ** 2": (
        "a number and its negative have the same square"
    ),
    "nearest: squares.sum -> squares.mean in squares.sum(axis=2)": "all are divided by d",
    "nearest: axis=2 -> axis=-1 in squares.sum(axis=2)": "it is the last axis",
    "nearest: axis=1 -> axis=-1 in squares.sum(axis=2).argmin(axis=1)": "it is the last axis",
    "k_means: set(labels) -> labels in for j in set(labels):": "a mean taken twice is the same",
}


def points() -> Domain:
    """Points X (n, d) with k clusters, a seed and few steps, so that it matters how many."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        steps, k, d, n = sorted(sizes[:4])
        X = normal(rng, 3 * n, d, scale=scale)
        return Case(X=X, k=k, seed=int(rng.integers(1000)), steps=steps - 1)

    def few(small: Small) -> Case:
        X = small.array(small.size(2, 4), small.size(1, 2))
        return Case(X=X, k=2, seed=small.choice((0, 1, 2)), steps=small.choice((1, 2)))

    return domain(ordinary, few)


def crowds() -> Domain:
    """So many points that ten steps are not enough to settle."""

    def ordinary(rng: np.random.Generator, sizes: tuple[int, ...], scale: float) -> Case:
        return Case(X=normal(rng, 400, 2, scale=scale), k=8, seed=int(rng.integers(1000)))

    return domain(ordinary)


def call(case: Case, **changed: Any) -> Call:
    """The call that a case asks for, some of its arguments changed."""
    X, k, seed, steps = (changed.get(name, case[name]) for name in ("X", "k", "seed", "steps"))
    return Call(X, k, seed, steps=steps)


def once(case: Case) -> tuple[Call]:
    """One call."""
    return (call(case),)


def labels_are_nearest(weight: int) -> Property:
    """No other centre is nearer to a row than the one it is labelled with."""

    def verdict(case: Case, answer: Any) -> Disagreement | None:
        centres, labels = pair(answer)
        if centres.shape != (case.k, case.X.shape[1]) or labels.shape != (len(case.X),):
            return fail(f"the results have shapes {centres.shape} and {labels.shape}.")
        distances = np.linalg.norm(case.X[:, None] - centres, axis=2)
        rows = np.arange(len(case.X))
        if not np.isin(labels, range(case.k)).all():
            return fail("a label is not the number of a centre.")
        return agree(distances[rows, labels.astype(int)], distances.min(axis=1), name="distance")

    return Property(
        name="labels_are_nearest",
        law="labels[i] = argmin_j |X[i] - centres[j]|, for the centres that are returned",
        inputs=points(),
        calls=once,
        verdict=verdict,
        weight=weight,
        hint="Label the rows once more after the last step.",
        kind="metamorphic",
    )


def moves_with_the_points(weight: int) -> Property:
    """Points moved by a vector have their centres moved by it, and the same labels."""

    def verdict(case: Case, answer: Any, moved: Any) -> Disagreement | None:
        centres, labels = pair(answer)
        return agree_data(moved, [centres + 3.0, labels], name="k_means(X + 3, ...)")

    return Property(
        name="moves_with_the_points",
        law="k_means(X + 3) = (centres + 3, labels)",
        inputs=points(),
        calls=lambda case: (call(case), call(case, X=case.X + 3.0)),
        verdict=verdict,
        weight=weight,
        hint="Compare distances between points, not their sizes.",
        kind="metamorphic",
    )


EXERCISE = Exercise(
    name="k_means",
    signature="(X, k, seed, steps=10)",
    convention="The seed alone decides which rows are the first centres.",
    reference=k_means,
    gate="matches_reference",
    properties=(
        arrays.matches_reference(
            k_means,
            call,
            agree_data,
            law="centres and labels after that many steps from the rows that the seed draws",
            inputs=points(),
            weight=55,
            hint="Draw with default_rng(seed).choice(len(X), size=k, replace=False).",
        ),
        arrays.matches_reference(
            k_means,
            lambda case: Call(case.X, case.k, case.seed),
            agree_data,
            name="ten_steps_by_default",
            law="k_means(X, k, seed) = k_means(X, k, seed, steps=10)",
            inputs=crowds(),
            weight=5,
            hint="The default of steps is 10.",
        ),
        labels_are_nearest(weight=15),
        moves_with_the_points(weight=10),
        arrays.deterministic(
            call,
            lambda case: call(case, seed=case.seed + 1),
            pair,
            inputs=points(),
            weight=10,
        ),
        arrays.inputs_unchanged(once, agree_data, inputs=points(), weight=5),
    ),
    mistakes=answers.MISTAKES,
    right_answers=answers.RIGHT_ANSWERS,
    equivalent_mutants=EQUIVALENT,
)
