"""The result record and its JSON, which other programs read."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.results import (
    FORMAT_VERSION,
    CaseReply,
    Diagnosis,
    ExerciseResult,
    PropertyResult,
    Raised,
    Returned,
    Sandbox,
    Status,
    SubmissionResult,
    Versions,
    from_json,
    to_json,
    worst,
)

LAW = PropertyResult(
    name="survives_huge_scores",
    law="softmax stays finite",
    status=Status.FAILED,
    points=0.0,
    max_points=1.0,
    message="softmax(z) is nan, but should be 1.0.",
    counterexample="z = np.array([[1000.0]])",
    hint="Subtract the largest score.",
)
EXERCISE = ExerciseResult(
    name="softmax",
    score=7.0,
    max_score=10.0,
    status=Status.FAILED,
    properties=(LAW,),
    diagnosis=Diagnosis(mistake="no_max_shift", message="exp overflows.", share=0.7),
)
RESULT = SubmissionResult(
    assignment="self_attention",
    notebook="self_attention",
    student="ada",
    score=7.0,
    max_score=10.0,
    sha256="0" * 64,
    seed_id="f" * 16,
    calls=12,
    versions=Versions(autograder="1", python="3.11", numpy="2.0", hypothesis="6"),
    sandbox=Sandbox(backend="rlimit", enforced=("memory cap",)),
    exercises=(EXERCISE,),
    notes=("Cell 3 took longer than 5 s. It was skipped.",),
    timing={"load": 0.5},
)


def test_a_result_reads_back_as_it_was_written():
    assert from_json(to_json(RESULT)) == RESULT


def test_the_json_holds_what_the_format_promises():
    written = json.loads(to_json(RESULT))
    assert list(written) == [
        "format_version", "assignment", "notebook", "student", "score", "max_score", "sha256",
        "seed_id", "calls", "versions", "sandbox", "basis", "exercises", "regraded", "notes",
        "timing",
    ]  # fmt: skip
    assert written["format_version"] == FORMAT_VERSION == 1
    exercise = written["exercises"][0]
    assert set(exercise) == {"name", "score", "max_score", "status", "properties", "diagnosis"}
    assert exercise["status"] == "failed"
    assert exercise["diagnosis"]["share"] == 0.7
    assert set(exercise["properties"][0]) == {
        "name", "law", "status", "points", "max_points", "message", "counterexample", "hint",
    }  # fmt: skip


def test_a_missing_student_and_diagnosis_are_null():
    bare = msgspec.structs.replace(
        RESULT, student=None, exercises=(msgspec.structs.replace(EXERCISE, diagnosis=None),)
    )
    written = json.loads(to_json(bare))
    assert written["student"] is None
    assert written["exercises"][0]["diagnosis"] is None


@pytest.mark.parametrize("change", [{"status": "fine"}, {"score": "7"}, {"properties": None}])
def test_json_that_we_did_not_write_is_refused(change):
    document = json.loads(to_json(RESULT))
    document["exercises"][0] |= change
    with pytest.raises(msgspec.ValidationError):
        from_json(json.dumps(document).encode())


def test_an_exercise_is_found_by_its_name():
    assert RESULT.exercise_named("softmax") is EXERCISE
    assert RESULT.exercise_named("causal_mask") is None


@pytest.mark.parametrize("status", Status)
def test_only_a_fault_of_ours_needs_a_person(status):
    result = msgspec.structs.replace(
        RESULT, exercises=(EXERCISE, msgspec.structs.replace(EXERCISE, status=status))
    )
    assert result.needs_person is (status is Status.INTERNAL_ERROR)


def test_the_worst_status_names_an_exercise():
    order = [
        "internal_error", "missing", "crashed", "memory", "timeout", "output_limit", "protocol",
        "exception", "failed", "skipped", "passed",
    ]  # fmt: skip
    assert {status.value for status in Status} == set(order)
    for position, name in enumerate(order):
        assert worst([Status(other) for other in order[position:]]) is Status(name)
    assert worst([]) is Status.PASSED


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(Status), min_size=1))
def test_the_worst_status_is_one_of_those_given_in_any_order(statuses):
    assert worst(statuses) in statuses
    assert worst(statuses) is worst(statuses[::-1])


def test_the_answers_of_a_case_are_what_returned():
    reply = CaseReply(Status.EXCEPTION, (Returned(1), Raised("ValueError", "no")))
    assert reply.answers == [1]
    assert replace(reply, outcomes=()).answers == []
