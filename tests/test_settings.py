"""Settings come from the course's configuration; what can't be is refused by name."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import pytest

from autograder.exercise import Budgets
from autograder.settings import SANDBOX_MODES, Settings, SettingsError
from autograder.worker.isolation import MODES


def test_every_setting_can_be_configured():
    values = {
        "seed": 7,
        "cases": 3,
        "time_limit": 0.5,
        "cell_time_limit": 2,
        "total_time_limit": 30.0,
        "memory_limit": 512,
        "sandbox": "rlimit",
        "round_to": 0.25,
        "shrink_evaluations": 0,
    }
    settings = Settings.from_config(values)
    assert {item.name: getattr(settings, item.name) for item in fields(settings)} == values


def test_nothing_configured_gives_the_defaults():
    assert Settings.from_config({}) == Settings()
    assert Settings().seed is None
    assert Settings().sandbox == "auto"


def test_an_unknown_setting_is_named_with_those_there_are():
    with pytest.raises(SettingsError, match=r"c\.PropertyGrader\.sede, which is no.*seed, cases"):
        Settings.from_config({"sede": 1})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("seed", "7", "'7', which has a wrong type"),
        ("seed", True, "True, which has a wrong type"),
        ("seed", -1, r"seed is -1, but should be within 0 and 2\*\*64 - 1"),
        ("seed", 1 << 64, "but should be within 0 and"),
        ("cases", 2.5, "2.5, which has a wrong type"),
        ("cases", 0, "cases is 0, but should be a finite number above 0"),
        ("time_limit", "fast", "'fast', which has a wrong type"),
        ("time_limit", -1.0, "time_limit is -1.0"),
        ("time_limit", float("inf"), "time_limit is inf"),
        ("cell_time_limit", float("nan"), "cell_time_limit is nan"),
        ("memory_limit", 0.5, "0.5, which has a wrong type: expected `int | None`"),
        ("sandbox", 3, "3, which has a wrong type"),
        ("sandbox", "docker", "sandbox is 'docker', but should be one of auto, bubblewrap"),
        ("round_to", 0, "round_to is 0"),
        ("shrink_evaluations", -1, "shrink_evaluations is -1"),
    ],
)
def test_a_value_that_can_not_be_is_refused_by_name(name, value, said):
    with pytest.raises(SettingsError, match=said):
        Settings.from_config({name: value})


def test_the_command_line_goes_before_the_configuration():
    configured = Settings(seed=1, sandbox="none", cases=5)
    assert configured.override(seed=0, sandbox=None) == Settings(seed=0, sandbox="none", cases=5)


def test_a_wrong_override_is_refused_too():
    with pytest.raises(SettingsError, match="sandbox is 'cage'"):
        Settings().override(sandbox="cage")


def test_limits_replace_those_of_the_assignment_where_set():
    defaults = Budgets(case_seconds=2.0, cell_seconds=5.0, total_seconds=60.0, memory_bytes=1 << 30)
    assert Settings().budgets(defaults) == defaults
    set_here = Settings(time_limit=0.3, memory_limit=64)
    assert set_here.budgets(defaults) == Budgets(
        case_seconds=0.3, cell_seconds=5.0, total_seconds=60.0, memory_bytes=64 << 20
    )


def test_the_rounding_step_is_exact():
    assert Settings(round_to=0.1).rounding_step == Fraction(1, 10)
    assert Settings().rounding_step == Fraction(1, 100)


def test_the_modes_that_may_be_set_are_those_of_the_sandbox():
    assert SANDBOX_MODES == MODES
