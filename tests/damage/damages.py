"""Damage to notebooks: what students, editors, browsers and disks do to a file, at random.

A `Damage` is a list of kinds and a seed, and nothing else: print it, and `Damage(...).of(notebook)`
makes the same bytes again. Kinds are functions: those of `CELLS` edit the document, then those of
`BYTES` edit the file.
"""

from __future__ import annotations

import codecs
import gzip
import json
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

Json = dict[str, Any]
Chance = random.Random


@dataclass(frozen=True)
class Damage:
    """What is done to a notebook. Equal damages of equal notebooks give equal bytes."""

    kinds: tuple[str, ...]
    seed: int

    def of(self, notebook: Json) -> bytes:
        """The damaged file."""
        chance = random.Random(self.seed)  # noqa: S311 - it has to be repeatable
        document = deepcopy(notebook)
        for kind in self.kinds:
            if kind in CELLS:
                CELLS[kind](document, chance)
        file = json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")
        for kind in self.kinds:
            if kind in BYTES:
                file = BYTES[kind](file, chance)
        return file


def damages(most: int = 6) -> st.SearchStrategy[Damage]:
    """Several small damages, to the cells as a rule, to the bytes now and then."""
    cells = st.lists(st.sampled_from(sorted(CELLS)), max_size=most)
    file = st.lists(st.sampled_from(sorted(BYTES)), max_size=1)
    kinds = st.tuples(cells, file).map(lambda both: (*both[0], *both[1])).filter(bool)
    return st.builds(Damage, kinds=kinds, seed=st.integers(0, 2**32))


CELLS: dict[str, Callable[[Json, Chance], None]] = {}
BYTES: dict[str, Callable[[bytes, Chance], bytes]] = {}


def cells(function: Callable[[Json, Chance], None]) -> Callable[[Json, Chance], None]:
    """Register a damage to the document."""
    CELLS[function.__name__] = function
    return function


def file(function: Callable[[bytes, Chance], bytes]) -> Callable[[bytes, Chance], bytes]:
    """Register a damage to the bytes."""
    BYTES[function.__name__] = function
    return function


# -- helpers ---------------------------------------------------------------------------------------


def real_cells(document: Json) -> list[Json]:
    """The cells that earlier damage has left as cells."""
    return [cell for cell in document.get("cells", ()) if isinstance(cell, dict)]


def some(document: Json, chance: Chance) -> Json:
    """One of the cells, or one that belongs to nothing where none is left."""
    return chance.choice(real_cells(document) or [{}])


def text_of(cell: Json) -> str:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def metadata_of(cell: Json) -> Json:
    found = cell.get("metadata")
    if not isinstance(found, dict):
        found = cell["metadata"] = {}
    return found


def flags_of(cell: Json) -> Json:
    found = metadata_of(cell).get("nbgrader")
    return found if isinstance(found, dict) else {}


def code(source: str) -> Json:
    made = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return made | {"execution_count": None}


def insert(document: Json, chance: Chance, cell: Any) -> None:
    where = document.setdefault("cells", [])
    where.insert(chance.randint(0, len(where)), cell)


# -- structure -------------------------------------------------------------------------------------


@cells
def delete_a_cell(document: Json, chance: Chance) -> None:
    if len(document["cells"]) > 1:
        del document["cells"][chance.randrange(len(document["cells"]))]


@cells
def delete_a_test(document: Json, chance: Chance) -> None:
    tests = [c for c in real_cells(document) if flags_of(c).get("grade") and c in document["cells"]]
    if tests:
        document["cells"].remove(chance.choice(tests))


@cells
def duplicate_a_cell(document: Json, chance: Chance) -> None:
    insert(document, chance, deepcopy(some(document, chance)))


@cells
def split_a_cell(document: Json, chance: Chance) -> None:
    cell = some(document, chance)
    lines = text_of(cell).splitlines(keepends=True)
    cut = chance.randint(0, len(lines))
    behind = deepcopy(cell)
    cell["source"], behind["source"] = "".join(lines[:cut]), "".join(lines[cut:])
    at = next((i for i, c in enumerate(document["cells"]) if c is cell), 0)
    document["cells"].insert(at + 1, behind)


@cells
def merge_two_cells(document: Json, chance: Chance) -> None:
    found = real_cells(document)
    if len(found) > 1:
        at = chance.randrange(len(found) - 1)
        first, second = found[at], found[at + 1]
        first["source"] = text_of(first) + "\n\n" + text_of(second)
        document["cells"] = [c for c in document["cells"] if c is not second]


@cells
def move_a_cell(document: Json, chance: Chance) -> None:
    if document["cells"]:
        cell = document["cells"].pop(chance.randrange(len(document["cells"])))
        insert(document, chance, cell)


@cells
def shuffle_all_cells(document: Json, chance: Chance) -> None:
    chance.shuffle(document["cells"])


@cells
def retype_a_cell(document: Json, chance: Chance) -> None:
    odd = ["code", "markdown", "raw", "heading", "Code", "", None, 7]
    some(document, chance)["cell_type"] = chance.choice(odd)


