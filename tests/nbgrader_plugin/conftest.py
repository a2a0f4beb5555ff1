"""A released course, made once and copied for whoever changes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course, PlanSpec, build_plan
from tests.nbgrader_plugin.classroom import NAME, REPOSITORY, SETTINGS, nbgrader_api


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose assignment was released by nbgrader and that nobody has handed in."""
    root = tmp_path_factory.mktemp("released") / "course"
    root.mkdir()
    shutil.copytree(REPOSITORY / "source" / NAME, root / "source" / NAME)
    config = (REPOSITORY / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(config + SETTINGS)
    done = nbgrader_api(root).generate_assignment(NAME)
    assert done["success"], done
    _draw_cases(root)
    return root


def _draw_cases(root: Path) -> None:
    """Draw the cases once for all tests: that takes as long as grading a submission."""
    course = Course.find(root)
    assert course is not None
    build_plan(
        PlanSpec(
            assignment=NAME,
            settings=course.settings,
            seed=course.seed(create=False),
            corpora=course.corpora,
        )
    )


NewCourse = Callable[[], Path]


@pytest.fixture(scope="session")
def new_course(released: Path, tmp_path_factory: pytest.TempPathFactory) -> NewCourse:
    """Makes a copy of the released course."""

    def copy() -> Path:
        root = tmp_path_factory.mktemp("class") / "course"
        shutil.copytree(released, root)
        return root

    return copy


@pytest.fixture
def root(new_course: NewCourse) -> Path:
    """A released course of a test's own."""
    return new_course()
