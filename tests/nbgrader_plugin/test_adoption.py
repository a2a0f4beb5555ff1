"""An existing course is taken over without changing one grade, and can go back."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import SAWarning

from autograder import cli
from autograder.course import Course, UsageError
from autograder.nbgrader_plugin.adoption import examine_course
from autograder.nbgrader_plugin.adoption_tests import always_earns, imported
from autograder.reporting.doctor import CourseReport, Finding, Level, course_text
from tests.nbgrader_plugin.classroom import (
    REPOSITORY,
    SETTINGS,
    Json,
    cell,
    grade,
    gradebook,
    hand_in,
    nbgrader_api,
    run,
    tree,
)

HOMEWORK, PROJECT = "homework", "project"
STOCK_CONFIG = """
import os, sys

c = get_config()
c.CourseDirectory.course_id = "attention"
c.Execute.timeout = 20
BIN = os.path.dirname(sys.executable)
if os.environ.get("PATH", "").split(os.pathsep)[0] != BIN:
    os.environ["PATH"] = os.pathsep.join([BIN, os.environ.get("PATH", "")])
"""
OUR_CONFIG = (REPOSITORY / "nbgrader_config.py").read_text() + SETTINGS
TESTS = {
    "double": (
        "assert double(2) == 4\n### BEGIN HIDDEN TESTS\nassert double(3) == 6\n"
        "### END HIDDEN TESTS",
        3,
    ),
    "partial": ("sum(double(k) == 2 * k for k in range(4))", 4),
}
RIGHT = "def double(x):\n    return 2 * x"
HALF = "def double(x):\n    return 2 * x if x < 2 else 0"
ESSAY = "essay"


# -- a course of stock nbgrader --------------------------------------------------------------------


def code(grade_id: str, source: str, **flags: object) -> Json:
    made: Json = nbformat.v4.new_code_cell(source, id=grade_id)
    return marked(made, grade_id, **flags)


def essay() -> Json:
    made: Json = nbformat.v4.new_markdown_cell("YOUR ANSWER HERE", id=ESSAY)
    return marked(made, ESSAY, grade=True, solution=True, points=5)


def marked(made: Json, grade_id: str, **flags: object) -> Json:
    off = {"grade": False, "solution": False, "locked": False, "task": False}
    made["metadata"]["nbgrader"] = off | {"schema_version": 3, "grade_id": grade_id} | flags
    return made


def scored(grade_id: str, source: str, points: float = 1) -> Json:
    return code(grade_id, source, grade=True, locked=True, points=points)


def solution() -> Json:
    source = f"### BEGIN SOLUTION\n{RIGHT}\n### END SOLUTION"
    return code("double-solution", source, solution=True)


def write_source(root: Path, name: str, *cells: Json, notebook: str = "", **kernel: str) -> None:
    folder = root / "source" / name
    folder.mkdir(parents=True, exist_ok=True)
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"} | kernel
    nb = nbformat.v4.new_notebook(cells=list(cells), metadata={"kernelspec": spec})
    nbformat.write(nb, folder / f"{notebook or name}.ipynb")


def release(root: Path, name: str) -> None:
    done = nbgrader_api(root).generate_assignment(name)
    assert done["success"], done


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two released assignments of assert-based tests, under nbgrader's own configuration."""
    root = tmp_path_factory.mktemp("stock") / "course"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(STOCK_CONFIG)
    tests = [scored(name, source, points) for name, (source, points) in TESTS.items()]
    for name in (HOMEWORK, PROJECT):
        write_source(root, name, solution(), *tests, essay())
        release(root, name)
    return root


@pytest.fixture
def course(stock: Path, tmp_path: Path) -> Path:
    shutil.copytree(stock, tmp_path / "course")
    return tmp_path / "course"


def examined(root: Path) -> CourseReport:
    found = Course.find(root)
    assert found is not None
    return examine_course(found)


def found(root: Path, check: str) -> list[Finding]:
    return [item for item in examined(root).findings if item.check == check]


