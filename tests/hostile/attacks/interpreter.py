"""Attacks on the interpreter that tests and answers would share, if they shared one."""

from __future__ import annotations

from tests.hostile.attack import Attack, in_call, in_cell

_RUIN: dict[str, object] = {"keeps": ()}

ATTACKS = (
    in_cell(
        "comparisons_always_agree",
        "Every comparison of NumPy says yes.",
        """
        import numpy.testing
        for module in (np, np.testing):
            for name in ("allclose", "isclose", "array_equal", "array_equiv", "assert_allclose",
                         "assert_array_equal", "assert_equal", "assert_array_almost_equal"):
                if hasattr(module, name): setattr(module, name, lambda *a, **k: True)
        np.all = np.any = lambda *a, **k: np.True_
        """,
        quick=True,
        **_RUIN,
    ),
    in_cell(
        "builtins_always_agree",
        "isinstance, len, all, abs and others answer as it likes.",
        """
        import builtins
        builtins.all = builtins.any = builtins.callable = lambda *a: True
        builtins.abs = builtins.max = builtins.sum = lambda *a, **k: 0
        builtins.getattr = lambda *a: 0
        """,
        **_RUIN,
    ),
    in_cell(
        "builtins_are_gone",
        "The worker's own code finds no builtins any more.",
        """
        import builtins
        for name in list(vars(builtins)):
            if not name.startswith("__"): setattr(builtins, name, None)
        """,
        quick=True,
        **_RUIN,
    ),
    in_cell(
        "no_import_works",
        "Import itself is replaced.",
        """
        import builtins
        builtins.__import__ = lambda *a, **k: 1 / 0
        sys.meta_path.clear()
        sys.path.clear()
        sys.modules.clear()
        """,
        **_RUIN,
    ),
    in_cell(
        "later_cells_become_pass",
        "An input transformer turns every later cell into nothing.",
        """
        shell = get_ipython()
        shell.input_transformers_cleanup.append(lambda lines: ["pass\\n"])
        shell.input_transformers_post.append(lambda lines: ["pass\\n"])
        """,
        quick=True,
        **_RUIN,
    ),
    in_cell(
        "later_cells_are_rewritten",
        "A syntax tree transformer removes every assertion and every comparison.",
        """
        import ast
        class Nothing(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.copy_location(ast.Pass(), node)
            def visit_FunctionDef(self, node):
                node.body = [ast.copy_location(ast.Pass(), node)]
                return node
        get_ipython().ast_transformers.append(Nothing())
        """,
        **_RUIN,
    ),
    in_cell(
        "shell_is_replaced",
        "The shell's own methods, events, hooks and name space.",
        """
        shell = get_ipython()
        shell.run = shell.run_cell = lambda *a, **k: None
        shell.showtraceback = lambda *a, **k: None
        shell.user_ns = {"softmax": lambda *a, **k: True}
        shell.events.register("pre_run_cell", lambda *a: os.chdir("/"))
        shell.set_custom_exc((BaseException,), lambda *a, **k: None)
        sys.displayhook = sys.excepthook = lambda *a: None
        """,
        quick=True,
        **_RUIN,
    ),
    in_call(
        "arrays_are_changed_by_ctypes",
        "Writes into the type of all arrays, past NumPy's own protection.",
        """
        methods = gc.get_referents(np.ndarray.__dict__)[0]
        evil = lambda self, *a, **k: b"\\0" * 8
        for name in ("tobytes", "astype", "view", "reshape", "shape", "dtype", "nbytes"):
            methods[name] = evil
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))
        """,
        quick=True,
        **_RUIN,
    ),
    in_call(
        "small_numbers_are_changed",
        "The integer 1 becomes 0 for the whole interpreter.",
        "ctypes.memset(id(1) + 24, 0, 4)",
        **_RUIN,
    ),
    in_call(
        "code_of_the_worker_is_replaced",
        "New code objects in the worker's own functions.",
        """
        values, calls = worker("child.values"), worker("child.calls")
        def to_wire(self, value, depth=0): return True
        values.Outbox.to_wire.__code__ = to_wire.__code__
        def run(self, steps): return "passed", []
        calls.CaseRunner.run.__code__ = run.__code__
        """,
        quick=True,
        **_RUIN,
    ),
    in_call(
        "frames_are_edited",
        "Local variables of the callers, changed in their frames.",
        """
        frame = sys._getframe(1)
        while frame is not None:
            for name in ("step", "steps", "request", "runner", "outcomes", "status", "number"):
                if name in frame.f_locals:
                    frame.f_locals.update({name: 0})
                    try:
                        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
                    except AttributeError:
                        pass
            frame = frame.f_back
        """,
        **_RUIN,
    ),
    in_call(
        "tracing_sees_the_worker",
        "A trace function that reads every local variable of the worker and tells them.",
        """
        seen = []
        def spy(frame, event, arg):
            for name, value in frame.f_locals.items():
                if "expect" in name or "refer" in name or "toler" in name or "verdict" in name:
                    won(f"{name} in {frame.f_code.co_name}")
            return spy
        sys.settrace(spy)
        sys.setprofile(spy)
        """,
        **_RUIN,
    ),
    in_cell(
        "garbage_callbacks_and_resurrection",
        "Code that runs whenever the interpreter cleans up.",
        """
        class Zombie:
            def __del__(self):
                global softmax
                softmax = lambda z, axis=-1: True
                GRAVE.append(Zombie())
        GRAVE = [Zombie()]
        GRAVE.clear()
        gc.callbacks.append(lambda *a: GRAVE.append(Zombie()))
        gc.set_threshold(1, 1, 1)
        """,
        **_RUIN,
    ),
    in_cell(
        "warnings_become_errors",
        "Every warning and every numerical remark raises, in the worker too.",
        """
        import warnings
        warnings.simplefilter("error")
        np.seterr(all="raise")
        sys.set_int_max_str_digits(640)
        sys.setrecursionlimit(60)
        """,
        **_RUIN,
    ),
    in_cell(
        "streams_are_closed",
        "Standard output and error are gone or are something else.",
        """
        sys.stdout.close()
        sys.stdout = None
        sys.stderr = object()
        sys.__stderr__ = sys.__stdout__ = None
        os.closerange(0, 3)
        """,
        quick=True,
    ),
    in_cell(
        "random_numbers_are_known",
        "Seeds of all generators, to know what the grader draws.",
        """
        import random
        random.seed(0)
        np.random.seed(0)
        random.random = np.random.rand = lambda *a: 0.5
        np.random.default_rng = lambda *a: 1 / 0
        os.urandom = lambda n: bytes(n)
        """,
    ),
    in_cell(
        "environment_is_changed",
        "Folder, mask, locale, variables and time zone of the process.",
        """
        os.umask(0)
        os.chdir("/")
        os.environ.clear()
        os.environ["PYTHONPATH"] = COURSE
        os.environ["LD_PRELOAD"] = COURSE + "/evil.so"
        os.environ["TZ"] = "Mars"
        time.tzset()
        """,
    ),
    in_cell(
        "classes_pose_as_others",
        "Metaclasses make isinstance say yes for anything.",
        """
        wire = worker("wire")
        class Meta(type(wire.Call)):
            def __instancecheck__(cls, other): return True
        class Fake(metaclass=type):
            pass
        try:
            wire.SetAttribute = wire.CallMethod = wire.Construct = Fake
        except Exception:
            pass
        """,
        **_RUIN,
    ),
    Attack(
        name="private_names_of_the_grader",
        sentence="Defines the names that hidden tests call, and the modules they import.",
        cells=(
            """
def grade(*args, **kwargs): return 10.0
for name in ("autograder", "autograder.instructor", "autograder.grading", "reference"):
    fake = types.ModuleType(name)
    fake.grade = grade
    fake.__path__ = []
    sys.modules[name] = fake
get_ipython().user_ns["grade"] = grade
10.0
""",
        ),
        quick=True,
    ),
    in_cell(
        "shows_its_own_score",
        "A cell's last value is the full score, printed, returned and displayed.",
        """
        from IPython.display import display
        print(10.0)
        display(10.0)
        sys.displayhook(10.0)
        get_ipython().displayhook(10.0)
        10.0
        """,
    ),
)
