"""A released course, made once and copied for whoever changes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from autograder.course import Course, PlanSpec, build_plan
from tests.nbgrader_plugin.changed_laws import hand_in_three
from tests.nbgrader_plugin.classroom import NAME, REPOSITORY, SETTINGS, grade, nbgrader_api, run
from tests.nbgrader_plugin.postgres import Server, running_server


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


# -- the same courses on PostgreSQL ----------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this test run's own; skips where there is none to start."""
    with running_server() as server:
        yield server


def move_to(root: Path, db_url: str) -> Path:
    """Let a course keep its gradebook elsewhere."""
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.CourseDirectory.db_url = {db_url!r}\n")
    (root / "gradebook.db").unlink()
    return root


@pytest.fixture(scope="session")
def new_course_on_postgres(
    new_course: NewCourse, postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> NewCourse:
    """Makes a course whose gradebook is a PostgreSQL database; nbgrader released it there."""
    postgres.run("createdb", "released")
    root = move_to(new_course(), postgres.url("released"))
    shutil.rmtree(root / "release")
    done = run(root, "nbgrader", "generate_assignment", NAME)
    assert done.returncode == 0, done.stderr
    assert not (root / "gradebook.db").exists()
    numbers = count(1)

    def copy() -> Path:
        return move_to(new_course(), postgres.copy_of("released", f"course{next(numbers)}"))

    return copy


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.extra)])
def course(request: pytest.FixtureRequest) -> Path:
    """A released course on each kind of database."""
    kind = {"sqlite": "new_course", "postgresql": "new_course_on_postgres"}[request.param]
    make: NewCourse = request.getfixturevalue(kind)
    return make()


@pytest.fixture(scope="session")
def graded_three(new_course: NewCourse) -> Path:
    """Three submissions, graded before their course's laws change; read only."""
    root = new_course()
    hand_in_three(root)
    grade(root)
    return root