def configure(root: Path, extra: str = "", base: str = OUR_CONFIG) -> None:
    (root / "nbgrader_config.py").write_text(f"{base}\n{extra}\n")


# -- what the doctor finds -------------------------------------------------------------------------


def test_a_stock_course_conflicts_in_its_lists_and_says_what_to_do(course: Path) -> None:
    report = examined(course)
    assert report.assignments == (HOMEWORK, PROJECT)
    lists = [f.where for f in report.conflicts if f.check == "preprocessors"]
    assert lists == [
        "c.Autograde.sanitize_preprocessors",
        "c.Autograde.autograde_preprocessors",
        "c.GenerateFeedback.preprocessors",
    ]
    assert all("Take over an existing course" in f.remedy for f in found(course, "preprocessors"))
    (hidden, _) = found(course, "hidden-tests")
    assert (hidden.where, "double" in hidden.problem) == (
        f"assignment {HOMEWORK}, notebook {HOMEWORK}",
        True,
    )
    (timeout,) = found(course, "no-effect")
    assert (timeout.level, timeout.where) == (Level.NOTE, "c.Execute.timeout")


def test_with_our_lists_in_place_nothing_conflicts_and_ordinary_cells_are_noted(
    course: Path,
) -> None:
    configure(course)
    report = examined(course)
    assert report.conflicts == ()
    assert [f.where for f in report.findings if f.check == "forgeable"] == [
        f"assignment {name}, notebook {name}" for name in (HOMEWORK, PROJECT)
    ]


A, P = "autograder.nbgrader_plugin.", "nbgrader.preprocessors."
PLUGIN = "from nbgrader.plugins import BasePlugin\nclass Late(BasePlugin):\n    pass\n"
SETTINGS_THAT_CONFLICT = {
    "appended": (
        "del c.Autograde['autograde_preprocessors']\n"
        f"c.Autograde.autograde_preprocessors.append('{A}save_grades.SaveGrades')",
        "preprocessors",
        "appended to",
    ),
    "one of ours is missing": (
        f"c.Autograde.autograde_preprocessors = ['{A}save_grades.SaveGrades']",
        "preprocessors",
        "PropertyGrader is missing",
    ),
    "in a wrong order": (
        "c.Autograde.autograde_preprocessors = c.Autograde.autograde_preprocessors[::-1]",
        "preprocessors",
        "order",
    ),
    "beside the stock step": (
        "c.Autograde.autograde_preprocessors = "
        f"['{P}Execute', *c.Autograde.autograde_preprocessors]",
        "preprocessors",
        "nbgrader's Execute is in it",
    ),
    "twice": (
        "c.Autograde.sanitize_preprocessors = "
        f"['{A}rebuild.Rebuild', *c.Autograde.sanitize_preprocessors]",
        "preprocessors",
        "more than once",
    ),
    "a step that is not there": (
        "c.GenerateFeedback.preprocessors = [*c.GenerateFeedback.preprocessors, 'nowhere.Step']",
        "preprocessors",
        "nowhere.Step can't be imported",
    ),
    "feedback shows tests": (
        f"c.GenerateFeedback.preprocessors = ['{P}GetGrades']",
        "hidden-tests",
        "Hidden tests would show in feedback",
    ),
    "redaction is off": ("c.RedactFeedback.enabled = False", "hidden-tests", "would show"),
    "nothing is run": ("c.Execute.enabled = False", "no-effect", "runs nothing"),
    "students' own files": (
        "c.Autograde.exclude_overwriting = {'homework': ['data.csv']}",
        "exclude-overwriting",
        "student's own version",
    ),
    "an exporter": (
        "c.Autograde.exporter_class = 'nbconvert.exporters.NotebookExporter'",
        "exporter",
        "alone",
    ),
    "a hook": ("c.BaseConverter.post_convert_hook = print", "hook", "not by autograder grade"),
    "no driver": (
        "c.CourseDirectory.db_url = 'postgresql://someone:secret@localhost/grades'",
        "gradebook",
        "names no driver",
    ),
    "a relative gradebook": (
        "c.CourseDirectory.db_url = 'sqlite:///gradebook.db'",
        "gradebook",
        "another one for",
    ),
    "another folder of releases": (
        "c.CourseDirectory.release_directory = 'student'",
        "folders",
        "release/ alone",
    ),
    "a plugin that is not there": (
        "c.AssignLatePenalties.plugin_class = 'lateness.Policy'",
        "late-penalty",
        "lateness.Policy",
    ),
}


