"""What the course offers, what everything is worth, and how a course is found."""

import subprocess
import sys
from fractions import Fraction
from importlib.metadata import EntryPoint

import pytest

from autograder import exercises
from autograder.exercise import Assignment, Catalogue, RecordError
from tests.exercises.driver import ordinary_cases

EXERCISES = {exercise.name: exercise for exercise in exercises.catalogue().exercises}

SOFTMAX = """
matches_reference 12
matches_reference_on_every_axis 8
default_axis_is_last 5
works_for_any_rank 5
rows_sum_to_one 10
weights_are_positive 3
log_ratios_equal_score_differences 4
permutation_equivariant 3
shift_invariant 10
survives_huge_scores 10
survives_very_negative_scores 5
survives_rows_of_different_scale 5
rows_are_independent 5
minus_infinity_gets_zero_weight 5
fully_blocked_row_is_nan 5
inputs_unchanged 3
accepts_any_memory_layout 2
"""

BOTH_FORMS = """
matches_reference 10 12
returns_output_and_weights 6 7
rows_sum_to_one 5 5
output_is_weights_times_values 4 4
output_in_convex_hull 1 1
permutation_equivariant 4 4
permutation_equivariant_with_mask 3 3
future_weights_are_zero 6 6
future_does_not_leak 5 5
prefix_consistent 4 4
matches_reference_with_mask 5 5
blocked_weights_are_zero 4 3
all_true_mask_is_no_mask 3 2
single_visible_key_copies_its_value 3 3
fully_blocked_row_is_nan 4 4
blocked_huge_key_is_harmless 4 4
survives_huge_scores 4 4
single_token 2 2
works_for_every_length 2 2
inputs_unchanged 3 3
deterministic 2 1
zero_queries_give_uniform_weights 1 1
linear_in_values 1 1
rotation_of_queries_and_keys_changes_nothing 1 1
common_key_shift_changes_nothing 1 1
swapping_projections_transposes_scores 1 1
causal_mask_breaks_equivariance 1 0
accepts_any_memory_layout 1 0
mask_is_fifth_positional_argument 1 1
scale_is_sqrt_key_width 5 0
scale_false_is_unscaled 2 0
scale_defaults_to_true 1 0
loop_equals_matrix 0 10
"""

CAUSAL_MASK = """
matches_reference 60
nested_prefix 20
counts_visible_pairs 20
"""

SOFT_LOOKUP = """
matches_reference 40
rows_sum_to_one 10
output_is_weights_times_values 15
entry_order_does_not_matter 10
longer_query_is_sharper 10
survives_huge_scores 10
inputs_unchanged 5
"""

SOFTMAX_JACOBIAN_NORM = """
matches_reference 25
uniform_and_one_hot_values 25
matches_finite_differences 25
bounded_and_permutation_invariant 25
"""

SINUSOIDAL_POSITIONS = """
matches_reference 45
position_zero_alternates_zero_and_one 15
pairs_have_unit_norm 15
dot_product_depends_on_offset_only 25
"""

ATTENTION_COST = """
matches_reference 70
crossover_at_six_d 30
"""

ATTENTION_HEATMAP = """
matches_reference 40
returns_axes 10
tick_labels_are_tokens 20
axis_labels_name_key_and_query 20
works_for_every_length 5
inputs_unchanged 5
"""

SCALED_DOT_PRODUCT_ATTENTION = """
matches_reference 15
returns_output_and_weights 5
rows_sum_to_one 5
scale_is_sqrt_key_width 15
batch_independent 10
matches_reference_with_mask 12
mask_per_batch_item 8
accepts_boolean_mask 5
survives_huge_scores 10
blocked_huge_key_is_harmless 10
inputs_unchanged 5
"""

CREATE_CAUSAL_MASK = """
matches_reference 100
"""

CHUNKED_ATTENTION = """
matches_reference 20
chunk_size_does_not_matter 35
query_and_key_counts_may_differ 35
survives_huge_scores 5
inputs_unchanged 5
"""

CROSS_ATTENTION = """
matches_reference 40
output_depends_on_own_query_only 25
context_order_does_not_matter 25
survives_huge_scores 5
inputs_unchanged 5
"""

LOCAL_ATTENTION = """
matches_reference 35
wide_window_is_full_attention 20
zero_window_returns_values 20
far_keys_do_not_matter 15
survives_huge_scores 5
inputs_unchanged 5
"""

