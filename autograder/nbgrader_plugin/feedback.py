"""What students may see of their graded notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.preprocessors.base import NbGraderPreprocessor
from traitlets import List
from traitlets.config import Config

from autograder.nbgrader_plugin.context import Context
from autograder.nbgrader_plugin.safe_html import PICTURE, clean, from_markdown, from_plain
from autograder.nbgrader_plugin.secrets import Secrets, environment_values, hidden_lines
from autograder.settings import Settings
from autograder.worker.hygiene import clean_text

HIDDEN_TEST = "# The checks of this cell are not shown. Its report is below."

_LONGEST = 1 << 20
_ID = {"grade_id", "cell_type"}
_NUMBERS = {"score", "points"}
_FLAGS = {"grade", "solution", "task", "locked"}


class RedactFeedback(NbGraderPreprocessor):
    """Leaves in a notebook what may stand in its student's page, and nothing else.

    Test sources, tracebacks and secrets are hidden. HTML and Markdown are cleaned of what would run
    something or fetch something; plain text and pictures stay. Metadata are those that the page
    needs, so that nothing else of a notebook reaches it, wherever the notebook came from.
    """

    # nbconvert's page sets it for every step; without the tag, traitlets would warn each time
    display_data_priority = List(["text/html", "text/plain"]).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Redact a notebook in place."""
        page = _Page(self._secrets(nb, resources))
        nb.metadata = NotebookNode(language_info=NotebookNode(name="python"))
        for number, cell in enumerate(nb.cells, 1):
            if "id" in cell:
                cell.id = f"cell-{number}"
            page.redact(cell)
        return nb, resources

    def _secrets(self, nb: NotebookNode, resources: dict[str, Any]) -> Secrets:
        """The secrets of the course that the notebook is graded in; none outside of a course."""
        if not getattr(self.parent, "parent", None):
            return Secrets()
        settings = Settings.from_config(self.config.get("PropertyGrader", {}))
        context = Context.of(self, resources, settings)
        texts = [
            *environment_values(),
            str(context.course.root),
            str(context.directory.root),
            sys.prefix,
            *map(str, context.course.every_seed()),
            *self._hidden_tests(context),
        ]
        known = (cell.source for cell in nb.cells if not _is_test(cell))
        return Secrets.of(texts, known="\n".join(known))

    def _hidden_tests(self, context: Context) -> Iterator[str]:
        own = Config(ClearHiddenTests=self.config.get("ClearHiddenTests", {}))
        marks = ClearHiddenTests(config=own)
        with Gradebook(context.db_url, context.course_id) as gradebook:
            try:
                cells = gradebook.find_notebook(context.notebook, context.assignment).source_cells
            except MissingEntry:
                return
            for cell in cells:
                yield from hidden_lines(
                    cell.source or "", marks.begin_test_delimeter, marks.end_test_delimeter
                )


class _Page:
    """Redacts the cells of one notebook."""

    def __init__(self, secrets: Secrets) -> None:
        self.hide: Callable[[str], str] = secrets.hide

    def redact(self, cell: NotebookNode) -> None:
        """Leave of a cell what its page may show."""
        is_test = _is_test(cell)
        cell.metadata = self._metadata(cell.metadata)
        if cell.cell_type == "code":
            cell.source = HIDDEN_TEST if is_test else _text(cell.source)
            count = cell.get("execution_count")
            cell.execution_count = count if isinstance(count, int) else None
            shown = (self._output(output, cell.execution_count) for output in cell.outputs)
            cell.outputs = [output for output in shown if output is not None]
        elif cell.cell_type == "markdown":
            cell.source = self._markdown(cell.source, cell.pop("attachments", {}))
        else:
            cell.cell_type = "markdown"
            cell.source = from_plain(self.hide(_text(cell.source)))

    def _metadata(self, metadata: NotebookNode) -> NotebookNode:
        """The facts that the page is made from."""
        found = metadata.get("nbgrader", {})
        kept: dict[str, Any] = {key: _name(found[key]) for key in _ID & found.keys()}
        kept |= {key: found[key] for key in _NUMBERS & found.keys() if _is_number(found[key])}
        kept |= {key: bool(found[key]) for key in _FLAGS & found.keys()}
        if isinstance(found.get("comment"), str):
            kept["comment"] = self._markdown(found["comment"])
        return NotebookNode(nbgrader=NotebookNode(kept)) if found else NotebookNode()

    def _markdown(self, source: Any, attachments: Any = None) -> str:
        return from_markdown(self.hide(_text(source)), attachments)

    def _output(self, output: NotebookNode, count: int | None) -> NotebookNode | None:
        """An output with what may be shown of it; None where that is nothing."""
        kind = output.output_type
        if kind == "stream":
            name = "stderr" if output.name == "stderr" else "stdout"
            return NotebookNode(output_type=kind, name=name, text=self.hide(_text(output.text)))
        if kind == "error":
            name, value = (self.hide(_text(text)) for text in (output.ename, output.evalue))
            return NotebookNode(
                output_type=kind, ename=name, evalue=value, traceback=[f"{name}: {value}"]
            )
        if kind not in ("display_data", "execute_result"):
            return None
        data = self._data(output.get("data", {}))
        if not data:
            return None
        shown = NotebookNode(output_type=kind, data=data, metadata=NotebookNode())
        if kind == "execute_result":
            shown.execution_count = count
        return shown

    def _data(self, data: NotebookNode) -> NotebookNode:
        """The kinds of an output that a page may show."""
        kept = {
            kind: "".join(data[kind].split())
            for kind in ("image/png", "image/jpeg")
            if isinstance(data.get(kind), str)
            and PICTURE.fullmatch(f"data:{kind};base64,{data[kind]}")
        }
        if "text/html" in data:
            kept["text/html"] = clean(self.hide(_text(data["text/html"])))
        elif "text/markdown" in data:
            kept["text/html"] = self._markdown(data["text/markdown"])
        for kind in ("text/latex", "text/plain"):
            if kind in data:
                kept[kind] = self.hide(_text(data[kind]))
        return NotebookNode(kept)


def _is_test(cell: NotebookNode) -> bool:
    return bool(utils.is_grade(cell) and not utils.is_solution(cell))


def _text(found: Any) -> str:
    return clean_text(found, _LONGEST) if isinstance(found, str) else ""


def _name(found: Any) -> str:
    """A name that stands in an attribute of the page, where nothing escapes it."""
    return "".join(sign for sign in _text(found) if sign.isalnum() or sign in "-_.: ")


def _is_number(found: Any) -> bool:
    return isinstance(found, (int, float)) and not isinstance(found, bool)
