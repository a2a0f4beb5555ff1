"""Turn the statuses of laws into points. Pure, and in exact fractions until the end.

A law earns its weight where it passed and what it needs holds. Where the gate fails, a known
mistake that gives exactly the student's outputs may earn its share instead, less the weights of
laws that the student fails and the mistake itself passes; the greater of the two counts. So a
second slip on top of a known mistake never costs more than that slip alone. Two known mistakes
made together earn what both leave even where the gate holds, for together they may break laws
that each alone does not.

A law that could not be checked through a fault of ours counts as passed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from autograder.exercise import Exercise, Property
from autograder.results import Status

_HOLDS = (Status.PASSED, Status.INTERNAL_ERROR)


@dataclass(frozen=True, slots=True)
class Share:
    """What a recognised mistake is worth: its fraction, and the laws that it passes itself.

    `several` says that it is several mistakes made together, which counts where the gate holds too.
    """

    fraction: Fraction
    passes: frozenset[str]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The points of an exercise and of each of its laws, exact."""

    points: Fraction
    max_points: Fraction
    laws: Mapping[str, Fraction]

    def rounded(self, step: Fraction) -> float:
        """The points rounded up to a multiple of `step`, never above the maximum."""
        up = Fraction(math.ceil(self.points / step)) * step
        return float(min(up, self.max_points))


def law_points(law: Property, points: Fraction) -> Fraction:
    """What a law is worth in an exercise of so many points."""
    return points * law.weight / 100


def score(
    exercise: Exercise,
    statuses: Mapping[str, Status],
    points: Fraction,
    *,
    shares: Sequence[Share] = (),
    forgiven: Collection[str] = (),
) -> Score:
    """Score one exercise.

    Args:
        exercise: its laws, gate and weights.
        statuses: the status of every law, by name.
        points: what the exercise is worth.
        shares: what recognised mistakes may earn; the best one counts.
        forgiven: failed laws that cost nothing here, because the assignment charges them once.
    """
    earned = {
        law.name: law_points(law, points)
        if _earns(exercise, law, statuses, forgiven)
        else Fraction(0)
        for law in exercise.properties
    }
    total = sum(earned.values(), Fraction(0))
    gate_holds = statuses[exercise.gate] in _HOLDS
    for share in shares:
        if share.several or not gate_holds:
            total = max(total, _shared(exercise, statuses, points, share, forgiven))
    return Score(total, points, earned)


def _earns(
    exercise: Exercise, law: Property, statuses: Mapping[str, Status], forgiven: Collection[str]
) -> bool:
    needed = exercise.needs_of(law)
    if needed is not None and statuses[needed] not in _HOLDS:
        return False
    return statuses[law.name] in _HOLDS or law.name in forgiven


def _shared(
    exercise: Exercise,
    statuses: Mapping[str, Status],
    points: Fraction,
    share: Share,
    forgiven: Collection[str],
) -> Fraction:
    slips = sum(
        law_points(law, points)
        for law in exercise.properties
        if statuses[law.name] not in _HOLDS
        and law.name in share.passes
        and law.name not in forgiven
    )
    return max(Fraction(0), share.fraction * points - slips)


def charged_once(
    outcomes: Mapping[str, tuple[Exercise, Mapping[str, Status], Fraction]],
) -> dict[str, frozenset[str]]:
    """Which failed laws of which exercise cost nothing, because their kind is charged elsewhere.

    Of all failed laws of an assignment with one `charge_once` label, the most expensive one
    counts. So mending any one of them never lowers a score.

    Args:
        outcomes: by exercise: its record, the statuses of its laws, its points.
    """
    charges: dict[str, list[tuple[Fraction, str, str]]] = {}
    for name, (exercise, statuses, points) in outcomes.items():
        for law in exercise.properties:
            gate_holds = statuses[exercise.gate] in _HOLDS
            if law.charge_once and statuses[law.name] not in _HOLDS and gate_holds:
                charge = (law_points(law, points), name, law.name)
                charges.setdefault(law.charge_once, []).append(charge)
    forgiven: dict[str, set[str]] = {name: set() for name in outcomes}
    for charge_list in charges.values():
        dearest = max(charge_list, key=lambda charge: charge[0])
        for charge in charge_list:
            if charge is not dearest:
                forgiven[charge[1]].add(charge[2])
    return {name: frozenset(laws) for name, laws in forgiven.items()}
