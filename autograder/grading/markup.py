"""Text cells of a student's, made harmless for whoever opens the autograded notebook.

The page of formgrader turns Markdown into HTML as it stands, and so lets tags, script links and
pictures from anywhere through. The rules here know no Markdown grammar: a link can hide in a quote,
a list or a definition, and each reader of Markdown has a grammar of its own. They only break the
marks without which no grammar makes a tag, a script link or a picture.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import unquote

import msgspec

from autograder.notebook import Cell
from autograder.notebook.pictures import RASTER, Bundle

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_PICTURE = re.compile(r"!(?=\[)")
_ATTACHED = re.compile(
    r"!\[(?P<alt>[^\[\]\n]*)\]\([ \t]*<?attachment:(?P<name>[^()<>\"'\n]+)>?"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_WORD = re.compile(r"[A-Za-z0-9&#;:\\\x00-\x08\x0e-\x1f\x7f-\x9f]+")
_COLON = re.compile(r":|&colon;?|&#0*58;?|&#x0*3a;?", re.IGNORECASE)
_STARTS_SCRIPTS = re.compile(r"(javascript|vbscript):|data:[a-z]", re.IGNORECASE)


def harmless(cell: Cell, attached: Mapping[str, Bundle]) -> Cell:
    """The text cell with nothing in it that could act or fetch anything when it is shown.

    Attached pictures that the text shows stay, under names of ours: a page can't be made at all
    from a text that shows a picture which is not there, or whose name it spells in another way.

    Args:
        cell: a Markdown or raw cell.
        attached: the pictures attached to it in the submission.
    """
    kept: dict[str, Bundle] = {}
    parts, end = [], 0
    for found in _ATTACHED.finditer(cell.source):
        name = found["name"].strip()
        bundle = attached.get(name) or attached.get(unquote(name))
        if bundle is None:
            continue
        (kind,) = bundle
        ours = f"picture-{len(kept) + 1}.{RASTER[kind]}"
        kept[ours] = bundle
        parts += [
            harmless_markdown(cell.source[end : found.start()]),
            f"![{harmless_markdown(found['alt'])}](attachment:{ours})",
        ]
        end = found.end()
    parts.append(harmless_markdown(cell.source[end:]))
    return msgspec.structs.replace(cell, source="".join(parts), attachments=kept)


def harmless_markdown(text: str) -> str:
    """Markdown in which no tag, script link or picture can begin; all else stays as it is.

    Only blanks are added, which reads well in prose, code and formulas alike. `a < b` and links to
    pages stay. A picture becomes a link, so that nothing is fetched unasked.
    """
    text = _WORD.sub(_without_script, _TAG.sub("< ", text))
    return _PICTURE.sub("! ", text)


def _without_script(word: re.Match[str]) -> str:
    """The word, with a blank before each colon where it spells a scheme that starts scripts."""
    if ":" not in word[0] and "&" not in word[0]:
        return word[0]
    spelled = html.unescape(html.unescape(word[0]))
    spelled = "".join(sign for sign in spelled if sign.isalnum() or sign == ":")
    if not _STARTS_SCRIPTS.search(spelled):
        return word[0]
    return _COLON.sub(lambda colon: f" {colon[0]}", word[0])
