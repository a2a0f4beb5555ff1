"""A submission of any structure -> the release's structure with the student's work in it.

The skeleton gives the cells, their order and all metadata; the student gives sources. What has no
cell of its own becomes an extra cell where it stood. Two things outrank the original places:
of several definitions of a name the student's last one stays last, and no text of the release
replaces a definition of the student's.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from autograder.notebook.disguised import text_as_code, without_invisible
from autograder.notebook.matching import BY_GRADE_ID, Match, describes, match_cells
from autograder.notebook.model import Cell, Notebook, canonical, grade_id_of
from autograder.notebook.names import names_bound
from autograder.notebook.order import moved
from autograder.notebook.parts import RELEASED, Notes, Text
from autograder.notebook.precedence import (
    cut_late_stubs,
    keep_last_definitions_last,
    untangle,
    writer_before,
)
from autograder.notebook.skeleton import (
    Role,
    Skeleton,
    SkeletonCell,
    copy_of,
    fresh_id,
    role_of,
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A notebook that is safe to grade, and one sentence per repair.

    `numbers` holds, for every cell of `notebook`, the 1-based number of the submitted cell that
    its text came from, or None where it is the release's.
    """

    notebook: Notebook
    notes: tuple[str, ...]
    numbers: tuple[int | None, ...]


def rebuild(submitted: Notebook, skeleton: Skeleton) -> Rebuilt:
    """Put the student's work into the release notebook.

    Never raises on anything a submission holds; equal input gives equal output, and rebuilding
    the result changes nothing. Notes name cells by their 1-based number in the submission.
    """
    return _Rebuilding(submitted, skeleton).run()


def without_skeleton(submitted: Notebook) -> Rebuilt:
    """Prepare a notebook that belongs to no course for grading functions by their names.

    All metadata is dropped; only a test cell that binds no function stays marked as a test, so
    that it is not run as the student's code.
    """
    note = "There is no release notebook to compare with, so functions are graded by their names."
    taken: set[str] = set()
    notes = Notes()
    cells = []
    for cell in without_invisible(submitted.cells, notes):
        is_test = role_of(cell) is Role.TEST and not names_bound(cell.source).defined
        metadata = {"nbgrader": {"grade": True, "solution": False}} if is_test else {}
        cells.append(_with_id(Cell(cell_type=cell.cell_type, source=cell.source), taken))
        cells[-1].metadata = metadata
    numbers = tuple(range(1, len(cells) + 1))
    said = (*submitted.notes, *notes.in_order(), note)
    return Rebuilt(Notebook(cells=cells), said, numbers)


def _with_id(cell: Cell, taken: set[str]) -> Cell:
    cell.id = fresh_id(cell, taken)
    taken.add(cell.id)
    return cell


