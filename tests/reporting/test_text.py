"""Reports as plain text: what was earned, why not more, and no text of a student's that acts."""

from __future__ import annotations

import pytest

from autograder.reporting.text import (
    COUNTEREXAMPLE_LENGTH,
    LAWS_IN_FULL,
    comment,
    exercise_report,
    failing,
    headline,
    notes_report,
    points,
    without_markup,
)
from autograder.results import Status
from tests.reporting.made_results import (
    DIAGNOSIS,
    HOSTILE,
    exercise,
    held,
    law,
    right_exercise,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7.0, "7"),
        (7.5, "7.5"),
        (6.67, "6.67"),
        (0.0, "0"),
        (10.0, "10"),
        (0.1, "0.1"),
        (100.0, "100"),
    ],
)
def test_points_have_no_needless_zeros(value, text):
    assert points(value) == text


def test_a_right_exercise_takes_two_lines():
    assert exercise_report(right_exercise()) == "softmax   10/10\nAll 2 laws hold."


def test_a_broken_law_is_shown_with_message_input_and_hint():
    assert exercise_report(exercise()).splitlines() == [
        "softmax   7/10",
        "x shift_invariant: softmax(z + c) = softmax(z)",
        "    shift_invariant is nan, but should be 1.0.",
        "    smallest failing input:",
        "        z = np.array([[0.0]])",
        "        softmax(z)",
        "    hint: Subtract the largest score.",
    ]


def test_a_known_mistake_is_named_before_the_laws():
    report = exercise_report(exercise(diagnosis=DIAGNOSIS))
    assert report.splitlines()[1] == "This looks like no_max_shift: exp overflows above 709."


def test_a_law_that_is_shown_only_is_not_counted_among_those_that_hold():
    laws = held("rows_sum_to_one"), law("integer_input", max_points=0.0)
    found = exercise(*laws, score=10.0, status=Status.PASSED)
    assert failing(found) == []
    assert exercise_report(found).startswith("softmax   10/10\nThe one law holds.")


def test_a_few_laws_are_shown_in_full_and_the_rest_by_name():
    laws = [law(f"law_{n}") for n in range(LAWS_IN_FULL + 2)]
    report = exercise_report(exercise(*laws))
    assert report.count("hint:") == LAWS_IN_FULL
    assert report.splitlines()[-1] == "x 2 more: law_4, law_5"


def test_laws_with_the_same_message_are_shown_once():
    laws = [law(name, message="softmax raised ValueError: no.") for name in ("one", "two", "three")]
    report = exercise_report(exercise(*laws))
    assert report.count("ValueError") == 1
    assert report.splitlines()[-1] == "x 2 more: two, three"


def test_a_missing_function_is_one_sentence():
    message = "softmax is missing: no cell that ran defines it."
    laws = [law(name, status=Status.MISSING, message=message) for name in ("one", "two")]
    found = exercise(*laws, score=0.0, status=Status.MISSING)
    assert exercise_report(found) == f"softmax   0/10\n    {message}"
    assert comment(found) == f"softmax   0/10\n\n{message}"


def test_an_input_too_long_to_read_is_left_out():
    long = "z = " + "9" * COUNTEREXAMPLE_LENGTH
    report = exercise_report(exercise(law(counterexample=long)))
    assert "999" not in report
    assert "smallest failing input" not in report


# -- comments --------------------------------------------------------------------------------------


def test_a_comment_says_what_a_student_can_act_on():
    assert comment(exercise(diagnosis=DIAGNOSIS)) == (
        "softmax   7/10\n\n"
        "exp overflows above 709.\n\n"
        "- shift_invariant: shift_invariant is nan, but should be 1.0. Subtract the largest score."
    )


def test_a_comment_on_a_right_answer_is_short():
    assert comment(right_exercise()) == "softmax   10/10\n\nAll 2 laws hold."


def test_a_comment_counts_the_laws_that_it_leaves_out():
    laws = [law(f"law_{n}") for n in range(LAWS_IN_FULL + 3)]
    assert comment(exercise(*laws)).endswith("- and 3 more, which the report in the notebook names")


def test_a_comment_counts_laws_of_one_message_as_left_out():
    laws = [law(name, message="softmax raised ValueError: no.") for name in ("one", "two", "three")]
    assert comment(exercise(*laws)).endswith("- and 2 more, which the report in the notebook names")


# -- hostile text ----------------------------------------------------------------------------------


def test_a_comment_holds_no_markup_that_acts():
    text = comment(exercise(law(message=HOSTILE)))
    assert "<" not in text
    assert ">" not in text
    assert "](" not in text
    assert "script" in text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("<b>", "\u2039b\u203a"),
        ("![x](http://a)", "![x] (http://a)"),
        ("[x](javascript:1)", "[x] (javascript:1)"),
        ("z[0] (1)", "z[0] (1)"),
    ],
)
def test_markup_becomes_plain_text(given, shown):
    assert without_markup(given) == shown


def test_no_line_of_a_message_passes_for_a_line_of_the_report():
    report = exercise_report(exercise(law(message=HOSTILE)))
    assert report.splitlines().count("softmax   10/10") == 0
    assert "All 17 laws hold." not in report.splitlines()


def test_no_line_of_a_note_passes_for_a_line_of_the_report():
    report = notes_report([HOSTILE, "Cell 3 was skipped."])
    assert all(line.startswith(("note: ", "      ")) for line in report.splitlines())
    assert report.splitlines()[-1] == "note: Cell 3 was skipped."
    assert notes_report([]) == ""


def test_the_headline_is_the_exercise_and_its_points():
    assert headline(exercise(score=6.67)) == "softmax   6.67/10"


def test_a_law_that_is_never_scored_is_shown_where_all_others_hold():
    unscored = law("integer_input", max_points=0.0)
    assert "o integer_input: " in exercise_report(exercise(held("a"), unscored))
    assert "integer_input" not in exercise_report(exercise(law("b"), unscored))
