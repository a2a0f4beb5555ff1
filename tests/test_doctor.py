"""The doctor tells what this machine enforces, as text and as JSON, and how to mend the rest."""

from __future__ import annotations

import msgspec
import pytest

from autograder.doctor import diagnose_machine
from autograder.reporting.doctor import (
    BackendReport,
    CourseReport,
    DoctorReport,
    Finding,
    Level,
    course_text,
    doctor_text,
)
from autograder.worker.isolation import ISOLATING, MODES, SandboxError, choose, guarantees


def test_the_report_is_what_auto_does() -> None:
    report = diagnose_machine()
    assert list(report.backends) == [*ISOLATING, "rlimit", "none"] == list(MODES[1:])
    if report.backend is None:
        with pytest.raises(SandboxError):
            choose("auto")
    else:
        sandbox = choose("auto").record()
        assert (sandbox.backend, sandbox.enforced) == (report.backend, report.enforced)
    for found in report.backends.values():
        assert set(found.enforced) ^ set(found.missing) == set(guarantees.ALL)
    assert report.backends["rlimit"].enforced == (guarantees.MEMORY_CAP,)


def test_the_json_has_the_documented_fields() -> None:
    data = msgspec.json.decode(msgspec.json.encode(diagnose_machine()))
    assert list(data) == ["backend", "enforced", "missing", "backends"]
    assert set(data["backends"]["landlock"]) == {"enforced", "missing", "problem"}


def found(*enforced: str, problem: str = "") -> BackendReport:
    missing = tuple(item for item in guarantees.ALL if item not in enforced)
    return BackendReport(enforced=enforced, missing=missing, problem=problem)


def test_the_text_is_a_table_with_problems_below() -> None:
    strong = found(*guarantees.REQUIRED)
    broken = found(problem="bwrap is not there. Install bubblewrap.")
    report = DoctorReport(
        backend="landlock",
        enforced=strong.enforced,
        missing=strong.missing,
        backends={"bubblewrap": broken, "landlock": strong},
    )
    lines = doctor_text(report).splitlines()
    assert lines[0] == "sandbox auto takes: landlock"
    assert ["no", "network", "no", "yes"] in [line.split() for line in lines]
    assert lines[-1] == "bubblewrap: bwrap is not there. Install bubblewrap."


def test_where_nothing_isolates_the_text_names_the_container() -> None:
    report = DoctorReport(backend=None, enforced=(), missing=(), backends={"landlock": found()})
    text = doctor_text(report)
    assert text.startswith("sandbox auto takes: nothing\n")
    assert "docs/threat-model.md" in text.splitlines()[-1]


def finding(level: Level) -> Finding:
    return Finding(
        level=level,
        check="hook",
        where="c.BaseConverter.pre_convert_hook",
        problem="It is not called.\x1b[31m",
        remedy="Remove it.",
    )


def test_the_text_on_a_course_gives_each_finding_its_place_and_its_remedy() -> None:
    report = CourseReport(
        course="/course",
        assignments=("homework",),
        findings=(finding(Level.CONFLICT), finding(Level.NOTE), finding(Level.NOTE)),
    )
    assert len(report.conflicts) == 1
    assert course_text(report).splitlines()[:6] == [
        "course /course: 1 conflict, 2 notes",
        "assignments: homework",
        "",
        "conflict: c.BaseConverter.pre_convert_hook",
        "    It is not called.",
        "    do: Remove it.",
    ]


def test_the_text_on_a_course_without_findings_is_two_lines() -> None:
    report = CourseReport(course="/course", assignments=(), findings=())
    assert course_text(report) == ("course /course: no conflicts, no notes\nassignments: none\n")
