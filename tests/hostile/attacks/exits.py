"""Attacks that end the process, or only pretend to, at the most awkward moments."""

from __future__ import annotations

from tests.hostile.attack import HONEST_BESIDE, Attack, at_end, in_call, in_cell

_DIES_LATER = """
import signal
def die(*_): os._exit(0)
signal.signal(signal.SIGALRM, die)
signal.setitimer(signal.ITIMER_REAL, {seconds})
"""

ATTACKS = (
    in_cell("exit_in_a_cell", "sys.exit() in a cell.", "sys.exit()", **HONEST_BESIDE),
    in_cell("quit_in_a_cell", "quit() and exit in a cell.", "exit\nquit()", **HONEST_BESIDE),
    in_cell(
        "hard_exit_in_a_cell",
        "os._exit(0) in a cell: the process ends as if all were well.",
        "os._exit(0)",
        quick=True,
        **HONEST_BESIDE,
    ),
    in_cell("crash_in_a_cell", "A segmentation fault.", "ctypes.string_at(0)", **HONEST_BESIDE),
    in_call("exit_in_a_call", "sys.exit() in a function.", "sys.exit(0)", quick=True),
    in_call("hard_exit_in_a_call", "os._exit(0) in a function.", "os._exit(0)", quick=True),
    in_call("crash_in_a_call", "A segmentation fault in a function.", "ctypes.string_at(0)"),
    in_call("abort_in_a_call", "os.abort() in a function.", "os.abort()"),
    in_call("kills_itself", "SIGKILL to its own process.", "os.kill(os.getpid(), 9)"),
    in_call(
        "dies_as_the_sandbox_would",
        "The exit status and the words of a sandbox that could not be set up: our fault, not his.",
        """
        os.write(2, b"the sandbox could not be set up: seccomp: Operation not permitted")
        os._exit(99)
        """,
        quick=True,
    ),
    in_cell(
        "dies_as_the_sandbox_would_in_a_cell",
        "The same, while the notebook is loaded.",
        """
        os.write(2, b"the sandbox could not be set up: landlock: Operation not permitted")
        os._exit(99)
        """,
        **HONEST_BESIDE,
    ),
    Attack(
        name="raises_what_ends_programs",
        sentence="Raises what programs end by, a different one with every call.",
        sources={
            "softmax": "from itertools import cycle\n"
            "kinds = cycle([KeyboardInterrupt, GeneratorExit, SystemExit, StopIteration])\n\n"
            "def softmax(z, axis=-1):\n    raise next(kinds)()\n"
        },
    ),
    in_call(
        "endless_recursion",
        "Recursion without end and without a limit.",
        """
        sys.setrecursionlimit(10 ** 9)
        def deeper(n): return deeper(n + 1) + 1
        deeper(0)
        """,
    ),
    in_call(
        "endless_recursion_in_c",
        "Recursion through C code until the stack is gone.",
        """
        sys.setrecursionlimit(10 ** 9)
        nested = ()
        for _ in range(10 ** 6): nested = (nested,)
        hash(nested)
        """,
    ),
    in_cell(
        "dies_when_its_names_are_looked_up",
        "No cell kills the worker; the look-up of the functions afterwards does, every time.",
        """
        class Deadly(dict):
            def items(self): os._exit(0)
        get_ipython().definitions = Deadly()
        """,
        keeps=(),
    ),
    in_cell(
        "dies_between_the_questions",
        "A timer of one cell ends the process while another is at work.",
        _DIES_LATER.format(seconds=0.05),
        keeps=(),
    ),
    at_end(
        "dies_when_nothing_is_asked",
        "A timer ends the process after the last cell has been answered.",
        _DIES_LATER.format(seconds=0.002),
        keeps=(),
    ),
    Attack(
        name="dies_every_other_time",
        sentence="Every cell dies at random, so that every load goes another way.",
        cells=("if os.urandom(1)[0] % 2: os._exit(1)",) * 6,
    ),
    in_call(
        "exit_in_a_thread",
        "A thread ends the process when the answer is on its way.",
        "threading.Timer(0.01, os._exit, (0,)).start()",
        keeps=(),
    ),
    in_call(
        "exception_that_explodes_when_described",
        "Type name, message, traceback and cause of an exception all raise.",
        """
        class Meta(type):
            __name__ = property(lambda cls: 1 / 0)
            def __instancecheck__(cls, other): 1 / 0
        class Bomb(Exception, metaclass=Meta):
            def __str__(self): raise Bomb
            __repr__ = __str__
            __traceback__ = property(lambda self: 1 / 0)
            __class__ = property(lambda self: 1 / 0)
        raise Bomb
        """,
    ),
)
