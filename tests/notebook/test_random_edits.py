"""Any structural edit of a good notebook is repaired, and no work of the student's is lost."""

from __future__ import annotations

import re
from copy import deepcopy

import nbformat
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.notebook import read, rebuild, write
from tests.notebook.builders import (
    GRADE_IDS,
    SKELETON,
    WORK,
    Json,
    code,
    data,
    find,
    markdown,
    namespace,
    release,
    solved,
)

DEFINITION = re.compile(r"^def (\w+)\(.*\n+    return (\d+)$", re.MULTILINE)
OTHER_IDS = ["softmax-solution", "softmax", "why-scale", "title", "nonsense", ""]


def numbered(name: str, value: int) -> str:
    """A definition that can be told from every other: it returns a number of its own."""
    return f"def {name}(*args):\n    return {value}"


class Edits:
    """Random edits of a list of cells; every definition written returns another number."""

    def __init__(self, cells: list[Json], draw: st.DataObject) -> None:
        self.cells = cells
        self.draw = draw
        self.count = 100

    def pick(self) -> int:
        return self.draw.draw(st.integers(0, len(self.cells) - 1))

    def definition(self) -> str:
        self.count += 1
        return numbered(self.draw.draw(st.sampled_from(sorted(WORK))), self.count)

    def delete(self) -> None:
        if len(self.cells) > 1:
            del self.cells[self.pick()]

    def duplicate(self) -> None:
        self.cells.insert(self.pick(), deepcopy(self.cells[self.pick()]))

    def split(self) -> None:
        at = self.pick()
        lines = self.cells[at]["source"].splitlines(keepends=True)
        cut = self.draw.draw(st.integers(0, len(lines)))
        behind = deepcopy(self.cells[at])
        self.cells[at]["source"] = "".join(lines[:cut])
        behind["source"] = "".join(lines[cut:])
        self.cells.insert(at + 1, behind)

    def merge(self) -> None:
        at = self.pick()
        if at + 1 < len(self.cells):
            self.cells[at]["source"] += "\n\n" + self.cells.pop(at + 1)["source"]

    def move(self) -> None:
        cell = self.cells.pop(self.pick())
        self.cells.insert(self.draw.draw(st.integers(0, len(self.cells))), cell)

    def retype(self) -> None:
        kind = self.draw.draw(st.sampled_from(["code", "markdown", "raw"]))
        self.cells[self.pick()]["cell_type"] = kind

    def strip_metadata(self) -> None:
        self.cells[self.pick()]["metadata"] = {}

    def rename_grade_id(self) -> None:
        changed = self.draw.draw(st.sampled_from([*OTHER_IDS, *GRADE_IDS]))
        self.cells[self.pick()]["metadata"]["nbgrader"] = {"grade_id": changed, "grade": True}

    def rename_cell_id(self) -> None:
        self.cells[self.pick()]["id"] = self.draw.draw(st.sampled_from(OTHER_IDS))

    def rewrite(self) -> None:
        self.cells[self.pick()]["source"] = self.definition()

    def add_definition(self) -> None:
        self.cells.insert(self.pick(), code(self.definition(), f"added-{self.count}"))

    def paste_a_released_cell(self) -> None:
        cells = release()["cells"]
        pasted = cells[self.draw.draw(st.integers(0, len(cells) - 1))]
        self.cells.insert(self.pick(), pasted)

    def inject_junk(self) -> None:
        text = self.draw.draw(st.text(max_size=20) | st.sampled_from(["%%bash\nls", "x = (", "\0"]))
        metadata = self.draw.draw(
            st.dictionaries(
                st.sampled_from(["nbgrader", "tags", "x"]),
                st.none() | st.integers() | st.just(["demo"]) | st.just({"grade_id": ["a"]}),
            )
        )
        build = self.draw.draw(st.sampled_from([code, markdown]))
        self.cells.insert(self.pick(), build(text, "junk", **metadata))


NAMES = [name for name in vars(Edits) if not name.startswith("_")]
EDITS = [name for name in NAMES if name not in ("pick", "definition")]


def edited(draw: st.DataObject) -> Json:
    document = solved()
    for value, name in enumerate(WORK):
        find(document["cells"], f"{name}-solution")["source"] = numbered(name, value)
    edits = Edits(document["cells"], draw)
    for name in draw.draw(st.lists(st.sampled_from(EDITS), min_size=1, max_size=8)):
        getattr(edits, name)()
    return document


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_any_edit_is_repaired_and_no_definition_is_lost(draw):
    submitted = read(data(edited(draw)))
    found = rebuild(submitted, SKELETON)
    file = write(found.notebook)

    nbformat.validate(nbformat.reads(file.decode(), as_version=nbformat.NO_CONVERT))
    rebuilt_ids = [
        cell.metadata["nbgrader"]["grade_id"]
        for cell in found.notebook.cells
        if "nbgrader" in cell.metadata
    ]
    assert rebuilt_ids == GRADE_IDS

    before = {text for cell in submitted.cells for text in DEFINITION.findall(cell.source)}
    after = {text for cell in found.notebook.cells for text in DEFINITION.findall(cell.source)}
    assert before <= after

    again = rebuild(read(file), SKELETON)
    assert write(again.notebook) == file
    assert again.notes == ()


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_the_last_definition_of_the_submission_is_the_one_that_counts(draw):
    submitted = read(data(edited(draw)))
    bound = namespace(rebuild(submitted, SKELETON).notebook)
    for name in WORK:
        ran = [
            int(value)
            for cell in submitted.cells
            if cell.is_code and compiles(cell.source)
            for found, value in DEFINITION.findall(cell.source)
            if found == name
        ]
        if ran:
            assert bound[name]() == ran[-1]


def compiles(source: str) -> bool:
    try:
        compile(source, "<cell>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
