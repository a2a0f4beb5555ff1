"""Attacks by what a function returns: things that pose as the right answer."""

from __future__ import annotations

from tests.hostile.attack import Attack, returns

_EQUAL = """
class Equal{base}:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __bool__(self): return True
    def __array_function__(self, *args, **kwargs): return True
    def __array_ufunc__(self, *args, **kwargs): return np.True_
    def __hash__(self): return 0
"""

_SOURCE_OF_A_COPY = """
ROOM = np.zeros(1000)

def softmax(z, axis=-1):
    z = np.asarray(z)
    global DONE
    DONE.append(np.shape(z))
    out = ROOM[: z.size].reshape(z.shape)
    out[...] = len(DONE)
    return out
"""

ATTACKS = (
    returns(
        "equal_to_everything",
        "An object that equals whatever it is compared with.",
        "Equal()",
        setup=_EQUAL.format(base=""),
        quick=True,
    ),
    returns(
        "array_equal_to_everything",
        "The same as a subclass of arrays.",
        "np.zeros(np.shape(z)).view(Equal)",
        setup=_EQUAL.format(base="(np.ndarray)"),
        quick=True,
    ),
    returns(
        "number_equal_to_everything",
        "The same as a number.",
        "Equal(0.5)",
        setup=_EQUAL.format(base="(float)"),
    ),
    returns(
        "list_equal_to_everything",
        "The same as a list.",
        "Equal([0.5])",
        setup=_EQUAL.format(base="(list)"),
    ),
    returns(
        "not_a_number_everywhere",
        "nan: no comparison with it fails, if written carelessly.",
        "np.full(np.shape(z), np.nan)",
        quick=True,
    ),
    returns(
        "infinity_everywhere", "inf: differences with it are nan.", "np.full(np.shape(z), np.inf)"
    ),
    returns("scalar_that_broadcasts", "A single number that fits any shape.", "0.5", quick=True),
    returns("array_without_dimensions", "A 0-d array that broadcasts.", "np.array(0.5)"),
    returns("array_of_one", "Shape (1,), which broadcasts.", "np.array([0.5])"),
    returns("empty_array", "No entry, so that no entry is wrong.", "np.zeros((0,) * np.ndim(z))"),
    returns(
        "all_entries_masked",
        "A masked array that hides every entry.",
        "np.ma.masked_all(np.shape(z))",
    ),
    returns(
        "array_of_objects",
        "An array of objects that equal everything.",
        "np.full(np.shape(z), Equal(), dtype=object)",
        setup=_EQUAL.format(base=""),
    ),
    returns(
        "structured_array",
        "An array of records.",
        "np.zeros(np.shape(z), [('x', 'f8'), ('y', 'O')])",
    ),
    returns("array_of_texts", "Numbers as texts.", "np.full(np.shape(z), '0.5')"),
    returns(
        "array_of_dates",
        "Dates, whose difference is not a number.",
        "np.full(np.shape(z), np.datetime64('NaT'))",
    ),
    returns("array_of_truths", "True everywhere.", "np.ones(np.shape(z), bool)"),
    returns(
        "complex_numbers",
        "Complex numbers with a nan beside every part.",
        "np.full(np.shape(z), complex(0.5, np.nan))",
    ),
    returns("nothing", "None.", "None"),
    returns("huge_integer", "10 ** 30.", "10 ** 30"),
    returns(
        "integer_of_a_million_digits", "An integer that takes minutes to print.", "1 << 10 ** 7"
    ),
    returns("set_of_results", "A set.", "{0.5}"),
    returns("generator", "A generator that never ends.", "(0.5 for _ in iter(int, 1))"),
    returns(
        "coroutine",
        "An answer that must be awaited.",
        "answer(z)",
        setup="async def answer(z): return np.zeros(np.shape(z))",
    ),
    returns("function_as_result", "The function itself.", "softmax"),
    returns("module_as_result", "NumPy itself.", "np"),
    returns("the_argument_itself", "What came in goes out.", "z"),
    returns("exception_as_result", "An exception that was not raised.", "ValueError('0.5')"),
    returns(
        "pickle_bomb",
        "An object that runs a command when it is unpickled.",
        "Bomb()",
        setup="""
            class Bomb:
                def __reduce__(self): return os.system, ("touch /tmp/" + BRAND,)
                __reduce_ex__ = lambda self, protocol: self.__reduce__()
            """,
    ),
    returns(
        "array_interface_that_lies",
        "An object that points anywhere in memory.",
        "Liar()",
        setup="""
            class Liar:
                __array_interface__ = {
                    "data": (8, True), "shape": (9,), "typestr": "<f8", "version": 3,
                }
                def __array__(self, *a, **k): return np.zeros(3)
            """,
    ),
    returns(
        "name_of_a_type_is_hostile",
        "A type whose name is markup and control characters.",
        "Hostile()",
        setup=r"""
            Hostile = type("\x1b[31m<script>alert(1)</script>\u202e" + "x" * 10_000, (), {})
            """,
        quick=True,
    ),
    returns(
        "axes_that_are_none",
        "An object that poses as a picture.",
        "Fake()",
        setup="""
            import matplotlib.axes
            class Fake(matplotlib.axes.Axes):
                def __init__(self): pass
                images = collections = property(lambda self: [self] * 10 ** 6)
                def get_array(self): return np.zeros((1000, 1000))
            """,
    ),
    returns("more_dimensions_than_allowed", "An array of 32 dimensions.", "np.zeros((1,) * 32)"),
    returns(
        "dictionary_with_hostile_keys",
        "A mapping whose keys raise.",
        "{Key(): 1}",
        setup="""
            class Key(str):
                def __len__(self): 1 / 0
                def __str__(self): 1 / 0
            """,
    ),
    Attack(
        name="one_buffer_for_all_calls",
        sentence="Every call returns the same memory, which the next call changes.",
        sources={"softmax": _SOURCE_OF_A_COPY},
    ),
    Attack(
        name="argument_changes_later",
        sentence="Keeps the arguments of earlier calls and changes them when called again.",
        sources={
            "softmax": "KEPT = []\n\ndef softmax(z, axis=-1):\n"
            "    for old in KEPT:\n        if old.flags.writeable: old[...] = 0\n"
            "    KEPT.append(z)\n    return np.zeros(np.shape(z))\n"
        },
    ),
    Attack(
        name="only_the_visible_example",
        sentence="Knows the answers to the visible checks and nothing else.",
        sources={
            "softmax": "def softmax(z, axis=-1):\n"
            "    known = np.log([[1.0, 2.0, 5.0], [3.0, 3.0, 3.0]])\n"
            "    if np.shape(z) == (2, 3) and np.allclose(z, known):\n"
            "        return np.array([[1 / 8, 2 / 8, 5 / 8], [1 / 3, 1 / 3, 1 / 3]])\n"
            "    return np.full(np.shape(z), 0.5)\n"
        },
    ),
    Attack(
        name="right_only_where_it_is_watched",
        sentence="Calls itself right in a notebook cell and returns zeros to the grader.",
        sources={
            "softmax": "def softmax(z, axis=-1):\n"
            "    if sys._getframe(1).f_code.co_name == '<module>':\n"
            "        e = np.exp(z - np.max(z, axis=axis, keepdims=True))\n"
            "        return e / e.sum(axis=axis, keepdims=True)\n"
            "    return np.zeros(np.shape(z))\n"
        },
        quick=True,
    ),
    Attack(
        name="answers_at_random",
        sentence="Another answer with every call, in the hope that one of them counts.",
        sources={"softmax": "def softmax(z, axis=-1):\n    return np.random.rand(*np.shape(z))\n"},
    ),
)
