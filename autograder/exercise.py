"""What an exercise is: frozen records, and nothing that runs student code.

An `Exercise` lists `Property` records. A property is data: `inputs` (a domain of cases), `calls`
(the calls that a case asks for) and `verdict` (a pure judgement of the answers). An `Assignment`
lists the exercises of one notebook with their points. Every record validates itself when it is
built and raises `RecordError`, which names the file that built it.

This module stands on the ground floor: it imports nothing of ours.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

CASES_PER_LAW = 12
"""How many cases of a law are drawn for a corpus, unless its input is a constant."""

GATE = "<gate>"
"""The default of `Property.needs`: the law earns points only where the exercise's gate holds."""

Kind = Literal["reference", "metamorphic", "exact", "control"]
Layout = Literal["C", "F", "strided", "reversed"]


class RecordError(ValueError):
    """A record of a course contradicts itself. The message names the file that built it."""


def _fail(what: str) -> RecordError:
    """Build the error for a bad record, naming the file outside this module that built it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename in (__file__, "<string>"):
        frame = frame.f_back
    return RecordError(f"{frame.f_code.co_filename}: {what}")


# -- values a case holds and a verdict sees ------------------------------------------------------


class Case(Mapping[str, Any]):
    """The named inputs of one example: `Case(z=..., c=...)`, read as `case.z`.

    Values are arrays, int, float, bool, None, str, and tuples or lists of them, so that a drawn
    corpus can be stored and sent. The names are those a counterexample prints.
    """

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"this case has no input {name!r}; it has {list(self)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a case is frozen")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Case({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_case_from, (self._values,))


def _case_from(values: dict[str, Any]) -> Case:
    return Case(**values)


@dataclass(frozen=True, slots=True)
class Arranged:
    """An argument with a memory layout of its own: Fortran order, a strided or reversed view.

    `value` is what the student's function sees; only how it lies in memory differs. With
    `writable=False` writing to it raises.
    """

    value: Any
    layout: Layout = "C"
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Handle:
    """An object that lives in the worker: the one made by step number `step` of the same case."""

    step: int


@dataclass(frozen=True, slots=True)
class Opaque:
    """A result that is no plain data. Only its type's name crosses the process boundary."""

    type_name: str


@dataclass(frozen=True, slots=True)
class Echo:
    """The answer to a call that asked for its arguments back, as they were after the call."""

    result: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image or mesh as it lies in its Axes, whatever end is up and however it was drawn.

    `values[i, j]` stands at the i-th smallest y and the j-th smallest x. `row_labels[i]` and
    `column_labels[j]` are the texts of the tick labels there, empty where there is none.
    """

    values: Any
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AxesSnapshot:
    """What a Matplotlib Axes shows, as data: never pixels.

    `images` holds every image or mesh, the one on top last. `held_by` is the type of what was
    returned in place of the Axes, such as `Figure`; empty where it was the Axes itself.
    """

    images: tuple[ShownImage, ...]
    x_label: str = ""
    y_label: str = ""
    held_by: str = ""


# -- steps: what a case asks the student's code to do --------------------------------------------


@dataclass(frozen=True, init=False)
class Call:
    """One call of a student's function: `Call(X, W_Q, mask=m)` calls the exercise's own function.

    Args:
        args: positional arguments, each a value, an `Arranged` value or a `Handle`.
        to: the name of another function of the student's, instead of the exercise's own.
        echo: also return the arguments as they are after the call (the verdict gets an `Echo`).
        kwargs: keyword arguments. One that equals the default in the exercise's signature is
            left out where the student's function does not take it.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    to: str | None
    echo: bool

    def __init__(
        self, *args: Any, to: str | None = None, echo: bool = False, **kwargs: Any
    ) -> None:
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", kwargs)
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "echo", echo)


@dataclass(frozen=True, init=False)
class Construct:
    """Build an object of the student's class; later steps name it by `Handle(step)`."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    to: str | None

    def __init__(self, *args: Any, to: str | None = None, **kwargs: Any) -> None:
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", kwargs)
        object.__setattr__(self, "to", to)


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """Set an attribute of an object that an earlier step of the case made."""

    handle: Handle
    name: str
    value: Any


@dataclass(frozen=True, init=False)
class CallMethod:
    """Call a method of an object that an earlier step of the case made."""

    handle: Handle
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    echo: bool

    def __init__(
        self, handle: Handle, name: str, *args: Any, echo: bool = False, **kwargs: Any
    ) -> None:
        object.__setattr__(self, "handle", handle)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", kwargs)
        object.__setattr__(self, "echo", echo)


Step: TypeAlias = Call | Construct | SetAttribute | CallMethod


# -- verdicts ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Why an answer breaks a law, in a few numbers.

    `message` is a whole sentence for the student; `where` is an index such as `[0, 1]` or empty;
    `tolerance` is empty where none decided.
    """

    expected: str
    got: str
    where: str
    tolerance: str
    message: str


