"""A sample class: made from known answers, the same for the same seed, written over nothing."""

from __future__ import annotations

import warnings
from dataclasses import replace

import nbformat
import pytest

from autograder.checking import write_sample
from autograder.course import Course, UsageError
from autograder.exercises import catalogue
from autograder.notebook import Notebook, defines, read
from autograder.notebook.model import grade_id_of
from autograder.sample import SampleSubmission, fill_in, sample_class
from tests.submissions import EXERCISES, FULL_MARKS, RELEASE, ROOT, make_course

CHOSEN = tuple(EXERCISES[name] for name in FULL_MARKS)
MISTAKES = {f"{e.name}: {mistake.name}" for e in CHOSEN for mistake in e.mistakes}


def a_class(students: int = 24, seed: int = 0) -> list[SampleSubmission]:
    return list(sample_class(RELEASE, CHOSEN, students=students, seed=seed))


def solutions(notebook: Notebook) -> dict[str, str]:
    """The solution cells of a notebook, by exercise."""
    ids = {f"{name}-solution": name for name in FULL_MARKS}
    return {ids[g]: c.source for c in notebook.cells if (g := grade_id_of(c)) in ids}


@pytest.fixture(scope="module")
def twenty_four() -> list[SampleSubmission]:
    return a_class()


def test_the_same_seed_makes_the_same_class(twenty_four):
    assert a_class() == twenty_four


def test_another_seed_makes_another_class(twenty_four):
    assert [s.notebook for s in a_class(seed=1)] != [s.notebook for s in twenty_four]


def test_a_longer_class_begins_like_a_shorter_one(twenty_four):
    assert a_class(students=5) == twenty_four[:5]


def test_a_class_holds_every_kind_of_submission(twenty_four):
    kinds = [s.description for s in twenty_four]
    special = [
        "untouched",
        "causal_mask loops",
        "causal_mask ends its process",
        "causal_mask raises",
    ]
    assert kinds[:4] == special
    assert kinds.count("right") >= 4
    mistakes = [kind for kind in kinds[4:] if kind != "right"]
    assert set(mistakes) <= MISTAKES
    assert len(set(mistakes)) >= 8


def test_right_answers_come_in_different_styles(twenty_four):
    right = [solutions(read(s.notebook)) for s in twenty_four if s.description == "right"]
    assert len({tuple(sources.values()) for sources in right}) == len(right)


def test_students_have_names_of_their_own():
    names = [s.student for s in a_class(students=60)]
    assert len(set(names)) == 60
    assert all(name.isalnum() and name.islower() for name in names)
    assert names[0] == "ada"
    assert "ada2" in names


def test_every_notebook_is_valid_and_untouched_but_for_its_solutions(twenty_four):
    released = read(RELEASE, verbatim=True)
    for made in twenty_four:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nbformat.validate(nbformat.reads(made.notebook.decode(), as_version=4))
        found = read(made.notebook, verbatim=True)
        for ours, theirs in zip(released.cells, found.cells, strict=True):
            assert ours.metadata == theirs.metadata
            if not (grade_id_of(ours) or "").endswith("-solution"):
                assert ours.source == theirs.source


def test_the_untouched_submission_is_the_release(twenty_four):
    assert twenty_four[0].notebook == RELEASE


def test_only_the_named_cells_are_filled_in():
    filled = fill_in(read(RELEASE, verbatim=True), {"softmax": "softmax = len"})
    before = solutions(read(RELEASE, verbatim=True))
    assert solutions(filled) == before | {"softmax": "softmax = len"}


def test_no_answer_needs_a_library_that_grading_lacks():
    for made in a_class(students=100, seed=3):
        assert b"scipy" not in made.notebook


@pytest.mark.parametrize("assignment", catalogue().assignments, ids=lambda one: one.name)
def test_a_class_of_every_assignment_defines_what_is_graded_and_is_python(assignment):
    path = ROOT / "release" / assignment.name / f"{assignment.name}.ipynb"
    exercises = tuple(EXERCISES[name] for name in assignment.exercises)
    made = list(sample_class(path.read_bytes(), exercises, students=60, seed=4))
    assert made[0].notebook == path.read_bytes()
    for submission in made[1:]:
        cells = {grade_id_of(cell): cell.source for cell in read(submission.notebook).cells}
        for name in assignment.exercises:
            source = cells[f"{name}-solution"]
            compile(source, name, "exec")
            assert defines(source, name), f"{submission.description}: {name}"


# -- on disk ---------------------------------------------------------------------------------------


def test_a_class_needs_known_answers(course, monkeypatch):
    bare = replace(CHOSEN[-1], mistakes=())
    monkeypatch.setattr("autograder.checking.exercises_of", lambda _: (*CHOSEN[:-1], bare))
    with pytest.raises(UsageError, match="'causal_mask' lists no known mistake"):
        next(write_sample(course, "self_attention", students=1, seed=0))
    assert not (course.root / "submitted").exists()


@pytest.fixture
def course(tmp_path) -> Course:
    return make_course(tmp_path / "course")


def test_a_class_is_written_where_nbgrader_looks_for_it(course):
    lines = list(write_sample(course, "self_attention", students=3, seed=0))
    assert lines == [
        "ada: untouched",
        "alan: causal_mask loops",
        "annie: causal_mask ends its process",
    ]
    path = course.root / "submitted" / "ada" / "self_attention" / "self_attention.ipynb"
    assert path.read_bytes() == RELEASE


def test_writing_the_same_class_again_changes_nothing(course):
    list(write_sample(course, "self_attention", students=3, seed=0))
    assert len(list(write_sample(course, "self_attention", students=4, seed=0))) == 4


def test_a_submission_of_a_student_is_never_written_over(course):
    path = course.root / "submitted" / "alan" / "self_attention" / "self_attention.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"the work of a week")
    with pytest.raises(UsageError, match=r"alan.*is no part of this sample class.*written over"):
        list(write_sample(course, "self_attention", students=3, seed=0))
    assert path.read_bytes() == b"the work of a week"
