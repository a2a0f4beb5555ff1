"""Results for tests of the reports, built without any grading."""

from __future__ import annotations

from typing import Any

from autograder.results import (
    Diagnosis,
    ExerciseResult,
    PropertyResult,
    Sandbox,
    Status,
    SubmissionResult,
    Versions,
)

HOSTILE = (
    "\x1b[31m<script>alert(1)</script> [red]x[/red] :smile: ![i](http://evil.example/x.png)\n"
    "softmax   10/10\nAll 17 laws hold."
)


def law(name: str = "shift_invariant", **changes: Any) -> PropertyResult:
    values: dict[str, Any] = {
        "name": name,
        "law": "softmax(z + c) = softmax(z)",
        "status": Status.FAILED,
        "points": 0.0,
        "max_points": 1.0,
        "message": f"{name} is nan, but should be 1.0.",
        "counterexample": "z = np.array([[0.0]])\nsoftmax(z)",
        "hint": "Subtract the largest score.",
    }
    return PropertyResult(**(values | changes))


def held(name: str, **changes: Any) -> PropertyResult:
    passed = {"status": Status.PASSED, "message": "", "counterexample": "", "hint": ""}
    return law(name, **({"points": 1.0} | passed | changes))


def exercise(*laws: PropertyResult, **changes: Any) -> ExerciseResult:
    values: dict[str, Any] = {
        "name": "softmax",
        "score": 7.0,
        "max_score": 10.0,
        "status": Status.FAILED,
        "properties": laws or (held("rows_sum_to_one"), law()),
    }
    return ExerciseResult(**(values | changes))


def right_exercise(**changes: Any) -> ExerciseResult:
    laws = held("rows_sum_to_one"), held("shift_invariant")
    return exercise(*laws, **({"score": 10.0, "status": Status.PASSED} | changes))


DIAGNOSIS = Diagnosis(mistake="no_max_shift", message="exp overflows above 709.", share=0.7)


def submission_result(*exercises: ExerciseResult, **changes: Any) -> SubmissionResult:
    found = exercises or (exercise(),)
    values: dict[str, Any] = {
        "assignment": "self_attention",
        "notebook": "self_attention",
        "student": "ada",
        "score": sum(e.score for e in found),
        "max_score": sum(e.max_score for e in found),
        "sha256": "0" * 64,
        "seed_id": "0" * 16,
        "calls": 1,
        "versions": Versions(autograder="1", python="3", numpy="2", hypothesis="6"),
        "sandbox": Sandbox(backend="rlimit"),
        "exercises": found,
    }
    return SubmissionResult(**(values | changes))
