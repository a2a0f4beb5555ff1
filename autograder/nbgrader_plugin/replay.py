"""`autograder replay`: grade a stored submission again and compare with its stored result.

It grades from the seed and the stored cases of that result, under the present code and settings,
and writes nothing.
"""

from __future__ import annotations

from contextlib import closing

import msgspec

from autograder.course import Course, UsageError, assignment_named
from autograder.grader_process import grade_job, start_grader
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.context import refusal
from autograder.reporting.differences import Cause, causes, differences
from autograder.reporting.replay import Replay
from autograder.results import SubmissionResult


def replay(
    course: Course, student: str, assignment: str, *, seed: int | None = None
) -> list[Replay]:
    """Grade a stored submission again, notebook by notebook; nothing is written.

    Args:
        course: the course it belongs to.
        student: the student's id.
        assignment: the assignment's name.
        seed: use this one, whatever the result names.

    Raises:
        UsageError: unknown assignment or student, no stored result, nothing released.
        autograder.worker.isolation.SandboxError: the sandbox can't be had here.
    """
    if not course.released(assignment):
        assignment_named(assignment)
    whole = CourseAssignment(course, assignment)
    with closing(whole.open_gradebook()) as gradebook:
        places = whole.notebooks(gradebook)
    found = [(place, _stored(place, student)) for place in places]
    graded = [(place, stored) for place, stored in found if stored is not None]
    if not graded:
        places[0].submitted([student])  # refuses who handed nothing in
        raise UsageError(
            f"There is no stored result of {student!r} in {assignment!r}. Grade it first: "
            f"{_again(places[0], student)}"
        )
    return [_replay(place, stored, student, seed) for place, stored in graded]


def _replay(
    place: CourseAssignment, stored: SubmissionResult, student: str, seed: int | None
) -> Replay:
    seed = place.course.seed_named(stored.seed_id) if seed is None else seed
    found = place.found(student)
    gone = found.ambiguous or refusal(found.path)
    if seed is None:
        return _not_graded(stored, "the seed", stored.seed_id, "lost; give it with --seed")
    if gone:
        return _not_graded(stored, "the submission", stored.sha256, gone)
    start_grader(place.spec(seed, keep_corpus=False))
    graded = grade_job(place.job(student))
    if graded.result is None:
        return _not_graded(stored, "the submission", stored.sha256, graded.unreadable)
    return compared(stored, graded.result)


def _stored(place: CourseAssignment, student: str) -> SubmissionResult | None:
    try:
        return place.stored(student)
    except (OSError, msgspec.DecodeError):
        raise UsageError(
            f"The stored result of {student!r} can't be read. Grade it anew: "
            f"{_again(place, student)} --force"
        ) from None


def _again(place: CourseAssignment, student: str) -> str:
    return f"autograder grade {place.name} --student {student}"


def _not_graded(stored: SubmissionResult, what: str, was: str, now: str) -> Replay:
    return Replay(
        student=stored.student or "",
        assignment=stored.assignment,
        notebook=stored.notebook,
        identical=False,
        graded=False,
        causes=[Cause(what=what, stored=was, now=now)],
        differences=[],
    )


def compared(stored: SubmissionResult, again: SubmissionResult) -> Replay:
    """A stored result beside one that was graded now."""
    rests_on, found = causes(stored, again), differences(stored, again)
    return Replay(
        student=stored.student or "",
        assignment=stored.assignment,
        notebook=stored.notebook,
        identical=not rests_on and not found,
        graded=True,
        causes=rests_on,
        differences=found,
    )
