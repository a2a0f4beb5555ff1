"""What users of other graders have suffered from, and what shows that ours do not.

Every row is a complaint in our own words, with the tests that would fail if it came back, or the
reason why there is none. A test is named by its file and function, an attack of the hostile corpus
by `attack:` and its name; both have to exist. Complaints without a test elsewhere have one here.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import nbformat
import pytest
from nbgrader import utils

from autograder.exercises import load_exercises
from autograder.exercises.answers import source_for_cell
from autograder.grading.submission import Checked
from autograder.notebook import Cell, Notebook, write
from autograder.reporting.notebook import render
from autograder.results import CellGrade, Status
from tests.hostile.attacks import ATTACKS
from tests.reporting.made_results import submission_result
from tests.submissions import FULL_MARKS, checked, make_course, of, scores, submission

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Complaint:
    """One complaint: what hurts, the tests that hold it off, or why nothing does."""

    symptom: str
    shown_by: tuple[str, ...] = ()
    why_not: str = ""


def complaint(symptom: str, *shown_by: str, why_not: str = "") -> Complaint:
    return Complaint(symptom, shown_by, why_not)


HERE = "nbgrader_plugin/test_complaints.py::"
BOTH = "nbgrader_plugin/test_both_ways.py::"
DAMAGED = "nbgrader_plugin/test_damaged.py::"

COMPLAINTS = (
    # -- speed
    complaint(
        "submissions are graded one after the other, so a large class takes days",
        "grading/test_cohort.py::test_several_processes_are_others",
        "grading/test_cohort.py::test_jobs_are_taken_only_as_processes_become_free",
        "benchmarks/test_bench.py::test_a_small_benchmark_runs_to_its_end",
    ),
    complaint(
        "nobody can see how far a run is",
        "reporting/test_terminal.py::test_progress_shows_count_and_rate_on_a_terminal",
    ),
    # -- feedback
    complaint(
        "hidden tests show up in what students get back",
        "nbgrader_plugin/test_feedback.py::test_no_test_source_is_shown",
        "attack:reads_the_running_cell",
        "attack:reads_hidden_tests_from_the_database",
    ),
    complaint(
        "students get the line of a test or a traceback, and no hint",
        "nbgrader_plugin/test_feedback.py::test_no_line_of_our_own_code_is_shown",
        "test_acceptance.py::test_a_fault_is_named_with_its_law_a_small_input_to_paste_and_a_hint",
    ),
    complaint(
        "students cannot check their work before they hand it in",
        why_not="The release's visible asserts run in any notebook. `autograder check` needs the "
        "laws and the reference solutions, so it is for those who teach.",
    ),
    # -- isolation
    complaint(
        "student code runs beside the gradebook and the solutions",
        "worker/isolation/test_visible.py::test_nothing_else_is",
        "worker/test_isolation.py::test_the_environment_of_a_worker_holds_nothing_of_ours",
    ),
    complaint(
        "the container that grades runs as root and without limits",
        "test_container.py::test_the_grader_is_an_ordinary_user",
        "test_container.py::test_the_documented_command_adds_no_privilege",
        "worker/isolation/test_users.py::test_all_tests_of_workers_pass",
    ),
    complaint(
        "inside a container that starts no other one, nothing is secure and nothing says so",
        "worker/test_isolation.py::test_where_nothing_isolates_auto_refuses_and_names_remedies",
    ),
    # -- structure
    complaint(
        "one cell that was copied stops the whole class, with a hint to something else",
        BOTH + "test_a_damaged_structure_is_repaired_and_graded",
        "notebook/test_rebuilding.py::test_unchanged_copies_of_other_cells_are_no_second_cells",
    ),
    complaint(
        "a few of every hundred notebooks break after a split, an insertion or a change of type",
        "damage/test_damage.py::test_a_function_that_can_still_be_found_keeps_its_marks",
        DAMAGED + "test_three_hundred_damaged_notebooks_are_all_graded_or_listed",
        DAMAGED + "test_sixty_of_which_twenty_are_damaged_are_all_graded",
    ),
    complaint(
        "changed flags of a cell make most of a class fail over inconsistent checksums",
        "notebook/test_rebuilding.py::test_changed_flags_and_points_are_restored",
        "notebook/test_nbgrader_agrees.py::test_overwrite_cells_has_nothing_left_to_change",
    ),
    complaint(
        "a deleted test cell waits for manual grading in every run",
        "notebook/test_rebuilding.py::test_deleted_cell_is_put_back_as_released",
        "nbgrader_plugin/test_mixed_courses.py::test_a_deleted_ordinary_cell_is_put_back_and_scored",
    ),
    # -- scores
    complaint(
        "tricks with the display turn failed tests into points",
        "nbgrader_plugin/test_mixed_courses.py::test_after_tampering_a_person_decides",
        "attack:display_hook_below_zero",
        "attack:writes_scores_into_outputs",
        HERE + "test_a_score_does_not_come_from_what_a_cell_shows",
    ),
    complaint(
        "a score of 0 came out as full marks",
        HERE + "test_nbgraders_own_rule_reads_every_score_as_it_is",
        "grading/test_plain_tests.py::test_the_points_of_a_cell_follow_from_how_it_ran",
    ),
    complaint(
        "one gets partial credit or a reason, never both",
        BOTH + "test_a_known_mistake_gets_a_fraction_and_a_comment_on_its_solution_cell",
    ),
    complaint(
        "a score has to be the value of a cell's last line",
        "nbgrader_plugin/test_gradebook.py::test_a_missing_verdict_is_no_score_and_waits_for_a_person",
        HERE + "test_a_score_does_not_come_from_what_a_cell_shows",
    ),
    complaint(
        "right code gets 0 and no error says why",
        HERE + "test_whoever_loses_points_is_told_why",
    ),
    complaint(
        "wrong code passes the check that students run",
        why_not="`nbgrader validate` runs the visible asserts and cannot be configured. They fail "
        "on the stub; the laws, which only the course has, decide.",
    ),
    complaint(
        "a library's warning on stderr makes right code worth nothing",
        "test_acceptance.py::test_warnings_of_the_graded_functions_cost_nothing",
    ),
    complaint(
        "every untouched release raises a warning of its own",
        "notebook/test_rebuilding.py::test_untouched_release_comes_out_as_it_went_in_and_without_notes",
    ),
    complaint(
        "the exit status says success where something failed",
        BOTH + "test_a_class_with_an_unreadable_submission_needs_a_person",
        "test_cli.py::test_the_installed_command_ends_with_the_same_status_and_line",
    ),
    # -- memory and time
    complaint(
        "code that eats memory kills the kernel, and all its tests count as passed",
        HERE + "test_code_that_eats_memory_loses_its_own_points_with_a_reason_of_their_own",
    ),
    complaint(
        "one student's memory stops the run of all",
        "worker/test_deaths.py::test_a_hostile_call_gets_its_status_and_the_next_ones_work",
    ),
    complaint(
        "out of memory is shown as a fault of the system",
        HERE + "test_code_that_eats_memory_loses_its_own_points_with_a_reason_of_their_own",
    ),
    complaint(
        "the limit on time that was configured is not the one that counts",
        "test_settings.py::test_limits_replace_those_of_the_assignment_where_set",
        "nbgrader_plugin/test_gradebook.py::test_a_limit_on_nbgraders_command_line_is_understood",
    ),
    complaint(
        "an endless loop hides which question failed, and a timeout takes the batch with it",
        BOTH + "test_a_loop_or_an_exit_costs_its_own_points_alone",
    ),
    complaint(
        "jobs run for ever and the queue stands still",
        "worker/test_deaths.py::test_the_total_budget_ends_everything_with_a_complete_report",
        "worker/test_deaths.py::test_no_process_of_a_submission_is_left",
    ),
    # -- courses
    complaint(
        "tests cannot be corrected once the assignment is out",
        "nbgrader_plugin/test_regrade.py::test_scores_reports_and_results_of_the_exercise_follow_its_laws",
        "nbgrader_plugin/test_regrade.py::test_every_other_cell_stays_as_it_was",
    ),
    complaint(
        "a preprocessor that lies beside the configuration is not found",
        "course/test_config.py::test_the_course_can_be_imported_from",
    ),
    complaint(
        "a setting for PostgreSQL is ignored or means another driver tomorrow",
        "nbgrader_plugin/test_postgres.py::test_an_address_without_a_driver_is_refused_with_the_one_to_write",
        "nbgrader_plugin/test_postgres.py::test_both_ways_and_both_databases_hold_the_same",
    ),
    complaint(
        "a release of some library breaks the grader in the middle of a term",
        "test_repository.py::test_every_line_of_a_lock_is_a_pin_with_hashes",
        "test_repository.py::test_the_installed_packages_fit_together",
        "grading/test_corpus.py::test_a_stored_corpus_is_reused_and_readable_by_its_owner_alone",
    ),
    complaint(
        "grades reach the learning platform by hand only",
        "nbgrader_plugin/test_gradebook.py::test_nbgrader_export_lists_the_fractional_scores",
        why_not="Scores are in nbgrader's gradebook, so its export and its plugins serve. Files "
        "filled for one platform or another are not part of this release.",
    ),
    complaint(
        "handing in again and again finds the hidden tests out",
        "grading/test_corpus.py::test_another_seed_draws_other_cases",
        "grading/test_corpus.py::test_the_name_of_a_seed_does_not_give_it_away",
    ),
    complaint(
        "everybody gets other data and nobody can repeat a grade",
        "test_acceptance.py::test_the_same_submission_and_seed_give_the_same_json_but_for_timing",
        "grading/test_corpus.py::test_the_same_seed_draws_the_same_cases",
    ),
    complaint(
        "nothing compares notebooks for copied work and knows starter code",
        why_not="Grading and the search for copied work are two things; this release grades.",
    ),
    complaint(
        "equality is too strict, and the message does not say whether type, shape or value differ",
        "test_comparison.py::test_agree_names_what_differs_and_the_entry",
        "test_comparison.py::test_work_in_32_bits_is_a_right_answer",
    ),
    complaint(
        "messages come in English only",
        why_not="Messages are whole sentences built in few places, so that a catalogue can carry "
        "them; there is no translation yet.",
    ),
    complaint(
        "tests with random data fail now and then and are skipped in the end",
        "test_acceptance.py::test_right_answers_get_full_marks_for_every_seed",
        "worker/test_deaths.py::test_a_timeout_is_seen_twice_before_it_counts",
    ),
)


# -- the table -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", COMPLAINTS, ids=lambda row: row.symptom)
def test_a_complaint_is_held_off_by_tests_that_exist_or_has_a_reason(row: Complaint) -> None:
    missing = [name for name in row.shown_by if not exists(name)]
    assert missing == []
    assert row.shown_by or row.why_not


def exists(name: str) -> bool:
    """Whether there is such a test or attack."""
    if name.startswith("attack:"):
        return name.removeprefix("attack:") in {attack.name for attack in ATTACKS}
    file, _, function = name.partition("::")
    return function in names_in(TESTS / file)


@lru_cache
def names_in(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def test_a_name_of_no_test_is_noticed() -> None:
    assert not exists("nbgrader_plugin/test_complaints.py::test_of_nothing")
    assert not exists("no_such_file.py::test_of_nothing")
    assert not exists("attack:of_nobody")


def test_no_complaint_is_listed_twice() -> None:
    assert len({row.symptom for row in COMPLAINTS}) == len(COMPLAINTS) >= 30


# -- complaints that have no test elsewhere --------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    few = "c.PropertyGrader.cases = 3\nc.PropertyGrader.memory_limit = 256\n"
    return make_course(tmp_path_factory.mktemp("complaints") / "course", config=few)


def rendered_test_cell(score: float, points: float, shown: list[dict[str, object]]):
    """A test cell as we write it into an autograded notebook, read by nbformat."""
    flags = {"grade": True, "solution": False, "locked": True, "points": points, "grade_id": "a"}
    flags |= {"schema_version": 3, "task": False, "cell_type": "code", "checksum": "x"}
    cell = Cell(cell_type="code", source="grade()", metadata={"nbgrader": flags}, id="a")
    grade = CellGrade(score=score, max_score=points, needs_person=False)
    verdict = Checked(result=submission_result(), outputs={0: shown}, grades={"a": grade})
    made = render(Notebook(cells=[cell]), verdict)
    return nbformat.reads(write(made).decode(), as_version=4).cells[0]


STREAM = {"output_type": "stream", "name": "stderr", "text": "Warning: all is well"}
FORGED = {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": "10.0"}}


@pytest.mark.parametrize("score", [0.0, 0.01, 1.8, 2.5, 5.0])
def test_nbgraders_own_rule_reads_every_score_as_it_is(score: float) -> None:
    cell = rendered_test_cell(score, 5.0, [])
    assert utils.determine_grade(cell) == (score, 5.0)


def test_a_score_does_not_come_from_what_a_cell_shows() -> None:
    cell = rendered_test_cell(1.0, 10.0, [FORGED, STREAM, FORGED])
    assert utils.determine_grade(cell) == (1.0, 10.0)


@pytest.mark.extra
def test_whoever_loses_points_is_told_why(course) -> None:
    """One mistake of every kind that is known, four exercises at a time."""
    known = load_exercises()
    columns = [
        [source_for_cell(m.answer, name) for m in known[name].mistakes[::9]] for name in FULL_MARKS
    ]
    for row in zip(*columns, strict=False):
        result = checked(course, submission(**dict(zip(FULL_MARKS, row, strict=True))))
        for exercise in result.exercises:
            lost = exercise.max_score - exercise.score
            said = [law.message for law in exercise.properties if law.status is not Status.PASSED]
            assert lost == 0 or all(said), exercise.name
            assert lost == 0 or said, exercise.name


def test_code_that_eats_memory_loses_its_own_points_with_a_reason_of_their_own(course) -> None:
    eats = "def causal_mask(n):\n    return [bytearray(1 << 24) for _ in range(1 << 16)]\n"
    result = checked(course, submission(causal_mask=eats))
    assert scores(result) == FULL_MARKS | {"causal_mask": 0.0}
    found = of(result, "causal_mask")
    assert found.status in (Status.MEMORY, Status.EXCEPTION)
    assert "memory" in json.dumps([law.message for law in found.properties]).lower()
