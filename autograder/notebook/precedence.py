"""Which definition of a name counts: the student's last one, and never a text of the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from autograder.notebook.matching import describes
from autograder.notebook.model import Cell
from autograder.notebook.names import may_define
from autograder.notebook.parts import Notes, Text
from autograder.notebook.skeleton import SkeletonCell


def cut_late_stubs(
    cells: Sequence[Cell], stubs: Mapping[str, SkeletonCell], notes: Notes
) -> list[Cell]:
    """Cut stubs out of longer code cells where their function was defined before.

    Such cells come from merging. A cell that is nothing but a stub stays: `yield_to_student` and
    the search for copies deal with it.
    """
    cut = list(cells)
    for stub, slot in stubs.items():
        if any(cell.is_code and stub in cell.source for cell in cut):
            _cut_late_stub(cut, stub, slot, notes)
    return cut


def _cut_late_stub(cut: list[Cell], stub: str, slot: SkeletonCell, notes: Notes) -> None:
    def defines_it(text: str) -> bool:
        return _may_define_any(text.replace(stub, ""), slot.functions)

    defined = False
    for i, cell in enumerate(cut):
        if not cell.is_code:
            continue
        above, found, _ = cell.source.rpartition(stub)
        rest = cell.source.replace(stub, "")
        if found and rest.strip() and (defined or defines_it(above)):
            cut[i] = structs.replace(cell, source=rest)
            notes.add(
                i,
                f" holds the stub of {describes(slot)}, which would replace a definition; the"
                " stub was left out.",
            )
        defined = defined or defines_it(rest)


def untangle(slots: Sequence[Text], notes: Notes) -> list[Text]:
    """Free cells that were moved past one another and define the same name.

    The one that came earlier in the submission leaves its slot empty and is returned as an extra
    cell that runs before the other.
    """
    freed = []
    computed = [text.computes for text in slots]
    for k, text in enumerate(slots):
        tangled = (
            other
            for other, names in zip(slots[:k], computed, strict=False)
            if other.index > text.index and names & computed[k]
        )
        other = next(tangled, None)
        if other is not None:
            freed.append(replace(text, place=other.place - 1))
            text.leave_empty()
            notes.add(
                text.index,
                f" runs as an extra cell before cell {other.index + 1}, which defines the same"
                " name again.",
            )
    return freed


def keep_last_definitions_last(slots: Sequence[Text], extras: Sequence[Text]) -> None:
    """Shift extra cells so that definitions of one name keep the order of the submission.

    `extras` are in that order; they leave the place where they stood only if they must.
    """
    computed = [(text, names) for text in slots if (names := text.computes)]
    latest: dict[str, int] = {}  # name -> the last place of an extra cell that computes it
    for extra in extras:
        names = extra.computes
        rivals = [text for text, others in computed if names & others]
        before = [text.place for text in rivals if text.index < extra.index]
        before += [latest[name] for name in names if name in latest]
        behind = [text.place - 1 for text in rivals if text.index > extra.index]
        extra.place = min([max([extra.place, *before]), *behind])
        latest |= dict.fromkeys(names, extra.place)


def writer_before(
    place: int, names: Iterable[str], slots: Sequence[Text], extras: Sequence[Text]
) -> int | None:
    """The last submitted cell, placed before a slot, that may define one of the names; or None."""
    before = [*slots[:place], *(extra for extra in extras if extra.place < place)]
    writers = [t.index for t in before if t.runs and _may_define_any(t.source, names)]
    return max(writers, default=None)


def _may_define_any(source: str, names: Iterable[str]) -> bool:
    return any(may_define(source, name) for name in names)
