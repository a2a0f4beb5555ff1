"""Which file of a submitted folder is graded."""

from __future__ import annotations

import os

import pytest

from autograder.notebook import NotebookError, find_notebook, read
from tests.notebook.builders import SKELETON, code, data, notebook, solved

NAME = "attention"
WORK = data(solved())
OTHER = data(notebook(code("x = 1", "a")))


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "ada" / NAME
    made.mkdir(parents=True)
    return made


def put(folder, **files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def found(folder, others=()):
    return find_notebook(folder, NAME, SKELETON, others)


def test_the_notebook_of_the_right_name_is_taken_without_a_word(folder):
    put(folder, **{f"{NAME}.ipynb": WORK, "data.csv": b"1", ".ipynb_checkpoints/a.ipynb": WORK})
    assert found(folder).path == folder / f"{NAME}.ipynb"
    assert found(folder).notes == ()


def test_the_right_name_is_taken_even_if_the_file_is_damaged_and_another_is_named(folder):
    put(folder, **{f"{NAME}.ipynb": b"{", "draft.ipynb": WORK})
    assert found(folder).path == folder / f"{NAME}.ipynb"
    assert found(folder).notes == (
        "Not graded, though it lies beside the notebook: 'draft.ipynb'.",
    )


@pytest.mark.parametrize(
    "name",
    [
        "Attention.ipynb",
        "attention (1).ipynb",
        "attention-Copy1.ipynb",
        "Copy of attention.ipynb",
        "attention.ipynb.txt",
        "attention.json",
        "attention.IPYNB",
        "attention.ipynb.ipynb",
        "homework.ipynb",
        "ada_lovelace_attention_final.ipynb",
        "attention/attention.ipynb",
    ],
)
def test_the_only_notebook_is_taken_whatever_its_name_and_the_note_says_so(folder, name):
    put(folder, **{name: WORK, "notes.txt": b"mine", "table.csv": b"1"})
    assert found(folder).path == folder / name
    assert found(folder).ambiguous == ""
    assert found(folder).notes == (
        f"The notebook was handed in as {name!r} and not as attention.ipynb; it was graded.",
    )


@pytest.mark.parametrize("other", ["Untitled.ipynb", "homework.ipynb", "old/lecture.ipynb"])
def test_of_several_the_one_of_nearly_that_name_is_taken(folder, other):
    put(folder, **{"Attention (2).ipynb": WORK, other: WORK})
    assert found(folder).path == folder / "Attention (2).ipynb"


def test_of_several_the_one_that_belongs_to_the_assignment_is_taken(folder):
    put(folder, **{"a.ipynb": OTHER, "b.ipynb": WORK, "c.ipynb": b"{"})
    assert found(folder).path == folder / "b.ipynb"


def test_copies_of_the_same_bytes_leave_no_choice(folder):
    put(folder, **{"attention (1).ipynb": WORK, "attention (2).ipynb": WORK})
    assert found(folder).path.name == "attention (1).ipynb"


def test_where_a_choice_is_left_a_person_decides(folder):
    later = WORK.replace(b"variance", b"values")
    put(folder, **{"attention (1).ipynb": WORK, "attention (2).ipynb": later})
    assert found(folder).path == folder / f"{NAME}.ipynb"
    assert found(folder).ambiguous == (
        "the folder holds no attention.ipynb, but several notebooks: 'attention (1).ipynb', "
        "'attention (2).ipynb'. Rename the right one to attention.ipynb."
    )


def test_a_notebook_of_the_same_assignment_stands_for_no_other(folder):
    put(folder, **{"positions.ipynb": WORK})
    assert not os.path.lexists(found(folder, others={"positions"}).path)
    assert found(folder).path == folder / "positions.ipynb"


def test_an_empty_folder_has_none(folder):
    put(folder, **{"readme.txt": b"sorry"})
    assert found(folder) == find_notebook(folder, NAME, None)
    assert not os.path.lexists(found(folder).path)
    assert found(folder).ambiguous == ""


def test_links_are_not_followed_and_hidden_files_not_seen(folder, tmp_path):
    put(tmp_path, **{"secret.ipynb": WORK})
    (folder / "linked.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.ipynb")
    put(folder, **{".hidden.ipynb": WORK, "__MACOSX/attention.ipynb": WORK})
    assert not os.path.lexists(found(folder).path)


@pytest.mark.parametrize("which", ["student", "assignment"])
def test_in_a_folder_that_is_a_link_nothing_is_looked_for(tmp_path, which):
    put(tmp_path, **{f"real/{NAME}/other.ipynb": WORK})
    if which == "student":
        (tmp_path / "bob").symlink_to(tmp_path / "real")
    else:
        (tmp_path / "bob").mkdir()
        (tmp_path / "bob" / NAME).symlink_to(tmp_path / "real" / NAME)
    assert not os.path.lexists(found(tmp_path / "bob" / NAME).path)


def test_names_of_files_reach_people_without_anything_that_acts(folder):
    put(folder, **{"\x1b[31m<b>\u202e.ipynb": WORK})
    (note,) = found(folder).notes
    assert "\x1b" not in note
    assert "\u202e" not in note


def test_thousands_of_files_are_not_all_looked_at(folder):
    for number in range(1001):
        (folder / f"{number:04}.txt").touch()
    put(folder, **{"zzz.ipynb": WORK})
    assert not os.path.lexists(found(folder).path)


def test_what_was_found_reads_as_a_notebook_or_says_why_not(folder):
    put(folder, **{"a.ipynb": b"{"})
    with pytest.raises(NotebookError):
        read(found(folder).path.read_bytes())
