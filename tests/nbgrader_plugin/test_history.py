"""The history of scores: every change is in it once, whoever made it, and nothing leaves it."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import cli
from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.history import History, user
from autograder.nbgrader_plugin.override import history_of
from autograder.nbgrader_plugin.trail import (
    ANOTHER_PROGRAM,
    BEFORE_THE_LOG,
    NBGRADER,
    Trail,
    present_scores,
)
from autograder.reporting.history import Change, How, Subject, What
from autograder.settings import Settings
from tests.nbgrader_plugin.classroom import (
    EXERCISES,
    NAME,
    Json,
    add_first,
    autograde,
    cell,
    grade,
    gradebook,
    hand_in,
    mistake,
    nbgrader_api,
    notebook,
    recorded,
)

# -- the file --------------------------------------------------------------------------------------


def line(number: float, student: str = "ada", reason: str = "") -> Change:
    return Change(
        when="2026-01-01T00:00:00Z",
        who="eve",
        how=How.GRADE,
        student=student,
        notebook=NAME,
        cell="softmax",
        what=What.AUTOMATIC,
        old=None,
        new=number,
        reason=reason,
    )


def log(root: Path) -> History:
    return History.of(Course(root, Settings()), NAME)


def written(root: Path, *changes: Change) -> History:
    history = log(root)
    with history.locked():
        history.append(changes)
    return history


def known(root: Path) -> History:
    history = log(root)
    with history.locked():
        return history


def test_what_is_appended_is_read_back_in_order_and_the_last_line_counts(tmp_path: Path) -> None:
    written(tmp_path, line(1), line(2))
    history = written(tmp_path, line(3))
    assert [change.new for change in history.changes] == [1, 2, 3]
    assert history.known == {Subject("ada", NAME, "softmax", What.AUTOMATIC): 3}


def test_the_log_and_its_folder_are_their_owners_alone(tmp_path: Path) -> None:
    path = written(tmp_path, line(1)).path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.data())
def test_wherever_a_crash_cuts_the_log_only_the_torn_line_is_lost(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("torn")
    path = written(root, *(line(number, reason="é \n {") for number in range(3))).path
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    complete = sum(cut >= end for end in ends_of_lines(whole))
    torn = cut not in (0, *ends_of_lines(whole), *(end + 1 for end in ends_of_lines(whole)))

    after = written(root, line(9))
    assert [change.new for change in after.changes] == [*range(complete), 9]
    assert after.damaged == torn
    assert path.read_bytes().startswith(whole[:cut])  # nothing that stood there was touched


def ends_of_lines(data: bytes) -> list[int]:
    return [index for index, byte in enumerate(data) if byte == ord("\n")]


def append_many(root: Path, student: str) -> None:
    for number in range(40):
        written(root, line(number, student), line(number + 0.5, student))


def test_processes_that_append_at_the_same_time_lose_no_line(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=append_many, args=(tmp_path, name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    history = known(tmp_path)
    assert history.damaged == 0
    for name in "abc":
        mine = [change.new for change in history.changes if change.student == name]
        assert mine == [n for number in range(40) for n in (number, number + 0.5)]


def test_a_log_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    path = log(tmp_path).path
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=r"can't be opened"):
        written(tmp_path, line(1))
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"can't be written: No space left on device\. Mend"):
        written(tmp_path, line(1))


# -- the log beside a gradebook --------------------------------------------------------------------

WRITTEN = "why-scale"
ANSWER = "Large scores saturate softmax."


@pytest.fixture(scope="module")
def graded(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which ada handed everything in and bob a wrong softmax."""
    root = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(released, root)
    hand_in(root, "ada", with_answer(root, ANSWER))
    wrong = mistake("softmax", "returns_uniform")
    hand_in(root, "bob", notebook(root, {"softmax": wrong}))
    grade(root)
    return root


@pytest.fixture
def course(graded: Path, tmp_path: Path) -> Path:
    shutil.copytree(graded, tmp_path / "course")
    return tmp_path / "course"


