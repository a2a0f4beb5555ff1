"""What a cell shows: text, displays, its result and its errors, each kept up to a size."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any, Literal

from .. import wire
from .errors import as_output, clip

_DISPLAY_BYTES = 4 << 20
_MAX_OUTPUTS = 200
_CUT = "\n[more output was cut]\n"


class Recorder:
    """Collects the outputs of one cell, in order; neighbouring texts of one stream are joined."""

    def __init__(self, text_limit: int) -> None:
        self._text_left = text_limit
        self._display_left = _DISPLAY_BYTES
        self._outputs: list[wire.Output | tuple[Literal["stdout", "stderr"], list[str]]] = []

    def write(self, name: Literal["stdout", "stderr"], text: str) -> None:
        """Keep a piece of text, up to the limit of the cell."""
        if self._text_left <= 0:
            return
        piece = clip(text, self._text_left)
        self._text_left -= len(text)
        if self._text_left <= 0:
            piece += _CUT
        last = self._outputs[-1] if self._outputs else None
        if isinstance(last, tuple) and last[0] == name:
            last[1].append(piece)
        elif len(self._outputs) < _MAX_OUTPUTS:
            self._outputs.append((name, [piece]))

    def note(self, text: str) -> None:
        """Say in the cell's output what was not done while grading."""
        self.write("stdout", f"[{text}]\n")

    def display(self, data: Mapping[str, Any]) -> None:
        """Keep something displayed."""
        bundle = self._bundle(data)
        if bundle:
            self._add(wire.Display(bundle))

    def result(self, data: Mapping[str, Any], count: int) -> None:
        """Keep the value of the last expression."""
        bundle = self._bundle(data)
        if bundle:
            self._add(wire.Result(bundle, count))

    def error(self, error: BaseException) -> None:
        """Keep an exception."""
        self._add(as_output(error))

    def clear(self) -> None:
        """Forget all outputs, as `clear_output()` asks."""
        self._outputs.clear()

    def _add(self, output: wire.Output) -> None:
        if len(self._outputs) < _MAX_OUTPUTS:
            self._outputs.append(output)

    def _bundle(self, data: Mapping[str, Any]) -> dict[str, str]:
        bundle = {}
        for media_type, content in data.items():
            text = base64.b64encode(content).decode() if isinstance(content, bytes) else content
            if not isinstance(text, str):
                continue
            if len(text) > self._display_left:
                self.note(f"a display of {len(text)} characters was left out")
                continue
            self._display_left -= len(text)
            bundle[media_type] = clip(text, len(text))
        return bundle

    def outputs(self) -> list[wire.Output]:
        """All outputs, in order."""
        return [
            wire.Stream(output[0], "".join(output[1])) if isinstance(output, tuple) else output
            for output in self._outputs
        ]


class CellStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`: goes to the recorder of the running cell, else nowhere."""

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        super().__init__()
        self.name = name
        self.recorder: Recorder | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Text is UTF-8."""
        return "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keep or drop the text; printing while a function is called costs nothing."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.recorder is not None:
            self.recorder.write(self.name, text)
        return len(text)
