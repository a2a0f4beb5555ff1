"""A student's notebook, running in this process."""

from __future__ import annotations

import builtins
import getpass
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from traitlets.config import Config

from .. import wire
from .outputs import CellStream, Recorder
from .shell import CellShell, png_of


class Notebook:
    """Cells go in, outputs and functions come out.

    It is built before anything of a submission is known, and told by `expect`.
    """

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        config.InteractiveShell.xmode = "Minimal"
        self.stdout, self.stderr = CellStream("stdout"), CellStream("stderr")
        sys.stdout, sys.stderr = self.stdout, self.stderr
        self.shell: Any = CellShell.instance(config=config)
        self._text_limit = 0
        formatter: Any = self.shell.display_formatter
        png = formatter.formatters["image/png"]
        png.for_type_by_name("matplotlib.figure", "Figure", png_of)
        # IPython's advice to whoever calls exit() in a terminal
        warnings.filterwarnings("ignore", message="To exit: use")
        builtins.input = self._input
        getpass.getpass = self._input

    def warm_up(self) -> None:
        """Run a cell that does nothing, so that what a first cell loads is loaded; forget it."""
        self.run(-1, "pass")
        self.shell.execution_count = 1

    def expect(self, load: wire.Load) -> None:
        """Take in what the grader says of the submission."""
        self.shell.watch(load.names)
        self._text_limit = load.output_bytes

    @property
    def names(self) -> dict[str, Any]:
        """The notebook's global variables."""
        namespace: dict[str, Any] = self.shell.user_ns
        return namespace

    def run(self, index: int, source: str) -> tuple[list[wire.Output], wire.Raised | None]:
        """Run a cell; gives its outputs and its first exception."""
        recorder = Recorder(self._text_limit)
        with self._recording(recorder):
            error = self.shell.run(index, source, recorder)
        return recorder.outputs(), error

    @contextmanager
    def _recording(self, recorder: Recorder) -> Iterator[None]:
        # a cell may have replaced the streams; the next one starts with ours again
        sys.stdout, sys.stderr = self.stdout, self.stderr
        self.stdout.recorder = self.stderr.recorder = recorder
        try:
            yield
        finally:
            self.stdout.recorder = self.stderr.recorder = None

    def _input(self, prompt: object = "", *args: Any, **kwargs: Any) -> str:
        """Nobody is there to answer."""
        if self.stdout.recorder is not None:
            self.stdout.recorder.note(f"not asked while grading: {prompt}")
        return ""

    def functions(self) -> dict[str, tuple[Any, int]]:
        """Each watched name's value if that is callable, else the last definition that was."""
        return {name: (found.value, found.cell) for name, found in self.shell.definitions.items()}