class _Rebuilding:
    """One run of `rebuild`: the skeleton's cells (`slots`), then all others (`extras`)."""

    def __init__(self, submitted: Notebook, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.notes = Notes()
        self.stubs = {canonical(slot.released): slot for slot in skeleton.cells if slot.functions}
        self.wanted = frozenset().union(*(slot.functions for slot in skeleton.cells))
        self.cells = self._repaired(submitted.cells)
        self.found, self.spare = match_cells(self.cells, skeleton)
        self.extras: list[Text] = []
        self.read_notes = submitted.notes

    def run(self) -> Rebuilt:
        order = [match.index for _, match in sorted(self.found.items())]
        for index in moved(order):
            self.notes.add(index, " had been moved; it was put back in its place.")
        self.slots = [self._slot(k, slot) for k, slot in enumerate(self.skeleton.cells)]
        self.extras += untangle(self.slots, self.notes)
        self._gather_extras()
        keep_last_definitions_last(self.slots, self.extras)
        for slot, text in zip(self.skeleton.cells, self.slots, strict=True):
            self._yield_to_student(slot, text)
        return self._assembled()

    def _repaired(self, cells: Sequence[Cell]) -> list[Cell]:
        """The submitted cells with their texts repaired, before any is matched."""
        ids = {slot.grade_id for slot in self.skeleton.cells} - {None}
        known = {i for i, cell in enumerate(cells) if grade_id_of(cell) in ids}
        released = {canonical(slot.released) for slot in self.skeleton.cells}
        cells = without_invisible(cells, self.notes)
        cells = text_as_code(cells, self.wanted, released, known, self.notes)
        return cut_late_stubs(cells, self.stubs, self.notes)

    # -- the cells of the skeleton ---------------------------------------------------------------

    def _slot(self, k: int, slot: SkeletonCell) -> Text:
        """The text that cell k of the skeleton gets, with notes on what had to be repaired."""
        text = Text(
            place=k,
            index=RELEASED,
            cell_type=slot.cell.cell_type,
            source=slot.cell.source,
            authored=False,
            idle=slot.idle,
        )
        match = self.found.get(k)
        if match is None:
            return text
        cell = self.cells[match.index]
        self._note_repairs(slot, match, cell)
        text.index = match.index
        if slot.role is Role.PLAIN and not slot.demo:
            text.cell_type = cell.cell_type
        if slot.is_unchanged(cell.source) or canonical(cell.source) in self.stubs:
            return text  # a stub in the place of another is no work either
        if slot.editable:
            text.source, text.authored = cell.source, True
        if self._work_would_be_lost(slot, text, cell):
            self.extras.append(Text(k - 1, match.index, cell.cell_type, cell.source))
            self.notes.add(match.index, " holds work that has no place there; it runs before.")
            if slot.demo:
                text.source, text.authored = slot.cell.source, False
        return text

    def _work_would_be_lost(self, slot: SkeletonCell, text: Text, cell: Cell) -> bool:
        """Whether a changed text holds work of the student's that its slot does not keep running.

        That is so where cells were merged into a test, a locked cell or a demonstration.
        """
        if text.runs or (text.authored and not cell.is_code and not slot.demo):
            return False
        return self._adds_names(cell.source, slot) or (
            not slot.cell.is_code and canonical(slot.released) in canonical(cell.source)
        )

    def _adds_names(self, source: str, slot: SkeletonCell) -> bool:
        """Whether it defines or imports what the slot's own texts do not."""
        found = names_bound(source)
        telling = found.defined | found.imported | (found.assigned & self.wanted)
        return bool(telling - names_bound(slot.released).all - names_bound(slot.cell.source).all)

    def _note_repairs(self, slot: SkeletonCell, match: Match, cell: Cell) -> None:
        """Say what was wrong with a cell that stands for a cell with a grade_id."""
        if slot.grade_id is None:
            return
        name, kind = describes(slot), slot.cell.cell_type
        if match.told_by != BY_GRADE_ID:
            self.notes.add(
                match.index,
                f" carries no nbgrader data that fits; it was recognised as {name} by"
                f" {match.told_by}.",
            )
        elif not slot.has_flags_of(cell):
            self.notes.add(match.index, f", {name}, had other flags or points; restored.")
        if not slot.editable and not slot.is_unchanged(cell.source):
            self.notes.add(match.index, f", {name}, differs from the release; restored.")
        elif cell.cell_type != kind:
            self.notes.add(
                match.index, f", {name}, was a {cell.cell_type} cell; it is read as {kind}."
            )

    # -- extra cells -----------------------------------------------------------------------------

    def _gather_extras(self) -> None:
        """Put every other submitted cell behind the skeleton cell that it followed."""
        slot_of = {match.index: k for k, match in self.found.items()}
        place = -1
        for i, cell in enumerate(self.cells):
            if i in slot_of:
                place = slot_of[i]
            elif not self._repeats_the_release(i, cell):
                self.extras.append(Text(place, i, cell.cell_type, cell.source))
        self.extras.sort(key=lambda extra: extra.index)

    def _repeats_the_release(self, i: int, cell: Cell) -> bool:
        """Whether the cell is only a stub, a test or a locked cell once more."""
        slot = self.stubs.get(canonical(cell.source)) if cell.is_code else None
        if slot is None and i in self.spare:
            slot = self.skeleton.cells[self.spare[i]]
            has_work = slot.editable and not slot.is_unchanged(cell.source)
            if has_work or self._adds_names(cell.source, slot):
                self.notes.add(i, f" repeats {describes(slot)}; it is kept as an extra cell.")
                return False
        if slot is not None:
            self.notes.add(i, f" is a copy of {describes(slot)} and was left out.")
        return slot is not None

    # -- texts of the release ----------------------------------------------------------------------

    def _yield_to_student(self, slot: SkeletonCell, text: Text) -> None:
        """Leave a text of the release empty where it would replace what the student defined.

        That concerns unchanged or missing stubs, and ordinary code cells that were deleted.
        """
        if text.authored or not text.source:
            return
        missing = text.index == RELEASED
        names = slot.functions
        if missing and slot.role is Role.PLAIN and slot.cell.is_code and not slot.demo:
            names = names_bound(slot.released).computed
        writer = writer_before(text.place, names, self.slots, self.extras)
        if writer is not None:
            text.leave_empty()
        if missing:
            self._note_missing(slot, writer)
        elif writer is not None:
            self.notes.add(
                text.index,
                f" still holds the stub of {describes(slot)}, which would replace the definition"
                f" in cell {writer + 1}; it was left empty.",
            )

    def _note_missing(self, slot: SkeletonCell, writer: int | None) -> None:
        if slot.grade_id is None and not slot.cell.is_code:
            return  # text to read, which costs nobody anything
        name = describes(slot) if slot.grade_id else "a code cell of the release"
        end = "put back" if writer is None else f"left empty, as cell {writer + 1} defines its name"
        self.notes.add_missing(f"{name[0].upper()}{name[1:]} was missing; it was {end}.")

    # -- the result ------------------------------------------------------------------------------

    def _assembled(self) -> Rebuilt:
        """Skeleton cells in order, each followed by its extra cells."""
        taken = {slot.cell.id for slot in self.skeleton.cells}
        made: list[tuple[Text, Cell]] = []
        for text in sorted([*self.slots, *self.extras], key=lambda text: text.place):
            if text.place >= 0 and text is self.slots[text.place]:
                frame = self.skeleton.cells[text.place].cell
                made.append((text, copy_of(frame, text.source, text.cell_type)))
            else:
                extra = Cell(cell_type=text.cell_type, source=text.source)
                made.append((text, _with_id(extra, taken)))
        return Rebuilt(
            Notebook(cells=[cell for _, cell in made], metadata=deepcopy(self.skeleton.metadata)),
            (*self.read_notes, *self.notes.in_order()),
            tuple(None if text.index == RELEASED else text.index + 1 for text, _ in made),
        )
