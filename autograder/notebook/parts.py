"""What a notebook is rebuilt from: texts with their places, and the notes kept on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.notebook.names import names_bound

RELEASED = -1


@dataclass(slots=True)
class Text:
    """A text in the rebuilt notebook: that of skeleton cell `place`, or an extra cell behind it.

    `index` is the submitted cell that it stands for, `RELEASED` where there is none. `authored`
    says that the student wrote it; `idle`, that it is not run when grading.
    """

    place: int
    index: int
    cell_type: str
    source: str
    authored: bool = True
    idle: bool = False

    @property
    def runs(self) -> bool:
        """Whether it is code of the student's that is run."""
        return self.cell_type == "code" and self.authored and not self.idle

    @property
    def computes(self) -> frozenset[str]:
        """The names that running it gives a value of the student's."""
        return names_bound(self.source).computed if self.runs else frozenset()

    def leave_empty(self) -> None:
        """Keep the cell, but nothing in it."""
        self.source, self.authored = "", False


@dataclass(slots=True)
class Notes:
    """Sentences on repairs, told in the order of the submission."""

    kept: list[tuple[int, str]] = field(default_factory=list)

    def add(self, index: int, rest: str) -> None:
        """Note something on a submitted cell; the sentence begins with its 1-based number."""
        self.kept.append((index, f"Cell {index + 1}{rest}"))

    def add_missing(self, sentence: str) -> None:
        """Note something that has no cell in the submission."""
        self.kept.append((RELEASED, sentence))

    def in_order(self) -> Sequence[str]:
        """Notes by submitted cell, then those without one."""
        present = sorted((note for note in self.kept if note[0] != RELEASED), key=lambda n: n[0])
        absent = (note for note in self.kept if note[0] == RELEASED)
        return [sentence for _, sentence in (*present, *absent)]