@pytest.mark.parametrize("what", SETTINGS_THAT_CONFLICT)
def test_a_setting_that_does_not_go_with_us_is_a_conflict(course: Path, what: str) -> None:
    setting, check, words = SETTINGS_THAT_CONFLICT[what]
    configure(course, setting)
    report = examined(course)
    assert any(f.check == check and words in f.problem for f in report.conflicts), report
    assert all(f.remedy for f in report.findings)
    assert "secret" not in course_text(report).replace("are secret", "")


def test_a_plugin_and_a_step_of_the_course_are_found_beside_the_configuration(course: Path) -> None:
    (course / "lateness_of_test.py").write_text(PLUGIN)
    (course / "step_of_test.py").write_text(
        "from nbgrader.preprocessors import NbGraderPreprocessor\n"
        "class Step(NbGraderPreprocessor):\n    pass\n"
    )
    configure(
        course,
        "c.AssignLatePenalties.plugin_class = 'lateness_of_test.Late'\n"
        "c.Autograde.autograde_preprocessors = "
        "[*c.Autograde.autograde_preprocessors, 'step_of_test.Step']",
    )
    report = examined(course)
    assert report.conflicts == ()
    (note,) = [f for f in report.findings if f.check == "preprocessors"]
    assert "step_of_test.Step is a step of the course" in note.problem


GRADED_BY_LAWS = """assert softmax
### BEGIN HIDDEN TESTS
from autograder import grade
grade("softmax", softmax)
### END HIDDEN TESTS
"""
CELLS_THAT_CONFLICT = {
    "an exercise by accident": ([scored("softmax", "assert softmax")], "exercise"),
    "a test that prints": ([scored("prints", "print(double(2) == 4)")], "always-earns"),
    "a test that shows True": ([scored("shows", "double(2) == 4")], "always-earns"),
    "a package that is not there": ([nbformat.v4.new_code_cell("import pandas as pd")], "import"),
}


@pytest.mark.parametrize("what", CELLS_THAT_CONFLICT)
def test_a_cell_that_does_not_go_with_us_is_a_conflict(course: Path, what: str) -> None:
    cells, check = CELLS_THAT_CONFLICT[what]
    configure(course)
    write_source(course, "essays", *cells)
    assert [f.level for f in found(course, check)] == [Level.CONFLICT]
    if check == "always-earns":  # the gradebook has it as the source has
        release(course, "essays")
        assert [f.level for f in found(course, check)] == [Level.CONFLICT]


def test_a_cell_that_asks_for_the_laws_is_no_accident(course: Path) -> None:
    configure(course)
    write_source(course, "laws", scored("softmax", GRADED_BY_LAWS))
    assert examined(course).conflicts == ()


def test_points_that_differ_from_the_gradebooks_are_a_conflict(course: Path) -> None:
    configure(course)
    path = course / "release" / HOMEWORK / f"{HOMEWORK}.ipynb"
    nb = json.loads(path.read_text())
    cell(nb, "double")["metadata"]["nbgrader"]["points"] = 9
    path.chmod(0o644)
    path.write_text(json.dumps(nb))
    (conflict,) = found(course, "points")
    assert "worth 9" in conflict.problem


def test_points_that_differ_from_an_exercises_record_are_a_conflict(course: Path) -> None:
    configure(course)
    write_source(course, "self_attention", scored("softmax", GRADED_BY_LAWS, points=3))
    release(course, "self_attention")
    (conflict,) = found(course, "points")
    assert "grade cell 'softmax' has 3 points, the assignment 10" in conflict.problem


