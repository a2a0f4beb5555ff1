from __future__ import annotations

import codecs
import json
import time
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.notebook import MAX_BYTES, NotebookError, read, write
from tests.notebook.builders import code, data, markdown, notebook, solved


def test_outputs_are_dropped_and_sources_kept():
    cell = code("print(1)", "a")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
    cell["execution_count"] = 3
    (found,) = read(data(notebook(cell))).cells
    assert (found.source, found.outputs, found.execution_count) == ("print(1)", [], None)


def test_source_may_be_a_list_of_lines_or_a_string():
    document = notebook(code("a\nb", "a"), code("", "b"))
    document["cells"][1]["source"] = ["a\n", "b"]
    assert [cell.source for cell in read(data(document)).cells] == ["a\nb", "a\nb"]


def test_honest_notebook_gives_no_notes():
    assert read(data(solved())).notes == []


@pytest.mark.parametrize(
    "encoded",
    [
        codecs.BOM_UTF8 + data(solved()),
        data(solved()).decode().encode("utf-16"),
        data(solved()).decode().encode("utf-32"),
        codecs.BOM_UTF8 * 2 + data(solved()),
        data(solved()).decode().encode("utf-16-le"),
        b"\n\0" + data(solved()).decode().encode("utf-16-le"),
        data(solved()).decode().encode("utf-16-be"),
        data(solved()).decode().encode("utf-32-le"),
        data(solved()).replace(b"\n", b"\r\n"),
        data(solved()) + b"\0" * 5000,
        data(solved()) + b"\r\n\x1a",
    ],
    ids=[
        "utf-8-mark",
        "utf-16",
        "utf-32",
        "two-marks",
        "utf-16-unmarked",
        "utf-16-unmarked-behind-a-line-end",
        "utf-16-big-endian",
        "utf-32-unmarked",
        "crlf",
        "zeros-behind",
        "end-of-file-sign",
    ],
)
def test_marks_encodings_and_line_ends_of_editors_make_no_difference(encoded):
    assert read(encoded) == read(data(solved()))


def test_line_ends_inside_sources_become_newlines():
    (cell,) = read(data(notebook(code("a\r\nb\rc", "a")))).cells
    assert cell.source == "a\nb\nc"


def test_line_ends_and_attachments_of_the_courses_own_notebooks_are_kept():
    cell = markdown("a\r\nb", "a") | {"attachments": {"x.png": {"image/png": "iVBO"}}}
    (found,) = read(data(notebook(cell)), verbatim=True).cells
    assert (found.source, found.attachments) == ("a\r\nb", {"x.png": {"image/png": "iVBO"}})


def test_attached_files_are_left_out_with_a_note_but_for_pictures():
    cell = markdown("![](attachment:x.png)", "a") | {
        "attachments": {
            "x.png": {"image/png": "iVBO\n", "image/svg+xml": "<svg/>"},
            "y.svg": {"image/svg+xml": "<svg/>"},
            "z.png": {"image/png": "'>"},
            "odd": "iVBO",
        }
    }
    found = read(data(notebook(code("", "b"), cell)))
    assert found.cells[1].attachments == {"x.png": {"image/png": "iVBO"}}
    assert found.notes == ["Cell 2 had attached files, which were left out."]


def test_pictures_alone_need_no_note():
    cell = markdown("![](attachment:x.png)", "a") | {"attachments": {"x.png": {"image/png": "iV"}}}
    found = read(data(notebook(cell)))
    assert found.cells[0].attachments == {"x.png": {"image/png": "iV"}}
    assert found.notes == []


def test_a_file_in_windows_1252_is_read_as_it_was_meant():
    file = json.dumps(notebook(code("größe = 'é€'", "a")), ensure_ascii=False).encode("cp1252")
    found = read(file)
    assert found.cells[0].source == "größe = 'é€'"
    assert found.notes == [
        "The file holds bytes that are no UTF-8; they were read as Windows-1252."
    ]


def test_bytes_of_no_encoding_are_replaced_and_the_utf8_around_them_is_kept():
    file = data(notebook(code("x = 'ö QQ'", "a"))).decode().encode().replace(b"QQ", b"\x81\xff")
    assert read(file).cells[0].source == "x = 'ö \ufffdÿ'"


def test_what_pythons_json_writes_in_outputs_is_read():
    cell = code("x = 1", "a")
    cell["outputs"] = [{"data": {"application/json": [float("nan"), float("-inf")]}, "t": "NaN"}]
    found = read(data(notebook(cell)))
    assert (found.cells[0].source, found.notes) == ("x = 1", [])


