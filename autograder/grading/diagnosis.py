"""Which known mistake, or which two made together, give exactly these outputs?

A mistake is recognised by values, nan pattern and statuses together; so a diagnosis costs no call
of a student's function. An answer is *named* after what agrees with it on every law, else, where
the gate fails, after what agrees on the gate's cases. Where the gate fails, those may earn their
share; where it passes, a single mistake only explains, and two made together earn at least what
both leave, because together they may break more laws than each alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import zip_longest

from autograder.exercise import Exercise, Mistake
from autograder.grading.checker import ExerciseOutcome, LawOutcome, same_reply
from autograder.grading.corpus import Corpus
from autograder.grading.known import KnownAnswers, under_name
from autograder.grading.scoring import Share
from autograder.results import CaseReply, Diagnosis, Status

__all__ = ["Diagnoser", "Recognised", "under_name", "with_counterexamples_of"]


@dataclass(frozen=True, slots=True)
class Recognised:
    """The mistakes that a student's answers equal; the first is the one to name.

    Args:
        mistakes: those that explain most.
        complete: whether they agree on every law, not on the gate's cases alone.
        on_gate: those that agree on the cases of a gate that fails.
        together: those of `mistakes` that are several made together.
    """

    mistakes: tuple[Mistake, ...]
    complete: bool
    on_gate: tuple[Mistake, ...] = ()
    together: tuple[Mistake, ...] = ()

    def diagnosis(self) -> Diagnosis:
        """The record for the result."""
        first = self.mistakes[0]
        also = "".join(f" It may also be {other.name}." for other in self.mistakes[1:])
        share = max(mistake.share for mistake in self.mistakes)
        return Diagnosis(
            mistake=first.name, message=f"{first.hint}{also}", share=float(Fraction(share))
        )


@dataclass(slots=True)
class Diagnoser:
    """Recognises the mistakes of a run's exercises; remembers them for all submissions."""

    corpus: Corpus
    shrink_evaluations: int = 200
    known: KnownAnswers = field(init=False)

    def __post_init__(self) -> None:
        self.known = KnownAnswers(self.corpus, self.shrink_evaluations)

    def with_known_counterexample(
        self, outcome: ExerciseOutcome, recognised: Recognised
    ) -> ExerciseOutcome:
        """The student's outcome with the mistake's own shrunk counterexample, found once a run."""
        known = self.known.shrunk(outcome.exercise, recognised.mistakes[0])
        return with_counterexamples_of(outcome, known)

    def recognise(self, outcome: ExerciseOutcome) -> Recognised | None:
        """The known mistakes that answer exactly like the student; None for a right answer."""
        exercise = outcome.exercise
        scored = [law for law in outcome.laws if law.law.scored]
        if all(law.status is Status.PASSED for law in scored):
            return None
        if outcome.status in (Status.MISSING, Status.INTERNAL_ERROR):
            return None
        gate = outcome.named(exercise.gate)
        on_gate = self._on_gate(exercise, exercise.mistakes, gate)
        complete = self._like(exercise, exercise.mistakes, scored)
        if complete:
            return Recognised(complete, complete=True, on_gate=on_gate)
        if any(mistake.share == 0 for mistake in on_gate):
            return Recognised(on_gate, complete=False, on_gate=on_gate)
        return self._several(exercise, scored, gate, on_gate)

    def _several(
        self,
        exercise: Exercise,
        scored: Sequence[LawOutcome],
        gate: LawOutcome,
        on_gate: tuple[Mistake, ...],
    ) -> Recognised | None:
        """Mistakes made together that answer like the student, else what does on the gate."""
        combined = self.known.combinations(exercise)
        if gate.status is not Status.PASSED:
            alike = self._on_gate(exercise, combined, gate)
            on_gate = on_gate or alike
            combined = (*alike, *(m for m in combined if m.recognised_by == "laws"))
        together = self._like(
            exercise, combined, self._second_slip_first(exercise, scored, on_gate)
        )
        if together:
            return Recognised(together, complete=True, on_gate=on_gate, together=together)
        return Recognised(on_gate, complete=False, on_gate=on_gate) if on_gate else None

    def shares(self, exercise: Exercise, recognised: Recognised) -> list[Share]:
        """What the recognised mistakes may earn; a worthless one among them leaves nothing else."""
        found = {m.name: m for m in (*recognised.mistakes, *recognised.on_gate)}
        paying = [m for m in found.values() if m.share == 0] or found.values()
        together = {mistake.name for mistake in recognised.together}
        return [
            Share(m.share, self.known.passed(exercise, m), several=m.name in together)
            for m in paying
        ]

    def _second_slip_first(
        self, exercise: Exercise, scored: Sequence[LawOutcome], on_gate: Sequence[Mistake]
    ) -> list[LawOutcome]:
        """The laws that a mistake with the student's answers on the gate passes itself, first.

        Where the student fails them, they tell which slip came on top.
        """
        if not on_gate:
            return list(scored)
        alone = self.known.passed(exercise, on_gate[0])
        return sorted(scored, key=lambda law: law.law.name not in alone)

    def _on_gate(
        self, exercise: Exercise, mistakes: Iterable[Mistake], gate: LawOutcome
    ) -> tuple[Mistake, ...]:
        """Those of the mistakes that answer the cases of a failed gate like the student."""
        if gate.status is Status.PASSED:
            return ()
        return self._like(exercise, (m for m in mistakes if m.recognised_by == "outputs"), [gate])

    def _like(
        self, exercise: Exercise, mistakes: Iterable[Mistake], laws: Sequence[LawOutcome]
    ) -> tuple[Mistake, ...]:
        """Those of the mistakes that answer, or by their laws fare, like the student."""
        # What a student fails tells most where answers are compared. Where statuses alone are,
        # it is what holds that tells: who breaks every law may have written nothing at all.
        failed_first = sorted(laws, key=lambda law: law.status is Status.PASSED)
        holds_some = failed_first[-1].status is Status.PASSED
        return tuple(
            mistake
            for mistake in mistakes
            if (
                self._answers_like(exercise, mistake, failed_first)
                if mistake.recognised_by == "outputs"
                else holds_some and self._fares_like(exercise, mistake, failed_first[::-1])
            )
        )

    def _answers_like(
        self, exercise: Exercise, mistake: Mistake, laws: Iterable[LawOutcome]
    ) -> bool:
        return all(
            _same_replies(self.known.replies(exercise, mistake, law.law), law.replies)
            and self._fares_like(exercise, mistake, [law])
            for law in laws
        )

    def _fares_like(self, exercise: Exercise, mistake: Mistake, laws: Iterable[LawOutcome]) -> bool:
        return all(
            self.known.passes(exercise, mistake, law.law) is (law.status is Status.PASSED)
            for law in laws
        )


def with_counterexamples_of(outcome: ExerciseOutcome, known: ExerciseOutcome) -> ExerciseOutcome:
    """The outcome with the failing cases of another that answers alike, where laws were broken.

    A law that ended in an exception keeps its own failure, which tells the student's line. A note
    that the clock ended the other's search goes along: a replay may find another case.
    """
    laws = tuple(
        replace(law, failure=other.failure) if law.status is Status.FAILED is other.status else law
        for law, other in zip(outcome.laws, known.laws, strict=True)
    )
    return replace(outcome, laws=laws, notes=(*outcome.notes, *known.notes))


def _same_replies(ours: Iterable[CaseReply], theirs: Sequence[CaseReply]) -> bool:
    """Whether both answer every case alike; ours are run only up to the first that differs."""
    pairs = zip_longest(ours, theirs)
    return bool(theirs) and all(one and other and same_reply(one, other) for one, other in pairs)
