"""A course on disk, and the place where the content wing and the engine meet.

The engine knows no exercise and the exercises no engine. Here they are loaded by name and handed
to the engine as a `Plan`. A grader process rebuilds its plan from a `PlanSpec`, which holds only
bytes, names and settings. This module never imports nbgrader, so that `check` starts fast.
"""

from __future__ import annotations

import os
import platform
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from autograder import __version__
from autograder.exercise import Assignment, Exercise
from autograder.exercises import load_assignments, load_exercises
from autograder.fingerprints import (
    corpus_key,
    engine_fingerprint,
    exercise_fingerprint,
    release_fingerprint,
    settings_that_matter,
)
from autograder.grading import corpus
from autograder.grading.submission import Plan
from autograder.notebook import CellFacts, Role, Skeleton
from autograder.results import Basis, Sandbox, SubmissionResult, Versions, to_json
from autograder.settings import Settings
from autograder.worker.isolation import choose, resume

CONFIG_NAME = "nbgrader_config.py"
STATE_FOLDER = ".autograder"
PRACTICE_SEED = 0
"""The seed of a check outside a course, where there is no secret to keep."""


class UsageError(Exception):
    """Wrong use: one clear sentence that says what is wrong and what to do. Exit status 2."""


# -- the course folder -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Course:
    """A course folder: the one that holds `nbgrader_config.py`."""

    root: Path
    settings: Settings

    @classmethod
    def find(cls, start: Path) -> Course | None:
        """The course that `start` lies in, or None outside of any.

        Raises:
            UsageError: the configuration can't be read, or sets something that is no setting.
        """
        for folder in (start, *start.parents):
            if (folder / CONFIG_NAME).is_file():
                return cls(folder, read_settings(folder))
        return None

    @classmethod
    def nowhere(cls) -> Course:
        """Stands for the lack of a course: default settings, no release, the practice seed."""
        return cls(Path(os.devnull), Settings())

    @property
    def is_real(self) -> bool:
        """Whether there is a course folder."""
        return self.root.is_dir()

    def with_settings(self, *, seed: int | None, sandbox: str | None) -> Course:
        """The course with what the command line set instead of its configuration."""
        return replace(self, settings=self.settings.override(seed=seed, sandbox=sandbox))

    @property
    def state(self) -> Path:
        """Where seeds, corpora and results lie."""
        return self.root / STATE_FOLDER

    @property
    def corpora(self) -> Path:
        """Where drawn corpora lie."""
        return self.state / "corpus"

    def release(self, assignment: str, notebook: str | None = None) -> bytes | None:
        """A release notebook of an assignment, or None."""
        path = self.root / "release" / assignment / f"{notebook or assignment}.ipynb"
        return path.read_bytes() if path.is_file() else None

    def released(self, assignment: str) -> list[str]:
        """The names of an assignment's release notebooks, in order; empty where there is none."""
        return sorted(path.stem for path in (self.root / "release" / assignment).glob("*.ipynb"))

    @property
    def has_seed(self) -> bool:
        """Whether a seed was set or kept; without one, a check takes the practice seed."""
        return self.settings.seed is not None or (self.state / "seeds").is_file()

    def seed(self, *, create: bool) -> int:
        """The secret seed: the one set, else the newest kept one, else one made now.

        Without `create` nothing is written: a course without a seed gets the practice seed.

        Raises:
            UsageError: the file of seeds is damaged.
        """
        if self.settings.seed is not None:
            return self.settings.seed
        path = self.state / "seeds"
        if path.is_file():
            try:
                return int(path.read_text().split()[-1])
            except (IndexError, ValueError):
                raise UsageError(
                    f"{path} holds no seed. Restore it, or remove it to have a new one made."
                ) from None
        if not create:
            return PRACTICE_SEED
        seed = secrets.randbits(63)
        self.state.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(f"{seed}\n")
        return seed

    def every_seed(self) -> list[int]:
        """The seed that is set and those that were ever kept; creates none."""
        path = self.state / "seeds"
        kept = path.read_bytes().split() if path.is_file() else []
        found = [int(text) for text in kept if text.isdigit()]
        return found if self.settings.seed is None else [self.settings.seed, *found]

    def seed_named(self, seed_id: str) -> int | None:
        """The seed of that id: the one set, or one that was ever kept; None where it is lost."""
        return next((seed for seed in self.every_seed() if corpus.seed_id(seed) == seed_id), None)

    def result_path(self, assignment: str, student: str, notebook: str) -> Path:
        """Where the full result of a submission lies."""
        return self.state / "results" / assignment / student / f"{notebook}.json"

    def write_result(self, result: SubmissionResult) -> None:
        """Keep the full result; the file appears whole or not at all.

        Whoever writes one holds the course's lock, so what an interruption left is written over.
        """
        path = self.result_path(result.assignment, result.student or "", result.notebook)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(to_json(result))
        partial.replace(path)


