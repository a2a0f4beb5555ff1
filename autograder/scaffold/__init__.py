"""`autograder new`: the files that a new exercise takes, with what is left to fill in marked.

Nothing is written over: every file is new, or nothing is written at all. An existing catalogue,
assignment or project file is left to the author, who is told the line to add.
"""

from __future__ import annotations

from autograder.scaffold.writing import Scaffold, new_exercise

__all__ = ["Scaffold", "new_exercise"]
