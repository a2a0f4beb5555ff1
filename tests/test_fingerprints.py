"""Hashes that follow what a grade rests on, and nothing else."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from autograder.course import assignment_named
from autograder.exercise import RightAnswer
from autograder.exercises import load_exercises
from autograder.fingerprints import (
    engine_fingerprint,
    exercise_fingerprint,
    release_fingerprint,
    settings_that_matter,
)
from autograder.settings import Settings
from tests.grading.conftest import a_law, an_exercise, double

ASSIGNMENT = assignment_named("self_attention")


def mistake(exercise, **changes):
    return replace(exercise, mistakes=(replace(exercise.mistakes[0], **changes),))


def law(exercise, **changes):
    first, *others = exercise.properties
    return replace(exercise, properties=(replace(first, **changes), *others))


@pytest.mark.parametrize(
    "changed",
    [
        mistake(an_exercise(), share=Fraction(1, 3)),
        mistake(an_exercise(), hint="Another hint."),
        law(an_exercise(), hint="Another hint."),
        law(an_exercise(), charge_once="nan"),
        law(an_exercise(), cases=3),
        an_exercise(convention="Another convention."),
        an_exercise(signature="(x, y=1)"),
        an_exercise(mistakes=()),
        an_exercise(properties=(a_law(weight=70), a_law("keeps_zero", weight=30))),
    ],
)
def test_a_changed_record_has_another_hash(changed):
    assert exercise_fingerprint(changed) != exercise_fingerprint(an_exercise())


def test_what_only_an_audit_reads_does_not_count():
    right = (RightAnswer(name="own", answer=double),)
    same = [an_exercise(right_answers=right), mistake(an_exercise(), caught_by=("keeps_zero",))]
    assert {exercise_fingerprint(one) for one in same} == {exercise_fingerprint(an_exercise())}


def test_what_a_function_was_made_with_counts():
    def power(exponent):
        return lambda x: x**exponent

    made = [power(2), power(3), partial(power(2)), partial(pow, 2), partial(pow, 3)]
    assert len({exercise_fingerprint(an_exercise(reference=f)) for f in made}) == 5
    assert exercise_fingerprint(an_exercise(reference=power(2))) == exercise_fingerprint(
        an_exercise(reference=power(2))
    )


def test_the_hashes_are_the_same_in_another_process():
    script = (
        "from autograder.exercises import load_exercises\n"
        "from autograder.fingerprints import engine_fingerprint, exercise_fingerprint\n"
        "print(engine_fingerprint(), *map(exercise_fingerprint, load_exercises().values()))\n"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    here = [engine_fingerprint(), *map(exercise_fingerprint, load_exercises().values())]
    assert elsewhere.stdout.split() == here


def test_the_code_that_a_law_reaches_counts_and_no_other(tmp_path, monkeypatch):
    package = tmp_path / "toy_reach"
    package.mkdir()
    files = {
        "__init__.py": "",
        "laws.py": "from . import sizes\nfrom toy_reach.deep import (\n    A,\n)\n\n"
        "def double(x):\n    return 2 * x\n",
        "sizes.py": "SIZES = (2, 3)\n",
        "deep.py": "def late():\n    import toy_reach.deepest as d, math\n    return d\n\nA = 1\n",
        "deepest.py": "B = 1\n",
        "other.py": "C = 1\n",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    exercise = an_exercise(reference=importlib.import_module("toy_reach.laws").double)
    first = exercise_fingerprint(exercise)
    for name, text in files.items():
        (package / name).write_text(text + "# changed\n")
        changed = exercise_fingerprint(exercise) != first
        (package / name).write_text(text)
        assert changed is (name not in ("other.py",)), name


def test_rules_of_the_assignment_and_the_release_count():
    hashes = {
        release_fingerprint(release, assignment)
        for release in (None, b"one", b"two")
        for assignment in (
            ASSIGNMENT,
            replace(ASSIGNMENT, allowed_imports=frozenset({"numpy"})),
            replace(ASSIGNMENT, banned_callables=frozenset({"numpy.exp"})),
        )
    }
    assert len(hashes) == 9
    assert release_fingerprint(b"one", ASSIGNMENT) in hashes


def test_settings_hold_the_limits_that_apply_and_never_the_seed():
    found = settings_that_matter(Settings(seed=1, time_limit=0.5), ASSIGNMENT)
    assert found["time_limit"] == 0.5
    assert found["cell_time_limit"] == ASSIGNMENT.budgets.cell_seconds
    assert "seed" not in found
    assert "sandbox" not in found
