"""`autograder doctor --course`: what in an existing course does not go with this grader.

Nothing is changed, and nothing of a student's is read. A *conflict* would change grades, lose
something or stop a run; a *note* tells what works in another way than before.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.adoption_assignments import assignment_findings
from autograder.nbgrader_plugin.adoption_config import config_findings, redacts
from autograder.nbgrader_plugin.adoption_files import file_findings
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.course_view import AssignmentView, assignments_of
from autograder.reporting.doctor import CourseReport, Finding, Level


def examine_course(course: Course) -> CourseReport:
    """Look at a course's configuration, folders, gradebook and notebooks.

    Raises:
        UsageError: its configuration can't be read.
    """
    place = CourseAssignment(course, "")
    unusable: list[Finding] = []
    views: list[AssignmentView] = []
    try:
        views = assignments_of(place)
    except UsageError as error:
        unusable.append(_unusable(error))
    findings = [*unusable, *_all(place, views)]
    return CourseReport(
        course=str(course.root),
        assignments=tuple(view.name for view in views),
        findings=tuple(sorted(findings, key=lambda item: item.level is Level.NOTE)),
    )


def _all(place: CourseAssignment, views: list[AssignmentView]) -> Iterator[Finding]:
    yield from config_findings(place)
    yield from file_findings(place)
    for view in views:
        yield from assignment_findings(view, redacted=redacts(place.config))


def _unusable(error: UsageError) -> Finding:
    return Finding(
        level=Level.CONFLICT,
        check="gradebook",
        where="c.CourseDirectory.db_url",
        problem=str(error),
        remedy="Mend that first; the notebooks of the course were not looked at.",
    )