class Disagrees(Exception):  # noqa: N818 - a verdict, not an error
    """Raised inside a verdict to end it with a `Disagreement`; `Property.judge` catches it."""

    def __init__(self, disagreement: Disagreement) -> None:
        super().__init__(disagreement.message)
        self.disagreement = disagreement


# -- domains and properties ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Domain:
    """Where the cases of a law come from.

    Args:
        ordinary: takes the entropy of a run and a property, returns the strategy of ordinary
            cases: distinct sizes, values from `default_rng([*entropy, drawn])`. A corpus draws
            from this branch alone.
        small: the strategy of small integer-valued cases that a counterexample shrinks to, or
            None where small inputs lie outside the law's domain.
        constant: the input is one fixed case, so that a single case is drawn.
    """

    ordinary: Callable[[tuple[int, ...]], SearchStrategy[Case]]
    small: Callable[[], SearchStrategy[Case]] | None = None
    constant: bool = False


@dataclass(frozen=True, kw_only=True)
class Property:
    """A law that every right answer obeys, with its domain, its judgement and its weight.

    Args:
        name: the law as a verb or adjective phrase, unique in its exercise.
        law: the statement in one line of mathematics.
        inputs: the domain its cases are drawn from.
        calls: the steps a case asks for; they run in order in one process.
        verdict: pure judgement `verdict(case, *answers)`, one answer per step; with `expected`
            it is `verdict(case, expected, *answers)`. Returns None or a `Disagreement`.
        weight: per cent of the exercise's points; 0 means shown, never scored.
        hint: one sentence that helps a student who breaks the law.
        kind: how the law judges.
        expected: the right answer for a case, evaluated once when the corpus is drawn.
        needs: the property that must hold before this one earns points: the exercise's gate
            unless said otherwise; None for nothing.
        peer: the name of another exercise. The steps are run on the student's function of that
            name too, and its answers (a tuple, one per step) stand in for `expected` if that
            function passed all its reference laws.
        charge_once: a label; of all failed properties of an assignment that carry it, only the
            most expensive one costs points.
        cases: how many cases a corpus holds.
    """

    name: str
    law: str
    inputs: Domain
    calls: Callable[[Case], Sequence[Step]]
    verdict: Callable[..., Disagreement | None]
    weight: int
    hint: str
    kind: Kind = "reference"
    expected: Callable[[Case], Any] | None = None
    needs: str | None = GATE
    peer: str | None = None
    charge_once: str | None = None
    cases: int = CASES_PER_LAW

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise _fail(f"property {self.name!r}: a name is lower case letters, digits and _")
        for label, text in (("law", self.law), ("hint", self.hint)):
            if not text.strip():
                raise _fail(f"property {self.name!r}: no {label}. Write one.")
        if not 0 <= self.weight <= 100:
            raise _fail(f"property {self.name!r}: weight {self.weight} is not within 0..100")
        if self.cases < 1:
            raise _fail(f"property {self.name!r}: a corpus needs at least one case")
        if self.peer is not None and self.expected is None:
            raise _fail(f"property {self.name!r}: peer {self.peer!r} needs `expected` as well")

    @property
    def scored(self) -> bool:
        """Whether the law can cost points."""
        return self.weight > 0

    @property
    def case_count(self) -> int:
        """How many cases a corpus holds for this law."""
        return 1 if self.inputs.constant else self.cases

    def judge(self, case: Case, expected: Any, answers: Sequence[Any]) -> Disagreement | None:
        """Judge the answers to one case. A fault of the verdict itself raises."""
        given = (expected, *answers) if self.expected is not None else tuple(answers)
        try:
            return self.verdict(case, *given)
        except Disagrees as verdict:
            return verdict.disagreement


