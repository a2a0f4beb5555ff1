"""Attacks on whoever reads the report: in a browser, in a terminal, in a spreadsheet."""

from __future__ import annotations

from tests.hostile.attack import Attack, Json, edits, in_call, in_cell

SCRIPT = "<script>alert('owned')</script>"
"""What no page may hold as it stands."""

_MARKUP = (
    SCRIPT + "<img src=x onerror=alert('owned')>[x](javascript:alert('owned'))"
    "[bold red]rich[/][link=file:///etc/passwd]link[/link]{{ 7 * 7 }}{% raw %}$\\href{x}{y}$"
    "=cmd|' /C calc'!A0\x1b[31mred\x1b]0;title\x07\x1b]8;;http://x\x07\r\x08\u202eevil\ud800\0"
)


def _answer_with_markup(made: Json) -> None:
    cells = made["cells"]
    for one in cells:
        if "YOUR ANSWER HERE" in str(one["source"]):
            one["source"] = f"My answer {SCRIPT} <iframe src=javascript:alert(1)></iframe>"
    text = f"# {SCRIPT}\n\n<svg onload=alert('owned')>"
    cells.append({"cell_type": "markdown", "id": "text", "metadata": {}, "source": text})


ATTACKS = (
    in_cell(
        "displays_a_script",
        "HTML, JavaScript, SVG and other rich displays with a script in them.",
        f"""
        from IPython.display import HTML, Javascript, SVG, Markdown, Latex, IFrame, display
        bad = {SCRIPT!r}
        for kind in (HTML, Javascript, Markdown, Latex): display(kind(bad))
        display(IFrame("javascript:alert('owned')", 100, 100))
        display({{"text/html": bad, "image/svg+xml": bad, "image/png": bad, "text/plain": bad,
                 "application/vnd.jupyter.widget-view+json": bad, "evil/" + bad: bad}}, raw=True)
        HTML(bad)
        """,
        quick=True,
    ),
    in_cell(
        "objects_show_a_script",
        "Representations in every form that IPython knows.",
        f"""
        class Evil:
            def __repr__(self): return {SCRIPT!r}
            def _repr_html_(self): return {SCRIPT!r}
            _repr_svg_ = _repr_markdown_ = _repr_latex_ = _repr_javascript_ = _repr_html_
            def _repr_png_(self): return {SCRIPT!r}.encode()
            def _repr_jpeg_(self): return b"\\xff" * 100
            def _repr_mimebundle_(self, **_): return {{"text/html": {SCRIPT!r}, "x" * 300: "y"}}
        Evil()
        """,
    ),
    in_cell(
        "representation_that_raises",
        "Representations that raise, exit or give back no text.",
        """
        from IPython.display import display
        class Odd:
            def __init__(self, value): self.value = value
            def __repr__(self):
                if isinstance(self.value, BaseException): raise self.value
                return self.value
        raised = ValueError("x"), SystemExit(3), KeyboardInterrupt()
        for value in (*raised, None, 7, b"x", "x" * 10 ** 7):
            try:
                display(Odd(value))
            except BaseException as error:
                print(type(error))
        """,
    ),
    in_cell(
        "prints_control_characters",
        "Colours, titles, links, erased lines and reversed text in what is printed.",
        f"""
        print({_MARKUP!r})
        print({_MARKUP!r}, file=sys.stderr)
        print("\\x1b[2J\\x1b[H" * 1000, "\\x9b31m", "\\u2066\\u200b\\ufeff", sep="")
        """,
        quick=True,
    ),
    in_call(
        "exception_with_markup",
        "HTML, Markdown, Rich markup, formulas and control characters in a message.",
        f"raise ValueError({_MARKUP!r})",
        quick=True,
    ),
    in_call(
        "exception_type_with_markup",
        "The same in the name of the exception's type.",
        f"raise type({_MARKUP!r}.replace(chr(0), ''), (Exception,), {{}})({_MARKUP!r})",
        quick=True,
    ),
    in_cell(
        "exception_with_markup_in_a_cell",
        "The same in a cell, with a cause, notes and a group.",
        f"""
        try:
            raise ValueError({_MARKUP!r})
        except ValueError as error:
            error.add_note({_MARKUP!r})
            raise ExceptionGroup({_MARKUP!r}, [error] * 100) from error
        """,
    ),
    in_cell(
        "prints_forever",
        "Prints until it is stopped.",
        "while True: print('x' * 1000)",
        quick=True,
    ),
    in_call(
        "prints_forever_while_called", "The same in a function.", "while True: print('x' * 1000)"
    ),
    in_call(
        "writes_forever_to_its_descriptor",
        "Fills the pipe to the grader, past Python's own streams.",
        "while True: os.write(1, b'x' * 65536)",
    ),
    in_cell(
        "one_line_of_40_megabytes",
        "One line that no editor opens.",
        "print('x' * 40_000_000)",
        quick=True,
    ),
    in_cell("a_hundred_thousand_lines", "Lines without end.", "for n in range(100_000): print(n)"),
    in_cell(
        "ten_thousand_displays",
        "Displays without end, each of its own kind.",
        """
        from IPython.display import display
        for n in range(10_000): display(n, display_id=True)
        """,
    ),
    in_cell(
        "picture_that_is_none",
        "A picture that is a page, and one that is a bomb.",
        f"""
        import base64, zlib
        from IPython.display import display
        page = base64.b64encode({SCRIPT!r}.encode()).decode()
        display({{"image/png": page}}, raw=True)
        display({{"image/png": page + '"><script>'}}, raw=True)
        display({{"image/jpeg": "A" * 5_000_000}}, raw=True)
        """,
    ),
    in_cell(
        "figures_without_end",
        "A figure as large as a house, and two hundred small ones.",
        """
        import matplotlib.pyplot as plt
        for _ in range(200): plt.figure(figsize=(1, 1))
        plt.figure(figsize=(2000, 2000))
        """,
    ),
    in_call(
        "message_in_every_writing",
        "Half characters, zero bytes and other text that can't be written down.",
        "raise ValueError('\\ud800\\udfff\\0\\x85\\u2028\\ufffe' + chr(0x10FFFF) * 400)",
    ),
    edits(
        "script_in_a_text_cell",
        "The written answer and a text cell hold scripts.",
        _answer_with_markup,
    ),
    Attack(
        name="function_with_hostile_names",
        sentence="Names of functions, arguments and files of code that are markup.",
        sources={
            "softmax": "def softmax(z, axis=-1):\n"
            f"    code = compile('1 / 0', {SCRIPT!r}, 'exec')\n"
            "    exec(code)\n\n"
            f"softmax.__name__ = softmax.__qualname__ = {SCRIPT!r}\n"
        },
    ),
)
