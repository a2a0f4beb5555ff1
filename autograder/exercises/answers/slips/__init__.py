"""Known mistakes as slips in single stages of an answer, so that they can be made together.

An answer to an exercise is written once more in *stages*, one named step after the other. A stage
is a small function of a context `c`, which holds the arguments and what earlier stages gave, each
under its name. A *slip* is a known mistake written as a change of stages: it `replaces` some, or
`wraps` others, which is to change what they give. Two slips combine unless they replace the same
stage; two that wrap one stage combine in either order.

Some changes are harmless: an answer with one alone is right, but on top of a slip they may change
what it gives. There they cost nothing either.

One module per exercise lists its stages, its slips, and the mistakes that are no slips, each with
the reason. `Slips.combinations` turns the pairs into `Mistake` records.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations
from types import SimpleNamespace
from typing import Any

from autograder.exercise import Mistake

__all__ = ["NO_SHARE", "TINY_CONSTANTS", "Slip", "Slips", "again", "as_mistake", "left"]

Answer = Callable[..., Any]
Stage = Callable[..., Any]
"""`stage(c)` gives what the stage gives; a wrapper `wrapper(value, c)` changes it."""

NO_SHARE = "It earns nothing alone, so nothing is left for a second slip to take."


@dataclass(frozen=True, slots=True)
class Slip:
    """One known mistake as a change of stages.

    Args:
        name: the name of the known mistake.
        replaces: by stage: what stands in its place.
        wraps: by stage: what is done to its result.
        repeats: whether the answers depend on the arguments alone. Otherwise they tell nothing,
            and a combination is recognised by the laws that it fails.
    """

    name: str
    replaces: Mapping[str, Stage] = field(default_factory=dict)
    wraps: Mapping[str, Stage] = field(default_factory=dict)
    repeats: bool = True

    def combines_with(self, other: Slip) -> bool:
        """Whether both can be made in one answer."""
        return self.name != other.name and not set(self.replaces) & set(other.replaces)

    def order_matters(self, other: Slip) -> bool:
        """Whether both change the result of one stage."""
        return bool(set(self.wraps) & set(other.wraps))


def _constant(size: float) -> Slip:
    return Slip(f"constant_{size:.0e}", wraps={"total": lambda total, c: total + size})


TINY_CONSTANTS = tuple(
    map(_constant, (1e-8, 1e-5, 1e-6, 1e-7, 1e-9, 1e-10, 1e-12, 1e-15, 1e-16, 2.0**-52, 1e-20))
)
"""What is added to a sum of exponentials lest it be 0; under a shift by the maximum it is nothing.

It changes the stage `total`. 2**-52 is the `eps` of float64.
"""


Run = Callable[..., Any]
"""Runs the stages in order on named arguments and gives what the last one gives."""


@dataclass(frozen=True, slots=True)
class Slips:
    """An exercise's answer in stages, and the known mistakes that are slips of it.

    Args:
        signatures: by what the stage `parameters` gives: takes a `Run`, returns a function with
            that signature.
        stages: the right answer's in order; `parameters` comes first and sees no argument.
        slips: one per known mistake that can be written so.
        others: the known mistakes that cannot, each with the reason.
        harmless: by stage: changes that cost nothing, and show only where a slip replaces it.
        variants: by slip: the same mistake with other numbers in it, which costs the same.
    """

    signatures: Mapping[Any, Callable[[Run], Answer]]
    stages: Mapping[str, Stage]
    slips: tuple[Slip, ...]
    others: Mapping[str, str]
    harmless: Mapping[str, tuple[Slip, ...]] = field(default_factory=dict)
    variants: Mapping[str, tuple[Slip, ...]] = field(default_factory=dict)

    def answer(self, slips: Sequence[Slip] = ()) -> Answer:
        """The right answer with these slips in it; a later one changes what earlier ones give."""
        stages = dict(self.stages)
        for slip in slips:
            stages.update(slip.replaces)
        for slip in slips:
            for name, wrapper in slip.wraps.items():
                stages[name] = _wrapped(stages[name], wrapper)
        parameters = stages.pop("parameters")(SimpleNamespace())
        last = next(reversed(stages))

        def run(**arguments):
            return getattr(_context(stages, arguments, last), last)

        return self.signatures[parameters](run)

    def made_together(self, number: int) -> Iterator[tuple[Slip, ...]]:
        """All sets of so many slips that combine; in each order where the order matters."""
        for chosen in combinations(self.slips, number):
            pairs = list(combinations(chosen, 2))
            if not all(one.combines_with(other) for one, other in pairs):
                continue
            if any(one.order_matters(other) for one, other in pairs):
                yield from permutations(chosen)
            else:
                yield chosen

    def combinations(self, mistakes: Sequence[Mistake]) -> tuple[Mistake, ...]:
        """Variants and pairs of slips as known mistakes, where something is left of the points.

        Together they cost what each costs alone. Names of parts are joined by a plus sign.
        """
        known = {mistake.name: mistake for mistake in mistakes}
        made = [
            as_mistake((variant,), [known[name]], self.answer((variant,)))
            for name, variants in self.variants.items()
            for variant in variants
        ]
        for slips in self.made_together(2):
            parts = [known[slip.name] for slip in slips]
            if left(parts) > 0:
                made.append(as_mistake(slips, parts, self.answer(slips)))
        for slip, harmless in self.with_harmless():
            answer = self.answer((slip, harmless))
            made.append(as_mistake((slip, harmless), [known[slip.name]], answer))
        return tuple(made)

    def with_harmless(self) -> Iterator[tuple[Slip, Slip]]:
        """The slips that a harmless change shows on, each with the change."""
        for stage, changes in self.harmless.items():
            for slip in self.slips:
                if stage in slip.replaces:
                    yield from ((slip, change) for change in changes if slip.combines_with(change))


def again(c: SimpleNamespace, until: str, **fixed: Any) -> Any:
    """What the stage `until` gives when the stages run once more with some values fixed."""
    return getattr(_context(c.stages, c.arguments | fixed, until), until)


def _context(stages: Mapping[str, Stage], given: dict[str, Any], until: str) -> SimpleNamespace:
    """The context after the stages up to `until`; a stage that is given already is left out."""
    c = SimpleNamespace(stages=stages, arguments=given, **given)
    for name, stage in stages.items():
        if name not in given:
            setattr(c, name, stage(c))
        if name == until:
            break
    return c


def _wrapped(stage: Stage, wrapper: Stage) -> Stage:
    return lambda c: wrapper(stage(c), c)


def left(parts: Sequence[Mistake]) -> Fraction:
    """The fraction of the points that is left when each part takes what it costs alone."""
    return 1 - sum((1 - part.share for part in parts), Fraction(0))


def as_mistake(slips: Sequence[Slip], parts: Sequence[Mistake], answer: Answer) -> Mistake:
    """Slips made together as one mistake, named after all and with all their hints."""
    return Mistake(
        name="+".join(slip.name for slip in slips),
        answer=answer,
        hint=" ".join(part.hint for part in parts),
        share=left(parts),
        caught_by=tuple(dict.fromkeys(law for part in parts for law in part.caught_by)),
        recognised_by="outputs" if all(slip.repeats for slip in slips) else "laws",
    )
