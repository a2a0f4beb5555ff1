"""Arguments arrive as asked, results come back as plain data, and no call reaches another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograder.exercise import (
    Arranged,
    AxesSnapshot,
    Call,
    CallMethod,
    Construct,
    Echo,
    Handle,
    Opaque,
    SetAttribute,
    Step,
)
from autograder.results import CaseReply, Raised, Status
from autograder.worker.client import Cell, Session
from autograder.worker.isolation import choose
from tests.worker.sessions import PATIENT, NewSession

HEADER = "import numpy as np\n"
X = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def ask(new_session: NewSession) -> Any:
    """Define `f` and run the steps of one case."""

    def run(source: str, *steps: Step, defaults: Any = None) -> CaseReply:
        session = new_session(HEADER + source)
        session.load()
        (reply,) = session.run("f", [list(steps)], defaults=defaults or {})
        return reply

    return run


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Session]:
    """A worker whose `f` evaluates an expression and whose `g` executes a statement."""
    source = HEADER + "def f(text): return eval(text)\ndef g(text): exec(text)"
    with Session(
        choose("rlimit").launcher(),
        [Cell(0, source)],
        ["f", "g"],
        budgets=PATIENT,
        allowed_imports={"numpy"},
    ) as session:
        session.load()
        yield session


def test_arguments_are_fresh_writable_and_aligned_for_every_call(ask: Any) -> None:
    reply = ask(
        "def f(x, y):\n"
        "    facts = [x.flags.writeable, x.flags.c_contiguous, x.ctypes.data % 64,\n"
        "             y.ctypes.data % 64, x[0, 0], float(x.sum())]\n"
        "    x[...] = 99\n    return facts",
        Call(X, X), Call(X, X),
    )  # fmt: skip
    first, second = reply.answers
    assert first == second
    assert first[:4] == [True, True, 0, 0]
    assert first[5] == 15.0


@pytest.mark.parametrize("shape", [(2, 3), (4,), (), (0, 3), (2, 3, 4)])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed"])
def test_layouts_change_memory_and_not_values(layout: Any, shape: tuple[int, ...]) -> None:
    from autograder.worker.child.values import from_wire
    from autograder.worker.codec import encode_case

    value = np.arange(float(np.prod(shape))).reshape(shape)
    (step,) = encode_case([Call(Arranged(value, layout, writable=False))], "f", {})
    array = from_wire(step.args[0], {})  # type: ignore[union-attr]
    assert array.shape == shape
    np.testing.assert_array_equal(array, value)
    assert not array.flags.writeable
    if array.ndim > 1 and array.size:
        assert array.flags.c_contiguous == (layout == "C")
        assert array.flags.f_contiguous == (layout == "F")
        assert (min(array.strides) < 0) == (layout == "reversed")


def test_echo_shows_the_arguments_after_the_call(ask: Any) -> None:
    reply = ask("def f(x, y=None):\n    x[0] = 0\n    return 1", Call(X, y=X, echo=True))
    (echo,) = reply.answers
    assert isinstance(echo, Echo)
    assert echo.result == 1
    assert echo.args[0][0].tolist() == [0, 0, 0]
    assert echo.kwargs["y"].tolist() == X.tolist()


def test_a_read_only_argument_cannot_be_written(ask: Any) -> None:
    reply = ask("def f(x):\n    x += 1\n    return x", Call(Arranged(X, writable=False)))
    assert reply.status is Status.EXCEPTION
    assert reply.outcomes[-1].type_name == "ValueError"


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("np.matrix([[1.0, 2.0]])", np.array([[1.0, 2.0]])),
        ("np.float32(0.5)", np.array(0.5, np.float32)),
        ("np.bool_(True)", np.array(True)),
        ("np.ma.masked_array([1.0, 2.0], [0, 1])", np.array([1.0, 2.0])),
        ("np.array([1.0, 2.0], dtype='>f8')[::-1]", np.array([2.0, 1.0])),
        ("np.longdouble(2)", np.array(2.0)),
        ("[np.ones(2), (1, 2.5, None)]", [np.ones(2), (1, 2.5, None)]),
        ("__import__('collections').namedtuple('P', 'a b')(1, 2)", (1, 2)),
        ("{'weights': np.ones(1)}", {"weights": np.ones(1)}),
        ("2j", 2j),
        ("type('E', (int,), {'__add__': lambda *a: 7, '__int__': lambda s: 8})(3)", 3),
        ("type('S', (str,), {'__str__': lambda s: 'no'})('yes')", "yes"),
        ("type('L', (list,), {'__iter__': lambda s: iter([9])})([1])", [1]),
        ("10**30", Opaque("int of more than 64 bits")),
        ("{1, 2}", Opaque("set")),
        ("(x for x in [1])", Opaque("generator")),
        ("np.array([[1.5, 2], [3, np.int8(4)]], dtype=object)", np.array([[1.5, 2.0], [3.0, 4.0]])),
        ("np.array([True, np.False_], dtype=object)", np.array([True, False])),
        ("np.array(['1.5', 2], dtype=object)", Opaque("ndarray of dtype object")),
        ("np.array([10**400], dtype=object)", Opaque("ndarray of dtype object")),
        ("np.array([None])", Opaque("ndarray of dtype object")),
        ("np.array([['a'], ['bc']])", [["a"], ["bc"]]),
        ("np.array(['1.5'], dtype=object)", ["1.5"]),
        ("np.array('ab')", "ab"),
        ("np.str_('ab')", "ab"),
        ("np.array([b'a'])", Opaque("ndarray of dtype |S1")),
        ("{1: 2, 'a': [0.5], None: {}, 2.5: None}", {1: 2, "a": [0.5], None: {}, 2.5: None}),
        ("{np.int8(3): 1, np.float32(0.5): 2, np.bool_(True): 3}", {3: 1, 0.5: 2, True: 3}),
        ("{np.str_('a'): 1}", {"a": 1}),
        ("__import__('collections').Counter('aab')", {"a": 2, "b": 1}),
        ("{(1, 2): 3}", Opaque("dict with other keys than texts and numbers")),
        ("{10**30: 3}", Opaque("dict with other keys than texts and numbers")),
        ("{type('K', (int,), {'__int__': lambda s: 9})(1): 3}",
         Opaque("dict with other keys than texts and numbers")),
        ("type('Equal', (), {'__eq__': lambda *a: True, '__array__': len})()", Opaque("Equal")),
    ],
)  # fmt: skip
def test_results_are_plain_data(evaluator: Session, expression: str, answer: Any) -> None:
    (reply,) = evaluator.run("f", [[Call(expression)]], defaults={})
    (got,) = reply.answers
    assert type(got) is type(answer)
    if isinstance(answer, np.ndarray):
        assert got.dtype == answer.dtype
    np.testing.assert_equal(got, answer)


def test_a_lying_array_subclass_is_read_as_it_is(ask: Any) -> None:
    reply = ask(
        "class Liar(np.ndarray):\n"
        "    def __eq__(self, other): return True\n"
        "    def tobytes(self, *a): return bytes(16)\n"
        "    shape = property(lambda self: (7,))\n"
        "    def __array_function__(self, *a): return 0\n"
        "def f(): return np.array([1.0, 2.0]).view(Liar)",
        Call(),
    )
    assert reply.answers[0].tolist() == [1.0, 2.0]


def test_a_list_that_holds_itself_ends_somewhere(ask: Any) -> None:
    reply = ask("def f():\n    x = []\n    x.append(x)\n    return x", Call())
    assert reply.status is Status.PASSED
    assert "Opaque" in repr(reply.answers[0])


@pytest.mark.parametrize(
    "expression",
    ["np.ones(2**20 + 1)", "'x' * 10**7", "list(range(10**6))", "[np.ones(2**17)] * 9"],
)
def test_too_large_a_result_is_an_output_limit_of_its_case_alone(
    evaluator: Session, expression: str
) -> None:
    large, small = evaluator.run("f", [[Call(expression)], [Call("1")]], defaults={})
    assert large.status is Status.OUTPUT_LIMIT
    assert large.detail
    assert small.answers == [1]


def test_exceptions_tell_type_message_cell_and_line(new_session: NewSession) -> None:
    session = new_session(
        "def helper(x):\n    raise ValueError('bad ' + 'x' * 1000)",
        "def f(x):\n\n    return helper(x)",
    )
    session.load()
    (reply,) = session.run("f", [[Call(1)]], defaults={})
    (raised,) = reply.outcomes
    assert isinstance(raised, Raised)
    assert (raised.type_name, raised.cell, raised.line) == ("ValueError", 0, 2)
    assert raised.message.startswith("bad xxx")
    assert len(raised.message) == 500


@pytest.mark.parametrize(
    ("body", "type_name"),
    [
        ("raise SystemExit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("global deep\ndef deep(): return deep()\ndeep()", "RecursionError"),
        ("raise type('Rude', (Exception,), {'__str__': lambda s: 1 / 0})", "Rude"),
        ("raise type('Huge', (Exception,), {'__str__': lambda s: 'x' * 10**8})", "Huge"),
        ("raise ValueError('\\ud800')", "ValueError"),
        ("exit()", "SystemExit"),
        ("undefined", "NameError"),
    ],
)
def test_no_exception_harms_the_worker(evaluator: Session, body: str, type_name: str) -> None:
    raising, after = evaluator.run("g", [[Call(body)], [Call("1")]], defaults={})
    assert raising.status is Status.EXCEPTION
    assert isinstance(raising.outcomes[0], Raised)
    assert raising.outcomes[0].type_name == type_name
    assert after.answers == [None]


def test_steps_after_one_that_raised_are_not_run(ask: Any) -> None:
    reply = ask("def f(x): return 1 / x", Call(1), Call(0), Call(2))
    assert len(reply.outcomes) == 2
    assert reply.answers == [1.0]


@pytest.mark.parametrize(
    ("signature", "taken"),
    [
        ("z", ()),
        ("z, axis=-1", ("axis",)),
        ("z, *, scale=True", ("scale",)),
        ("z, **rest", ("axis", "scale")),
        ("*args", ()),
    ],
)
def test_keywords_at_their_default_are_left_out_where_not_taken(
    ask: Any, signature: str, taken: tuple[str, ...]
) -> None:
    reply = ask(
        f"def f({signature}): return sorted({'rest' if 'rest' in signature else 'locals()'})",
        Call(1, axis=-1, scale=True),
        defaults={"axis": -1, "scale": True},
    )
    assert [name for name in reply.answers[0] if name not in ("z", "args")] == list(taken)


def test_keywords_beside_their_default_are_always_sent(ask: Any) -> None:
    reply = ask("def f(z): return z", Call(1, axis=0), defaults={"axis": -1})
    assert reply.outcomes[0].type_name == "TypeError"


def test_objects_live_for_one_case_in_the_worker(new_session: NewSession) -> None:
    session = new_session(
        "class f:\n    def __init__(self, d): self.d, self.W = d, 0\n"
        "    def forward(self, x): self.d += 1; return x * self.W + self.d"
    )
    session.load()
    steps: list[Step] = [
        Construct(3),
        SetAttribute(Handle(0), "W", 2.0),
        CallMethod(Handle(0), "forward", 1.0),
        CallMethod(Handle(0), "forward", 1.0, echo=True),
    ]
    for reply in session.run("f", [steps, steps], defaults={}):
        assert reply.answers[:3] == [Handle(0), None, 6.0]
        assert reply.answers[3] == Echo(7.0, (1.0,), {})
    assert session.calls == 6


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "class f:\n    pass",
            "it has no method forward; write one inside the class: def forward(self, ...)",
        ),
        (
            "class f:\n    def __call__(self, x): return x",
            "it has no method forward; write one inside the class: def forward(self, ...), "
            "not __call__",
        ),
        (
            "class f:\n    @property\n    def forward(self): return self.missing",
            "'f' object has no attribute 'missing'",
        ),
    ],
)
def test_a_method_that_is_not_there_is_named(ask: Any, source: str, message: str) -> None:
    reply = ask(source, Construct(), CallMethod(Handle(0), "forward", 1.0))
    assert reply.outcomes[0].value == Handle(0)
    assert (reply.outcomes[1].type_name, reply.outcomes[1].message) == ("AttributeError", message)


@pytest.mark.parametrize(
    "source",
    [
        "def f(query, key, value): return query",
        "def f(d_model, num_heads): pass",
        "def f(d_model, num_heads): return np.zeros(3)",
        "def f(d_model, num_heads): return np.zeros(3), 1.0",
        "f = lambda d_model: d_model",
    ],
)
def test_a_function_in_place_of_a_class_is_called_so(ask: Any, source: str) -> None:
    reply = ask(source, Construct(8, 2), CallMethod(Handle(0), "forward", 1.0))
    assert reply.status is Status.EXCEPTION
    (raised,) = reply.outcomes
    assert raised.type_name == "TypeError"
    assert raised.message == "it is a function, but should be a class; begin it with: class f"


@pytest.mark.parametrize(
    "source",
    [
        "class C:\n    def forward(self, x): return x\ndef f(d_model, num_heads): return C()",
        "class C:\n    def forward(self, x): return x\nf = lambda *sizes, **more: C()",
        "import functools\nclass C:\n    def __init__(self, h, d, *, name): pass\n"
        "    def forward(self, x): return x\nf = functools.partial(C, name='x')",
        "from dataclasses import dataclass\n@dataclass\nclass f:\n    d: int\n    h: int = 2\n"
        "    def forward(self, x): return x",
        "class Meta(type):\n    def __call__(cls, *sizes): return object.__new__(cls)\n"
        "class f(metaclass=Meta):\n    def forward(self, x): return x",
        "class f:\n    __slots__ = ()\n    def __init__(self, *sizes): pass\n"
        "    def __call__(self, x): return x\n    forward = __call__",
        "class f:\n    def __init__(self, *sizes): self.forward = lambda x: x",
        "class f:\n    def __init__(self, *sizes): pass\n    forward = staticmethod(lambda x: x)",
    ],
)
def test_whatever_makes_an_object_with_the_method_is_as_good_as_a_class(
    ask: Any, source: str
) -> None:
    reply = ask(source, Construct(8, 2), CallMethod(Handle(0), "forward", 1.0))
    assert reply.answers == [Handle(0), 1.0]


def test_an_exception_inside_a_constructor_tells_its_own_line(ask: Any) -> None:
    reply = ask("class f:\n    def __init__(self, d):\n        d / 0", Construct(8))
    (raised,) = reply.outcomes
    assert (raised.type_name, raised.line) == ("ZeroDivisionError", HEADER.count("\n") + 3)


def test_an_attribute_that_cannot_be_set_is_an_exception_of_the_student(ask: Any) -> None:
    reply = ask("class f:\n    __slots__ = ('w',)", Construct(), SetAttribute(Handle(0), "W", 1.0))
    assert reply.outcomes[1].type_name == "AttributeError"
    assert "'W'" in reply.outcomes[1].message


def test_a_callable_object_and_another_function_can_be_called(new_session: NewSession) -> None:
    session = new_session(
        "class C:\n    def __call__(self, x): return x + 1\nf = C()\ng = lambda x: x - 1",
        names=("f", "g"),
    )
    session.load()
    (reply,) = session.run("f", [[Call(1), Call(1, to="g"), Call(1, to="h")]], defaults={})
    assert reply.answers == [2, 0]
    assert reply.outcomes[2] == Raised("NameError", "name 'h' is not defined")


def test_a_function_that_is_not_there_is_missing(new_session: NewSession) -> None:
    session = new_session("x = 1")
    session.load()
    replies = list(session.run("f", [[Call()], [Call()]], defaults={}))
    assert {reply.status for reply in replies} == {Status.MISSING}
    assert replies[0].detail == "f is not defined."
    assert session.calls == 0


def test_printing_and_warnings_cost_nothing(ask: Any) -> None:
    reply = ask(
        "import warnings\ndef f(x):\n    print('x' * 10**6)\n    warnings.warn('careful')\n"
        "    return np.log(np.zeros(1))",
        Call(1),
        Call(1),
    )
    assert reply.status is Status.PASSED


def test_the_random_state_of_the_notebook_is_left_alone(ask: Any) -> None:
    reply = ask("np.random.seed(7)\ndef f(): return np.random.random()", Call(), Call())
    expected = np.random.RandomState(7).random_sample(2)
    assert reply.answers == pytest.approx(expected.tolist(), abs=0)


def test_axes_come_back_as_data_and_figures_do_not_pile_up(ask: Any) -> None:
    reply = ask(
        "import matplotlib.pyplot as plt\n"
        "def f(A):\n    fig, ax = plt.subplots()\n    ax.imshow(A)\n"
        "    ax.set_xticks([0, 1], labels=['a', 'b'])\n    ax.set_xlabel('Key')\n"
        "    return ax if len(plt.get_fignums()) == 1 else None",
        Call(np.eye(2)),
        Call(np.eye(2)),
    )
    for snapshot in reply.answers:
        assert isinstance(snapshot, AxesSnapshot)
        assert snapshot.images[0].values.tolist() == [[1, 0], [0, 1]]
        assert snapshot.images[0].column_labels == ("a", "b")
        assert (snapshot.x_label, snapshot.held_by) == ("Key", "")


def test_five_hundred_cases_are_answered_in_order(new_session: NewSession) -> None:
    session = new_session("def f(x): return x")
    session.load()
    replies = session.run("f", [[Call(n)] for n in range(500)], defaults={})
    assert [reply.answers for reply in replies] == [[n] for n in range(500)]
    assert session.calls == 500


def test_large_cases_are_sent_in_several_requests(new_session: NewSession) -> None:
    session = new_session("def f(x): return float(x.sum())")
    session.load()
    big = np.ones(3 << 17)  # 3 MiB
    replies = list(session.run("f", [[Call(big)]] * 4, defaults={}))
    assert [reply.answers for reply in replies] == [[float(big.size)]] * 4


def test_replies_that_nobody_fetched_do_not_reach_the_next_run(new_session: NewSession) -> None:
    session = new_session("def f(x): return x")
    session.load()
    replies = session.run("f", [[Call(n)] for n in range(10)], defaults={})
    assert next(replies).answers == [0]
    del replies  # ends the generator
    (reply,) = session.run("f", [[Call(42)]], defaults={})
    assert reply.answers == [42]


def test_the_worker_stays_when_as_many_replies_as_cases_were_fetched(
    new_session: NewSession,
) -> None:
    session = new_session("count = 0\ndef f():\n    global count\n    count += 1\n    return count")
    session.load()
    first = session.run("f", [[Call()]] * 3, defaults={})
    assert [next(first).answers for _ in range(3)] == [[1], [2], [3]]
    second = session.run("f", [[Call()]], defaults={})
    assert next(second).answers == [4]


def test_two_runs_at_once_are_a_mistake_of_the_caller(new_session: NewSession) -> None:
    session = new_session("def f(x): return x")
    session.load()
    first = session.run("f", [[Call(1)], [Call(2)]], defaults={})
    next(first)
    with pytest.raises(RuntimeError, match="another run"):
        next(session.run("f", [[Call(1)]], defaults={}))


def test_private_memory_is_told_while_a_worker_runs(new_session: NewSession) -> None:
    session = new_session("def f(): pass")
    assert session.private_memory_bytes() == 0
    session.load()
    assert 1 << 20 < session.private_memory_bytes() < 1 << 30
