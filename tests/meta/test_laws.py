"""Every law is shown accepting the right answer in any disguise, and rejecting it spoilt.

The laws come from the catalogue, so a new one is judged here without a line being written. What a
law does not look at stands in a table with its reason; the tables have to be exact.
"""

import ast
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from autograder import exercises, laws
from autograder.exercise import Echo, Handle
from autograder.worker.plain import PlainRunner
from tests.exercises.driver import ordinary_cases
from tests.meta.answers import HARMLESS, SPOILT_FORMS, SPOILT_PAIRS, SPOILT_VALUES, crossed

CATALOGUE = {exercise.name: exercise for exercise in exercises.catalogue().exercises}
PICTURES = {"attention_heatmap"}  # judged in tests/laws/test_heatmap.py
LAWS = [
    pytest.param(exercise, law, id=f"{exercise.name}-{law.name}")
    for exercise in CATALOGUE.values()
    for law in exercise.properties
    if exercise.name not in PICTURES
]

NOT_HARMLESS = {
    "full_precision": {"float32"},  # asks for the digits that float32 lacks
    # asks for float32
    "keeps_single_precision": {
        "extended precision",
        "complex",
        "nested lists",
        "numbers as objects",
    },
    "is_boolean": {"float32", "extended precision", "complex"},  # asks for bool
    "empty_input": {"nested lists"},  # without an entry, lists do not tell the width
}

VALUES_NOT_JUDGED = {
    # two results of the right shapes are all that the law asks for
    "returns_output_and_weights": {*SPOILT_VALUES} - {"two imaginary parts"},
    # zero times the values is zero
    "output_is_weights_times_values": {"all zeros", "all nan"},
    # only blocked weights are judged, and these corners are visible
    "blocked_weights_are_zero": {"two numbers off", "two nan", "two infinities", "all zeros"},
    # the output's average is judged, not whether there is one
    ("soft_lookup", "output_is_weights_times_values"): {
        "two nan", "two infinities", "all zeros", "all nan",
    },
    # four rows are compared with each other
    "dot_product_depends_on_offset_only": {
        "two numbers off", "two nan", "two infinities", "all zeros", "all nan",
    },
    # both parts are compared with each other
    "crossover_at_six_d": {*SPOILT_VALUES} - {"two imaginary parts"},
    # no entry to spoil
    "empty_input": {"all zeros", "all nan", "another number everywhere"},
    # infinity lies above 0
    "future_weights_are_zero": {"two infinities"},
    # a control: it fails where nothing changes, see below
    "causal_mask_breaks_equivariance": {
        "two numbers off", "two nan", "two infinities", "all zeros", "another number everywhere",
    },
}  # fmt: skip

FORMS_NOT_JUDGED = {
    # only the dtype is judged
    "keeps_single_precision": {"an axis more", "results swapped"},
    "is_boolean": {"an axis more"},
    # they are equal
    "crossover_at_six_d": {"results swapped"},
}

ANSWERS_NOT_JUDGED = {
    "deterministic": lambda count: {1},  # a call in between, whose answer does not matter
    "inputs_unchanged": lambda count: {*range(1, count - 1)},  # only their arguments matter
    # the last one decides whether scores far from 0 count at all
    "minus_infinity_gets_zero_weight": lambda count: {count - 1} - {0},
}


def situation(exercise, law, seed=0):
    """The first case of a run, what is expected, and the reference's answers."""
    case = ordinary_cases(law, seed)[0]
    expected = law.expected(case) if law.expected else None
    runner = PlainRunner({name: one.reference for name, one in CATALOGUE.items()})
    (reply,) = runner.run(exercise.name, [law.calls(case)], defaults=exercise.defaults)
    return case, expected, reply.answers


def changed(answer, change):
    if _is_of_an_object(answer):
        return answer
    if isinstance(answer, Echo):
        return Echo(crossed(change(answer.result)), answer.args, answer.kwargs)
    return crossed(change(answer))


def _is_of_an_object(answer):
    """Whether a step made an object or set an attribute of it, at which no law looks."""
    return answer is None or isinstance(answer, Handle)


def accepted(exercise, law, changes, which):
    """The changes that the law lets pass at all, or at any, of the answers that it judges."""
    case, expected, right = situation(exercise, law)
    ignored = ANSWERS_NOT_JUDGED.get(law.name, lambda count: set())(len(right))
    judged = {i for i, answer in enumerate(right) if not _is_of_an_object(answer)} - ignored

    def passes(change, position):
        answers = [*right]
        answers[position] = changed(right[position], change)
        return law.judge(case, expected, answers) is None

    return {
        name for name, change in changes.items() if which(passes(change, i) for i in sorted(judged))
    }


@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_a_right_answer_is_accepted_in_every_harmless_disguise(exercise, law):
    case, expected, right = situation(exercise, law)
    rejected = {
        name
        for name, change in HARMLESS.items()
        if law.judge(case, expected, [changed(answer, change) for answer in right]) is not None
    }
    assert rejected == NOT_HARMLESS.get(law.name, set())


@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_spoilt_contents_are_rejected(exercise, law):
    found = accepted(exercise, law, SPOILT_VALUES, all)
    everywhere = VALUES_NOT_JUDGED.get(law.name, set())
    assert found == VALUES_NOT_JUDGED.get((exercise.name, law.name), everywhere)


