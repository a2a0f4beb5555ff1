"""Attacks on the protocol: forged, broken and endless messages, and the code that makes them."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from tests.hostile.attack import ZEROS, Attack, at_end, in_call, in_cell


def _forged(name: str, sentence: str, value: str, **more: Any) -> Attack:
    """Every result of softmax goes out as this MessagePack value."""
    source = f"""
calls, wire = worker("child.calls"), worker("wire")
import msgspec
FORGED = {value}
class Forger(calls.CaseRunner):
    def run(self, steps):
        status, outcomes = calls.CaseRunner.run(self, steps)
        return status, [FORGED for _ in outcomes]
worker("child.serve").CaseRunner = Forger
"""
    return Attack(name=name, sentence=sentence, cells=(source,), keeps=(), **more)


_ATTENTION = """
def self_attention(X, W_Q, W_K, W_V, mask=None, scale=True):
    {body}
    n = len(X)
    return np.zeros((n, np.shape(W_V)[1])), np.zeros((n, n))
"""


def _dependant(name: str, sentence: str, body: str, **more: Any) -> Attack:
    """A worthless self_attention on a worthless softmax, which the grader then answers for."""
    lines = "\n    ".join(dedent(body).strip().splitlines())
    sources = {"softmax": ZEROS, "self_attention": _ATTENTION.format(body=lines)}
    worth = {"softmax": 0.0, "self_attention": 0.0}
    keeps = ("self_attention_loop", "causal_mask")
    return Attack(
        name=name,
        sentence=sentence,
        **{"sources": sources, "worth": worth, "keeps": keeps, **more},
    )


_STAND_INS = (
    _dependant(
        "asks_the_stand_in_without_end",
        "Keeps the grader busy with the largest inputs that a stand-in takes.",
        "while True: softmax(np.ones((512, 128)))",
    ),
    _dependant(
        "asks_the_stand_in_for_too_much",
        "Inputs far beyond any case: the grader would compute them.",
        """
        for shape in ((10 ** 4, 10 ** 2), (10 ** 6,), (2,) * 8, (0, 10 ** 9)):
            try:
                softmax(np.ones(shape))
            except Exception:
                pass
        """,
    ),
    _dependant(
        "asks_the_stand_in_with_hostile_arguments",
        "Arguments of every kind but the right one, for code that runs in the grader.",
        """
        nest = []
        for _ in range(7): nest = [nest, nest]
        for args, kwargs in (
            ((), {}), ((X,) * 60, {}), ((X,), {"axis": 10 ** 18}), ((X,), {"axis": None}),
            ((X,), {"axis": (0, 0)}), ((X,), {"axis": "x"}), ((X,), {"out": X}), ((nest,), {}),
            (("x" * 60000,), {}), ((None,), {}), (({"a": X},), {}), ((np.array(["x"]),), {}),
            ((np.array(np.nan),), {}), ((1j,), {}), ((2 ** 63,), {}), ((X.astype("f2"),), {}),
            ((X > 0,), {}), ((X,), {"__class__": 1, "self": 2, "z": X}), ((X, X), {"axis": X}),
            ((np.full((2, 2), -2 ** 63),), {}), (([[1], [1, 2]],), {}), ((object(),), {}),
        ):
            try:
                softmax(*args, **kwargs)
            except Exception:
                pass
        """,
        quick=True,
    ),
    _dependant(
        "keeps_the_answers_of_the_stand_in",
        "Writes down what the grader answers, so that its own softmax can look it up later.",
        """
        import pickle
        answers = {z.tobytes(): np.asarray(softmax(z)) for z in (X, X.T, X @ X.T)}
        for place in (".", "/tmp", "/dev/shm", "/var/tmp"):
            try:
                with open(place + "/answers-" + BRAND, "wb") as file: pickle.dump(answers, file)
            except OSError:
                pass
        """,
        runs=2,
    ),
    Attack(
        name="forges_what_the_stand_in_was_asked",
        sentence="Asks for another function than the one that is answered for, under its name.",
        sources={
            "softmax": ZEROS,
            "self_attention": _ATTENTION.format(
                body="for name in ('self_attention', 'causal_mask', '__import__', 'softmax'):\n"
                "        said('stand_in', batch()[1].request, name, [], {})"
            ),
        },
        worth={"softmax": 0.0, "self_attention": 0.0},
        keeps=("self_attention_loop", "causal_mask"),
        quick=True,
    ),
)

ATTACKS = (
    *_STAND_INS,
    in_call(
        "closes_everything", "Closes all file descriptors.", "os.closerange(0, 4096)", quick=True
    ),
    in_call(
        "closes_its_connection_and_stays",
        "Closes the socket and works on.",
        "os.close(connection())\ntime.sleep(60)",
    ),
    in_call(
        "random_bytes",
        "Noise on the socket.",
        "os.write(connection(), os.urandom(10_000))",
        quick=True,
    ),
    in_call(
        "announces_four_gigabytes",
        "A length of 4 GiB, so that the grader makes room for it.",
        "os.write(connection(), b'\\xff\\xff\\xff\\xff' + b'x' * 1000)",
        quick=True,
    ),
    in_call(
        "half_a_message",
        "Begins a message and never ends it.",
        "os.write(connection(), b'\\0\\0\\x10\\0half')\ntime.sleep(60)",
    ),
    in_call(
        "trickles",
        "A message of 8 MiB, one byte at a time: every byte is a sign of life.",
        """
        os.write(connection(), b"\\0\\x7f\\xff\\xff")
        while True:
            os.write(connection(), b"x")
            time.sleep(0.05)
        """,
    ),
    in_call(
        "floods",
        "Messages without end.",
        "while True: os.write(connection(), b'\\0\\0\\0\\x02\\x91\\xa5' * 1000)",
    ),
    in_call(
        "floods_with_valid_messages",
        "Well-formed messages without end, to fill the grader's memory.",
        """
        import msgspec
        data = msgspec.msgpack.encode(["ready"])
        frame = (struct.pack(">I", len(data)) + data) * 1000
        while True: os.write(connection(), frame)
        """,
    ),
    in_cell(
        "floods_between_the_questions",
        "Answers that nobody asked for, ahead of the questions.",
        """
        for number in range(1, 40):
            said("cell_done", number, [], None, [], False)
            said("resolved", number, [["softmax", 0]])
        """,
        keeps=(),
    ),
    in_call(
        "forged_pass",
        "Says of every case that it passed, without any outcome.",
        """
        _, request = batch()
        for number in range(len(request.cases)):
            said("case_done", request.request, number, "passed", [])
        said("batch_done", request.request)
        """,
        quick=True,
    ),
    in_call(
        "forged_answers_of_zeros",
        "Answers all cases of the batch at once, and takes the worker's own voice.",
        """
        import msgspec
        _, request = batch()
        wire = worker("wire")
        for number, case in enumerate(request.cases):
            steps = wire.decode_case(memoryview(case))
            zeros = ["returned", ["a", "<f8", [1], bytes(8)]]
            said("case_done", request.request, number, "passed", [zeros] * len(steps))
        said("batch_done", request.request)
        os.close(connection())
        """,
        keeps=(),
    ),
    in_call(
        "forged_answers_from_the_arguments",
        "Sends back the arguments of every case in its place: perhaps one of them is right.",
        """
        _, request = batch()
        wire = worker("wire")
        for number, case in enumerate(request.cases):
            out = []
            for step in wire.decode_case(memoryview(case)):
                value = step.args[0]
                value = getattr(value, "value", value)
                value = wire.Echo(value, list(step.args), dict(step.kwargs)) if step.echo else value
                out.append(wire.Returned(value))
            try:
                data = wire.frame(wire.CaseDone(request.request, number, "passed", out))
            except wire.ProtocolError:
                break
            os.write(connection(), data)
        os.write(connection(), wire.frame(wire.BatchDone(request.request)))
        time.sleep(60)
        """,
        quick=True,
    ),
    in_call(
        "ends_the_batch_early",
        "Says that all is done before anything is.",
        "_, request = batch()\nsaid('batch_done', request.request)",
    ),
    in_call(
        "answers_out_of_order",
        "Answers the last case first, and one that was not asked.",
        """
        _, request = batch()
        for number in (len(request.cases) - 1, 99, 0):
            said("case_done", request.request, number, "passed", [["returned", 1.0]])
        """,
    ),
    in_call(
        "asks_the_grader_for_the_answer",
        "A stand-in request that nobody opened: the grader would compute softmax itself.",
        """
        _, request = batch()
        wire = worker("wire")
        message = wire.StandInRequest(
            request.request, "softmax", [wire.array_to_wire(np.ones((2, 2)), "<f8")], {}
        )
        os.write(connection(), wire.frame(message))
        os.set_blocking(connection(), False)
        time.sleep(0.2)
        try:
            reply = os.read(connection(), 1 << 16)
        except OSError:
            reply = b""
        if reply: won(f"the grader answered {reply[:50]!r}")
        """,
        quick=True,
    ),
    at_end(
        "claims_functions_that_are_not_there",
        "Says that functions were found: real ones, made-up ones, thousands of them.",
        """
        wire, serve = worker("wire"), worker("child.serve")
        def resolve(self, request):
            names = ["softmax", "self_attention", "__class__", "x" * 200, "\\x1b[31mred"]
            names += map(str, range(900))
            self._functions = {}
            self._link.send(wire.NamesResolved(request.request, [wire.Found(n, -1) for n in names]))
        serve.Server._resolve = resolve
        """,
        keeps=(),
        quick=True,
    ),
    at_end(
        "claims_a_thousand_outputs",
        "Outputs as large and as many as a message allows, straight from the protocol.",
        """
        wire, serve = worker("wire"), worker("child.serve")
        def run_cell(self, request):
            outputs = [wire.Stream("stdout", "x" * 700) for _ in range(10_000)]
            self._link.send(wire.CellDone(request.request, outputs, None, ["y" * 200] * 100, False))
        serve.Server._run_cell = run_cell
        """,
        keeps=(),
    ),
    in_cell(
        "claims_outputs_with_markup",
        "Outputs that the worker would never let through: HTML, SVG, scripts, control characters.",
        """
        wire, serve = worker("wire"), worker("child.serve")
        def run_cell(self, request):
            html = "<script>alert('PW' + 'NED')</script>\\x1b[2J"
            outputs = [
                wire.Display({"text/html": html, "image/svg+xml": html, "text/plain": html}),
                wire.Result({"application/javascript": html, "image/png": html}, 2 ** 62),
                wire.Error("\\x1b]0;title\\x07", "\\u202e" + html, ["\\x1b[31m" + html] * 100),
                wire.Stream("stderr", "\\x9b31m\\r\\x08" + html),
            ]
            error = wire.Raised("\\x1b[1m<b>", html, 1 << 30, 1 << 20)
            self._link.send(wire.CellDone(request.request, outputs, error, [html[:200]], True))
        serve.Server._run_cell = run_cell
        """,
        keeps=(),
        quick=True,
    ),
    _forged("forged_nothing", "Every result is None.", "wire.Returned(None)"),
    _forged(
        "forged_echo",
        "A result together with arguments, where none were asked for.",
        "wire.Returned(wire.Echo(None, [], {}))",
        quick=True,
    ),
    _forged(
        "forged_echo_of_too_much",
        "Arguments that were never sent.",
        "wire.Returned(wire.Echo(0.5, [None] * 60, {'axis': None, 'z' * 200: True}))",
    ),
    _forged("forged_handle", "An object that is not there.", "wire.Returned(wire.Handle(63))"),
    _forged("forged_mapping", "A mapping.", "wire.Returned(wire.Mapping({'a': 1.0, '': None}))"),
    _forged(
        "forged_dict",
        "A dict with the same key many times, and one that is no number.",
        "wire.Returned(wire.Pairs([1, True, 1.0, float('nan'), None], [0.5] * 5))",
    ),
    _forged("forged_text", "A text.", "wire.Returned('0.5 ' * 100)"),
    _forged("forged_truth", "True for everything.", "wire.Returned(True)", quick=True),
    _forged(
        "forged_axes",
        "A picture's axes.",
        "wire.Returned(wire.Axes([wire.Image(wire.Array('|u1', (2, 1, 1), b'ab'), ['x'] * 9, [])],"
        " '', '\\x1b[31m', '<b>'))",
    ),
    _forged(
        "forged_deep_list",
        "A list nested deeper than any honest one.",
        "wire.Returned(eval('wire.Items(\"list\", [' * 40 + '1.0' + '])' * 40))",
    ),
    _forged(
        "forged_ragged_list",
        "Lists of lists that are no array, with numbers of every kind.",
        "wire.Returned(wire.Items('list', [wire.Items('list', [1, None]), wire.Items('tuple', []),"
        " 2 ** 64 - 1, wire.Complex(float('nan'), float('inf')), True, 'x', wire.Opaque('y')]))",
        quick=True,
    ),
    _forged(
        "forged_arrays_of_odd_types",
        "Arrays of complex, of unsigned and of half numbers, with nan where no nan may be.",
        "wire.Returned(wire.Items('tuple', [wire.Array('<c16', (2,), b'\\xff' * 32),"
        " wire.Array('<f2', (1,), b'\\xff\\xff'), wire.Array('<u8', (), b'\\xff' * 8),"
        " wire.Array('|b1', (0, 5), b'')]))",
    ),
    Attack(
        name="forged_exception_text",
        sentence="An exception whose every text is hostile and as long as may be.",
        cells=(
            """