def test_two_cells_of_one_id_are_a_conflict(course: Path) -> None:
    configure(course)
    twins = [scored("twin", "assert double"), scored("twin", "assert double(1)")]
    twins[1]["id"] = "another"
    write_source(course, "twins", *twins)
    (conflict,) = found(course, "duplicate-id")
    assert conflict.where == "assignment twins, notebook twins, cell twin"


def test_another_language_and_an_old_schema_are_conflicts_but_not_several_notebooks(
    course: Path,
) -> None:
    configure(course)
    old = scored("old", "assert double")
    old["metadata"]["nbgrader"]["schema_version"] = 1
    write_source(course, "set", scored("one", "assert double"), notebook="problem1")
    write_source(course, "set", old, notebook="problem2")
    write_source(course, "stats", scored("r", "stopifnot(TRUE)"), language="R")
    assert not found(course, "notebooks")
    assert [f.where for f in found(course, "schema")] == ["assignment set, notebook problem2"]
    assert [f.where for f in found(course, "language")] == ["assignment stats, notebook stats"]


def test_a_missing_release_an_unreadable_source_and_a_used_file_are_conflicts(
    course: Path,
) -> None:
    configure(course)
    shutil.rmtree(course / "release" / HOMEWORK)
    (course / "source" / PROJECT / f"{PROJECT}.ipynb").write_text("{")
    write_source(course, "data", nbformat.v4.new_code_cell("open('points.csv')\nimport helper"))
    for name in ("points.csv", "helper.py", "unused.txt"):
        (course / "source" / "data" / name).write_text("")
    assert [f.where for f in found(course, "release")] == [
        f"assignment {HOMEWORK}, notebook {HOMEWORK}"
    ]
    assert "breaks off" in found(course, "unreadable")[0].problem
    assert [f.problem.split()[2] for f in found(course, "files")] == ["helper.py", "points.csv"]


def test_a_release_that_the_gradebook_does_not_know_is_a_conflict(course: Path) -> None:
    configure(course)
    shutil.copytree(course / "release" / HOMEWORK, course / "release" / "lost")
    shutil.copytree(course / "source" / HOMEWORK, course / "source" / "lost")
    (conflict,) = found(course, "release")
    assert conflict.where == f"assignment lost, notebook {HOMEWORK}"
    assert conflict.remedy == "nbgrader generate_assignment lost --force"


def test_state_that_others_can_read_is_a_conflict(course: Path) -> None:
    configure(course)
    state = course / ".autograder"
    state.mkdir(mode=0o755)
    (conflict,) = [f for f in found(course, "permissions") if f.level is Level.CONFLICT]
    assert f"chmod -R go= {state}" in conflict.remedy
    state.chmod(0o700)
    assert not examined(course).conflicts


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_gradebook_that_may_not_be_written_is_a_conflict(course: Path) -> None:
    configure(course)
    (course / "gradebook.db").chmod(0o444)
    assert any("you may not" in f.problem for f in found(course, "permissions"))