def read_settings(root: Path) -> Settings:
    """The `PropertyGrader` section of a course's configuration, read by traitlets' own loader."""
    return Settings.from_config(read_config(root).get("PropertyGrader", {}))


def read_config(root: Path) -> Mapping[str, Any]:
    """The whole configuration of a course.

    Raises:
        UsageError: it raised while it was read; the message names file and error.
    """
    from traitlets.config.loader import PyFileConfigLoader

    before = list(sys.path)
    try:
        config: Mapping[str, Any] = PyFileConfigLoader(CONFIG_NAME, path=str(root)).load_config()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{root / CONFIG_NAME} can't be read: {type(error).__name__}: {error}. Mend it first."
        ) from None
    finally:
        sys.path[:] = before
    return config


# -- assignments -----------------------------------------------------------------------------------


def assignment_named(name: str) -> Assignment:
    """The record of an assignment.

    Raises:
        UsageError: there is none of that name; the message lists those there are.
    """
    known = load_assignments()
    if name not in known:
        raise UsageError(
            f"There is no assignment {name!r}. There are: {', '.join(sorted(known)) or 'none'}."
        )
    return known[name]


def _assignment_of(name: str, skeleton: Skeleton | None) -> Assignment:
    """The record of an assignment; for a release that no course package lists, one made from it.

    So an assignment of ordinary test cells can stand in the same course, and a test cell that
    names an exercise is checked by its laws in any notebook.
    """
    if skeleton is None or name in load_assignments():
        return assignment_named(name)
    known = load_exercises()
    return Assignment(
        name=name,
        exercises={
            cell.grade_id: Fraction(str(cell.released_points))
            for cell in skeleton.cells
            if cell.role is Role.TEST and cell.grade_id in known and cell.released_points
        },
    )


def exercises_of(assignment: Assignment) -> tuple[Exercise, ...]:
    """The exercises of an assignment, in its order.

    Raises:
        UsageError: the assignment names an exercise that is not installed.
    """
    known = load_exercises()
    missing = [name for name in assignment.exercises if name not in known]
    if missing:
        raise UsageError(
            f"Assignment {assignment.name!r} names exercise {missing[0]!r}, which is not "
            "installed. Install the course package that holds it."
        )
    return tuple(known[name] for name in assignment.exercises)


def points_mismatch(assignment: Assignment, skeleton: Skeleton) -> str | None:
    """How the scored cells of a release contradict the assignment's points; None if they don't."""
    found = {cell.grade_id: cell.released_points for cell in skeleton.cells}
    wanted = {name: float(value) for name, value in assignment.exercises.items()}
    wanted |= {question.name: float(question.points) for question in assignment.written}
    for name, value in wanted.items():
        if found.get(name) is None:
            return f"the notebook has no grade cell {name!r}"
        if found[name] != value:
            return f"grade cell {name!r} has {found[name]:g} points, the assignment {value:g}"
    return None


