"""Attacks on time: loops, sleeps, and work that nothing in Python can interrupt."""

from __future__ import annotations

from tests.hostile.attack import EVERY, HONEST_BESIDE, ZEROS, Attack, at_end, in_call, in_cell

ATTACKS = (
    in_call("endless_loop", "A function that never returns.", "while True: pass", quick=True),
    in_call(
        "endless_loop_that_swallows_everything",
        "A loop that ignores every signal and catches every exception.",
        """
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            try:
                while True: pass
            except BaseException:
                pass
        """,
    ),
    in_call(
        "endless_work_in_c",
        "Linear algebra that holds the interpreter for minutes.",
        "np.linalg.svd(np.random.rand(1500, 1500))",
    ),
    in_call("endless_power", "An integer of 100 million digits.", "str(10 ** 10 ** 8)"),
    in_call(
        "endless_regular_expression",
        "Backtracking without end, inside the regular expression engine.",
        "re.match(r'(a+)+$', 'a' * 64 + 'b')",
    ),
    in_call("sleep", "A function that sleeps for three years.", "time.sleep(1e8)"),
    in_call(
        "stops_itself",
        "The process stops itself, so that it can't react to anything.",
        "os.kill(os.getpid(), signal.SIGSTOP)",
    ),
    Attack(
        name="just_below_the_limit",
        sentence="Every call takes nearly as long as a case may, to use up the grader's day.",
        sources={
            "softmax": "def softmax(z, axis=-1):\n    time.sleep(0.3)\n"
            "    return np.zeros(np.shape(z))\n"
        },
        keeps=(),
    ),
    in_call(
        "alarm_in_the_middle_of_everything",
        "A timer raises wherever the worker happens to be.",
        """
        def ring(*_): raise KeyboardInterrupt("ring")
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        """,
        keeps=(),
    ),
    in_call(
        "trace_function_that_sleeps",
        "Every line of the worker's own code is made slow.",
        """
        def slow(*_):
            time.sleep(0.01)
            return slow
        sys.settrace(slow)
        """,
        keeps=(),
    ),
    in_cell(
        "endless_loop_in_a_cell",
        "A cell that never ends, before right answers.",
        "while True: pass",
        quick=True,
        **HONEST_BESIDE,
    ),
    at_end(
        "endless_loop_in_the_last_cell",
        "A cell that never ends, after right answers.",
        "import itertools\nfor _ in itertools.repeat(0): pass",
        **HONEST_BESIDE,
    ),
    Attack(
        name="thirty_endless_cells",
        sentence="Thirty cells that never end: each costs a worker.",
        cells=("while True: pass",) * 30,
        keeps=(),
    ),
    Attack(
        name="magic_that_never_ends",
        sentence="Loops behind magics, top-level await and a display.",
        cells=(
            "%time\nwhile True: pass",
            "await asyncio.sleep(1e8)",
            "class Slow:\n    def __repr__(self):\n        while True: pass\nSlow()",
        ),
        **HONEST_BESIDE,
    ),
    in_cell(
        "loop_in_every_attribute",
        "Looking at the function is enough to hang.",
        """
        class Trap:
            def __getattribute__(self, name):
                while True: pass
            def __call__(self, z, axis=-1):
                return np.zeros(np.shape(z))
        """,
        sources={"softmax": "softmax = Trap()\n"},
    ),
    in_call(
        "loop_when_the_exception_is_shown",
        "The message of an exception takes for ever.",
        """
        class Slow(Exception):
            def __str__(self):
                while True: pass
        raise Slow
        """,
    ),
    in_call(
        "loop_when_rubbish_is_collected",
        "The garbage collector calls what never returns.",
        """
        class Sticky:
            def __init__(self): self.me = self
            def __del__(self):
                while True: pass
        Sticky()
        gc.collect()
        """,
    ),
    in_cell(
        "loop_at_exit",
        "The process refuses to end.",
        """
        import atexit
        def stay():
            while True: time.sleep(1)
        atexit.register(stay)
        threading._register_atexit(stay)
        sys.exit(3)
        """,
    ),
    Attack(
        name="loops_every_other_time",
        sentence="Hangs at random, so that no worker is like the one before.",
        cells=("if os.urandom(1)[0] % 2:\n    while True: pass",),
        sources={"softmax": ZEROS},
        worth={"softmax": 0.0},
        keeps=tuple(name for name in EVERY if name != "softmax"),
    ),
)
