"""What students may see of their graded notebook."""

from __future__ import annotations

import html
import re
from typing import Any

from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from traitlets import Bool

HIDDEN_TEST = "# The checks of this cell are not shown. Its report is below."

_LINK = re.compile(r"(\]\(\s*|\]:\s*)([^\s)]+)")  # Markdown's two forms: inline and reference
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_HARMLESS = re.compile(r"(https?|mailto|attachment):|data:image/", re.IGNORECASE)


class RedactFeedback(SanitizeHTML):
    """Hides test sources and tracebacks, and drops HTML and scripts that a student put in.

    The cleaning is nbconvert's own `SanitizeHTML`, which reads HTML; links that Markdown would make
    are cleaned here. Images and plain text stay.
    """

    enabled = Bool(True, help="Whether feedback is redacted.").tag(config=True)

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Redact one cell; only test cells lose their source."""
        if utils.is_grade(cell) and not utils.is_solution(cell) and cell.cell_type == "code":
            cell.source = HIDDEN_TEST
        cell, resources = super().preprocess_cell(  # type: ignore[no-untyped-call]
            cell, resources, cell_index
        )
        if cell.cell_type == "code":
            cell.outputs = [_shown(output) for output in cell.outputs if _has_content(output)]
        return cell, resources

    def sanitize_html_tags(self, html_str: str) -> str:
        """The HTML or Markdown without what could run in a reader's browser."""
        cleaned: str = super().sanitize_html_tags(html_str)  # type: ignore[no-untyped-call]
        return _LINK.sub(_safe_link, cleaned)


def _safe_link(found: re.Match[str]) -> str:
    """A Markdown link whose target starts no script, read as a browser would: unescaped."""
    target = html.unescape(html.unescape(found[2])).replace("\\", "")
    target = "".join(sign for sign in target if sign.isprintable())
    if _SCHEME.match(target) and not _HARMLESS.match(target):
        return f"{found[1]}#"
    return found[0]


def _has_content(output: NotebookNode) -> bool:
    """Whether something is left of an output, which the template could not show otherwise."""
    return "data" not in output or len(output.data) > 0


def _shown(output: NotebookNode) -> NotebookNode:
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    return output
