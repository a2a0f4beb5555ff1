"""Draw every property's cases once per run, with the right answers beside them.

All submissions face the same cases: that is fair, repeats exactly, and costs one drawing instead
of one per submission. Hypothesis draws from the *ordinary* branch of a domain alone, seeded by
the run's secret seed, and is imported only here and for shrinking. A drawn corpus is kept as
msgpack under `.autograder/corpus/`, so that a library upgrade in mid-term changes nobody's cases.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np

from autograder.exercise import CASES_PER_LAW, Case, Exercise, Property
from autograder.worker.codec import decode_value, encode_value
from autograder.worker.wire import Value

CORPUS_FORMAT = 1


class CorpusError(RuntimeError):
    """A law's domain or reference failed while its cases were drawn: a fault of the course."""


@dataclass(frozen=True, slots=True)
class LawCases:
    """The cases of one law, and the expected value of each (None where the law has none)."""

    cases: tuple[Case, ...]
    expected: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The drawn cases of a run, by exercise and property name."""

    laws: Mapping[tuple[str, str], LawCases]

    def of(self, exercise: Exercise, law: Property) -> LawCases:
        """The cases of a law."""
        return self.laws[exercise.name, law.name]


def entropy(seed: int, exercise: Exercise, law: Property) -> tuple[int, ...]:
    """The integers that seed the ordinary cases of one law in one run."""
    return (seed, zlib.crc32(f"{exercise.name}/{law.name}".encode()))


def seed_id(seed: int) -> str:
    """A name for a seed that does not give it away."""
    return hashlib.sha256(f"attention-autograder seed {seed}".encode()).hexdigest()[:16]


def draw(exercises: Sequence[Exercise], seed: int, *, cases: int) -> Corpus:
    """Draw the corpus of a run.

    Args:
        exercises: whose laws to draw for.
        seed: the secret seed of the run.
        cases: how many cases of an ordinary law; a constant input is one case.

    Raises:
        CorpusError: a domain or a reference raised; the message names the law.
    """
    laws: dict[tuple[str, str], LawCases] = {}
    for exercise in exercises:
        for law in exercise.properties:
            count = max(1, law.case_count * cases // CASES_PER_LAW)
            try:
                drawn = _draw_cases(law, entropy(seed, exercise, law), count)
                with np.errstate(all="ignore"):
                    expected = tuple(law.expected(c) if law.expected else None for c in drawn)
            except Exception as error:
                raise CorpusError(
                    f"exercise {exercise.name!r}, property {law.name!r}: drawing its cases "
                    f"failed with {type(error).__name__}: {error}"
                ) from error
            laws[exercise.name, law.name] = LawCases(drawn, expected)
    return Corpus(laws)


@contextmanager
def repeatable_draws() -> Iterator[None]:
    """Inside, what Hypothesis draws depends on its seed alone, and it writes no file.

    Otherwise it now and then takes a number that it found in the source of a loaded module, so
    that the cases depend on what else a process has imported, and keeps these numbers in a folder
    `.hypothesis` of the working directory. There is no public switch for that.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    name = "_maybe_draw_constant"
    if not hasattr(HypothesisProvider, name):  # before 6.131: it looked at no module then
        yield
        return
    with patch.object(HypothesisProvider, name, lambda *_, **__: None):
        yield


def _draw_cases(law: Property, entropy: tuple[int, ...], count: int) -> tuple[Case, ...]:
    """Draw `count` cases of the ordinary branch, the same for the same entropy."""
    import hypothesis

    drawn: list[Case] = []

    @hypothesis.seed(repr(entropy))
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(law.inputs.ordinary(entropy))
    def collect(case: Case) -> None:
        drawn.append(case)

    with repeatable_draws():
        collect()
    # Hypothesis may try a few more or, in a small domain, fewer distinct ones
    return tuple(map(_as_stored, drawn[:count]))


def _as_stored(case: Case) -> Case:
    """The case as a store gives it back, so that a kept corpus and a new one are alike.

    Two inputs of a case may be one object: a counterexample would call both by one name.
    """
    return Case(**decode_value(encode_value(dict(case))))


# -- the stored form -------------------------------------------------------------------------------


class _StoredLaw(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    exercise: str
    law: str
    cases: list[Value]
    expected: list[Value]


class _Stored(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    format: int
    laws: list[_StoredLaw]


def to_bytes(corpus: Corpus) -> bytes:
    """The corpus as msgpack behind its SHA-256."""
    payload = msgspec.msgpack.encode(_stored_form(corpus))
    return hashlib.sha256(payload).digest() + payload


def _stored_form(corpus: Corpus) -> _Stored:
    return _Stored(
        CORPUS_FORMAT,
        [
            _StoredLaw(
                exercise,
                law,
                [encode_value(dict(case)) for case in drawn.cases],
                [encode_value(value) for value in drawn.expected],
            )
            for (exercise, law), drawn in corpus.laws.items()
        ],
    )


def from_bytes(data: bytes) -> Corpus | None:
    """The corpus again, or None where the bytes are not what `to_bytes` wrote."""
    digest, payload = data[:32], data[32:]
    if hashlib.sha256(payload).digest() != digest:
        return None
    try:
        stored = msgspec.msgpack.decode(payload, type=_Stored)
    except msgspec.DecodeError:
        return None
    return _corpus_of(stored) if stored.format == CORPUS_FORMAT else None


def _corpus_of(stored: _Stored) -> Corpus:
    return Corpus(
        {
            (item.exercise, item.law): LawCases(
                tuple(Case(**decode_value(case)) for case in item.cases),
                tuple(decode_value(value) for value in item.expected),
            )
            for item in stored.laws
        }
    )


def digests(corpus: Corpus) -> dict[str, str]:
    """By exercise, a hash of its cases and of their right answers."""
    by_exercise: dict[str, Any] = {}
    for law in _stored_form(corpus).laws:
        digest = by_exercise.setdefault(law.exercise, hashlib.sha256())
        digest.update(msgspec.msgpack.encode(law))
    return {name: str(digest.hexdigest()[:16]) for name, digest in by_exercise.items()}


def load_or_draw(
    folder: Path | None, key: str, draw_now: Callable[[], Corpus], *, keep: bool = True
) -> Corpus:
    """The corpus stored under `folder/key`, else a new one, which is stored there with `keep`.

    The file appears whole or not at all, and only its owner may read it: cases are secret until
    the grades are out. Without a folder nothing is stored. A new corpus comes back in the form in
    which it is stored, so that the first run shows a counterexample in the same words as the next:
    two arguments that were one array are two from then on.
    """
    stored = None if folder is None else _load(folder / key)
    if stored is not None:
        return stored
    corpus = draw_now()
    if folder is not None and keep:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = (folder / key).with_name(f"{key}.{os.getpid()}")
        partial.touch(mode=0o600)
        partial.write_bytes(to_bytes(corpus))
        partial.replace(folder / key)
    return _corpus_of(_stored_form(corpus))


def _load(path: Path) -> Corpus | None:
    """The corpus of a file; None where there is none or it is damaged."""
    try:
        return from_bytes(path.read_bytes())
    except FileNotFoundError:
        return None
