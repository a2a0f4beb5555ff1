"""Which cell of a submission stands for which cell of the skeleton?

Told by, in this order: the grade_id, the cell id, the text, the function that it defines, and last
the place between two neighbours. A cell of the submission stands for at most one cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.notebook.model import Cell, canonical, grade_id_of, id_of
from autograder.notebook.names import defines, may_define, names_bound
from autograder.notebook.skeleton import Role, Skeleton, SkeletonCell


@dataclass(frozen=True, slots=True)
class Match:
    """The index of a submitted cell, and by what it was recognised, in words."""

    index: int
    told_by: str


BY_GRADE_ID = "its grade_id"


class Matches(NamedTuple):
    """`found`: skeleton index -> match. `spare`: submitted index -> the skeleton cell it repeats.

    A spare cell carries a grade_id of the skeleton, but does not stand for that cell.
    """

    found: dict[int, Match]
    spare: dict[int, int]


def match_cells(cells: Sequence[Cell], skeleton: Skeleton) -> Matches:
    """Match the cells of a submission with those of the skeleton."""
    matcher = _Matcher(cells, skeleton)
    matcher.by_grade_id()
    matcher.by_cell_id()
    matcher.by_text()
    matcher.by_function()
    matcher.by_position()
    return Matches(matcher.found, {i: k for i, k in matcher.spare.items() if i in matcher.free})


class _Matcher:
    def __init__(self, cells: Sequence[Cell], skeleton: Skeleton) -> None:
        self.cells = cells
        self.slots = skeleton.cells
        self.found: dict[int, Match] = {}
        self.spare: dict[int, int] = {}
        self.free = set(range(len(cells)))

    def by_grade_id(self) -> None:
        slot_of = {slot.grade_id: k for k, slot in enumerate(self.slots) if slot.grade_id}
        claims: dict[int, list[int]] = {}
        for i, cell in enumerate(self.cells):
            k = slot_of.get(grade_id_of(cell) or "")
            if k is not None:
                claims.setdefault(k, []).append(i)
                self.spare[i] = k
        for k, claimants in claims.items():
            self._take(k, [i for i in claimants if self._fits(k, i)], BY_GRADE_ID)

    def by_cell_id(self) -> None:
        by_id: dict[str, list[int]] = {}
        for i in self._unclaimed():
            by_id.setdefault(id_of(self.cells[i]), []).append(i)
        for k in self._open():
            same = by_id.get(self.slots[k].cell.id, [])
            self._take(k, [i for i in same if self._fits(k, i)], "its cell id")

    def by_text(self) -> None:
        by_text: dict[tuple[str, str], list[int]] = {}
        for i in self._unclaimed():
            key = (self.cells[i].cell_type, canonical(self.cells[i].source))
            by_text.setdefault(key, []).append(i)
        for k in self._open():
            text = canonical(self.slots[k].released)
            same = by_text.get((self.slots[k].cell.cell_type, text), []) if text else []
            if same:
                self._claim(k, same.pop(0), "its text")

    def by_function(self) -> None:
        for k in self._open():
            names = self.slots[k].functions
            writers = [i for i in range(len(self.cells)) if self._code_binding(i, names, defines)]
            # The last one is the definition that counts. Where it stands in another cell of the
            # skeleton already, an earlier one must not be put behind it.
            if writers and writers[-1] in self.free:
                self._claim(k, writers[-1], "the function that it defines")

    def by_position(self) -> None:
        for gap, first, last in self._gaps():
            wanted = [k for k in gap if self.slots[k].editable]
            between = [i for i in self._unclaimed() if first < i < last]
            if [self.slots[k].cell.cell_type for k in wanted] == [
                self.cells[i].cell_type for i in between
            ]:
                for k, i in zip(wanted, between, strict=True):
                    self._claim(k, i, "its place")

    # -- helpers ---------------------------------------------------------------------------------

    def _claim(self, k: int, i: int, told_by: str) -> None:
        self.found[k] = Match(i, told_by)
        self.free.discard(i)

    def _take(self, k: int, candidates: list[int], told_by: str) -> None:
        """Claim the best of several: of editable cells the first with work in it, of others an
        unchanged one."""
        if not candidates:
            return
        slot = self.slots[k]
        texts = {i: self.cells[i].source for i in candidates}
        if slot.editable:
            good = [i for i, text in texts.items() if text.strip() and not slot.is_unchanged(text)]
        else:
            good = [i for i, text in texts.items() if slot.is_unchanged(text)]
        self._claim(k, (good or candidates)[0], told_by)

    def _open(self) -> list[int]:
        return [k for k in range(len(self.slots)) if k not in self.found]

    def _unclaimed(self) -> list[int]:
        """Free cells in order, but those that already carry the grade_id of another cell."""
        return [i for i in sorted(self.free) if i not in self.spare]

    def _fits(self, k: int, i: int) -> bool:
        """A solution that became text is read as code only if no code cell defines the same:
        text did not run for the student either."""
        slot = self.slots[k]
        if not slot.functions or self.cells[i].is_code or slot.is_unchanged(self.cells[i].source):
            return True
        others = (j for j in range(len(self.cells)) if j != i)
        names = slot.functions | names_bound(self.cells[i].source).computed
        return not any(
            self._code_binding(j, names, may_define) and not slot.is_unchanged(self.cells[j].source)
            for j in others
        )

    def _code_binding(
        self, i: int, names: Iterable[str], binds: Callable[[str, str], bool]
    ) -> bool:
        cell = self.cells[i]
        return cell.is_code and any(binds(cell.source, name) for name in names)

    def _gaps(self) -> list[tuple[list[int], int, int]]:
        """Runs of unmatched skeleton cells with the submitted indices of their neighbours."""
        gaps: list[tuple[list[int], int, int]] = []
        gap: list[int] = []
        before = -1
        for k in range(len(self.slots)):
            if k not in self.found:
                gap.append(k)
                continue
            here = self.found[k].index
            if gap:
                gaps.append((gap, before, here))
            gap, before = [], here
        return [*gaps, (gap, before, len(self.cells))] if gap else gaps


def describes(slot: SkeletonCell) -> str:
    """The skeleton cell's name for a note, such as `the test 'softmax'`."""
    kind = {Role.TEST: "the test", Role.WRITTEN: "the question"}.get(slot.role, "the cell")
    return f"{kind} {slot.grade_id!r}"