@pytest.mark.parametrize(("exercise", "law"), LAWS)
def test_an_answer_of_another_form_is_rejected_wherever_it_comes(exercise, law):
    gives_pairs = isinstance(situation(exercise, exercise.properties[0])[2][0], tuple)
    forms = SPOILT_FORMS | SPOILT_PAIRS if gives_pairs else SPOILT_FORMS
    assert accepted(exercise, law, forms, any) == FORMS_NOT_JUDGED.get(law.name, set()) & {*forms}


@pytest.mark.parametrize("name", ["softmax", "self_attention", "self_attention_loop"])
def test_a_number_where_nan_belongs_is_rejected(name):
    exercise = CATALOGUE[name]
    law = exercise.property_named("fully_blocked_row_is_nan")
    zeros = {"zeros": lambda answer: _without_nan(answer)}
    assert accepted(exercise, law, zeros, any) == set()


def _without_nan(answer):
    if isinstance(answer, tuple):
        return tuple(map(_without_nan, answer))
    return np.nan_to_num(answer)


# -- laws about arguments, and controls ------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["softmax", "self_attention", "self_attention_loop", "scaled_dot_product_attention"]
)
def test_changed_arguments_are_rejected_and_kept_ones_accepted(name):
    exercise = CATALOGUE[name]
    law = exercise.property_named("inputs_unchanged")
    case, expected, right = situation(exercise, law)
    assert law.judge(case, expected, right) is None
    echoes = [(i, echo) for i, echo in enumerate(right) if isinstance(echo, Echo)]
    assert echoes

    def verdict(position, answer):
        return law.judge(case, expected, [*right[:position], answer, *right[position + 1 :]])

    for i, echo in echoes:
        for position in range(len(echo.args)):
            args = [*echo.args]
            args[position] = args[position] + 1e-9
            assert verdict(i, Echo(echo.result, tuple(args), echo.kwargs)) is not None
        if "mask" in echo.kwargs:
            flipped = {**echo.kwargs, "mask": echo.kwargs["mask"] == 0}
            assert verdict(i, Echo(echo.result, echo.args, flipped)) is not None
        for lost in (echo.result, Echo(echo.result, (), {}), None):
            assert verdict(i, lost) is not None


def seeds_in_which(exercise, law, holds):
    for seed in range(20):
        found = situation(exercise, law, seed)
        if holds(*found):
            yield found


@pytest.mark.parametrize("name", ["self_attention", "self_attention_loop"])
def test_a_control_rejects_outputs_that_do_not_change(name):
    exercise = CATALOGUE[name]
    law = exercise.property_named("future_does_not_leak")
    case, expected, (before, _) = next(
        seeds_in_which(exercise, law, lambda case, changes, answers: changes)
    )
    assert law.judge(case, expected, [before, before]).message.endswith("change no output at all.")
    order = exercise.property_named("causal_mask_breaks_equivariance")
    case, expected, (before, _) = situation(exercise, order)
    realigned = tuple(part[::-1] for part in before)
    assert order.judge(case, expected, [before, realigned]) is not None
    nothing = tuple(np.full_like(part, np.nan) for part in before)
    assert order.judge(case, expected, [before, nothing]) is not None


def test_a_flag_without_effect_is_rejected():
    exercise = CATALOGUE["self_attention"]
    law = exercise.property_named("scale_defaults_to_true")
    case, expected, (default, scaled, _) = next(
        seeds_in_which(exercise, law, lambda case, differs, answers: differs)
    )
    assert law.judge(case, expected, [default, scaled, scaled]) is not None


def test_another_answer_the_second_time_is_rejected_down_to_the_last_bit():
    for name in ("self_attention", "self_attention_loop"):
        exercise = CATALOGUE[name]
        law = exercise.property_named("deterministic")
        case, expected, (once, between, again) = situation(exercise, law)
        nearly = tuple(np.nextafter(part, np.inf) for part in again)
        assert law.judge(case, expected, [once, between, nearly]) is not None


# -- no law without these tests --------------------------------------------------------------------


def law_makers():
    """Every public function of `autograder.laws` that gives laws, with its module's name."""
    for found in pkgutil.walk_packages(laws.__path__, "autograder.laws."):
        module = import_module(found.name)
        for name, function in vars(module).items():
            gives = getattr(function, "__annotations__", {}).get("return", "")
            own = getattr(function, "__module__", "") == found.name
            if own and "Property" in str(gives) and not name.startswith("_"):
                yield found.name.rpartition(".")[2], name


def names_called(folder):
    """The last name of everything that the modules of a folder call."""
    for path in sorted(Path(folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func
                yield (
                    called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                )


def test_every_law_of_the_package_belongs_to_an_exercise_and_so_is_judged_here():
    makers = list(law_makers())
    assert len(makers) > 60
    called = {*names_called(Path(exercises.__file__).parent), *names_called(laws.__path__[0])}
    assert [maker for maker in makers if maker[1] not in called] == []


def test_the_tables_name_only_laws_and_changes_that_exist():
    laws_of = [(name, law.name) for name, one in CATALOGUE.items() for law in one.properties]
    names = {*laws_of, *(law for _, law in laws_of)}
    changes = {*HARMLESS, *SPOILT_VALUES, *SPOILT_FORMS, *SPOILT_PAIRS}
    for table in (NOT_HARMLESS, VALUES_NOT_JUDGED, FORMS_NOT_JUDGED):
        assert {*table} <= names
        assert set().union(*table.values()) <= changes
    assert {*ANSWERS_NOT_JUDGED} <= names
