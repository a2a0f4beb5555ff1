"""The hostile corpus: attacks by kind, one module each."""

from __future__ import annotations

from tests.hostile.attack import Attack
from tests.hostile.attacks import (
    display,
    exits,
    files,
    interpreter,
    memory,
    nbgrader,
    network,
    notebook,
    processes,
    protocol,
    results,
    time,
)

MODULES = (
    time,
    exits,
    memory,
    files,
    processes,
    network,
    protocol,
    interpreter,
    results,
    notebook,
    nbgrader,
    display,
)
ATTACKS: tuple[Attack, ...] = tuple(attack for module in MODULES for attack in module.ATTACKS)
