"""Records validate themselves when they are built, and name the file that built them."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from autograder.exercise import (
    GATE,
    Arranged,
    Assignment,
    Budgets,
    Call,
    CallMethod,
    Case,
    Construct,
    Disagreement,
    Disagrees,
    Domain,
    Exercise,
    Handle,
    Mistake,
    Property,
    RecordError,
    RightAnswer,
)

DOMAIN = Domain(lambda entropy: None, constant=True)


def law(name="matches_reference", **changes):
    given = {
        "name": name,
        "law": "f(x) = x",
        "inputs": DOMAIN,
        "calls": lambda case: (Call(case.x),),
        "verdict": lambda case, answer: None,
        "weight": 100,
        "hint": "Return x.",
    }
    return Property(**{**given, **changes})


def mistake(name="off_by_one", **changes):
    given = {
        "name": name,
        "answer": lambda x: x + 1,
        "hint": "Do not add one.",
        "share": Fraction(1, 2),
        "caught_by": ("matches_reference",),
    }
    return Mistake(**{**given, **changes})


def exercise(**changes):
    given = {
        "name": "identity",
        "signature": "(x, copy=False)",
        "convention": "Nothing is masked.",
        "reference": lambda x: x,
        "gate": "matches_reference",
        "properties": (law(),),
    }
    return Exercise(**{**given, **changes})


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Matches Reference"}, "a name is lower case letters, digits and _"),
        ({"law": " "}, "no law. Write one."),
        ({"hint": ""}, "no hint. Write one."),
        ({"weight": 101}, "weight 101 is not within 0..100"),
        ({"weight": -1}, "weight -1 is not within 0..100"),
        ({"cases": 0}, "a corpus needs at least one case"),
        ({"peer": "other"}, "peer 'other' needs `expected` as well"),
    ],
)
def test_a_bad_property_is_refused(changes, message):
    assert law().name == "matches_reference"
    with pytest.raises(RecordError, match=message):
        law(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gate": "nothing"}, "gate 'nothing' is no property of it"),
        ({"properties": (law(), law(weight=0))}, "'matches_reference' is listed twice"),
        ({"properties": (law(weight=60),)}, "weights sum to 60, but should be 100"),
        ({"convention": ""}, "no convention"),
        ({"properties": (law(needs="other"),)}, "needs 'other', which does not exist"),
        ({"mistakes": (mistake(), mistake())}, "mistake 'off_by_one' is listed twice"),
        ({"mistakes": (mistake(caught_by=("other",)),)}, "no property 'other' to catch it"),
        ({"right_answers": (RightAnswer(name="a", answer=abs),) * 2}, "'a' is listed twice"),
        ({"signature": "(x, "}, "signature"),
        ({"equivalent_mutants": {"f: x dropped": " "}}, "'f: x dropped': no reason. Say why"),
    ],
)
def test_a_bad_exercise_is_refused(changes, message):
    assert exercise().name == "identity"
    with pytest.raises(RecordError, match=message):
        exercise(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"share": Fraction(1)}, "share 1 is not within 0..1"),
        ({"share": Fraction(-1, 2)}, "share -1/2 is not within 0..1"),
        ({"hint": " "}, "needs a hint and a property that catches it"),
        ({"caught_by": ()}, "needs a hint and a property that catches it"),
    ],
)
def test_a_bad_mistake_is_refused(changes, message):
    assert mistake().share == Fraction(1, 2)
    with pytest.raises(RecordError, match=message):
        mistake(**changes)


def test_an_assignment_adds_up_points_and_refuses_an_exercise_without_any():
    assert Assignment(name="a", exercises={"f": Fraction(5, 2), "g": Fraction(1)}).max_score == 3.5
    assert Assignment(name="a", exercises={}).max_score == 0
    with pytest.raises(RecordError, match="'f' has 0 points"):
        Assignment(name="a", exercises={"f": Fraction(0)})


def test_a_budget_must_be_above_zero():
    assert Budgets(cell_seconds=0.3).cell_seconds == 0.3
    with pytest.raises(RecordError, match="budget memory_bytes is 0"):
        Budgets(memory_bytes=0)


def test_an_error_names_the_file_that_built_the_record():
    with pytest.raises(RecordError) as raised:
        law(weight=101)
    assert str(raised.value).startswith(f"{__file__}: ")


# -- cases and steps -------------------------------------------------------------------------------


def test_a_case_is_read_by_name_and_frozen():
    case = Case(z=np.ones(2), i=1)
    assert case.i == case["i"] == 1
    assert list(case) == ["z", "i"]
    assert len(case) == 2
    with pytest.raises(AttributeError, match=r"no input 'y'; it has \['z', 'i'\]"):
        _ = case.y
    with pytest.raises(AttributeError, match="frozen"):
        case.i = 2


def test_a_case_survives_pickling_and_prints_its_inputs():
    case = Case(i=1, text="a")
    assert dict(pickle.loads(pickle.dumps(case))) == dict(case)  # noqa: S301 - our own bytes
    assert repr(case) == "Case(i=1, text='a')"


def test_steps_keep_positional_and_keyword_arguments_apart():
    call = Call(1, Arranged(2, "F"), to="other", echo=True, mask=None)
    assert (call.args, call.kwargs) == ((1, Arranged(2, "F")), {"mask": None})
    assert (call.to, call.echo) == ("other", True)
    made = Construct(8, num_heads=2)
    assert (made.args, made.kwargs, made.to) == ((8,), {"num_heads": 2}, None)
    method = CallMethod(Handle(0), "forward", 1, mask=2)
    assert (method.handle.step, method.name, method.args, method.kwargs, method.echo) == (
        0,
        "forward",
        (1,),
        {"mask": 2},
        False,
    )


# -- properties and exercises ----------------------------------------------------------------------


def test_a_verdict_that_raises_disagrees_is_a_disagreement():
    wrong = Disagreement("1", "2", "[0]", "", "It is 2, but should be 1.")

    def verdict(case, answer):
        raise Disagrees(wrong)

    assert law(verdict=verdict).judge(Case(), None, [2]) is wrong


def test_a_fault_of_a_verdict_itself_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        law(verdict=lambda case, answer: 1 / 0).judge(Case(), None, [2])


def test_a_verdict_gets_the_expected_value_only_if_the_law_has_one():
    seen = []

    def verdict(*given):
        seen.append(given[1:])

    law(verdict=verdict).judge(Case(), 7, [1, 2])
    law(verdict=verdict, expected=lambda case: 7).judge(Case(), 7, [1, 2])
    assert seen == [(1, 2), (7, 1, 2)]


def test_a_constant_input_is_one_case():
    assert law().case_count == 1
    assert law(inputs=Domain(lambda entropy: None)).case_count == 12


def test_a_law_needs_the_gate_unless_it_says_otherwise():
    first, second, third = law(weight=50), law("second", weight=50), law("third", weight=0)
    free = law("free", weight=0, needs=None)
    bound = law("bound", weight=0, needs="second")
    made = exercise(properties=(first, second, third, free, bound))
    assert second.needs == GATE
    assert [made.needs_of(p) for p in made.properties] == [
        None,
        "matches_reference",
        "matches_reference",
        None,
        "second",
    ]
    assert [p.name for p in made.properties if p.scored] == ["matches_reference", "second"]
    with pytest.raises(KeyError):
        made.property_named("other")


def test_the_signature_tells_the_defaults():
    assert exercise().defaults == {"copy": False}
