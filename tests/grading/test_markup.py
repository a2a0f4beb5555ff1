"""Text cells of a student's: what could act in a page is broken, everything else is kept."""

from __future__ import annotations

import re
import time

import bs4
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.strings import strip_files_prefix

from autograder.grading.markup import harmless, harmless_markdown
from autograder.notebook import Cell

PNG = "iVBORw0KGgo="

_SCRIPT_URL = re.compile(r"[\x00-\x20]*(javascript|vbscript|data):", re.IGNORECASE)
"""How a browser recognises a scheme that runs scripts, once it left out tabs and line ends."""


def page(text: str, attachments: dict[str, dict[str, str]] | None = None) -> bs4.BeautifulSoup:
    """What formgrader's page makes of a text cell."""
    renderer = IPythonRenderer(escape=False, attachments=attachments)
    made = strip_files_prefix(MarkdownWithMath(renderer=renderer).render(text))
    return bs4.BeautifulSoup(made, "html.parser")


def acts(soup: bs4.BeautifulSoup) -> list[str]:
    """What of a page runs something, fetches something or sends something."""
    found = []
    for tag in soup.find_all(True):
        if tag.name in ("script", "svg", "iframe", "object", "embed", "form", "meta", "base"):
            found.append(str(tag))
        for name, value in tag.attrs.items():
            url = re.sub(r"[\t\r\n]", "", str(value))
            shown = tag.name == "img" and name == "src" and url.startswith("data:image/png;base64,")
            if name.startswith("on") or (_SCRIPT_URL.match(url) and not shown and name != "title"):
                found.append(str(tag))
            if name == "src" and not shown:
                found.append(str(tag))
    return found


# -- attacks by grammar ----------------------------------------------------------------------------

SCHEMES = (
    "javascript:",
    "JaVaScRiPt:",
    "java&#115;cript:",
    "&#x6a;avascript&colon;",
    "&#0000106;avascript&#58;",
    "java&Tab;script:",
    "java&NewLine;script:",
    "javascript\\:",
    "\\javascript:",
    "java\\\nscript:",
    "\x01javascript:",
    "files/javascript:",
    "/files/javascript:",
    "vbscript:",
    "data:text/html,",
    "data:text/html;base64,",
    "data&colon;text/html,",
    "view-source:javascript:",
)
FRAMES = (
    "[a]({})",
    "[a]( {} 'title')",
    "[a](<{}>)",
    "[a](<&#106;{}>)",
    "<{}>",
    "[a]:\n {}\n\n[a]",
    "[a]: {}\n\n[a][a] ![a][a]",
    "> [a](\n> {})",
    "> [a]:\n> {}\n\n[a]",
    "- [a]:\n  {}\n\n  [a]",
    "| a |\n|---|\n| [x]({}) |",
    "# [a]({})",
    "term\n: [a]({})",
    "- [ ] [a]({})",
    "~~[a]({})~~ **[a]({})**",
    "![a]({})",
    "[![a]({})]({})",
    "![a][b]\n\n[b]: {}",
    "$\\href{{{}}}{{x}}$",
    "\\![a]({}) \\\\![a]({})",
    "```mermaid\n[a]({})\n<img src={}>\n```",
    "<img src={}>",
    "<p\n onclick={}>",
    "</p><svg onload={}>",
    "<!-- --><iframe src={}>",
    "<![CDATA[<a href={}>]]>",
    "<?x?><math href={}>",
)


@pytest.mark.parametrize("frame", FRAMES)
def test_no_link_of_any_grammar_starts_a_script(frame):
    for scheme in SCHEMES:
        text = frame.replace("{}", f"{scheme}alert(1)").replace("{{", "{").replace("}}", "}")
        assert acts(page(harmless_markdown(text))) == [], text


def test_some_of_these_do_act_where_nothing_breaks_them():
    live = {
        frame
        for frame in FRAMES
        for scheme in SCHEMES
        if acts(page(frame.replace("{}", f"{scheme}alert(1)")))
    }
    assert len(live) >= 20


MARKS = [
    "[",
    "]",
    "](",
    ")",
    "]:",
    "![",
    "<",
    ">",
    "`",
    "```",
    "|",
    "\\",
    "&",
    "#",
    "$",
    "$$",
    "</",
]
MARKS += ['"', "'", "*", "~~", "a", "alert(1)", "<svg/onload=", "<img/onerror=", "<iframe/src="]
MARKS += ["http://example.org/", "attachment:x.png", "files/"]
PIECES = st.sampled_from([*SCHEMES, *MARKS, " ", "\t", "\n", "\n\n", "\n> ", "\n- "])


@settings(
    deadline=None,
    derandomize=True,
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(PIECES, max_size=30).map("".join))
@example("[a]:\n javascript:x\n\n[a]")
def test_no_text_acts_whatever_its_pieces(text):
    cell = harmless(Cell(cell_type="markdown", source=text), {"x.png": {"image/png": PNG}})
    assert acts(page(cell.source, cell.attachments)) == []


def test_a_huge_text_takes_no_long_time():
    for piece in ("a", "&#", "&", ":", "![", "javascript", "\\", "![a](attachment:", "<"):
        start = time.perf_counter()
        harmless(Cell(cell_type="markdown", source=piece * 100_000), {"x": {"image/png": PNG}})
        assert time.perf_counter() - start < 5, piece


# -- what stays ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "For a < b, and $x < y$ too: the spread is 1 <= 2.",
        "See [the paper](https://arxiv.org/abs/1706.03762).",
        "Time 12:30, data: 3 values, note: `a[1:2]`, and A & B.",
        "# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "Wow! [1]",
        "It is not! [see](https://example.org)",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert harmless_markdown(text) == text


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("image.png", "![image.png](attachment:image.png)"),
        ("my file.png", "![my](<attachment:my file.png>)"),
        ("my file.png", "![my](attachment:my%20file.png)"),
        ("größe.png", "![](attachment:größe.png)"),
        ("a.png", '![a](attachment:a.png "a title")'),
    ],
)
def test_a_pasted_picture_is_shown_however_its_name_is_spelled(name, spelled):
    cell = Cell(cell_type="markdown", source=f"As shown:\n\n{spelled}\n\n<b>so</b>")
    found = harmless(cell, {name: {"image/png": PNG}, "unused.png": {"image/png": PNG}})
    (image,) = page(found.source, found.attachments).find_all("img")
    assert image["src"] == f"data:image/png;base64,{PNG}"
    assert list(found.attachments) == ["picture-1.png"]
    assert "< b>so" in found.source


def test_formulas_and_code_stay_readable():
    assert harmless_markdown("$x<y$ and `f<int>` and `!a[0]`") == "$x< y$ and `f< int>` and `!a[0]`"


def test_a_picture_that_is_not_there_becomes_a_link_and_the_page_can_be_made():
    cell = Cell(
        cell_type="markdown", source="![lost](attachment:lost.png) ![x][r]\n\n[r]: attachment:y"
    )
    found = harmless(cell, {})
    assert page(found.source, found.attachments).find_all("img") == []


def test_a_picture_from_elsewhere_becomes_a_link():
    soup = page(harmless_markdown("![seen](https://example.org/seen.png)"))
    assert soup.find_all("img") == []
    assert soup.a["href"] == "https://example.org/seen.png"
