"""Attention Autograder: grades notebooks by the laws their functions must obey.

This package imports nothing by itself, so that the worker's files can be loaded without the rest.
"""

from __future__ import annotations

from typing import Any

__all__ = ["grade"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "grade":
        from autograder.instructor import grade

        return grade
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
