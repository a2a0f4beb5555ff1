"""Runs code cells as Jupyter does, by IPython's own shell, without a kernel.

Differences, all in the student's favour: no process is started and no input is awaited; a magic
that does not exist here is a note; and a statement that raises does not take the definitions after
it along.
"""

from __future__ import annotations

import ast
import io
import sys
from typing import Any, NamedTuple

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList

from .. import wire
from .errors import cell_file, describe
from .outputs import Recorder
from .placeholders import PlaceholderUsed

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_INSTALLERS = ("pip", "conda", "mamba", "micromamba", "uv")
_LOADERS = ("load_ext", "reload_ext")
_SCRIPTS = ("bash", "sh", "script", "system", "sx", "!", "perl", "ruby", "javascript", "js")


class _Compiler(CachingCompiler):
    """Names every cell by its index, so that a traceback tells where student code is."""

    file = cell_file(-1)

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return self.file


class _Publisher(DisplayPublisher):
    """Takes what `display()` shows."""

    shell: Any

    def publish(self, data: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        self.shell.recorder.display(data)

    def clear_output(self, wait: bool = False) -> None:
        self.shell.recorder.clear()


class _ResultHook(DisplayHook):
    """Takes the value of a cell's last expression."""

    shell: Any

    @property
    def prompt_count(self) -> int:
        return int(self.shell.execution_count)

    def quiet(self) -> bool:
        return bool(
            self.semicolon_at_end_of_expression(self.shell.source)  # type: ignore[no-untyped-call]
        )

    def write_output_prompt(self) -> None:
        """There is no prompt."""

    def write_format_data(
        self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None
    ) -> None:
        self.shell.recorder.result(format_dict, self.prompt_count)

    def log_output(self, format_dict: dict[str, Any]) -> None:
        """There is no history."""

    def finish_displayhook(self) -> None:
        self._is_active = False


class _Definition(NamedTuple):
    value: Any
    cell: int


class CellShell(InteractiveShell):
    """IPython's shell with its outputs recorded.

    `definitions` holds the last callable value of every watched name and the cell it came from.
    """

    compiler_class = _Compiler
    display_pub_class = _Publisher
    displayhook_class = _ResultHook

    def __init__(self, **kwargs: Any) -> None:
        self.recorder = Recorder(0)
        self.source = ""
        self.definitions: dict[str, _Definition] = {}
        self._watched: list[str] = []
        self._cell = -1
        self._trees: dict[str, list[ast.stmt]] = {}
        self._errors: list[BaseException] = []
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]

    # -- running a cell ----------------------------------------------------------------------------

    def watch(self, names: list[str]) -> None:
        """Remember from now on where these names are defined."""
        self._watched = names

    def tree_of(self, file: str) -> list[ast.stmt]:
        """The statements of a cell that has begun to run."""
        return self._trees.get(file, [])

    def run(self, index: int, source: str, recorder: Recorder) -> wire.Raised | None:
        """Run a cell; its first exception is returned, all are recorded as outputs."""
        self.recorder, self.source, self._cell = recorder, source, index
        compiler: Any = self.compile
        compiler.file = cell_file(index)
        self._errors = []
        self.run_cell(source, store_history=False)  # type: ignore[no-untyped-call]
        self._show_figures()
        self.execution_count += 1
        return describe(self._errors[0], within=index) if self._errors else None

    def transform_cell(self, raw_cell: str) -> str:
        """IPython drops empty lines at the top; they are put back, so that line numbers fit."""
        text: str = super().transform_cell(raw_cell)  # type: ignore[no-untyped-call]
        lines = raw_cell.splitlines()
        empty = next((n for n, line in enumerate(lines) if line.strip()), 0)
        return "\n" * empty + text

    async def run_ast_nodes(
        self,
        nodelist: list[ast.stmt],
        cell_name: str,
        interactivity: str = "last_expr",
        compiler: Any = compile,
        result: Any = None,
    ) -> bool:
        """Run statement by statement; after one that raises, go on with what does not need it.

        That is every later definition and import, or everything where the statement only used a
        module that is not available.
        """
        self._trees[cell_name] = list(nodelist)
        raised = only_definitions = False
        for node in nodelist:
            if only_definitions and not isinstance(node, _DEFINITIONS):
                continue
            mode = interactivity if node is nodelist[-1] else "none"
            if await super().run_ast_nodes([node], cell_name, mode, compiler, result):
                raised = True
                only_definitions |= not isinstance(result.error_in_exec, PlaceholderUsed)
            self._note_definitions()
        return raised

    def _note_definitions(self) -> None:
        for name in self._watched:
            value = self.user_ns.get(name)
            known = self.definitions.get(name)
            if callable(value) and (known is None or known.value is not value):
                self.definitions[name] = _Definition(value, self._cell)

    def _show_figures(self) -> None:
        """Show what the cell drew, if it loaded pyplot itself."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        try:
            for number in pyplot.get_fignums():
                figure = pyplot.figure(number)
                self.recorder.display({"image/png": png_of(figure), "text/plain": repr(figure)})
            pyplot.close("all")
        except Exception as error:
            self.recorder.error(error)

    # -- errors ------------------------------------------------------------------------------------

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        """Record an exception; IPython calls this for whatever ends a statement."""
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if error is not None:
            self._errors.append(error)
            self.recorder.error(error)

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """Record an error in the form of a cell, which then defines nothing."""
        self.showtraceback()

    def showindentationerror(self) -> None:
        """Record an error in the indentation of a cell."""
        self.showtraceback()

    def ask_exit(self) -> None:
        """`exit` and `quit` end the statement, not the process."""
        raise SystemExit

    # -- what is not done while grading ------------------------------------------------------------

    def system(self, command: str) -> None:
        """`!command`: no process is started."""
        self.recorder.note(f"not run while grading: !{command.strip()}")

    system_piped = system_raw = system

    def getoutput(self, command: str, split: bool = True, depth: int = 0) -> Any:
        """`x = !command`: no process is started, x is empty."""
        self.system(command)
        return SList([]) if split else ""

    def enable_gui(self, gui: str | None = None) -> None:
        """There is no window."""

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run a magic; one that does not exist or cannot be used here is a note."""
        if magic_name in _INSTALLERS:
            self.recorder.note(f"not run while grading: %{magic_name} {line}")
            return None
        if magic_name == "matplotlib":
            return None  # figures are shown in any case
        try:
            return super().run_line_magic(magic_name, line, _stack_depth + 1)
        except UsageError as error:
            self.recorder.note(str(error))
        except ModuleNotFoundError as error:
            if magic_name not in _LOADERS:
                raise
            self.recorder.note(str(error))
        return None

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run a cell magic; scripts in other languages are not run."""
        if magic_name in _SCRIPTS:
            self.recorder.note(f"not run while grading: %%{magic_name}")
            return None
        if magic_name == "time":  # as any other cell, so that it is as robust; nobody is timed
            above = len(self.source.splitlines()) - len(cell.splitlines())
            self.run_cell("\n" * above + cell, store_history=False)  # type: ignore[no-untyped-call]
            return None
        try:
            return super().run_cell_magic(magic_name, line, cell)  # type: ignore[no-untyped-call]
        except UsageError as error:
            self.recorder.note(str(error))
            return None


def png_of(figure: Any) -> bytes:
    """A Matplotlib figure as a PNG image."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return buffer.getvalue()