@cells
def solution_in_another_cell(document: Json, chance: Chance) -> None:
    """The work stands in a cell of its own; the given one holds a stub again or nothing."""
    solutions = [c for c in real_cells(document) if flags_of(c).get("solution")]
    if solutions:
        cell = chance.choice(solutions)
        work, left = text_of(cell), chance.choice(["", "# see below", "# YOUR CODE HERE"])
        cell["source"] = left
        insert(document, chance, code(work))


@cells
def add_a_cell(document: Json, chance: Chance) -> None:
    texts = ["", "x = 1", "import math", "%matplotlib inline", "1 / 0", "x = (", "print('hi')"]
    texts += ["!pip install numpy", "%%bash\nls", "from google.colab import drive", "\0", "∂" * 50]
    insert(document, chance, code(chance.choice(texts)) | {"id": f"n{chance.randrange(9)}"})


@cells
def add_words(document: Json, chance: Chance) -> None:
    cell = {"cell_type": "markdown", "metadata": {}, "source": "Some words of mine."}
    insert(document, chance, cell)


# -- ids, tags, flags ------------------------------------------------------------------------------


@cells
def strip_metadata(document: Json, chance: Chance) -> None:
    some(document, chance)["metadata"] = chance.choice([{}, None, [], "none", 3])


@cells
def strip_all_metadata(document: Json, chance: Chance) -> None:
    for cell in real_cells(document):
        cell["metadata"] = {}


@cells
def strip_ids(document: Json, chance: Chance) -> None:
    for cell in real_cells(document):
        cell.pop("id", None)
    document["nbformat_minor"] = chance.randint(0, 5)


@cells
def change_an_id(document: Json, chance: Chance) -> None:
    ids = [c.get("id") for c in real_cells(document)] + ["", "a b", "ü", 3, None]
    some(document, chance)["id"] = chance.choice(ids)


@cells
def change_a_grade_id(document: Json, chance: Chance) -> None:
    ids = [flags_of(c).get("grade_id") for c in real_cells(document)] + ["new", "", None, 3, []]
    flags_of(some(document, chance))["grade_id"] = chance.choice(ids)


@cells
def swap_two_grade_ids(document: Json, chance: Chance) -> None:
    one, other = flags_of(some(document, chance)), flags_of(some(document, chance))
    one["grade_id"], other["grade_id"] = other.get("grade_id"), one.get("grade_id")


@cells
def change_a_flag(document: Json, chance: Chance) -> None:
    key = chance.choice(["grade", "solution", "locked", "task", "points", "schema_version"])
    value = chance.choice([True, False, None, 0, 1000, -1, "yes", 1e308])
    flags_of(some(document, chance))[key] = value


@cells
def tag_a_cell(document: Json, chance: Chance) -> None:
    tags = chance.choice([["demo"], ["skip-execution"], "demo", [3], None])
    metadata_of(some(document, chance))["tags"] = tags


@cells
def mark_of_an_editor(document: Json, chance: Chance) -> None:
    marks: list[Json] = [
        {"colab": {"base_uri": "x"}, "id": "aB3", "outputId": "c4"},
        {"vscode": {"languageId": "plaintext"}},
        {"_uuid": "8f28", "execution": {"iopub.status.busy": "now"}, "trusted": True},
        {"cell_id": "00-11", "deepnote_cell_type": "code"},
        {"jupyter": {"source_hidden": True}, "editable": False, "deletable": False},
    ]
    mark = chance.choice(marks)
    for cell in real_cells(document):
        metadata_of(cell).update(deepcopy(mark))


@cells
def another_kernel(document: Json, chance: Chance) -> None:
    spec = {"name": "ir", "display_name": "R", "language": chance.choice(["R", "julia", 3])}
    document["metadata"] = chance.choice([{"kernelspec": spec}, {"language_info": {"name": "R"}}])


@cells
def odd_notebook_metadata(document: Json, chance: Chance) -> None:
    document["metadata"] = chance.choice([None, [], "x", {"widgets": {"state": "w" * 5000}}])


# -- the form of the file --------------------------------------------------------------------------


@cells
def sources_as_lists(document: Json, chance: Chance) -> None:
    for cell in real_cells(document):
        cell["source"] = text_of(cell).splitlines(keepends=True)


@cells
def format_number(document: Json, chance: Chance) -> None:
    document["nbformat"] = chance.choice([4, 5, 99, "4", None, 4.0])
    document["nbformat_minor"] = chance.choice([0, 5, 9, -1, "5", None])


@cells
def outputs_of_all_kinds(document: Json, chance: Chance) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": ["line\n"] * 3000}
    image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 50_000}}
    numbers = {"data": {"application/json": [1e300, -0.0, None, float("nan"), float("inf")]}}
    some(document, chance)["outputs"] = chance.choice([[stream, image, numbers], None, 3, {}])