@pytest.mark.parametrize(
    ("written", "meant"),
    [(rb"\ud800", "�"), (rb"\udc00x", "�x"), (b"\x01", "\x01"), (b"a\tb", "a\tb")],
)
def test_lone_surrogates_and_control_characters_are_mended(written, meant):
    found = read(data(notebook(code("x = 'QQ'", "a"))).replace(b"QQ", written))
    assert found.cells[0].source == f"x = '{meant}'"
    assert found.notes == ["The file holds characters that JSON does not allow; they were mended."]
    assert json.loads(write(found))["cells"][0]["source"] == [f"x = '{meant}'"]


def test_missing_and_odd_fields_are_tolerated():
    document = {
        "cells": [
            {"cell_type": "code", "source": 3, "metadata": [], "id": None},
            {"cell_type": "MARKDOWN", "source": ["a", 1, "b"]},
            {"cell_type": "heading", "source": "Title"},
            {"cell_type": {"odd": True}, "metadata": None},
            {},
        ],
        "metadata": "none",
    }
    cells = read(data(document)).cells
    assert [cell.cell_type for cell in cells] == ["code", "markdown", "markdown", "raw", "raw"]
    assert [cell.source for cell in cells] == ["", "a\nb", "Title", "", ""]
    assert all(cell.metadata == {} and cell.id == "" for cell in cells)


def test_metadata_beyond_a_megabyte_is_left_out():
    widgets = {"widgets": "w" * (1 << 20)}
    found = read(data(notebook(code("x = 1", "a", **widgets), **widgets)))
    assert (found.metadata, found.cells[0].metadata) == ({}, {})


@pytest.mark.parametrize(
    "language", [{"kernelspec": {"language": "R"}}, {"language_info": {"name": "R"}}]
)
def test_other_language_is_noted(language):
    found = read(data(notebook(code("x <- 1", "a"), **language)))
    assert found.notes == ["The notebook is saved as one of 'R'; it is run as Python."]


def test_odd_language_metadata_is_ignored():
    odd = {"kernelspec": [1], "language_info": {"name": {"x": 1}}}
    assert read(data(notebook(code("x", "a"), **odd))).notes == []


def test_what_follows_the_end_of_a_notebook_is_left_out_with_a_note():
    found = read(data(solved()) + b'\n"metadata": {}}')
    assert found.cells == read(data(solved())).cells
    assert found.notes == [
        "Something follows the end of the notebook in its file; it was left out."
    ]


def test_commas_behind_a_last_item_are_mended_and_texts_are_not_touched():
    file = data(notebook(code("x = [1, ]", "a"))).replace(b"\n ]", b",\n ]")
    with pytest.raises(json.JSONDecodeError):
        json.loads(file)
    found = read(file)
    assert found.cells[0].source == "x = [1, ]"
    assert found.notes == ["The file holds characters that JSON does not allow; they were mended."]


@pytest.mark.parametrize("odd", [None, 3, 1.5, True, "text", ["x"]])
def test_what_is_no_cell_is_left_out_of_the_list_of_cells(odd):
    document = notebook(code("a", "a"), code("b", "b"))
    document["cells"].insert(1, odd)
    found = read(data(document))
    assert [cell.source for cell in found.cells] == ["a", "b"]
    assert found.notes == ["The list of cells holds something that is no cell; it was left out."]


def test_millions_of_items_that_are_no_cells_are_refused_before_they_fill_the_memory():
    file = b'{"cells":[' + b"9999," * 5_000_000 + b"{}]}"
    tracemalloc.start()
    try:
        assert "no notebook" in refusal(file)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_of_a_key_written_twice_the_last_one_counts_as_in_every_reader():
    file = b'{"cells": [{"cell_type": "code", "source": "a", "source": "b"}], "nbformat": 4}'
    assert read(file).cells[0].source == json.loads(file)["cells"][0]["source"] == "b"


def test_lines_that_were_saved_without_their_ends_are_put_on_lines_of_their_own():
    document = notebook(code("", "a"), code("", "b"))
    document["cells"][0]["source"] = ["def f(x):", "    return x"]
    document["cells"][1]["source"] = ["a\n", "b", "c"]
    assert [cell.source for cell in read(data(document)).cells] == [
        "def f(x):\n    return x",
        "a\nbc",
    ]


def test_version_3_notebook_is_upgraded():
    plot = {"output_type": "pyout", "prompt_number": 1, "text": ["1"], "metadata": {}}
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Title", "metadata": {}},
        {"cell_type": "code", "input": ["x = 1\n", "x"], "outputs": [plot], "language": "python"},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "html", "source": "<b>"},
    ]
    sheets = [{"cells": cells[:2], "metadata": {}}, {"cells": cells[2:], "metadata": {}}]
    document = {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}
    found = read(data(document))
    assert [(cell.cell_type, cell.source) for cell in found.cells] == [
        ("markdown", "## Title"),
        ("code", "x = 1\nx"),
        ("raw", "raw"),
        ("markdown", "<b>"),
    ]
    assert found == read(data(document))