LINEAR_ATTENTION = """
matches_reference 30
constant_values_stay_constant 25
output_in_convex_hull 15
key_order_does_not_matter 10
equal_keys_average_the_values 15
inputs_unchanged 5
"""

MULTI_HEAD_ATTENTION = """
matches_reference 25
matches_reference_for_different_lengths 10
matches_reference_with_mask 12
future_does_not_leak 8
one_head_is_scaled_dot_product_attention 10
permutation_equivariant 10
heads_are_isolated 10
split_and_combine_are_inverse 15
"""


def table(text, column=0):
    rows = [line.split() for line in text.split("\n") if line]
    return [(name, int(weights[column])) for name, *weights in rows if weights[column] != "0"]


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("softmax", table(SOFTMAX)),
        ("self_attention", table(BOTH_FORMS)),
        ("self_attention_loop", table(BOTH_FORMS, 1)),
        ("causal_mask", table(CAUSAL_MASK)),
        ("soft_lookup", table(SOFT_LOOKUP)),
        ("softmax_jacobian_norm", table(SOFTMAX_JACOBIAN_NORM)),
        ("sinusoidal_positions", table(SINUSOIDAL_POSITIONS)),
        ("attention_cost", table(ATTENTION_COST)),
        ("attention_heatmap", table(ATTENTION_HEATMAP)),
        ("MultiHeadAttention", table(MULTI_HEAD_ATTENTION)),
        ("scaled_dot_product_attention", table(SCALED_DOT_PRODUCT_ATTENTION)),
        ("create_causal_mask", table(CREATE_CAUSAL_MASK)),
        ("chunked_attention", table(CHUNKED_ATTENTION)),
        ("cross_attention", table(CROSS_ATTENTION)),
        ("local_attention", table(LOCAL_ATTENTION)),
        ("linear_attention", table(LINEAR_ATTENTION)),
    ],
)
def test_laws_stand_in_catalogue_order_with_the_weights_of_the_table(name, weights):
    laws = EXERCISES[name].properties
    assert [(law.name, law.weight) for law in laws if law.scored] == weights
    scored = [law.scored for law in laws]
    assert scored == sorted(scored, reverse=True), "laws that are shown only come last"


def test_the_assignment_is_worth_40_points_and_5_written_ones():
    assignment = exercises.load_assignments()["self_attention"]
    assert dict(assignment.exercises) == {
        "softmax": 10,
        "self_attention_loop": 10,
        "self_attention": 15,
        "causal_mask": 5,
    }
    assert assignment.max_score == 40
    assert [(question.name, question.points) for question in assignment.written] == [
        ("why-scale", 5)
    ]


def test_attention_insight_is_worth_25_points():
    assignment = exercises.load_assignments()["attention_insight"]
    assert dict(assignment.exercises) == {
        "soft_lookup": 5,
        "softmax_jacobian_norm": 5,
        "sinusoidal_positions": 5,
        "attention_cost": 5,
        "attention_heatmap": 5,
    }
    assert assignment.max_score == 25
    assert assignment.written == ()


def test_efficient_attention_is_worth_30_points():
    assignment = exercises.load_assignments()["efficient_attention"]
    assert dict(assignment.exercises) == {
        "chunked_attention": 10,
        "cross_attention": 5,
        "local_attention": 5,
        "linear_attention": 10,
    }
    assert assignment.max_score == 30
    assert assignment.written == ()


def test_multi_head_attention_is_worth_30_points():
    assignment = exercises.load_assignments()["multi_head_attention"]
    assert dict(assignment.exercises) == {
        "scaled_dot_product_attention": 10,
        "create_causal_mask": 5,
        "MultiHeadAttention": 15,
    }
    assert assignment.max_score == 30
    assert assignment.written == ()


def test_what_splits_and_joins_needs_no_right_forward():
    exercise = EXERCISES["MultiHeadAttention"]
    needs = {law.name: exercise.needs_of(law) for law in exercise.properties}
    assert needs["split_and_combine_are_inverse"] is None
    assert needs["heads_are_isolated"] == exercise.gate


def test_the_nan_rule_is_charged_once_and_worth_at_most_five_per_cent():
    for exercise in EXERCISES.values():
        charged = [law for law in exercise.properties if law.charge_once == "nan_rule"]
        assert [law.name for law in charged] in ([], ["fully_blocked_row_is_nan"])
        assert sum(law.weight for law in charged) <= 5