# -- answers, exercises, assignments -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A known wrong answer: how it is recognised, what to say, and what it is worth.

    Args:
        name: its bug, unique in its exercise.
        answer: the wrong implementation, written so that it stands alone in a student's cell.
        hint: what to tell a student who made it.
        share: the fraction of the exercise's points that it may earn where it fails the gate.
        caught_by: properties that must catch it, the telling one first.
        recognised_by: `outputs` on the gate's cases, or `laws`: the set of laws it fails, for
            random, mutating or global-dependent ones.
    """

    name: str
    answer: Callable[..., Any]
    hint: str
    share: Fraction
    caught_by: tuple[str, ...]
    recognised_by: Literal["outputs", "laws"] = "outputs"

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise _fail(f"mistake {self.name!r}: share {self.share} is not within 0..1")
        if not self.hint.strip() or not self.caught_by:
            raise _fail(f"mistake {self.name!r}: it needs a hint and a property that catches it")


@dataclass(frozen=True, kw_only=True)
class RightAnswer:
    """A right answer in a style of its own, which must keep full marks."""

    name: str
    answer: Callable[..., Any]


def _parse_signature(text: str) -> inspect.Signature:
    """Turn `(z, axis=-1)` into a signature. The text is ours, never a student's."""
    namespace: dict[str, Any] = {}
    exec(f"def _stub{text}: ...", namespace)  # noqa: S102 - our own source, checked at import
    return inspect.signature(namespace["_stub"])


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One function or class that students write, with everything known about it.

    Args:
        name: the function's or class's name in the notebook.
        signature: its parameters as the stub writes them, `(z, axis=-1)`.
        convention: the sentence on masks and edges that every failure message must state.
        reference: the trusted implementation.
        gate: the property that must hold before the others earn points.
        properties: its laws in catalogue order; their weights sum to 100.
        mistakes: known wrong answers.
        right_answers: known right answers in different styles.
        builds_on: names of exercises whose functions this one calls.
        equivalent_mutants: automatic changes of the reference that no input of the domain can show:
            the mutant's name -> why. An audit reports a record that is none, or none any more.
        combinations: gives the mistakes made together, as records like any other; called when a
            student's answers equal no single mistake.
    """

    name: str
    signature: str
    convention: str
    reference: Callable[..., Any]
    gate: str
    properties: tuple[Property, ...]
    mistakes: tuple[Mistake, ...] = ()
    right_answers: tuple[RightAnswer, ...] = ()
    builds_on: tuple[str, ...] = ()
    equivalent_mutants: Mapping[str, str] = field(default_factory=dict, hash=False)
    combinations: Callable[[], tuple[Mistake, ...]] = tuple

    def __post_init__(self) -> None:
        names = [law.name for law in self.properties]
        for what, found in (
            ("property", names),
            ("mistake", [mistake.name for mistake in self.mistakes]),
            ("right answer", [answer.name for answer in self.right_answers]),
        ):
            double = sorted({name for name in found if found.count(name) > 1})
            if double:
                raise _fail(f"exercise {self.name!r}: {what} {double[0]!r} is listed twice")
        if self.gate not in names:
            raise _fail(f"exercise {self.name!r}: gate {self.gate!r} is no property of it")
        total = sum(law.weight for law in self.properties)
        if total != 100:
            raise _fail(f"exercise {self.name!r}: the weights sum to {total}, but should be 100")
        if not self.convention.strip():
            raise _fail(f"exercise {self.name!r}: no convention. Say what a mask or an edge means.")
        for law in self.properties:
            if law.needs not in (None, GATE, *names):
                raise _fail(f"property {law.name!r} needs {law.needs!r}, which does not exist")
        for mistake in self.mistakes:
            unknown = [name for name in mistake.caught_by if name not in names]
            if unknown:
                raise _fail(f"mistake {mistake.name!r}: no property {unknown[0]!r} to catch it")
        for mutant, reason in self.equivalent_mutants.items():
            if not reason.strip():
                raise _fail(f"equivalent mutant {mutant!r}: no reason. Say why no input can tell.")
        try:
            _parse_signature(self.signature)
        except SyntaxError:
            raise _fail(f"exercise {self.name!r}: signature {self.signature!r}") from None

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The optional parameters and their defaults."""
        parameters = _parse_signature(self.signature).parameters.values()
        return {p.name: p.default for p in parameters if p.default is not p.empty}

    def property_named(self, name: str) -> Property:
        """The property of that name; KeyError if there is none."""
        for law in self.properties:
            if law.name == name:
                return law
        raise KeyError(name)

    def needs_of(self, law: Property) -> str | None:
        """The property that must hold before `law` earns points, or None."""
        needed = self.gate if law.needs == GATE else law.needs
        return None if needed == law.name else needed


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """What one submission may use. Times are wall-clock seconds, sizes are bytes."""

    cell_seconds: float = 5.0
    case_seconds: float = 2.0
    total_seconds: float = 60.0
    memory_bytes: int = 1 << 30
    output_bytes: int = 64 << 10

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise _fail(f"budget {name} is {value}, but must be above 0")


@dataclass(frozen=True, kw_only=True)
class WrittenQuestion:
    """A question that a person grades: the grade_id of its cell and its points."""

    name: str
    points: Fraction


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """One notebook: its exercises with points, its written questions, its rules.

    Args:
        name: the assignment's folder and notebook name.
        exercises: name of an exercise -> points of its test cell, in the notebook's order. Empty
            where every test cell is an ordinary one.
        written: the questions graded by hand.
        allowed_imports: top-level modules beside the standard library that may be imported;
            any other becomes a placeholder.
        banned_callables: dotted names whose use this assignment forbids; empty in most.
        budgets: what one submission may use.
    """

    name: str
    exercises: Mapping[str, Fraction]
    written: tuple[WrittenQuestion, ...] = ()
    allowed_imports: frozenset[str] = field(default=frozenset({"numpy", "matplotlib"}))
    banned_callables: frozenset[str] = frozenset()
    budgets: Budgets = field(default_factory=Budgets)

    def __post_init__(self) -> None:
        for name, points in self.exercises.items():
            if points <= 0:
                raise _fail(f"assignment {self.name!r}: {name!r} has {points} points")

    @property
    def max_score(self) -> Fraction:
        """The points that are graded automatically."""
        return sum(self.exercises.values(), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """What one content wing offers under the entry-point group `autograder.exercises`."""

    exercises: tuple[Exercise, ...]
    assignments: tuple[Assignment, ...] = ()
