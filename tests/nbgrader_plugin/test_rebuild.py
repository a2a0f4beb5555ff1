"""Pass 1 leaves nothing of a student's in the autograded folder but the notebook."""

from __future__ import annotations

from autograder.nbgrader_plugin.rebuild import remove_strays


def test_only_notebooks_the_timestamp_and_the_courses_own_files_stay(tmp_path):
    folder, source = tmp_path / "autograded", tmp_path / "source"
    (folder / "data").mkdir(parents=True)
    (source / "data").mkdir(parents=True)
    for kept in ("work.ipynb", "timestamp.txt", "data/table.csv"):
        (folder / kept).write_text("kept")
    (source / "data" / "table.csv").write_text("kept")
    secret = tmp_path / "gradebook.db"
    secret.write_text("secret")
    (folder / "numpy.py").write_text("raise SystemExit")
    (folder / "data" / "more.csv").write_text("mine")
    (folder / "notes.txt").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    remove_strays(folder, source)
    left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())
    assert left == ["data/table.csv", "timestamp.txt", "work.ipynb"]
    assert secret.read_text() == "secret"
