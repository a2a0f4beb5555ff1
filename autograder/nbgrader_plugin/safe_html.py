"""HTML and Markdown of a student's -> HTML that runs nothing, sends nothing and fetches nothing.

Markdown is turned into HTML first, by the parser that the page uses, and the HTML is cleaned: what
a page gets is what was looked at. Cleaning Markdown itself would have to foresee every grammar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any, Final

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath

_TAG_NAMES = (
    "a abbr b blockquote br caption center code col colgroup dd del details dfn div dl dt em "
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span "
    "strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var"
)
TAGS: Final = frozenset(_TAG_NAMES.split())
"""What text is made of; nothing that runs, embeds, sends or restyles."""
PICTURE: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/\s]*={0,2}\s*")
"""A picture that lies in the page itself, of a kind that no program hides in."""

_BESIDE = re.compile(r"(?:[\w-][\w. -]*/)*[\w-][\w. -]*\.(?:png|jpe?g|gif|webp)", re.IGNORECASE)
"""A picture that lies beside the page, such as the course's own."""
_LINK = re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL)
_HIGHLIGHT = re.compile(r"highlight|anchor-link|language-[\w-]+|err|[a-z][a-z0-9]{0,2}")
_ALIGNMENT = re.compile(r"text-align:\s*(?:left|right|center);?")
_NUMBER = re.compile(r"[0-9]{1,4}%?")
_ANYWHERE: Final = {"title", "lang", "dir"}
_PLAIN: Final = {
    "img": {"alt"},
    "td": {"align"},
    "th": {"align", "scope"},
    "ol": {"type"},
    "details": {"open"},
}
_MATCHED: Final[Mapping[tuple[str, str], re.Pattern[str]]] = {
    ("a", "href"): _LINK,
    ("a", "class"): _HIGHLIGHT,
    ("td", "style"): _ALIGNMENT,
    ("th", "style"): _ALIGNMENT,
    ("img", "width"): _NUMBER,
    ("img", "height"): _NUMBER,
    ("ol", "start"): _NUMBER,
    ("table", "border"): _NUMBER,
    ("td", "colspan"): _NUMBER,
    ("td", "rowspan"): _NUMBER,
    ("th", "colspan"): _NUMBER,
    ("th", "rowspan"): _NUMBER,
    **{(tag, "class"): _HIGHLIGHT for tag in ("div", "pre", "code", "span")},
    **{(f"h{level}", "id"): re.compile(r"[^\s\"'<>]+") for level in range(1, 7)},
}
_PLUGINS: Final = ("strikethrough", "table", "url", "def_list")  # a task list makes form fields


class _Renderer(IPythonRenderer):
    """The page's own renderer; a picture that is not there or lies elsewhere becomes a link."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        try:
            found = self._embed_image_or_attachment(url)
        except InvalidNotebook:
            found = ""
        if PICTURE.fullmatch(found) or _BESIDE.fullmatch(found):
            return str(super().image(text, url, title))
        return str(self.link(text or "picture", url, title))

    def block_mermaidjs(self, code: str) -> str:
        """A drawing in a language that a script would have to draw: shown as it is written."""
        return str(self.block_code(code))


def from_markdown(source: str, attachments: Mapping[str, Any] | None = None) -> str:
    """Clean HTML of a Markdown text, which Markdown passes on as it is."""
    renderer = _Renderer(escape=False, attachments=dict(attachments or {}))
    return _in_one_line(clean(str(MarkdownWithMath(renderer=renderer).render(source))))


def from_plain(text: str) -> str:
    """The text as it stands, which Markdown passes on as it is."""
    return _in_one_line(f"<pre>{escape(text)}</pre>")


def clean(html: str) -> str:
    """The HTML with what is harmless in it; everything else is shown as text."""
    return str(
        bleach.clean(
            html,
            tags=TAGS,
            attributes=_is_harmless,
            protocols={"http", "https", "mailto", "data"},
            css_sanitizer=CSSSanitizer(allowed_css_properties=["text-align"]),
        )
    )


def _is_harmless(tag: str, name: str, value: str) -> bool:
    if name in _ANYWHERE or name in _PLAIN.get(tag, ()):
        return True
    if (tag, name) == ("img", "src"):
        return bool(PICTURE.fullmatch(value) or _BESIDE.fullmatch(value))
    pattern = _MATCHED.get((tag, name))
    return pattern is not None and pattern.fullmatch(value) is not None


def _in_one_line(html: str) -> str:
    """The HTML as one block of Markdown: no line in it can be read as anything else."""
    return f"<div>{html}</div>".replace("\r", "&#13;").replace("\n", "&#10;")
