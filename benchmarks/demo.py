"""`make demo`: release an assignment, make up a class, grade it, show what came of it.

Every step is the command that an instructor or a teaching assistant runs, in a course folder of
its own, which is made anew each time.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.results import SubmissionResult, from_json
from benchmarks.course import (
    ROOT,
    CommandError,
    copy_course,
    run_in_view,
    run_quietly,
    sandbox,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; return its exit status."""
    options = _options(arguments)
    try:
        _demonstrate(options.assignment, options.students, options.folder)
    except (CommandError, FileExistsError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.demo", description=__doc__)
    # `make demo ASSIGNMENT=...` hands its variable on in the environment
    assignment = os.environ.get("ASSIGNMENT") or "self_attention"
    parser.add_argument("--assignment", default=assignment, help="default: %(default)s")
    parser.add_argument("--students", type=int, default=24, help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=ROOT / "demo", help="default: demo/")
    return parser.parse_args(arguments)


def _demonstrate(assignment: str, students: int, folder: Path) -> None:
    course = copy_course(folder)
    grading = ["--seed", "0", "--sandbox", sandbox()]

    _say(f"A course in {course.name}/. The instructor makes the notebook for the students:")
    _quietly(course, "nbgrader", "generate_assignment", assignment)
    print(f"  release/{assignment}/{assignment}.ipynb")

    _say("The students hand in. Ours are made up, of known mistakes and right answers:")
    _in_view(course, "autograder", "sample", assignment, "--students", str(students), "--seed", "1")

    _say("The teaching assistant grades them into the gradebook:")
    _in_view(course, "autograder", "grade", assignment, "--jobs", "2", *grading)

    student = closest_to_right(course, assignment)
    if student is not None:
        _say(f"What {student}'s report says:")
        notebook = f"submitted/{student}/{assignment}/{assignment}.ipynb"
        _in_view(course, "autograder", "check", notebook, *grading)
        _say(f"The page that {student} gets back (without --student: everybody's):")
        _quietly(course, "nbgrader", "generate_feedback", assignment, "--student", student)
        print(f"  feedback/{student}/{assignment}/{assignment}.html")

    _say(f"Everything lies in {course}:")
    places = _what_lies_where(assignment, student or "<student>")
    width = max(len(path) for path, _ in places)
    for path, what in places:
        print(f"  {path:<{width}}  {what}")


def closest_to_right(course: Path, assignment: str) -> str | None:
    """The student with the highest score among those who made a mistake that was recognised."""
    found: list[SubmissionResult] = [
        from_json(path.read_bytes())
        for path in sorted((course / ".autograder" / "results" / assignment).glob("*/*.json"))
    ]
    diagnosed = [r for r in found if any(exercise.diagnosis for exercise in r.exercises)]
    return max(diagnosed, key=lambda result: result.score).student if diagnosed else None


def _what_lies_where(assignment: str, student: str) -> list[tuple[str, str]]:
    notebook = f"{assignment}/{assignment}.ipynb"
    return [
        (f"source/{notebook}", "the instructor's notebook: solutions and hidden tests"),
        (f"release/{notebook}", "what the students got"),
        (f"submitted/{student}/{notebook}", f"what {student} handed in"),
        (f"autograded/{student}/{notebook}", "the same with a report in each graded cell"),
        ("gradebook.db", "nbgrader's gradebook: scores and comments"),
        (f".autograder/results/{assignment}/{student}/{assignment}.json", "the full result"),
    ]


def _say(text: str) -> None:
    print(f"\n{text}", flush=True)


def _echo(command: Sequence[str]) -> None:
    print(f"\n$ {shlex.join(command)}", flush=True)


def _quietly(course: Path, *command: str) -> None:
    _echo(command)
    run_quietly(command, course)


def _in_view(course: Path, *command: str) -> None:
    _echo(command)
    run_in_view(command, course)


if __name__ == "__main__":
    sys.exit(main())
