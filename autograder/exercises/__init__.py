"""What is taught: the exercises and assignments of this course, and how any course is found.

A course is a distribution that names, in the entry-point group `autograder.exercises`, functions
without arguments which return a `Catalogue`. Ours is `catalogue`. Nothing heavy is imported until
one of these functions is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from autograder.exercise import Assignment, Catalogue, Exercise, RecordError

ENTRY_POINT_GROUP = "autograder.exercises"

Record = TypeVar("Record", Exercise, Assignment)


def catalogue() -> Catalogue:
    """The exercises and assignments of this course."""
    from autograder.exercises import (
        assignments,
        attention_cost,
        attention_heatmap,
        causal_mask,
        chunked_attention,
        create_causal_mask,
        cross_attention,
        linear_attention,
        local_attention,
        multi_head_attention,
        scaled_dot_product_attention,
        self_attention,
        self_attention_loop,
        sinusoidal_positions,
        soft_lookup,
        softmax,
        softmax_jacobian_norm,
    )

    return Catalogue(
        exercises=(
            softmax.EXERCISE,
            self_attention_loop.EXERCISE,
            self_attention.EXERCISE,
            causal_mask.EXERCISE,
            soft_lookup.EXERCISE,
            softmax_jacobian_norm.EXERCISE,
            sinusoidal_positions.EXERCISE,
            attention_cost.EXERCISE,
            attention_heatmap.EXERCISE,
            scaled_dot_product_attention.EXERCISE,
            create_causal_mask.EXERCISE,
            multi_head_attention.EXERCISE,
            chunked_attention.EXERCISE,
            cross_attention.EXERCISE,
            local_attention.EXERCISE,
            linear_attention.EXERCISE,
        ),
        assignments=(
            assignments.SELF_ATTENTION,
            assignments.ATTENTION_INSIGHT,
            assignments.MULTI_HEAD_ATTENTION,
            assignments.EFFICIENT_ATTENTION,
        ),
    )


def load_exercises() -> dict[str, Exercise]:
    """Every exercise of every installed course, by name.

    Raises:
        RecordError: two courses offer an exercise of the same name, or an entry point is broken.
    """
    return _by_name("exercise", (e for offered in _catalogues() for e in offered.exercises))


def load_assignments() -> dict[str, Assignment]:
    """Every assignment of every installed course, by name.

    Raises:
        RecordError: two courses offer an assignment of the same name, an assignment names an
            exercise that no course offers, or an entry point is broken.
    """
    found = _by_name("assignment", (a for offered in _catalogues() for a in offered.assignments))
    exercises = load_exercises()
    for assignment in found.values():
        for name in assignment.exercises:
            if name not in exercises:
                raise RecordError(
                    f"assignment {assignment.name!r}: no installed course offers the exercise "
                    f"{name!r}. Correct the name or install its course."
                )
    return found


def _catalogues() -> Iterator[Catalogue]:
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        offered = _offered_by(entry)
        if not isinstance(offered, Catalogue):
            raise RecordError(
                f"entry point {entry.name!r} ({entry.value}) gives {type(offered).__name__}, "
                "but should be a function that returns a Catalogue."
            )
        yield offered


def _offered_by(entry: EntryPoint) -> object:
    """What the function of an entry point returns; the course of somebody else may be broken."""
    try:
        return entry.load()()
    except RecordError:
        raise
    except Exception as error:
        raise RecordError(
            f"the course at entry point {entry.name!r} ({entry.value}) can't be loaded: "
            f"{type(error).__name__}: {error}. Mend it or uninstall it."
        ) from error


def _by_name(what: str, records: Iterable[Record]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for record in records:
        if record.name in found:
            raise RecordError(
                f"two installed courses offer the {what} {record.name!r}. Rename one of them."
            )
        found[record.name] = record
    return found
