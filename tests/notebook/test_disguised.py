"""Code that stands in a text cell, or that invisible characters keep from being Python."""

from __future__ import annotations

import pytest

from autograder.notebook import Skeleton, read, rebuild, without_skeleton
from tests.notebook.builders import (
    SKELETON,
    WORK,
    code,
    data,
    extras,
    find,
    markdown,
    namespace,
    notebook,
    release,
    repaired,
    solved,
    sources,
)

SOFTMAX = WORK["softmax"]


def raw(source, cell_id):
    return markdown(source, cell_id) | {"cell_type": "raw"}


# -- code in text cells ----------------------------------------------------------------------------


@pytest.mark.parametrize("build", [markdown, raw])
@pytest.mark.parametrize("stub", ["stays", "deleted"])
def test_a_function_in_a_text_cell_counts_where_no_code_cell_defines_it(build, stub):
    document = solved()
    cells = document["cells"]
    solution = find(cells, "softmax-solution")
    if stub == "stays":
        solution["source"] = find(release()["cells"], "softmax-solution")["source"]
    else:
        cells.remove(solution)
    cells.append(build(SOFTMAX, "text"))
    found = rebuild(read(data(document)), SKELETON)
    assert namespace(found.notebook)["softmax"]([[0.0]]) == 1
    kind = build("", "x")["cell_type"]
    (note,) = [note for note in found.notes if "is read as code" in note]
    assert note.startswith(f"Cell {len(cells)} is a {kind} cell, but all of it is code that no")
    assert "(softmax)" in note


def test_a_draft_in_a_text_cell_does_not_replace_code():
    found = repaired(lambda cells: cells.append(markdown("def softmax(z):\n    return z", "text")))
    assert namespace(found.notebook)["softmax"]([[0.0]]) == 1
    assert found.notes == ()


def test_prose_that_python_could_parse_stays_prose():
    def edit(cells):
        cells.remove(find(cells, "softmax-solution"))
        cells += [markdown(text, f"t{n}") for n, text in enumerate(["Hello", "softmax", "1"])]

    found = repaired(edit)
    assert not any("is read as code" in note for note in found.notes)


def test_a_formula_in_the_releases_own_text_is_no_code():
    document = release()
    document["cells"].insert(1, markdown("def softmax(z):\n    return z", "formula"))
    skeleton = Skeleton.from_release(data(document))
    found = rebuild(read(data(document)), skeleton)
    assert found.notes == ()


def test_helpers_that_became_text_with_the_function_come_along():
    def edit(cells):
        solution = find(cells, "softmax-solution")
        at = cells.index(solution)
        cells[at : at + 1] = [
            raw("def shifted(z):\n    return z - np.max(z)", "helper"),
            raw("def softmax(z, axis=-1):\n    return np.exp(shifted(z))", "solution"),
        ]

    found = repaired(edit)
    assert namespace(found.notebook)["softmax"](3.0) == 1
    assert len([note for note in found.notes if "is read as code" in note]) == 2


def test_an_answer_in_words_that_looks_like_code_stays_an_answer():
    def edit(cells):
        cells.remove(find(cells, "softmax-solution"))
        find(cells, "why-scale")["source"] = "def softmax(z): return z"

    found = repaired(edit)
    assert sources(found.notebook)["why-scale"] == "def softmax(z): return z"
    assert not any("is read as code" in note for note in found.notes)


def test_many_names_in_many_cells_take_no_more_than_a_moment():
    document = notebook(
        *(code("\n".join(f"v{n}_{k} = 1" for k in range(20)), f"c{n}") for n in range(500)),
        *(markdown("\n".join(f"w{n}_{k} = 1" for k in range(20)), f"m{n}") for n in range(500)),
        markdown("def softmax(z):\n    return z", "softmax"),
    )
    found = rebuild(read(data(document)), SKELETON)
    assert "def softmax(z):\n    return z" in extras(found.notebook)


# -- invisible characters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoilt", "named"),
    [
        (SOFTMAX.replace("    ", "\u00a0   "), "U+00A0"),
        ("\ufeff" + SOFTMAX, "U+FEFF"),
        (SOFTMAX.replace("return", "\u200breturn"), "U+200B"),
        (SOFTMAX.replace("\n", "\u2028"), "U+2028"),
        (SOFTMAX + "\x00", "U+0000"),
        ("%%time\n" + SOFTMAX.replace(" = ", "\u3000=\u2009"), "U+2009, U+3000"),
    ],
)
def test_invisible_characters_that_python_does_not_take_are_mended(spoilt, named):
    def edit(cells):
        find(cells, "softmax-solution")["source"] = spoilt

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"].removeprefix("%%time\n") == SOFTMAX
    assert found.notes == (
        f"Cell 4 held invisible characters that are no Python ({named}); mended.",
    )


def test_invisible_characters_inside_a_text_of_the_code_are_kept():
    source = SOFTMAX + "\nblank = '\u00a0\u200b'"

    def edit(cells):
        find(cells, "softmax-solution")["source"] = source

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == source
    assert found.notes == ()


def test_code_with_another_mistake_is_left_as_it_is():
    source = "def softmax(z:\n\u00a0   return z"

    def edit(cells):
        find(cells, "softmax-solution")["source"] = source

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == source
    assert found.notes == ()


def test_without_a_release_invisible_characters_are_mended_too():
    found = without_skeleton(read(data(notebook(code("\ufeff" + SOFTMAX, "a")))))
    assert found.notebook.cells[0].source == SOFTMAX
    assert found.notes[0].startswith("Cell 1 held invisible characters")