def test_without_alembic_on_path_nbgrader_cant_make_a_gradebook(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = OUR_CONFIG.replace('os.environ["PATH"] =', "_ =")
    configure(course, base=lists)
    monkeypatch.setenv("PATH", "/nowhere")
    # the doctor itself finds the interpreter's own; nbgrader's commands would not
    assert [f.where for f in found(course, "alembic")] == ["PATH"]


def test_the_doctor_changes_nothing(course: Path) -> None:
    before = tree(course)
    examined(course)
    assert tree(course) == before


def test_a_folder_without_a_gradebook_is_examined_too(tmp_path: Path) -> None:
    configure(tmp_path)
    report = examined(tmp_path)
    assert (report.assignments, report.conflicts) == ((), ())
    assert not (tmp_path / "gradebook.db").exists()


# -- the command -----------------------------------------------------------------------------------

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run_it(root: Path, *words: str) -> tuple[int, str]:
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["autograder", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), capsys.readouterr().out

    return run_it


def test_the_command_ends_with_one_where_something_conflicts(
    course: Path, command: Command
) -> None:
    status, shown = command(course, "doctor", "--course")
    assert status == 1
    assert "conflict: c.Autograde.sanitize_preprocessors" in shown
    assert "    do: " in shown
    configure(course)
    status, shown = command(course, "doctor", "--course", "--json")
    report = json.loads(shown)
    assert status == 0
    assert set(report) == {"format_version", "course", "assignments", "findings"}
    assert set(report["findings"][0]) == {"level", "check", "where", "problem", "remedy"}
    assert {item["level"] for item in report["findings"]} == {"note"}


# -- what a test's text shows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "print(f(2) == 4)",
        "f(2) == 4",
        "np.allclose(f(1), 1)",
        "not f(1)",
        "",
        "# nothing",
        "x = f(1)",
        "for k in range(3):\n    print(f(k))",
        "'fine'",
        "f(1) and f(2)",
        "None",
    ],
)
def test_a_test_that_cannot_fail_is_told(source: str) -> None:
    assert always_earns(source)


@pytest.mark.parametrize(
    "source",
    [
        "assert f(2) == 4",
        "sum(f(k) == 2 for k in range(3))",
        "score",
        "0.5 * 3",
        "f(1)",
        "np.testing.assert_allclose(f(1), 1)",
        "if f(1) != 1:\n    raise ValueError",
        "check(f)",
        "not python at all (",
        "%%bash\nls",
    ],
)
def test_a_test_that_may_fail_or_scores_by_number_is_left_alone(source: str) -> None:
    assert not always_earns(source)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.text(max_size=60))
def test_any_text_can_stand_in_a_cell(text: str) -> None:
    assert always_earns(text) in (True, False)
    assert isinstance(imported(text), set)


def test_modules_are_found_wherever_they_are_imported() -> None:
    source = "%matplotlib inline\nimport a.b, c\nif 1:\n    from d.e import f\nfrom . import g"
    assert imported(source) == {"a", "c", "d"}


# -- taking over, and going back -------------------------------------------------------------------

ANSWERS = {"ada": RIGHT, "bob": HALF, "cyd": "def double(x):\n    return x"}


def grades(root: Path) -> dict[tuple[str, ...], object]:
    """All that the gradebook holds of scores and comments."""
    held: dict[tuple[str, ...], object] = {}
    with gradebook(root) as book:
        for name in (HOMEWORK, PROJECT):
            for student in ANSWERS:
                submitted = book.find_submission_notebook(name, name, student)
                held[name, student] = (submitted.score, submitted.late_submission_penalty)
                for one in submitted.grades:
                    held[name, student, "grade", one.name] = (
                        one.auto_score,
                        one.manual_score,
                        one.extra_credit,
                        one.needs_manual_grade,
                    )
                for one in submitted.comments:
                    held[name, student, "comment", one.name] = (
                        one.auto_comment,
                        one.manual_comment,
                    )
    return held


def grade_by_nbgrader(root: Path) -> None:
    for name in (HOMEWORK, PROJECT):
        for student in ANSWERS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # remarks of SQLAlchemy's and of the kernel's
                done = nbgrader_api(root).autograde(name, student)
            assert done["success"], done


def hand_in_everything(root: Path) -> None:
    for name in (HOMEWORK, PROJECT):
        for student, answer in ANSWERS.items():
            nb = json.loads((root / "release" / name / f"{name}.ipynb").read_text())
            cell(nb, "double-solution")["source"] = answer
            cell(nb, ESSAY)["source"] = f"What {student} thinks of {name}."
            hand_in(root, student, nb, name=name)


def mark_by_hand(root: Path) -> None:
    """What a TA does in formgrader: marks, an override, extra credit, comments."""
    with gradebook(root) as book:
        for name in (HOMEWORK, PROJECT):
            for points, student in enumerate(ANSWERS, start=2):
                one = book.find_grade(ESSAY, name, name, student)
                one.manual_score, one.needs_manual_grade = points, False
                book.find_comment(ESSAY, name, name, student).manual_comment = f"For {student}."
            one = book.find_grade("double", name, name, "cyd")
            one.manual_score, one.extra_credit = 1.5, 0.5
        book.db.commit()


