from __future__ import annotations

import io

import nbformat

from autograder.notebook import Cell, Notebook, read, write
from tests.notebook.builders import code, data, markdown, notebook, solved


def by_nbformat(document):
    file = io.StringIO()
    nbformat.write(nbformat.from_dict(document), file)
    return file.getvalue().encode()


def test_bytes_equal_those_of_nbformat():
    assert write(read(data(solved()))) == by_nbformat(solved())


def test_outputs_and_attachments_are_written_as_nbformat_writes_them():
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "a\nb\n"},
        {
            "output_type": "execute_result",
            "execution_count": 2,
            "metadata": {},
            "data": {
                "text/plain": "x\ny",
                "image/png": "AA\nBB",
                "image/svg+xml": "<svg>\n</svg>",
                "application/json": {"b": [1, "é"], "a": None},
            },
        },
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["a\nb"]},
    ]
    image = {"x.png": {"image/png": "AA\nBB", "text/plain": "a\nb"}}
    text = "é\u2028ü\n\n  end"
    ours = Notebook(
        cells=[
            Cell(
                cell_type="code",
                source=text,
                id="a",
                metadata={"trusted": True, "tags": []},
                outputs=outputs,
                execution_count=2,
            ),
            Cell(cell_type="markdown", source=text, id="b", attachments=image),
            Cell(cell_type="raw", source="", id="c"),
        ],
        metadata={"z": 1, "a": {"y": 1, "b": 2}, "signature": "s", "orig_nbformat": 3},
    )
    theirs = notebook(
        code(text, "a", trusted=True, tags=[]) | {"outputs": outputs, "execution_count": 2},
        markdown(text, "b") | {"attachments": image},
        {"cell_type": "raw", "id": "c", "metadata": {}, "source": ""},
        z=1,
        a={"y": 1, "b": 2},
        signature="s",
        orig_nbformat=3,
    )
    assert write(ours) == by_nbformat(theirs)


def test_older_minor_format_is_written_without_ids():
    document = notebook(code("x", "a"), minor=4)
    del document["cells"][0]["id"]
    assert write(read(data(document))) == by_nbformat(document)


def test_lone_surrogates_in_outputs_do_not_stop_the_writing():
    text = {"output_type": "stream", "name": "stdout", "text": "\ud800"}
    assert b'"?"' in write(Notebook(cells=[Cell(cell_type="code", id="a", outputs=[text])]))


def test_what_was_written_reads_back_the_same():
    found = read(data(solved()))
    assert read(write(found)) == found
