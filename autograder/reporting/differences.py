"""Two gradings of one submission compared: what they rest on, and what they found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from autograder.grading.regraded import about
from autograder.results import (
    Basis,
    ExerciseResult,
    PropertyResult,
    Regrade,
    Sandbox,
    SubmissionResult,
    Versions,
)

_OUR_CODE = "the grader's own code"


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a grade rests on and that is not what it was.

    Args:
        what: in words, for example `numpy`.
        stored: what the stored result rests on; a hash, a version, a value.
        now: what it would rest on now; empty where there is none.
    """

    what: str
    stored: str
    now: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Something that two gradings found differently.

    Args:
        exercise: its name; empty for what belongs to the whole submission.
        law: its name; empty for what belongs to the whole exercise.
        field: the field of the record.
        stored: its stored value.
        now: its value in the replay.
    """

    exercise: str
    law: str
    field: str
    stored: Any
    now: Any


# -- what the grades rest on -----------------------------------------------------------------------


def causes(stored: SubmissionResult, again: SubmissionResult) -> list[Cause]:
    """What a stored result rests on and a replay does not, in the order a person would look."""
    found = [*_changed("the submission", stored.sha256, again.sha256)]
    found += _changed("the seed", stored.seed_id, again.seed_id)
    theirs = Regrade(versions=again.versions, sandbox=again.sandbox, basis=again.basis or _NO_BASIS)
    first = Regrade(
        versions=stored.versions, sandbox=stored.sandbox, basis=stored.basis or _NO_BASIS
    )
    alone = set(stored.regraded)
    found += _rests_on(first, theirs, [e.name for e in stored.exercises if e.name not in alone])
    for name, regrade in stored.regraded.items():
        found += [
            cause if cause.what.startswith(name) else _of(name, cause)
            for cause in _rests_on(regrade, theirs, [name])
        ]
    return list(dict.fromkeys(found))


_NO_BASIS = Basis(code="", release="", settings={}, corpus="", cases={}, exercises={})


def _of(name: str, cause: Cause) -> Cause:
    what = f"{cause.what} (for {name}, which was graded again on its own)"
    return msgspec.structs.replace(cause, what=what)


def _rests_on(stored: Regrade, now: Regrade, names: list[str]) -> Iterator[Cause]:
    yield from _versions(stored.versions, now.versions)
    yield from _sandbox(stored.sandbox, now.sandbox)
    if stored.basis == _NO_BASIS:
        yield Cause(
            what="what the result says of its own making",
            stored="nothing: an older autograder wrote it",
            now="code, settings and cases",
        )
        return
    yield from _changed(_OUR_CODE, stored.basis.code, now.basis.code)
    yield from _changed(
        "the release notebook or the assignment", stored.basis.release, now.basis.release
    )
    yield from _each("setting {}", stored.basis.settings, now.basis.settings)
    for what, old, new in (
        ("{}: its record, laws or known mistakes", stored.basis.exercises, now.basis.exercises),
        ("{}: its cases", stored.basis.cases, now.basis.cases),
    ):
        for name in names:
            yield from _changed(what.format(name), old.get(name, ""), new.get(name, ""))


def _versions(stored: Versions, now: Versions) -> Iterator[Cause]:
    yield from _each("{}", msgspec.structs.asdict(stored), msgspec.structs.asdict(now))


def _sandbox(stored: Sandbox, now: Sandbox) -> Iterator[Cause]:
    if stored.backend != now.backend:
        yield Cause(what="sandbox", stored=stored.backend, now=now.backend)
    elif stored != now:
        yield Cause(
            what=f"what sandbox {now.backend} enforces",
            stored=", ".join(stored.enforced),
            now=", ".join(now.enforced),
        )


def _each(what: str, stored: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Cause]:
    for name in dict.fromkeys([*stored, *now]):
        yield from _changed(what.format(name), stored.get(name, ""), now.get(name, ""))


def _changed(what: str, stored: object, now: object) -> Iterator[Cause]:
    if stored != now:
        yield Cause(what=what, stored=str(stored), now=str(now))


# -- what they found -------------------------------------------------------------------------------

_RESTS_ON = ("sha256", "seed_id", "versions", "sandbox", "basis", "regraded", "timing")
_CUT_OFF = ("message", "counterexample")


def differences(stored: SubmissionResult, again: SubmissionResult) -> list[Difference]:
    """Every field that two gradings hold differently, but for what they rest on and `timing`.

    A counterexample whose search was ended by the clock is not compared: no replay can repeat it.
    """
    now = {exercise.name: exercise for exercise in again.exercises}
    found = []
    for exercise in stored.exercises:
        if exercise.name in now:
            exempt = _ended_by_the_clock(stored, exercise) or _ended_by_the_clock(again, exercise)
            found += _in_exercise(exercise, now.pop(exercise.name), exempt)
        else:
            found.append(_missing(exercise.name, "", stored=exercise.score, now=None))
    found += [_missing(name, "", stored=None, now=new.score) for name, new in now.items()]
    for field in stored.__struct_fields__:
        if field not in (*_RESTS_ON, "exercises"):
            found += _field("", "", field, _plain(stored, field), _plain(again, field))
    return found


def _in_exercise(stored: ExerciseResult, now: ExerciseResult, exempt: bool) -> list[Difference]:
    found = []
    for field in stored.__struct_fields__:
        if field != "properties":
            found += _field(stored.name, "", field, _plain(stored, field), _plain(now, field))
    laws = {law.name: law for law in now.properties}
    for law in stored.properties:
        if law.name in laws:
            found += _in_law(stored.name, law, laws.pop(law.name), exempt)
        else:
            found.append(_missing(stored.name, law.name, stored=str(law.status), now=None))
    found += [_missing(stored.name, n, stored=None, now=str(law.status)) for n, law in laws.items()]
    return found


def _in_law(
    exercise: str, stored: PropertyResult, now: PropertyResult, exempt: bool
) -> list[Difference]:
    found = []
    for field in stored.__struct_fields__:
        if not (exempt and field in _CUT_OFF and stored.status == now.status):
            old, new = _plain(stored, field), _plain(now, field)
            found += _field(exercise, stored.name, field, old, new)
    return found


def _plain(record: Any, field: str) -> Any:
    """The field as plain JSON data; notes that the clock made are left out."""
    value = msgspec.to_builtins(getattr(record, field))
    return [note for note in value if _CLOCK not in note] if field == "notes" else value


_CLOCK = "shrinking stopped after "


def _ended_by_the_clock(result: SubmissionResult, exercise: ExerciseResult) -> bool:
    return any(about(note, [exercise.name]) and _CLOCK in note for note in result.notes)


def _field(exercise: str, law: str, field: str, stored: Any, now: Any) -> list[Difference]:
    if stored == now:
        return []
    return [Difference(exercise=exercise, law=law, field=field, stored=stored, now=now)]


def _missing(exercise: str, law: str, *, stored: Any, now: Any) -> Difference:
    field = "status" if law else "score"
    return Difference(exercise=exercise, law=law, field=field, stored=stored, now=now)