@contextmanager
def kept(root: Path) -> Iterator[dict[tuple[str, ...], object]]:
    """Whatever happens inside, no grade changes."""
    before = grades(root)
    yield before
    assert grades(root) == before


@pytest.mark.extra
def test_a_course_is_taken_over_without_changing_one_grade_and_goes_back(course: Path) -> None:
    hand_in_everything(course)
    grade_by_nbgrader(course)
    mark_by_hand(course)
    for name in (HOMEWORK, PROJECT):
        for student in ANSWERS:
            done = nbgrader_api(course).generate_feedback(name, student)
            assert done["success"], done
    feedback = tree(course / "feedback")
    assert len(feedback) >= 6

    with kept(course) as before:
        configure(course)
        assert run(course, "autograder", "doctor", "--course").returncode == 0
        for name in (HOMEWORK, PROJECT):
            done = run(course, "autograder", "grade", name, "--jobs", "1")
            assert done.returncode == 0, done.stderr + done.stdout
            assert "written answers changed" not in done.stdout
    assert tree(course / "feedback") == feedback
    assert before[HOMEWORK, "bob", "grade", "partial"] == (2.0, None, None, False)

    (backup,) = (course / ".autograder" / "backups").iterdir()
    history = json.loads(run(course, "autograder", "history", "cyd", HOMEWORK, "--json").stdout)
    assert {(c["cell"], c["what"], c["new"]) for c in history["changes"]} >= {
        ("double", "automatic", 0.0),
        ("double", "manual", 1.5),
        (ESSAY, "manual", 4.0),
    }

    with gradebook(course) as book:  # what happens after the takeover is lost by going back
        book.find_grade("double", HOMEWORK, HOMEWORK, "ada").manual_score = 0.0
        book.db.commit()
    shutil.copy(backup, course / "gradebook.db")
    configure(course, base=STOCK_CONFIG)
    assert grades(course) == before
    grade_by_nbgrader(course)
    assert scores_of(grades(course)) == scores_of(before)


def scores_of(held: dict[tuple[str, ...], object]) -> dict[tuple[str, ...], object]:
    """Without the flags, which nbgrader itself sets again wherever a person gave a score."""
    return {
        key: value[:3] if isinstance(value, tuple) and len(value) == 4 else value
        for key, value in held.items()
    }


def test_grades_made_before_us_stay_with_the_marks_of_people(course: Path) -> None:
    """The short form of the takeover: what nbgrader graded is entered, not run."""
    hand_in_everything(course)
    configure(course)
    with gradebook(course) as book:
        for student in ANSWERS:
            book.update_or_create_student(student)
            for name in (HOMEWORK, PROJECT):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SAWarning)
                    book.update_or_create_submission(name, student)
                double, partial = {"ada": (3.0, 4.0), "bob": (0.0, 2.0), "cyd": (0.0, 1.0)}[student]
                for cell_name, score in (("double", double), ("partial", partial)):
                    one = book.find_grade(cell_name, name, name, student)
                    one.auto_score, one.needs_manual_grade = score, False
        book.db.commit()
    mark_by_hand(course)
    for path in (course / "submitted").rglob("*.ipynb"):
        graded = course / "autograded" / path.relative_to(course / "submitted")
        graded.parent.mkdir(parents=True)
        shutil.copy(path, graded)
    with kept(course):
        summary = grade(course, HOMEWORK)
    assert (len(summary.results), summary.ungraded, summary.reopened) == (3, [], [])
    (copy,) = (course / ".autograder" / "backups").iterdir()
    assert copy.name.startswith("gradebook-before-first-use-")


def test_a_configuration_that_cant_be_read_is_one_line(course: Path) -> None:
    configure(course, "c.PropertyGrader.")
    with pytest.raises(UsageError, match="can't be read"):
        Course.find(course)
