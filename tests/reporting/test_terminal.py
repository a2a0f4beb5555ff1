"""Results on a terminal: Rich lays them out and reads nothing of a student's as its markup."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from rich.console import Console

from autograder.reporting import terminal
from autograder.results import Status
from tests.reporting.made_results import (
    DIAGNOSIS,
    HOSTILE,
    exercise,
    law,
    right_exercise,
    submission_result,
)


class Screen:
    """A console that remembers what it shows, with the settings of ours."""

    def __init__(self, *, width: int = 120, is_terminal: bool = False) -> None:
        self._file = StringIO()
        self.console = Console(
            file=self._file,
            width=width,
            force_terminal=is_terminal,
            markup=False,
            highlight=False,
            emoji=False,
            color_system="standard" if is_terminal else None,
        )

    @property
    def text(self) -> str:
        return self._file.getvalue()


def test_our_console_takes_nothing_as_markup(capsys):
    out = terminal.console()
    assert not out.is_terminal
    out.print("[red]text[/red] :smile: 1.5 'quoted'")
    assert capsys.readouterr().out == "[red]text[/red] :smile: 1.5 'quoted'\n"


def test_our_console_has_a_fixed_width_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    terminal.console().print("word " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_errors_go_to_standard_error(capsys):
    terminal.console(stderr=True).print("careful")
    assert capsys.readouterr() == ("", "careful\n")


# -- the report of one notebook --------------------------------------------------------------------


def test_a_report_begins_with_the_score_and_how_it_was_made():
    screen = Screen()
    result = submission_result(right_exercise(), exercise(name="causal_mask"), notes=("A note.",))
    terminal.submission_report(screen.console, "ada.ipynb", result)
    lines = screen.text.splitlines()
    assert lines[0] == "ada.ipynb: 17/20   (assignment self_attention, sandbox rlimit)"
    assert lines[2:4] == ["softmax   10/10", "All 2 laws hold."]
    assert lines[5] == "causal_mask   7/10"
    assert lines[-2:] == ["note: A note.", ""]


def test_an_input_is_not_wrapped_so_that_it_can_be_pasted():
    screen = Screen(width=40)
    long = "z = np.array([" + ", ".join(["1.0"] * 60) + "])"
    terminal.submission_report(
        screen.console, "a", submission_result(exercise(law(counterexample=long)))
    )
    assert f"        {long}\n" in screen.text


@pytest.mark.parametrize("is_terminal", [True, False])
def test_hostile_text_is_shown_as_it_is(is_terminal):
    screen = Screen(is_terminal=is_terminal)
    said = HOSTILE.replace("\x1b[31m", "")
    result = submission_result(exercise(law(message=said)), notes=(said,))
    terminal.submission_report(screen.console, "a", result)
    assert "[red]x[/red] :smile:" in screen.text
    assert "\x1b" not in screen.text
    assert "softmax   10/10" not in screen.text.splitlines()


# -- the table of a class --------------------------------------------------------------------------


def table(*results, width: int = 120) -> str:
    screen = Screen(width=width)
    terminal.class_tables(screen.console, "self_attention", list(results))
    return screen.text


def test_a_class_is_a_row_for_each_student():
    shown = table(
        submission_result(right_exercise(), student="ada"),
        submission_result(exercise(diagnosis=DIAGNOSIS), student="alan"),
    )
    rows = [line for line in shown.splitlines() if "ada" in line or "alan" in line]
    assert "10/10" in rows[0]
    assert "7/10" in rows[1]
    assert "no_max_shift" in rows[1]


def test_an_empty_class_is_no_table():
    assert table() == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (exercise(), "shift_invariant"),
        (exercise(status=Status.TIMEOUT), "timeout: softmax"),
        (exercise(status=Status.MISSING), "missing: softmax"),
        (exercise(status=Status.INTERNAL_ERROR), "internal_error: softmax"),
    ],
)
def test_what_stood_out_is_told_in_a_word(found, said):
    assert said in table(submission_result(found))


def test_exercises_that_ended_alike_are_told_together():
    made = [exercise(name=name, status=Status.TIMEOUT) for name in ("softmax", "causal_mask")]
    assert "timeout: softmax, causal_mask; " not in table(submission_result(*made))
    assert "timeout: softmax, causal_mask " in table(submission_result(*made))
    shown = table(submission_result(*made, exercise(diagnosis=DIAGNOSIS)))
    assert "timeout: softmax, causal_mask; no_max_shift" in shown


@pytest.mark.parametrize("width", [100, 120, 200])
def test_long_names_of_exercises_leave_room_for_what_stood_out(width):
    names = [f"{letter}_rather_long_exercise_name" for letter in "abcd"]
    made = [replace(right_exercise(), name=name) for name in names[:3]]
    shown = table(
        submission_result(*made, exercise(name=names[3], status=Status.TIMEOUT)), width=width
    )
    assert "timeout: d_rather_long_exerci" in shown
    assert max(map(len, shown.splitlines())) <= width


def test_nothing_stood_out_for_a_right_answer():
    row = next(
        line for line in table(submission_result(right_exercise())).splitlines() if "ada" in line
    )
    assert row.rstrip("│ ").endswith("10/10")


def test_a_student_named_like_markup_is_shown_by_that_name():
    assert "[red]eve[/red]" in table(submission_result(student="[red]eve[/red]"))


def test_a_narrow_table_keeps_one_line_for_each_student():
    shown = table(submission_result(exercise(diagnosis=DIAGNOSIS)), width=60)
    assert len([line for line in shown.splitlines() if line.startswith("│")]) == 1


# -- around a run ----------------------------------------------------------------------------------


def test_what_is_not_graded_is_listed_with_its_reason():
    screen = Screen()
    terminal.ungraded(screen.console, [("ada", "The file is empty."), ("eve", "[red]odd[/red]")])
    assert screen.text.splitlines() == [
        "2 submissions need a person. An earlier grade counts until then:",
        "  ada: The file is empty.",
        "  eve: [red]odd[/red]",
    ]


def test_nothing_is_said_where_everything_is_graded():
    screen = Screen()
    terminal.ungraded(screen.console, [])
    assert screen.text == ""


def footer(*, dry_run: bool) -> str:
    screen = Screen()
    run = SimpleNamespace(
        already_graded=["ada"],
        summary=SimpleNamespace(results=[1, 2, 3]),
        request=SimpleNamespace(dry_run=dry_run, assignment="self_attention"),
        database="sqlite:///gradebook.db",
        directory=SimpleNamespace(autograded_directory="autograded"),
        course=SimpleNamespace(root=Path("/course"), state=Path("/course/.autograder")),
    )
    terminal.run_footer(screen.console, run)
    return screen.text


def test_a_run_says_how_many_were_graded_and_where_everything_is():
    shown = footer(dry_run=False)
    assert shown.startswith("2 graded now, 1 were graded before")
    for place in ("sqlite:///gradebook.db", "/course/autograded", "results/self_attention"):
        assert place in shown


def test_a_dry_run_says_that_nothing_was_written():
    shown = footer(dry_run=True)
    assert "Nothing was written" in shown
    assert "sqlite" not in shown


def test_progress_shows_count_and_rate_on_a_terminal():
    screen = Screen(is_terminal=True)
    with terminal.progress(screen.console, total=3, what="self_attention") as advance:
        for name in ("ada", "alan", "annie"):
            advance(name)
    assert "self_attention" in screen.text
    assert "3/3" in screen.text
    assert "/s" in screen.text


def test_progress_is_silent_in_a_pipe():
    screen = Screen()
    with terminal.progress(screen.console, total=1, what="self_attention") as advance:
        advance("ada")
    assert screen.text.strip() == ""