calls, wire = worker("child.calls"), worker("wire")
FORGED = wire.Raised(
    "\\x1b[31m<b>" * 20, "\\u202e<script>[x](javascript:1)\\x1b]8;;" * 8, 1 << 30, 1 << 20
)
calls.CaseRunner.run = lambda self, steps: ("exception", [FORGED])
""",
        ),
        keeps=(),
        quick=True,
    ),
    _forged(
        "forged_unknown_status",
        "A status that only the grader gives.",
        "msgspec.Raw(msgspec.msgpack.encode(['returned', None, 'passed', 10.0]))",
    ),
    Attack(
        name="replaces_the_step",
        sentence="The worker's own step gives back an argument in place of the result.",
        cells=(
            "values, calls = worker('child.values'), worker('child.calls')\n"
            "def step(self, number, step, objects, outbox):\n"
            "    return outbox.to_wire(values.from_wire(step.args[0], objects))\n"
            "calls.CaseRunner._step = step\n",
        ),
        keeps=(),
        quick=True,
    ),
    Attack(
        name="hides_the_echo",
        sentence="Where arguments are asked back, it sends only the result.",
        cells=("worker('child.calls')._echo = lambda answer, *rest: answer\n",),
        keeps=(),
        quick=True,
    ),
    in_cell(
        "fakes_modules",
        "None and empty modules in place of what the worker needs.",
        """
        for name in ("json", "socket", "msgspec", "struct", "numpy", "os", "traceback", "IPython"):
            sys.modules[name] = None
        worker("wire").msgspec = types.ModuleType("msgspec")
        """,
        keeps=(),
        quick=True,
    ),
    in_cell(
        "breaks_the_encoder",
        "The worker can no longer speak.",
        """
        wire = worker("wire")
        wire.frame = wire.encode = lambda message: b""
        wire.HEADER = None
        """,
        keeps=(),
    ),
    in_cell(
        "finds_the_server_in_memory",
        "Takes the worker's server out of the garbage collector's lists and answers for it.",
        """
        server = next(o for o in gc.get_objects() if type(o).__name__ == "Server")
        link, wire = server._link, worker("wire")
        class Mouth:
            def receive(self): return link.receive()
            def send(self, reply):
                if type(reply).__name__ == "CaseDone":
                    zeros = wire.Returned(wire.Array("<f8", (1,), bytes(8)))
                    outcomes = [zeros] * len(reply.outcomes)
                    reply = wire.CaseDone(reply.request, reply.case, "passed", outcomes)
                link.send(reply)
        server._link = Mouth()
        """,
        keeps=(),
    ),
    in_call(
        "searches_its_memory_for_the_answers",
        "Expected values and names of laws, in all memory that it can reach.",
        """
        import math
        wire = worker("wire")
        needles = [rb"rows_sum_to_on[e]"]
        for case in batch()[1].cases:
            step = wire.decode_case(memoryview(case))[0]
            z = getattr(step.args[0], "value", step.args[0])
            if step.kwargs.get("axis") != -1 or not isinstance(z, wire.Array): continue
            if len(z.shape) < 2 or 0 in z.shape or z.shape[-1] < 2 or z.dtype != "<f8": continue
            row = wire.array_from_wire(z).reshape(-1, z.shape[-1])[0].tolist()
            if not math.isfinite(max(row)) or min(row) < max(row) - 30: continue
            parts = [math.exp(x - max(row)) for x in row]
            # the lowest byte is rounding; nothing here is in memory as the bytes looked for
            pair = [struct.pack("<d", part / sum(parts))[1:] for part in parts[:2]]
            escaped = ["".join(f"\\\\x{b:02x}" for b in weight) for weight in pair]
            needles.append((escaped[0] + "." + escaped[1]).encode())
            if len(needles) == 3: break
        patterns = [re.compile(needle, re.DOTALL) for needle in needles]
        end = time.monotonic() + 0.35

        def look(data):
            for pattern in patterns:
                if time.monotonic() > end: return
                hit = pattern.search(data)
                if hit: won(f"{hit[0]!r} is in memory")

        try:
            memory = open("/proc/self/mem", "rb", 0)
            maps = open("/proc/self/maps").read().splitlines()
        except OSError:
            for thing in gc.get_objects():
                for part in gc.get_referents(thing):
                    if isinstance(part, (bytes, bytearray)): look(part)
            maps = []
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw"): continue
            low, high = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(low)
                data = memory.read(min(high - low, 32 << 20))
            except (OSError, ValueError, OverflowError, MemoryError):
                continue
            look(data)
        """,
        quick=True,
    ),
)
