"""New content for a folder: whole files, nothing of the old left, nothing lost before its time."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.nbgrader_plugin.staging import Staging
from tests.nbgrader_plugin.classroom import tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as an earlier run, or nbgrader itself, left it."""
    folder = tmp_path / "ada" / "homework"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "notebook.ipynb").write_text("old")
    (folder / "notebook.ipynb").chmod(0o444)
    (folder / "deep" / "er" / "stray.txt").write_text("stray")
    (folder / "data.csv").mkdir()
    (folder / "data.csv" / "x").touch()
    (folder / "link").symlink_to(tmp_path)
    return folder


def fill(staging: Staging, source: Path) -> None:
    source.write_text("1,2")
    staging.write("notebook.ipynb", b"new")
    staging.copy(Path("data.csv"), source)
    staging.copy(Path("deep/data.csv"), source)


def test_what_was_staged_is_the_content_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    with Staging(folder) as staging:
        fill(staging, tmp_path / "data.csv")
        staging.move_in()
    assert tree(folder) == {
        "notebook.ipynb": b"new",
        "data.csv": b"1,2",
        "deep/data.csv": b"1,2",
    }
    assert not (folder / "deep" / "er").exists()
    assert not (folder / "link").is_symlink()
    assert tmp_path.is_dir()  # the link's target was left alone
    assert (folder / "notebook.ipynb").stat().st_mode & 0o777 == 0o444
    assert [p.name for p in folder.parent.iterdir()] == ["homework"]


def test_what_is_not_moved_in_changes_nothing(folder: Path, tmp_path: Path) -> None:
    before = tree(folder)
    with Staging(folder) as staging:
        fill(staging, tmp_path / "data.csv")
        with pytest.raises(FileNotFoundError):
            staging.copy(Path("more.csv"), tmp_path / "missing.csv")
    assert tree(folder) == before
    assert [p.name for p in folder.parent.iterdir()] == ["homework"]


def test_what_an_interruption_left_aside_is_cleared_away(folder: Path) -> None:
    aside = Staging(folder).aside
    aside.mkdir()
    (aside / "half.ipynb").write_text("{")
    with Staging(folder) as staging:
        staging.write("notebook.ipynb", b"new")
        staging.move_in()
    assert tree(folder.parent) == {"homework/notebook.ipynb": b"new"}


def test_a_folder_that_is_not_there_yet_is_made(tmp_path: Path) -> None:
    with Staging(tmp_path / "eve" / "homework") as staging:
        staging.write("notebook.ipynb", b"new")
        staging.move_in()
    assert tree(tmp_path) == {"eve/homework/notebook.ipynb": b"new"}