def test_every_gate_judges_by_the_right_answer():
    for exercise in EXERCISES.values():
        assert exercise.gate == "matches_reference"
        assert exercise.properties[0].name == exercise.gate


def test_every_exercise_with_an_optional_argument_knows_who_left_it_out():
    assert [name for name, exercise in EXERCISES.items() if exercise.defaults] == [
        "softmax",
        "self_attention_loop",
        "self_attention",
        "scaled_dot_product_attention",
        "chunked_attention",
    ]
    for exercise in EXERCISES.values():
        names = {mistake.name for mistake in exercise.mistakes}
        assert {f"no_{option}_argument" for option in exercise.defaults} <= names


def test_leaving_out_the_axis_costs_only_the_laws_about_it():
    from tests.exercises.driver import broken_laws

    exercise = EXERCISES["softmax"]
    without_axis = next(m.answer for m in exercise.mistakes if m.name == "no_axis_argument")
    assert set(broken_laws(exercise, without_axis, 0)) == {"matches_reference_on_every_axis"}


@pytest.mark.parametrize(("assignment", "at_least"), [("self_attention", 1500)])
def test_a_submission_faces_at_least_1500_calls(assignment, at_least):
    calls = {
        name: sum(
            len(law.calls(case))
            for law in EXERCISES[name].properties
            if law.scored
            for case in ordinary_cases(law, 0)
        )
        for name in exercises.load_assignments()[assignment].exercises
    }
    print(f"calls of scored laws in {assignment}: {sum(calls.values())} {calls}")  # noqa: T201
    assert sum(calls.values()) >= at_least


def test_importing_the_package_imports_no_exercise():
    program = (
        "import sys, autograder.exercises\n"
        "assert not {'numpy', 'reference', 'hypothesis'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_loading_the_exercises_loads_no_matplotlib():
    program = (
        "import sys\n"
        "from autograder.exercises import load_exercises\n"
        "load_exercises()['attention_heatmap'].combinations()\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# -- other courses ---------------------------------------------------------------------------------


def unknown_exercise():
    return Catalogue(
        exercises=(), assignments=(Assignment(name="other", exercises={"nowhere": Fraction(1)}),)
    )


def no_catalogue():
    return ["softmax"]


@pytest.fixture
def install(monkeypatch):
    """Pretend that courses are installed: entry points as importlib.metadata gives them."""

    def courses(*functions):
        entries = [
            EntryPoint(str(i), value, exercises.ENTRY_POINT_GROUP)
            for i, value in enumerate(functions)
        ]
        monkeypatch.setattr(exercises, "entry_points", lambda group: entries)

    return courses


OURS = "autograder.exercises:catalogue"


def test_this_course_is_found_by_its_entry_point():
    assert exercises.load_exercises() == EXERCISES


def test_two_courses_with_an_exercise_of_one_name_are_refused(install):
    install(OURS, OURS)
    with pytest.raises(RecordError, match=r"two installed courses offer the exercise 'softmax'"):
        exercises.load_exercises()
    with pytest.raises(RecordError, match=r"offer the assignment 'self_attention'"):
        exercises.load_assignments()


def test_an_assignment_of_unknown_exercises_is_refused(install):
    install(OURS, f"{__name__}:unknown_exercise")
    with pytest.raises(RecordError, match=r"'other': no installed course offers .*'nowhere'"):
        exercises.load_assignments()


def broken_course():
    raise ImportError("No module named 'torch'")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (f"{__name__}:broken_course", r"'0' .* can't be loaded: ImportError: No module named"),
        ("no_such_package:catalogue", r"'0' .*no_such_package.* can't be loaded: ModuleNotFound"),
        (f"{__name__}:no_such_function", r"'0' .* can't be loaded: AttributeError"),
    ],
)
def test_a_course_that_cannot_be_loaded_is_named_with_the_reason(install, entry, said):
    install(entry)
    with pytest.raises(RecordError, match=said):
        exercises.load_exercises()


def test_an_entry_point_that_gives_no_catalogue_is_refused(install):
    install(f"{__name__}:no_catalogue")
    with pytest.raises(RecordError, match=r"gives list, but should be a function"):
        exercises.load_exercises()
