"""Known answers to the exercise `k_means`, wrong ones and right ones."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from autograder.exercises.answers import Answers

answers = Answers()
mistake, right_answer = answers.mistake, answers.right_answer


def _labels(X, centres):
    return np.array([np.sum((X - c) ** 2, axis=1) for c in centres]).argmin(axis=0)


def _moved(X, centres, steps):
    centres = np.array(centres, dtype=float)
    for _ in range(steps):
        labels = _labels(X, centres)
        for j in range(len(centres)):
            if np.any(labels == j):
                centres[j] = X[labels == j].mean(axis=0)
    return centres


@mistake(
    hint="Draw with default_rng(seed): np.random gives other rows in every call.",
    share="0.3",
    caught_by=("deterministic", "matches_reference"),
    recognised_by="laws",
)
def global_generator(X, k, seed, steps=10):
    centres = _moved(X, X[np.random.choice(len(X), size=k, replace=False)], steps)
    return centres, _labels(X, centres)


@mistake(
    hint="The first centres are drawn by the seed, not the first rows.",
    share="0.5",
    caught_by=("matches_reference",),
)
def first_rows_as_centres(X, k, seed, steps=10):
    centres = _moved(X, X[:k], steps)
    return centres, _labels(X, centres)


@mistake(
    hint="Draw different rows: replace=False.",
    share="0.6",
    caught_by=("matches_reference",),
)
def drawn_with_replacement(X, k, seed, steps=10):
    centres = _moved(X, X[np.random.default_rng(seed).choice(len(X), size=k)], steps)
    return centres, _labels(X, centres)


@mistake(
    hint="Label the rows once more after the last step.",
    share="0.7",
    caught_by=("labels_are_nearest", "matches_reference"),
)
def labels_from_before_the_last_step(X, k, seed, steps=10):
    first = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    return _moved(X, first, steps), _labels(X, _moved(X, first, steps - 1))


@mistake(
    hint="Return the centres first, then the labels.",
    share="0.8",
    caught_by=("matches_reference", "labels_are_nearest"),
)
def results_swapped(X, k, seed, steps=10):
    first = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    centres = _moved(X, first, steps)
    return _labels(X, centres), centres


@mistake(
    hint="Distances are taken between points: subtract before you square.",
    share="0.2",
    caught_by=("moves_with_the_points", "matches_reference"),
)
def nearest_by_size(X, k, seed, steps=10):
    centres = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    sizes = np.sum(X**2, axis=1)
    for _ in range(steps):
        labels = np.abs(sizes[:, None] - np.sum(centres**2, axis=1)).argmin(axis=1)
        for j in set(labels.tolist()):
            centres[j] = X[labels == j].mean(axis=0)
    return centres, np.abs(sizes[:, None] - np.sum(centres**2, axis=1)).argmin(axis=1)


@mistake(
    hint="Shuffling changes the rows of whoever called you; draw indices instead.",
    share="0.95",
    caught_by=("inputs_unchanged",),
)
def sorts_the_callers_rows(X, k, seed, steps=10):
    first = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    kept = X.copy()
    if X.flags.writeable:
        X.sort(axis=0)
    centres = _moved(kept, first, steps)
    return centres, _labels(kept, centres)


@mistake(
    hint="Repeat the step as often as steps says.",
    share="0.4",
    caught_by=("matches_reference",),
)
def one_step_only(X, k, seed, steps=10):
    first = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    centres = _moved(X, first, 1)
    return centres, _labels(X, centres)


@mistake(
    hint="The default of steps is 10; think of many points, which take long to settle.",
    share="0.95",
    caught_by=("ten_steps_by_default",),
)
def five_steps_by_default(X, k, seed, steps=5):
    first = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    centres = _moved(X, first, steps)
    return centres, _labels(X, centres)


@right_answer
def loops_and_lists(X, k, seed, steps=10):
    rows = [list(map(float, x)) for x in X]
    first = np.random.default_rng(seed).choice(len(X), size=k, replace=False)
    centres = [rows[i] for i in first]

    def label(x):
        squares = [sum((a - b) ** 2 for a, b in zip(x, c)) for c in centres]
        return squares.index(min(squares))

    for _ in range(steps):
        labels = [label(x) for x in rows]
        for j in range(k):
            own = [x for x, mine in zip(rows, labels) if mine == j]
            if own:
                centres[j] = [sum(column) / len(own) for column in zip(*own)]
    return [centres, [label(x) for x in rows]]


@right_answer
def one_hot_products(X, k, seed, steps=10):
    X = np.asarray(X, dtype=float)
    centres = X[np.random.default_rng(seed).choice(len(X), size=k, replace=False)]
    for _ in range(steps + 1):
        labels = np.linalg.norm(X[:, None] - centres, axis=-1).argmin(-1)
        if _ == steps:
            return centres, labels.astype(np.float32)
        own = np.eye(k)[labels]
        counts = own.sum(0)[:, None]
        centres = np.where(counts > 0, own.T @ X / np.maximum(counts, 1), centres)


MISTAKES = answers.mistakes
RIGHT_ANSWERS = answers.right_answers
