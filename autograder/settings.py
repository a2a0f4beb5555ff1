"""The settings of a course, as `c.PropertyGrader.<name>` in nbgrader_config.py sets them.

This module stands on the ground floor; it never imports nbgrader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, get_type_hints

import msgspec

from autograder.exercise import Budgets

SANDBOX_MODES = ("auto", "bubblewrap", "landlock", "rlimit", "none")


class SettingsError(ValueError):
    """A setting has a value that it can't have. The message names it and what it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an instructor may set. Times are wall-clock seconds, memory is in MiB.

    A limit that is None is the assignment's own.

    Args:
        seed: the secret seed of the run; None uses the one kept under `.autograder/`.
        cases: how many cases of each law are drawn.
        time_limit: for one case of a law.
        cell_time_limit: for one cell of the notebook.
        total_time_limit: for one submission.
        memory_limit: for one worker, on top of what NumPy and IPython take.
        sandbox: the backend that holds student code.
        round_to: the step that an exercise's score is rounded up to.
        shrink_evaluations: how many cases may be tried to shrink a counterexample.
    """

    seed: int | None = None
    cases: int = 12
    time_limit: float | None = None
    cell_time_limit: float | None = None
    total_time_limit: float | None = None
    memory_limit: int | None = None
    sandbox: str = "auto"
    round_to: float = 0.01
    shrink_evaluations: int = 200

    def __post_init__(self) -> None:
        if self.sandbox not in SANDBOX_MODES:
            raise SettingsError(
                f"sandbox is {self.sandbox!r}, but should be one of {', '.join(SANDBOX_MODES)}."
            )
        if self.seed is not None and not 0 <= self.seed < 1 << 64:
            raise SettingsError(f"seed is {self.seed}, but should be within 0 and 2**64 - 1.")
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None or item.name in ("seed", "sandbox") or 0 < value < math.inf:
                continue
            if item.name != "shrink_evaluations" or value < 0:
                raise SettingsError(
                    f"{item.name} is {value}, but should be a finite number above 0."
                )

    @classmethod
    def from_config(cls, values: Mapping[str, Any]) -> Settings:
        """Read the `PropertyGrader` section of a traitlets config.

        Raises:
            SettingsError: a name that is no setting, or a value of another type or range.
        """
        types = get_type_hints(cls)
        for name, value in values.items():
            if name not in types:
                raise SettingsError(
                    f"nbgrader_config.py sets c.PropertyGrader.{name}, which is no setting. "
                    f"There are: {', '.join(types)}."
                )
            try:
                msgspec.convert(value, types[name])
            except msgspec.ValidationError as error:
                wrong = str(error).lower().replace("null", "None")
                raise SettingsError(
                    f"nbgrader_config.py sets c.PropertyGrader.{name} to {value!r}, which has a "
                    f"wrong type: {wrong}."
                ) from None
        return cls(**values)

    def override(self, **values: Any) -> Settings:
        """The settings with those that are not None replaced."""
        return replace(self, **{name: v for name, v in values.items() if v is not None})

    def budgets(self, defaults: Budgets) -> Budgets:
        """What one submission may use: an assignment's budgets, with those set here replaced."""
        ours: dict[str, Any] = {
            "case_seconds": self.time_limit,
            "cell_seconds": self.cell_time_limit,
            "total_seconds": self.total_time_limit,
            "memory_bytes": None if self.memory_limit is None else self.memory_limit << 20,
        }
        return replace(defaults, **{name: v for name, v in ours.items() if v is not None})

    @property
    def rounding_step(self) -> Fraction:
        """`round_to` as an exact fraction."""
        return Fraction(str(self.round_to))
