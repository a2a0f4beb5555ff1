"""`nbgrader_config.py`: loaded as nbgrader loads it, more than once, from any folder."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.settings import Settings


@pytest.fixture
def clone(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the configuration in a folder of its own, and a PATH and sys.path to spoil."""
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copy(course / "nbgrader_config.py", tmp_path)
    return tmp_path


def load(folder: Path) -> Config:
    return PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()


def test_loading_it_again_changes_nothing(clone: Path) -> None:
    first = load(clone)
    path, folders = os.environ["PATH"], list(sys.path)
    assert load(clone) == first
    assert (os.environ["PATH"], sys.path) == (path, folders)


def test_the_interpreters_folder_leads_the_path(clone: Path) -> None:
    load(clone)
    assert os.environ["PATH"] == os.pathsep.join([os.path.dirname(sys.executable), "/usr/bin"])


def test_the_course_can_be_imported_from(clone: Path) -> None:
    load(clone)
    assert sys.path[0] == str(clone)


def test_our_preprocessors_replace_the_stock_ones_they_stand_for(clone: Path) -> None:
    config = load(clone)
    names = [
        name.rpartition(".")[2]
        for steps in (
            config.Autograde.sanitize_preprocessors,
            config.Autograde.autograde_preprocessors,
            config.GenerateFeedback.preprocessors,
        )
        for name in steps
    ]
    assert {"Rebuild", "PropertyGrader", "SaveGrades", "RedactFeedback"} <= set(names)
    assert not {"DeduplicateIds", "Execute", "SaveAutoGrades"} & set(names)


def test_the_commented_settings_are_all_settings_with_their_defaults(clone: Path) -> None:
    text = (clone / "nbgrader_config.py").read_text()
    shown = re.findall(r"^# (c\.PropertyGrader\.(\w+) = .*)$", text, flags=re.MULTILINE)
    assert [name for _, name in shown] == [*Settings.__dataclass_fields__]
    config = Config()
    for line, _ in shown:
        exec(line, {"c": config})
    assert Settings.from_config(config.PropertyGrader) == Settings()