Command = Callable[..., str]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command line of ours in a course, in this process; gives its output."""

    def run_it(root: Path, *words: str) -> str:
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["autograder", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        assert (ended.value.code or 0) < 2, captured.err  # 1: something needs a person
        return captured.out

    return run_it


def with_answer(root: Path, text: str, **changes: str) -> Json:
    nb = notebook(root, changes)
    cell(nb, WRITTEN)["source"] = text
    return nb


def changes_of(root: Path, student: str = "ada") -> list[Change]:
    course = Course.find(root)
    assert course is not None
    return list(history_of(course, student, NAME).changes)


def by_hand(root: Path, name: str, score: float | None, extra: float | None = None) -> None:
    """What formgrader does when a score is entered."""
    with gradebook(root) as book:
        found = book.find_grade(name, NAME, NAME, "ada")
        found.manual_score, found.extra_credit = score, extra
        found.needs_manual_grade = score is None and found.auto_score is None
        book.db.commit()


def flagged(root: Path) -> frozenset[str]:
    return recorded(root, "ada").flagged


def scores_in(root: Path) -> dict[Subject, object]:
    with gradebook(root) as book:
        return {s: v for s, v in present_scores(book, NAME).items() if v is not None}


def scores_logged(root: Path) -> dict[Subject, object]:
    digests = (What.ANSWER, What.CODE)
    known_last = known(root).known.items()
    return {s: v for s, v in known_last if v is not None and s.what not in digests}


def test_a_first_grade_is_logged_with_author_versions_and_seed(course: Path) -> None:
    first = [c for c in changes_of(course) if c.what is What.AUTOMATIC]
    assert {c.cell: c.new for c in first} == dict(
        zip(EXERCISES, (10.0, 10.0, 15.0, 5.0), strict=True)
    )
    for change in first:
        assert (change.old, change.who, change.how) == (None, user(), How.GRADE)
        assert change.reason == "Graded for the first time."
        assert set(change.versions) == {"autograder", "numpy"}
        assert len(change.seed_id) >= 8
    assert scores_logged(course) == scores_in(course)


def test_a_second_look_adds_nothing(course: Path) -> None:
    before = known(course).path.read_bytes()
    changes_of(course)
    grade(course)
    assert known(course).path.read_bytes() == before


def test_what_formgrader_wrote_is_logged_by_the_next_command_whatever_it_is(course: Path) -> None:
    by_hand(course, "causal_mask", 3.0, 0.5)
    found = changes_of(course)[-2:]
    assert [(c.what, c.cell, c.old, c.new) for c in found] == [
        (What.MANUAL, "causal_mask", None, 3.0),
        (What.EXTRA_CREDIT, "causal_mask", None, 0.5),
    ]
    assert {(c.who, c.how) for c in found} == {(ANOTHER_PROGRAM, How.FOUND)}
    by_hand(course, "causal_mask", None, 0.5)
    grade(course)  # nothing to grade, but it looks
    assert (changes_of(course)[-1].old, changes_of(course)[-1].new) == (3.0, None)


@pytest.mark.parametrize("way", ["autograder", pytest.param("nbgrader", marks=pytest.mark.extra)])
def test_a_changed_submission_is_logged_with_old_and_new_by_both_ways(
    course: Path, way: str
) -> None:
    uniform = mistake("softmax", "returns_uniform")
    hand_in(course, "ada", with_answer(course, ANSWER, softmax=uniform))
    if way == "autograder":
        grade(course)
    else:
        autograde(course, "ada")
    (change,) = [
        c
        for c in changes_of(course)
        if c.what is What.AUTOMATIC and c.cell == "softmax" and c.old is not None
    ]
    assert (change.old, change.how) == (10.0, How.GRADE if way == "autograder" else How.AUTOGRADE)
    assert change.new == 0.0
    assert change.reason == "The code that was handed in changed."
    assert scores_logged(course) == scores_in(course)


@pytest.mark.extra
def test_a_notebook_that_was_taken_away_is_logged_as_zero(course: Path) -> None:
    (course / "submitted" / "bob" / NAME / f"{NAME}.ipynb").unlink()
    grade(course)
    (change,) = [c for c in changes_of(course, "bob") if c.cell == "causal_mask" and c.new == 0.0]
    assert (change.old, change.reason) == (5.0, "Nothing was handed in.")


@pytest.mark.extra
def test_a_run_that_died_before_it_logged_is_found_by_the_next(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(course, "ada", with_answer(course, ANSWER, causal_mask="def causal_mask(n): pass"))

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Trail, "record", die)
        with pytest.raises(KeyboardInterrupt):
            grade(course)
    assert recorded(course, "ada").scores["causal_mask"] == 0.0
    grade(course)
    (change,) = [c for c in changes_of(course) if c.cell == "causal_mask" and c.old == 5.0]
    assert (change.new, change.who, change.how) == (0.0, NBGRADER, How.FOUND)
    assert scores_logged(course) == scores_in(course)


def test_a_damaged_log_is_healed_from_the_gradebook_and_said(
    course: Path, command: Command
) -> None:
    path = known(course).path
    path.write_bytes(path.read_bytes()[:-40])
    shown = command(course, "history", "bob", NAME)
    assert "1 line of" in shown
    assert "can't be read" in shown
    assert scores_logged(course) == scores_in(course)


def test_a_log_that_begins_late_takes_the_present_scores_as_somebodys(course: Path) -> None:
    shutil.rmtree(course / ".autograder" / "history")
    found = [c for c in changes_of(course) if c.what is What.AUTOMATIC]
    assert len(found) == 4
    assert {(c.who, c.how, c.old) for c in found} == {(BEFORE_THE_LOG, How.FOUND, None)}


def test_a_submission_that_left_the_gradebook_leaves_a_line(course: Path) -> None:
    with gradebook(course) as book:
        book.remove_submission(NAME, "bob")
    gone = [c for c in changes_of(course, "bob") if c.new is None]
    assert sorted(c.old for c in gone) == [0.0, 0.0, 5.0, 10.0, 15.0]


def test_a_dry_run_logs_nothing(course: Path) -> None:
    by_hand(course, "causal_mask", 3.0)
    before = known(course).path.read_bytes()
    grade(course, dry_run=True)
    assert known(course).path.read_bytes() == before


# -- written answers -------------------------------------------------------------------------------


def test_a_changed_answer_reopens_its_mark_and_says_which_it_was(
    course: Path, command: Command
) -> None:
    by_hand(course, WRITTEN, 4.0)
    hand_in(course, "ada", with_answer(course, "Another text."))
    assert json.loads(command(course, "grade", NAME, "--jobs", "1", "--json"))["reopened"] == [
        {"student": "ada", "cell": WRITTEN, "manual": 4.0, "max_score": 5.0}
    ]
    assert WRITTEN in flagged(course)
    with gradebook(course) as book:
        assert book.find_grade(WRITTEN, NAME, NAME, "ada").manual_score == 4.0
    (change,) = [c for c in changes_of(course) if c.what is What.ANSWER and c.old is not None]
    assert change.reason == "The manual score of 4 was given for another text."
    assert ANSWER not in known(course).path.read_text()


@pytest.mark.extra
def test_the_sentence_on_a_reopened_mark_stands_in_the_output(
    course: Path, command: Command
) -> None:
    by_hand(course, WRITTEN, 4.0)
    hand_in(course, "ada", with_answer(course, "Another text."))
    shown = command(course, "grade", NAME, "--jobs", "1")
    assert f"ada, {WRITTEN}: the answer changed; its mark of 4/5 was given for another" in shown


def test_an_unchanged_answer_keeps_its_mark_closed(course: Path) -> None:
    by_hand(course, WRITTEN, 4.0)
    hand_in(course, "ada", add_first(with_answer(course, f"{ANSWER}  \n"), "seen = 1"))
    summary = grade(course)
    assert summary.reopened == []
    assert WRITTEN not in flagged(course)


@pytest.mark.extra
def test_a_mark_that_was_given_again_is_for_the_new_text(course: Path) -> None:
    by_hand(course, WRITTEN, 4.0)
    hand_in(course, "ada", with_answer(course, "Another text."))
    assert len(grade(course).reopened) == 1
    by_hand(course, WRITTEN, 4.0)
    summary = grade(course, students=["ada"], force=True)
    assert summary.reopened == []
    assert WRITTEN not in flagged(course)


@pytest.mark.extra
def test_a_mark_stays_open_through_a_run_that_died_after_the_files_were_moved(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand(course, WRITTEN, 4.0)
    shutil.rmtree(course / ".autograder" / "history")  # the mark is older than the log
    hand_in(course, "ada", with_answer(course, "Another text."))

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("autograder.nbgrader_plugin.writer.save_grades", die)
        with pytest.raises(KeyboardInterrupt):
            grade(course, students=["ada"])
    assert [item.cell for item in grade(course, students=["ada"]).reopened] == [WRITTEN]
    assert WRITTEN in flagged(course)


@pytest.mark.extra
def test_under_nbgraders_own_command_a_changed_answer_reopens_too(course: Path) -> None:
    by_hand(course, WRITTEN, 4.0)
    autograde(course, "ada")
    assert WRITTEN not in flagged(course)
    hand_in(course, "ada", with_answer(course, "Another text."))
    done = nbgrader_api(course).autograde(NAME, "ada")
    assert done["success"], done
    assert "its mark of 4/5 was given for another text" in done["log"]
    assert WRITTEN in flagged(course)


def test_a_history_of_nobody_is_refused(course: Path) -> None:
    found = Course.find(course)
    assert found is not None
    with pytest.raises(UsageError, match="no student 'zoe' in the gradebook"):
        history_of(found, "zoe", NAME)
    with pytest.raises(UsageError, match=rf"no assignment 'essay' .* There are: {NAME}\."):
        history_of(found, "ada", "essay")


def test_the_writer_copies_an_existing_gradebook_once(course: Path) -> None:
    assert not (course / ".autograder" / "backups").exists()  # it was new when we came
    (course / ".autograder" / "first-use").unlink()
    grade(course)
    grade(course)
    (copy,) = (course / ".autograder" / "backups").iterdir()
    assert copy.name.startswith("gradebook-before-first-use-")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_reopened_mark_needs_a_person(course: Path) -> None:
    by_hand(course, WRITTEN, 4.0)
    hand_in(course, "ada", with_answer(course, "Another text."))
    summary = grade(course)
    assert summary.reopened
    assert summary.needs_person
