"""What may be imported follows from what is installed."""

from __future__ import annotations

import pytest

from autograder.worker.imports import importable_modules


def test_allowed_distributions_bring_what_they_need() -> None:
    modules = importable_modules(frozenset({"matplotlib"}))
    assert {"matplotlib", "numpy", "PIL", "dateutil", "mpl_toolkits", "pylab"} <= set(modules)


def test_the_shell_and_the_wire_are_always_there() -> None:
    assert {"IPython", "traitlets", "msgspec"} <= set(importable_modules(frozenset()))


def test_nothing_else_is() -> None:
    modules = importable_modules(frozenset({"numpy", "matplotlib"}))
    assert not {"autograder", "reference", "hypothesis", "nbgrader", "pytest"} & set(modules)


def test_a_distribution_that_is_not_installed_is_no_error() -> None:
    assert "no_such_thing" not in importable_modules(frozenset({"no_such_thing"}))


@pytest.mark.parametrize("name", ["numpy", "NumPy"])
def test_names_are_compared_as_package_names(name: str) -> None:
    assert "numpy" in importable_modules(frozenset({name}))