def _refuse_mismatch(
    assignment: Assignment, skeleton: Skeleton, facts: Mapping[str, CellFacts]
) -> None:
    """Raise UsageError where release, assignment record and gradebook don't agree on points."""
    wrong = points_mismatch(assignment, skeleton)
    if wrong is not None:
        raise UsageError(
            f"The release notebook of {assignment.name!r} does not fit: {wrong}. "
            "Mend the source notebook and run nbgrader generate_assignment again."
        )
    scored = {name: fact.points or 0.0 for name, fact in facts.items() if fact.points is not None}
    mismatch = skeleton.mismatch(scored) if facts else None
    if mismatch is not None:
        raise UsageError(mismatch)


# -- plans -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSpec:
    """What a grader process needs to build its plan: bytes, names and settings, no records.

    Args:
        assignment: the assignment's name.
        notebook: the notebook's name; None where it is the assignment's. The record of an
            assignment is that of the notebook which bears its name; another notebook is graded by
            the test cells that it holds.
        settings: the settings, the sandbox mode among them.
        seed: the secret seed.
        release: the release notebook, or None to grade functions by name.
        facts: what the gradebook knows of the cells: pairs of grade_id and facts.
        corpora: where drawn corpora are kept; None keeps none.
        keep_corpus: whether a corpus that is not there yet is kept.
        sandbox: what another process of this run found on this machine, so that the self-test is
            not repeated; None tries it out.
    """

    assignment: str
    settings: Settings
    seed: int
    notebook: str | None = None
    release: bytes | None = None
    facts: tuple[tuple[str, CellFacts], ...] = ()
    corpora: Path | None = None
    keep_corpus: bool = True
    sandbox: Sandbox | None = None

    @property
    def notebook_name(self) -> str:
        """The notebook's name."""
        return self.notebook or self.assignment


def exercises_released(spec: PlanSpec) -> tuple[Exercise, ...]:
    """The exercises that a plan checks; no case is drawn to find out.

    Raises:
        UsageError: unknown assignment, or an exercise that is not installed.
    """
    return exercises_of(_assignment_of(spec.notebook_name, _skeleton(spec)))


def _skeleton(spec: PlanSpec) -> Skeleton | None:
    if spec.release is None:
        return None
    return Skeleton.from_release(spec.release, dict(spec.facts) or None)


def build_plan(spec: PlanSpec) -> Plan:
    """Load the exercises, draw or load the corpus, choose the sandbox.

    Raises:
        UsageError: unknown assignment, or a release that contradicts the assignment.
        autograder.worker.isolation.SandboxError: the sandbox can't be had here.
    """
    skeleton = _skeleton(spec)
    assignment = _assignment_of(spec.notebook_name, skeleton)
    exercises = exercises_of(assignment)
    if skeleton is not None:
        _refuse_mismatch(assignment, skeleton, dict(spec.facts))
    backend = resume(spec.sandbox) if spec.sandbox else choose(spec.settings.sandbox)
    key = corpus_key(exercises, spec.seed, spec.settings.cases)
    draw_now: Callable[[], corpus.Corpus] = partial(
        corpus.draw, exercises, spec.seed, cases=spec.settings.cases
    )
    drawn = corpus.load_or_draw(spec.corpora, key, draw_now, keep=spec.keep_corpus)
    return Plan(
        assignment=assignment,
        belongs_to=spec.assignment,
        exercises=exercises,
        corpus=drawn,
        seed_id=corpus.seed_id(spec.seed),
        settings=spec.settings,
        launcher=backend.launcher(assignment.allowed_imports),
        sandbox=backend.record(),
        versions=versions(),
        skeleton=skeleton,
        basis=Basis(
            code=engine_fingerprint(),
            release=release_fingerprint(spec.release, assignment),
            settings=settings_that_matter(spec.settings, assignment),
            corpus=key,
            cases=corpus.digests(drawn),
            exercises={e.name: exercise_fingerprint(e) for e in exercises},
        ),
    )


def versions() -> Versions:
    """The versions that a replay must meet again."""
    return Versions(
        autograder=__version__,
        python=platform.python_version(),
        numpy=version("numpy"),
        hypothesis=version("hypothesis"),
    )
