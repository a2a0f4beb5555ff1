"""Two gradings compared: every field that differs is named, and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from autograder.reporting.differences import causes, differences
from autograder.reporting.replay import Replay, replay_lines
from autograder.results import Basis, Diagnosis, Regrade, Sandbox, SubmissionResult, Versions
from tests.reporting.made_results import exercise, held, law, right_exercise, submission_result

BASIS = Basis(
    code="c",
    release="r",
    settings={"cases": 12, "round_to": 0.01},
    corpus="k",
    cases={"softmax": "1", "causal_mask": "2"},
    exercises={"softmax": "3", "causal_mask": "4"},
)
STORED = submission_result(exercise(), right_exercise(name="causal_mask"), basis=BASIS)


def changed(record: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(record, **changes)


def of_basis(**changes: Any) -> SubmissionResult:
    made: SubmissionResult = changed(STORED, basis=changed(BASIS, **changes))
    return made


def test_the_same_result_differs_in_nothing_whatever_it_took():
    again = changed(STORED, timing={"load": 3.0})
    assert causes(STORED, again) == []
    assert differences(STORED, again) == []


@pytest.mark.parametrize(
    ("again", "what", "stored", "now"),
    [
        (changed(STORED, sha256="x"), "the submission", "0" * 64, "x"),
        (changed(STORED, seed_id="x"), "the seed", "0" * 16, "x"),
        (changed(STORED, versions=changed(STORED.versions, numpy="3")), "numpy", "2", "3"),
        (changed(STORED, sandbox=Sandbox(backend="none")), "sandbox", "rlimit", "none"),
        (
            changed(STORED, sandbox=Sandbox(backend="rlimit", enforced=("no fork",))),
            "what sandbox rlimit enforces", "", "no fork",
        ),
        (of_basis(code="x"), "the grader's own code", "c", "x"),
        (of_basis(release="x"), "the release notebook or the assignment", "r", "x"),
        (of_basis(settings={"cases": 3, "round_to": 0.01}), "setting cases", "12", "3"),
        (of_basis(settings={"cases": 12}), "setting round_to", "0.01", ""),
        (
            of_basis(cases={"softmax": "9", "causal_mask": "2"}),
            "softmax: its cases", "1", "9",
        ),
        (
            of_basis(exercises={"softmax": "3", "causal_mask": "9"}),
            "causal_mask: its record, laws or known mistakes", "4", "9",
        ),
    ],
)  # fmt: skip
def test_whatever_a_result_rests_on_is_a_cause_and_no_difference(again, what, stored, now):
    (cause,) = causes(STORED, again)
    assert (cause.what, cause.stored, cause.now) == (what, stored, now)
    assert differences(STORED, again) == []


def test_another_name_of_the_same_cases_is_no_cause():
    assert causes(STORED, of_basis(corpus="other")) == []


def test_what_an_exercise_graded_on_its_own_rests_on_is_compared_for_it_alone():
    regrade = Regrade(
        versions=changed(STORED.versions, numpy="3"),
        sandbox=STORED.sandbox,
        basis=changed(BASIS, exercises={"softmax": "9"}, cases={"softmax": "1"}),
    )
    stored = changed(STORED, regraded={"softmax": regrade})
    again = changed(
        STORED,
        versions=changed(STORED.versions, numpy="3"),
        basis=changed(BASIS, exercises={"softmax": "9", "causal_mask": "4"}),
    )
    assert [cause.what for cause in causes(stored, again)] == ["numpy"]
    later = changed(again, versions=changed(STORED.versions, numpy="4"))
    assert [cause.what for cause in causes(stored, later)] == [
        "numpy",
        "numpy (for softmax, which was graded again on its own)",
    ]
    assert differences(stored, again) == []


def test_a_result_without_a_basis_says_so():
    (cause,) = causes(changed(STORED, basis=None), STORED)
    assert "an older autograder wrote it" in cause.stored


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("score", 6.0),
        ("max_score", 11.0),
        ("status", "exception"),
        ("diagnosis", Diagnosis(mistake="m", message="n", share=0.5)),
    ],
)
def test_each_field_of_an_exercise_counts(field, value):
    again = changed(STORED, exercises=(changed(STORED.exercises[0], **{field: value}),
                                       STORED.exercises[1]))  # fmt: skip
    (found,) = differences(STORED, again)
    assert (found.exercise, found.law, found.field) == ("softmax", "", field)


@pytest.mark.parametrize("field", ["law", "status", "message", "counterexample", "hint"])
def test_each_field_of_a_law_counts(field):
    laws = held("rows_sum_to_one"), changed(law(), **{field: "exception"})
    again = changed(STORED, exercises=(exercise(*laws), STORED.exercises[1]))
    (found,) = differences(STORED, again)
    assert (found.exercise, found.law, found.field) == ("softmax", "shift_invariant", field)
    assert found.now == "exception"


@pytest.mark.parametrize(
    ("field", "value"), [("score", 1.0), ("max_score", 1.0), ("calls", 5), ("notes", ("n",))]
)
def test_each_field_of_the_submission_counts(field, value):
    (found,) = differences(STORED, changed(STORED, **{field: value}))
    assert (found.exercise, found.law, found.field) == ("", "", field)


def test_every_field_of_a_result_is_a_cause_a_difference_or_the_time():
    """A field that joins the record is compared from then on, or this test names it."""
    other = {
        "format_version": 2, "assignment": "x", "notebook": "x", "student": "x", "score": -1.0,
        "max_score": -1.0, "sha256": "x", "seed_id": "x", "calls": -1,
        "versions": Versions(autograder="x", python="x", numpy="x", hypothesis="x"),
        "sandbox": Sandbox(backend="x"), "basis": None, "exercises": (), "regraded": {},
        "notes": ("x",),
    }  # fmt: skip
    for field in STORED.__struct_fields__:
        if field not in ("timing", "regraded"):
            again = changed(STORED, **{field: other[field]})
            assert causes(STORED, again) or differences(STORED, again), field


def test_exercises_and_laws_that_came_or_went_are_named():
    fewer = changed(STORED, exercises=(exercise(held("rows_sum_to_one")),))
    found = {(d.exercise, d.law): (d.stored, d.now) for d in differences(STORED, fewer)}
    assert found == {
        ("softmax", "shift_invariant"): ("failed", None),
        ("causal_mask", ""): (10.0, None),
    }
    more = {(d.exercise, d.law): (d.stored, d.now) for d in differences(fewer, STORED)}
    assert more == {key: (None, stored) for key, (stored, _) in found.items()}


def test_a_counterexample_that_the_clock_cut_off_is_not_compared():
    note = "softmax, shift_invariant: shrinking stopped after 2 seconds; a replay may show another."
    laws = held("rows_sum_to_one"), law(counterexample="z = 2", message="another")
    again = changed(STORED, exercises=(exercise(*laws), STORED.exercises[1]))
    assert len(differences(STORED, again)) == 2
    assert differences(changed(STORED, notes=(note,)), again) == []
    worse = changed(again, exercises=(exercise(laws[0], law(status="timeout", message="x")),
                                      STORED.exercises[1]))  # fmt: skip
    assert {d.field for d in differences(changed(STORED, notes=(note,)), worse)} == {
        "status", "message",
    }  # fmt: skip


# -- in words --------------------------------------------------------------------------------------


def lines(again: SubmissionResult) -> list[str]:
    rests_on, found = causes(STORED, again), differences(STORED, again)
    replay = Replay(
        student="ada",
        assignment="self_attention",
        notebook="self_attention",
        identical=not rests_on and not found,
        graded=True,
        causes=rests_on,
        differences=found,
    )
    return list(replay_lines(replay))


def test_a_replay_says_in_a_sentence_how_it_went():
    score = changed(STORED, exercises=(exercise(score=8.0), STORED.exercises[1]))
    assert "repeats byte for byte" in lines(STORED)[0]
    assert "rests on something else" in lines(of_basis(code="x"))[0]
    assert "1 of its scores differ. Nothing that a result rests on" in lines(score)[0]
    both = changed(score, sha256="x")
    assert lines(both)[0] == "ada, self_attention: 1 of its scores differ."
    assert "  softmax, score: 7 -> 8" in lines(both)


def test_long_texts_stand_below_each_other_and_on_one_line_each():
    long = "first line of it that goes on for a good while\nsecond line\x1b[31m of it"
    laws = held("rows_sum_to_one"), law(message=long)
    shown = lines(changed(STORED, exercises=(exercise(*laws), STORED.exercises[1])))
    assert "  softmax, shift_invariant, message:" in shown
    (now,) = [line for line in shown if line.startswith("      now:")]
    assert "while; second line" in now
    assert "\x1b" not in "".join(shown)
