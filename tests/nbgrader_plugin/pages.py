"""What a page does when it is opened, read from its HTML as a browser reads it."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag

_NAMES = (
    "script iframe frame object embed applet form input button meta base link style svg math "
    "video audio source portal template"
)
ACTIVE_TAGS = frozenset(_NAMES.split())
"""Tags that run, embed, send, fetch or restyle."""

_FETCHING = frozenset(["src", "srcset", "data", "poster", "background", "action", "formaction"])
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}")
_HARMLESS_LINK = re.compile(r"https?://|mailto:|#")


def url_in(value: object) -> str:
    """A URL as a browser reads it: without outer controls, and without tabs and line ends."""
    return re.sub(r"[\t\r\n]", "", str(value)).strip("".join(map(chr, range(33)))).lower()


def acts(page: str, *, inside: str | None = None) -> list[str]:
    """Every tag of a page that would do something; of the part `inside` (a selector), if given."""
    soup = BeautifulSoup(f"<html>{page}</html>", "html.parser")
    parts = [soup] if inside is None else soup.select(inside)
    assert parts, f"there is no {inside} in the page"
    return [str(tag)[:300] for part in parts for tag in part.find_all(True) if _acts(tag)]


def _acts(tag: Tag) -> bool:
    if tag.name in ACTIVE_TAGS:
        return True
    for name, value in tag.attrs.items():
        if name.lower().startswith("on") or name == "srcdoc":
            return True
        if name in ("href", "xlink:href", "ping") and not _HARMLESS_LINK.match(url_in(value)):
            return True
        if name in _FETCHING and not _PICTURE.fullmatch("".join(str(value).split())):
            return True
        if name == "style" and re.search(r"url|expression|import|@|\\|fixed", str(value)):
            return True
    return False


def text_of(page: str) -> str:
    """What a reader sees of a page."""
    soup = BeautifulSoup(page, "html.parser")
    for tag in soup(["style", "script"]):
        tag.decompose()
    return soup.get_text()