def test_version_1_notebook_is_upgraded():
    cells = [{"cell_type": "code", "code": "x = 1"}, {"cell_type": "text", "text": "hello"}]
    found = read(data({"nbformat": 1, "cells": cells}))
    assert [(cell.cell_type, cell.source) for cell in found.cells] == [
        ("code", "x = 1"),
        ("markdown", "hello"),
    ]


# -- files that cannot be read -------------------------------------------------------------------


def refusal(file: bytes) -> str:
    with pytest.raises(NotebookError) as caught:
        read(file)
    return str(caught.value)


@pytest.mark.parametrize("file", [b"", b" \n\t", b"\0\0\0"])
def test_empty_file_is_refused(file):
    assert refusal(file) == "The file is empty. Submit the notebook again."


def test_truncated_file_names_its_end():
    assert refusal(b'{\n "cells": [') == (
        "The file breaks off before its end (line 2, column 12)."
        " Open it in Jupyter, save it and submit it again."
    )


def test_damaged_json_names_line_and_column():
    assert "no JSON (line 3, column 11)" in refusal(b'{\n "metadata": {},\n "cells": x]}')


@pytest.mark.parametrize("file", [b"PK\x03\x04zip", b"%PDF-1.7", b"<html>", b"def f(): pass"])
def test_another_kind_of_file_is_refused(file):
    assert refusal(file).startswith("The file is no JSON (line 1, column")


@pytest.mark.parametrize("file", [b"[1]", b"3", b'"text"', b"null"])
def test_json_that_is_no_object_is_no_notebook(file):
    assert refusal(file).startswith("The file is JSON, but no notebook: it holds no cells.")


@pytest.mark.parametrize("file", [b'{"cells": 3}', b'{"cells": "all"}', b'{"cells": {"a": 1}}'])
def test_cells_that_are_no_cells_are_refused(file):
    assert "The file is JSON, but no notebook: expected" in refusal(file)


@pytest.mark.parametrize(
    "file", [b"{}", b'{"cells": []}', b'{"cells": [3]}', b'{"nbformat": 3, "worksheets": []}']
)
def test_notebook_without_cells_is_refused(file):
    assert refusal(file).startswith("The notebook has no cells.")


@pytest.mark.parametrize("where", ["outputs", "metadata", "source"])
def test_deep_nesting_is_refused(where):
    nested = b"[" * 100_000 + b"]" * 100_000
    assert "nested too deeply" in refusal(b'{"cells": [{"%s": %s}]}' % (where.encode(), nested))


def test_too_large_file_is_refused_unread():
    assert refusal(b" " * (MAX_BYTES + 1)).startswith("The file is 64 MiB large")


@pytest.mark.parametrize("size", [1 << 20, 9 << 20])
def test_more_than_a_megabyte_of_sources_is_refused(size):
    assert "more than 1 MiB of text" in refusal(
        data(notebook(code("x" * size, "a"), code("y", "b")))
    )


def test_sources_up_to_a_megabyte_are_read():
    assert len(read(data(notebook(code("x" * (1 << 20), "a")))).cells[0].source) == 1 << 20


def test_millions_of_empty_cells_are_refused_before_they_fill_the_memory():
    file = b'{"cells":[' + b"{}," * 5_000_000 + b"{}]}"
    tracemalloc.start()
    try:
        assert refusal(file) == "The notebook has more than 2000 cells."
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_fifty_megabytes_of_outputs_are_skipped_fast_and_never_built():
    cell = code("x = 1", "a")
    image = {"output_type": "display_data", "data": {"image/png": "A" * (1 << 20)}}
    text = {"output_type": "stream", "name": "stdout", "text": ["line\n"] * 100_000}
    cell["outputs"] = [image] * 25 + [text] * 25
    file = data(notebook(cell))
    assert len(file) > 50 << 20
    tracemalloc.start()
    start = time.process_time()
    try:
        found = read(file)
        spent = time.process_time() - start
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert found.cells[0].source == "x = 1"
    assert spent < 1.0


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_damaged_files_are_read_or_refused_and_nothing_else(draw):
    file = bytearray(data(solved()))
    for _ in range(draw.draw(st.integers(1, 6))):
        at = draw.draw(st.integers(0, len(file) - 1))
        length = draw.draw(st.integers(0, 40))
        file[at : at + length] = draw.draw(st.binary(max_size=20) | st.sampled_from([b"[", b'"']))
    with suppress(NotebookError):
        found = read(bytes(file))
        assert found.cells
        json.loads(write(found))


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["cells", "source", "metadata", "id", "cell_type", "nbformat"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_in_the_place_of_a_notebook_is_read_or_refused(document):
    for file in (data(document), data({"cells": [document], "nbformat": 4})):
        with suppress(NotebookError):
            assert json.loads(write(read(file)))["cells"]
