"""The grader can answer for a function that a student's other function calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.exercise import Call, CallMethod, Construct, Handle, SetAttribute
from autograder.results import Raised, Status
from tests.worker.sessions import SHORT, NewSession

SOURCE = """
import numpy as np
def softmax(z, axis=-1):
    return z * 0
def f(x):
    return softmax(x, axis=0) + softmax(x)
"""


def doubled(z: Any, axis: int = -1) -> Any:
    return 2 * z + axis


def test_the_stand_in_answers_in_this_run_alone(new_session: NewSession) -> None:
    session = new_session(SOURCE, names=("f", "softmax"))
    session.load()
    x = np.array([[1.0, 2.0]])
    own = next(session.run("f", [[Call(x)]], defaults={}))
    stood_in = list(
        session.run("f", [[Call(x)], [Call(x)]], defaults={}, stand_ins={"softmax": doubled})
    )
    again = next(session.run("f", [[Call(x)]], defaults={}))
    assert own.answers[0].tolist() == again.answers[0].tolist() == [[0, 0]]
    assert [reply.answers[0].tolist() for reply in stood_in] == [[[3, 7]]] * 2
    assert session.calls == 4  # a stand-in is no call of the student's


def test_the_stand_in_answers_the_methods_of_an_object(new_session: NewSession) -> None:
    source = SOURCE + "class C:\n    def __init__(self, k): self.k = k\n"
    source += "    def forward(self, x): return self.k * softmax(x)\n"
    session = new_session(source, names=("C", "softmax"))
    session.load()
    x = np.array([1.0, 2.0])
    steps = [Construct(3), SetAttribute(Handle(0), "k", 10.0), CallMethod(Handle(0), "forward", x)]
    own, stood_in = (
        next(session.run("C", [steps], defaults={}, stand_ins=stand_ins))
        for stand_ins in ({}, {"softmax": doubled})
    )
    assert own.answers[2].tolist() == [0, 0]
    assert stood_in.answers[2].tolist() == [10, 30]


def test_an_exception_of_the_stand_in_reaches_the_student(new_session: NewSession) -> None:
    def refuse(z: Any, axis: int = -1) -> Any:
        raise ValueError("the widths differ")

    session = new_session(SOURCE)
    session.load()
    (reply,) = session.run("f", [[Call(1.0)]], defaults={}, stand_ins={"softmax": refuse})
    (raised,) = reply.outcomes
    assert isinstance(raised, Raised)
    assert (raised.type_name, raised.message) == ("ValueError", "the widths differ")
    assert raised.line == 6


@pytest.mark.parametrize(
    "argument", ["object()", "np.ones((600, 1))", "lambda: 1", "'text'", "[np.ones(10**5)]"]
)
def test_what_the_stand_in_cannot_take_is_an_exception_of_the_student(
    new_session: NewSession, argument: str
) -> None:
    session = new_session(SOURCE + f"def g(): return softmax({argument})", names=("g",))
    session.load()
    (reply,) = session.run("g", [[Call()]], defaults={}, stand_ins={"softmax": doubled})
    assert reply.status is Status.EXCEPTION


def test_asking_without_end_is_stopped(new_session: NewSession) -> None:
    session = new_session(SOURCE + "def g():\n    while True: softmax(1.0)", names=("g", "f"))
    session.load()
    run = session.run("g", [[Call()]], defaults={}, stand_ins={"softmax": doubled})
    assert next(run).status is Status.PROTOCOL
    assert next(session.run("f", [[Call(1.0)]], defaults={})).status is Status.PASSED


def test_the_stand_in_runs_on_the_deadline_of_the_case(new_session: NewSession) -> None:
    session = new_session(
        SOURCE + "import time\ndef g():\n    while True: softmax(1.0); time.sleep(0.05)",
        names=("g",),
        budgets=SHORT,
    )
    session.load()
    run = session.run("g", [[Call()]], defaults={}, stand_ins={"softmax": doubled})
    assert next(run).status is Status.TIMEOUT


def test_a_stand_in_that_was_not_offered_is_a_protocol_error(new_session: NewSession) -> None:
    session = new_session(
        "import gc\ndef f():\n"
        "    from worker.child.serve import Link\n    from worker import wire\n"
        "    link = next(o for o in gc.get_objects() if type(o) is Link)\n"
        "    link.send(wire.StandInRequest(3, 'softmax', [], {}))\n    link.receive()",
    )
    session.load()
    (reply,) = session.run("f", [[Call()]], defaults={})
    assert reply.status is Status.PROTOCOL