@cells
def attach_a_picture(document: Json, chance: Chance) -> None:
    some(document, chance)["attachments"] = {"a.png": {"image/png": "iVBORw0KGgo="}}


@cells
def something_that_is_no_cell(document: Json, chance: Chance) -> None:
    insert(document, chance, chance.choice([None, 3, "cell", [], [{}], True]))


@cells
def unknown_keys(document: Json, chance: Chance) -> None:
    some(document, chance)["chatHistory"] = {"deep": [[[[[]]]]]}
    document["signature"] = "sha256:00"


@cells
def an_odd_source(document: Json, chance: Chance) -> None:
    insert(document, chance, code("") | {"source": chance.choice([None, 3, {}, [1, "x\n", None]])})


# -- the text of cells -----------------------------------------------------------------------------


def rewrite(document: Json, chance: Chance, change: Callable[[str], str]) -> None:
    cell = some(document, chance)
    cell["source"] = change(text_of(cell))


@cells
def line_ends_in_a_source(document: Json, chance: Chance) -> None:
    end = chance.choice(["\r\n", "\r"])
    rewrite(document, chance, lambda text: text.replace("\n", end))


@cells
def tabs_for_blanks(document: Json, chance: Chance) -> None:
    rewrite(document, chance, lambda text: text.replace("    ", "\t", chance.choice([1, -1])))


@cells
def invisible_characters(document: Json, chance: Chance) -> None:
    old, new = chance.choice([("    ", "\u00a0   "), ("", "\ufeff"), ("(", "(\u200b")])
    rewrite(document, chance, lambda text: text.replace(old, new, 1))


@cells
def blanks_at_line_ends(document: Json, chance: Chance) -> None:
    rewrite(document, chance, lambda text: text.replace("\n", "  \n") + "\n\n")


@cells
def a_magic_on_top(document: Json, chance: Chance) -> None:
    magic = chance.choice(["%%time\n", "%%capture\n", "%load_ext autoreload\n"])
    rewrite(document, chance, lambda text: magic + text)


@cells
def a_typing_error(document: Json, chance: Chance) -> None:
    sign = chance.choice("()[]:=.x0 #'")

    def change(text: str) -> str:
        at = chance.randint(0, len(text))
        return text[:at] + sign + text[at + chance.randint(0, 1) :]

    rewrite(document, chance, change)


@cells
def half_a_character(document: Json, chance: Chance) -> None:
    rewrite(document, chance, lambda text: text + "  # \ud83d")


# -- bytes -----------------------------------------------------------------------------------------


@file
def byte_order_mark(data: bytes, chance: Chance) -> bytes:
    return codecs.BOM_UTF8 + data


@file
def another_encoding(data: bytes, chance: Chance) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(["utf-16", "utf-16-le", "utf-32", "utf-16-be"]))


@file
def one_byte_per_character(data: bytes, chance: Chance) -> bytes:
    return data.decode("utf-8", "replace").encode("latin-1", "replace")


@file
def windows_line_ends(data: bytes, chance: Chance) -> bytes:
    return data.replace(b"\n", b"\r\n")


@file
def cut_off(data: bytes, chance: Chance) -> bytes:
    return data[: chance.randint(0, len(data))]


@file
def flipped_bits(data: bytes, chance: Chance) -> bytes:
    spoilt = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        if spoilt:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


@file
def a_hole(data: bytes, chance: Chance) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + data[at + chance.randint(1, 300) :]


@file
def zeros_in_the_middle(data: bytes, chance: Chance) -> bytes:
    at, length = chance.randint(0, len(data)), chance.randint(1, 100)
    return data[:at] + b"\0" * length + data[at + length :]


@file
def something_behind(data: bytes, chance: Chance) -> bytes:
    return data + chance.choice([b"\0" * 512, b"}\n", b"\n\x1a", data[-50:], b"<!-- -->"])


@file
def a_comma_too_many(data: bytes, chance: Chance) -> bytes:
    return data.replace(b"\n ]", b",\n ]").replace(b"\n  }\n", b",\n  }\n", 1)


@file
def twice_the_same_key(data: bytes, chance: Chance) -> bytes:
    return data.replace(b'"cells"', b'"cells": [], "cells"', 1)


@file
def another_kind_of_file(data: bytes, chance: Chance) -> bytes:
    page = b"<!DOCTYPE html><title>Sign in</title>"
    return chance.choice([b"", page, gzip.compress(data, mtime=0), b"null", b"%PDF-1.7"])


@file
def too_deep(data: bytes, chance: Chance) -> bytes:
    depth = chance.choice([100, 900, 5000])
    return data[:1] + b'"deep": ' + b"[" * depth + b"]" * depth + b"," + data[1:]


def distinct(notebook: Json, count: int) -> dict[bytes, Damage]:
    """That many different damaged files, each with what was done to it; the same every time."""
    found: dict[bytes, Damage] = {}

    @settings(
        max_examples=3 * count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(damages())
    def collect(damage: Damage) -> None:
        if len(found) < count:
            found.setdefault(damage.of(notebook), damage)

    collect()
    return found
