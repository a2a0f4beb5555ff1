"""What `check` and `sample` do: notebooks checked without a gradebook, and a class made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course import (
    Course,
    PlanSpec,
    UsageError,
    assignment_named,
    build_plan,
    exercises_of,
)
from autograder.exercises import load_assignments
from autograder.grader_process import belongs_elsewhere
from autograder.grading.submission import Plan, check, rebuilt, sha256
from autograder.notebook import Notebook, NotebookError, assignment_of, defines, read
from autograder.results import SubmissionResult
from autograder.sample import sample_class


def check_notebooks(
    paths: Sequence[Path], course: Course, assignment: str | None
) -> Iterator[SubmissionResult]:
    """Check notebooks, each against its own assignment; nothing is written anywhere.

    All of them are read before the first one runs: what raises, raises at once.

    Args:
        paths: notebook files.
        course: the course they belong to, or `Course.nowhere()`.
        assignment: the assignment's name, or None to find it out from each notebook.

    Raises:
        UsageError: a file can't be read, is no notebook of a known assignment, or of another one.
    """
    if assignment is not None:
        assignment_named(assignment)
    contents = [_read(path) for path in paths]
    named = [
        assignment or which_assignment(notebook, path)
        for path, (_, notebook) in zip(paths, contents, strict=True)
    ]
    plans = {name: _plan(course, name) for name in dict.fromkeys(named)}
    for path, name, (_, notebook) in zip(paths, named, contents, strict=True):
        wrong = belongs_elsewhere(notebook, plans[name])
        if wrong:
            raise UsageError(f"{path}: {wrong}")
    return (
        _check(notebook, data, plans[name])
        for name, (data, notebook) in zip(named, contents, strict=True)
    )


def _read(path: Path) -> tuple[bytes, Notebook]:
    try:
        data = path.read_bytes()
        return data, read(data)
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}.") from None
    except NotebookError as error:
        raise UsageError(f"{path}: {error}") from None


def _plan(course: Course, assignment: str) -> Plan:
    return build_plan(
        PlanSpec(
            assignment=assignment,
            settings=course.settings,
            seed=course.seed(create=False),
            release=course.release(assignment),
            corpora=course.corpora if course.corpora.is_dir() else None,
        )
    )


def _check(notebook: Notebook, data: bytes, plan: Plan) -> SubmissionResult:
    return check(
        rebuilt(notebook, plan.skeleton), plan, student=None, submission_sha256=sha256(data)
    ).result


def which_assignment(notebook: Notebook, path: Path) -> str:
    """The assignment a notebook belongs to: by its cells, its file name, then its functions.

    Raises:
        UsageError: none fits, or several do.
    """
    known = load_assignments()
    cells = assignment_of(notebook)
    by_cells = [name for name, a in known.items() if cells & set(a.exercises)]
    by_functions = [
        name
        for name, a in known.items()
        if any(defines(c.source, f) for f in a.exercises for c in notebook.cells)
    ]
    for found in (by_cells, [name for name in known if name == path.stem], by_functions):
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise UsageError(
                f"{path} could belong to {' or '.join(found)}. Say which: --assignment NAME"
            )
    raise UsageError(
        f"{path} is no notebook of a known assignment ({', '.join(sorted(known))}): it has none "
        "of their cells and defines none of their functions."
    )


def write_sample(course: Course, assignment: str, *, students: int, seed: int) -> Iterator[str]:
    """Write a sample class into `submitted/`; yield a line for each submission.

    Raises:
        UsageError: the assignment was not released, or a file of other content is in the way.
    """
    exercises = exercises_of(assignment_named(assignment))
    release = course.release(assignment)
    if release is None:
        raise UsageError(
            f"There is no release of {assignment!r}. Make it: "
            f"nbgrader generate_assignment {assignment}"
        )
    for exercise in exercises:
        if not exercise.mistakes or not exercise.right_answers:
            raise UsageError(
                f"Exercise {exercise.name!r} lists no known mistake or no right answer to make a "
                "class of. Add one of each."
            )
    for made in sample_class(release, exercises, students=students, seed=seed):
        path = course.root / "submitted" / made.student / assignment / f"{assignment}.ipynb"
        if path.exists() and path.read_bytes() != made.notebook:
            raise UsageError(
                f"{path} exists and is no part of this sample class. Remove it or use another "
                "course folder; nothing is written over."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.notebook)
        yield f"{made.student}: {made.description}"
