"""HTML and Markdown of a student's on the feedback page: fuzzed, in nbgrader's own template."""

from __future__ import annotations

import logging
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from nbconvert import HTMLExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode, from_dict

from autograder.nbgrader_plugin.feedback import RedactFeedback
from autograder.nbgrader_plugin.safe_html import clean, from_markdown
from tests.nbgrader_plugin.pages import acts

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/q9HxtQAAAABJRU5E"
FUZZ = settings(
    phases=[Phase.explicit, Phase.generate],  # a page costs too much to shrink it
    deadline=None,
    derandomize=True,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# -- hostile texts ---------------------------------------------------------------------------------

SCHEMES = ["javascript:", "JAVA\tSCRIPT:", "java&#115;cript&colon;", "&#1;javascript:", "vbscript:"]
SCHEMES += ["data:text/html,", "data:image/svg+xml;base64,", "files/javascript:", "//evil.example/"]
SCHEMES += ["https://evil.example/", "file:///etc/passwd", "blob:", "/files//evil.example/a.png"]
TAGS = [
    "script",
    "img",
    "svg",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "meta",
    "base",
    "link",
]
TAGS += ["style", "math", "video", "a", "div", "table", "td", "noscript", "template", "body", "p"]
TAGS += ["svg><animate", "details", "xmp", "textarea", "title", "plaintext", "select", "button"]
NAMES = ["onerror", "onload", "ontoggle", "href", "src", "srcset", "style", "xlink:href", "action"]
NAMES += ["formaction", "http-equiv", "content", "data", "poster", "srcdoc", "background", "class"]
NAMES += ["id", "name", "target", "ping", "values", "to"]
VALUES = ["alert(1)", "0;url=javascript:alert(1)", "background:url(//evil.example)", "refresh"]
VALUES += ["position:fixed;top:0", "expression(alert(1))", "a b", "cookie", "text-align: left"]
FRAMES = ["[a]({})", "[a]:\n {}\n\n[a]", "> [a](\n> {})", "![a]({})", "<{}>", "```mermaid\n{}\n```"]
FRAMES += ["[![a]({})]({})", "$\\href{{{}}}{{x}}$", "| [a]({}) |\n|-|\n| ![a]({}) |", "- [ ] {}"]
FRAMES += ["\n\n{}\n\n", "<!--{}-->", "<![CDATA[{}]]>", "&lt;{}&gt;", '"{}', "'>{}", "</pre>{}"]
FRAMES += ["</style></script></title></textarea>{}", "\x1b[31m{}", "`{}`", "~~~\n{}\n~~~", "    {}"]

links = st.sampled_from(SCHEMES).flatmap(lambda s: st.sampled_from(VALUES).map(lambda v: s + v))
quotes = st.sampled_from(["", '"', "'", "`"])
attributes = st.builds(
    lambda name, quote, value: f"{name}={quote}{value}{quote}",
    st.sampled_from(NAMES),
    quotes,
    links | st.sampled_from(VALUES),
)
tags = st.builds(
    lambda opening, name, given, closing: f"{opening}{name} {' '.join(given)}{closing}",
    st.sampled_from(["<", "</", "<\n", "< ", "<!", "<?"]),
    st.sampled_from(TAGS),
    st.lists(attributes, max_size=3),
    st.sampled_from([">", "/>", "", ">alert(1)</script>", "><", "\n"]),
)
leaves = tags | links | st.text(max_size=8)
framed = st.builds(lambda frame, text: frame.replace("{}", text), st.sampled_from(FRAMES), leaves)
hostile = st.lists(framed | leaves, min_size=1, max_size=4).map("".join)

# -- hostile notebooks -----------------------------------------------------------------------------

KINDS = ["text/html", "text/markdown", "text/latex", "text/plain", "image/svg+xml", "image/png"]
KINDS += ["image/jpeg", "application/javascript", "application/json", "application/pdf"]
KINDS += ["application/vnd.jupyter.widget-view+json", "text/vnd.mermaid", "evil/<script>"]
bundles = st.dictionaries(st.sampled_from(KINDS), hostile, max_size=4)
odd_metadata = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.lists(hostile, max_size=2),
        "image/png": st.fixed_dictionaries({"width": hostile, "alt": hostile}),
        "text/html": st.just({"isolated": True}),
        "filenames": st.fixed_dictionaries({"image/png": hostile}),
        "magics_language": hostile,
        "alt": hostile,
        "raw_mimetype": st.sampled_from(["text/html", "text/x-rst"]),
    },
)
streams = st.builds(
    lambda name, text: {"output_type": "stream", "name": name, "text": text},
    st.sampled_from(["stdout", "stderr", "<svg onload=alert(1)>"]),
    hostile,
)
errors = st.builds(
    lambda ename, line: {
        "output_type": "error",
        "ename": ename,
        "evalue": line,
        "traceback": [line],
    },
    hostile,
    hostile,
)
displays = st.builds(
    lambda kind, data, metadata: {
        "output_type": kind,
        "data": data,
        "metadata": metadata,
        **({"execution_count": 1} if kind == "execute_result" else {}),
    },
    st.sampled_from(["display_data", "execute_result", "pyout"]),
    bundles,
    odd_metadata,
)
flags = st.fixed_dictionaries(
    {
        "grade": st.booleans(),
        "solution": st.booleans(),
        "task": st.booleans(),
        "grade_id": hostile,
        "points": st.just(5),
        "score": st.just(1.5),
        "comment": hostile,
    }
)


def _cell(
    kind: str,
    source: str,
    odd: dict[str, Any],
    found: dict[str, Any] | None,
    outputs: list[dict[str, Any]],
    attachments: dict[str, Any],
) -> dict[str, Any]:
    cell = {"cell_type": kind, "source": source, "metadata": dict(odd), "id": source[:9]}
    if found is not None:
        cell["metadata"]["nbgrader"] = found
    if kind == "code":
        return {**cell, "outputs": outputs, "execution_count": 1}
    return {**cell, "attachments": attachments}


cells = st.builds(
    _cell,
    st.sampled_from(["code", "code", "markdown", "markdown", "raw"]),
    hostile,
    odd_metadata,
    st.none() | flags,
    st.lists(streams | errors | displays, max_size=3),
    st.dictionaries(st.sampled_from(["x.png", "<b>"]), bundles, max_size=1),
)
notebooks = st.builds(
    lambda found, lexer: from_dict(
        {
            "cells": found,
            "metadata": {
                "language_info": {"name": lexer, "pygments_lexer": lexer},
                "kernelspec": {"name": lexer, "language": lexer},
                "title": lexer,
                "widgets": {"application/vnd.jupyter.widget-state+json": {"state": lexer}},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
    st.lists(cells, min_size=5, max_size=20),
    hostile,
)


@pytest.fixture(scope="module")
def exporter() -> HTMLExporter:
    """nbgrader's own template of a feedback page."""
    templates = files("nbgrader").joinpath("server_extensions", "formgrader")
    styles = templates.joinpath("static", "node_modules", "bootstrap", "dist", "css")
    quiet = logging.getLogger("quiet")
    quiet.disabled = True
    return HTMLExporter(
        log=quiet,
        template_name="feedback",
        extra_template_basedirs=[str(templates.joinpath("templates"))],
        extra_template_paths=[str(styles)],
    )


def rendered(exporter: HTMLExporter, nb: NotebookNode) -> str:
    """The feedback page of a notebook, as nbgrader would render it."""
    facts = {"notebook": "a", "score": 1.5, "max_score": 5, "late_penalty": 0}
    page, _ = exporter.from_notebook_node(nb, ResourcesDict(nbgrader=facts))
    return str(page)


@FUZZ
@given(nb=notebooks)
def test_nothing_in_a_page_acts_whatever_its_notebook_holds(nb, exporter):
    redacted, _ = RedactFeedback().preprocess(nb, ResourcesDict())
    assert acts(rendered(exporter, redacted), inside="#notebook-container, #toc") == []


def test_these_notebooks_do_act_where_nothing_redacts_them(exporter):
    seen: list[int] = []

    @settings(FUZZ, database=None, max_examples=5)
    @given(nb=notebooks)
    def count(nb):
        try:
            seen.append(len(acts(rendered(exporter, nb), inside="body")))
        except Exception:  # a page that can't be made at all
            seen.append(-1)

    count()
    assert sum(found != 0 for found in seen) >= 3


@settings(FUZZ, max_examples=150)
@given(hostile)
def test_no_html_acts_once_it_is_clean(html):
    assert acts(clean(html)) == []
    assert acts(clean(clean(html))) == []


@settings(FUZZ, max_examples=150)
@given(hostile)
def test_no_markdown_acts_once_it_is_html_and_read_as_markdown_again(text):
    once = from_markdown(text)
    assert "\n" not in once
    assert acts(once) == []
    assert acts(from_markdown(once)) == []


# -- what stays ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("**bold** and `code`", "<strong>bold</strong> and <code>code</code>"),
        ("[page](https://example.org/a?b=1&c=2)", 'href="https://example.org/a?b=1&amp;c=2"'),
        ("$x < y$", "$x &lt; y$"),
        ("| a |\n|:-:|\n| 1 |", '<td style="text-align:center;">1</td>'),
        ("```python\nfor x in y:\n\n    pass\n```", '<span class="k">for</span>'),
        ("# Title", "<h1"),
        ("1. one\n2. two", "<li>one</li>"),
        ("a <b>b</b> <!-- c -->", "a <b>b</b>"),
        ("![x](course.png)", 'src="course.png"'),
        ("![x](data/a-plot.jpg)", 'src="data/a-plot.jpg"'),
        (f'<img src="data:image/png;base64,{PNG}" alt="x">', f"base64,{PNG}"),
    ],
)
def test_harmless_text_is_shown_as_it_was_meant(text, kept):
    assert kept in from_markdown(text)


def test_an_attached_picture_is_shown_and_one_that_is_missing_is_not():
    shown = from_markdown("![x](attachment:x.png)", {"x.png": {"image/png": PNG}})
    assert f'src="data:image/png;base64,{PNG}"' in shown
    assert "<img" not in from_markdown("![x](attachment:x.png)", {})


def test_a_picture_from_elsewhere_becomes_a_link():
    found = from_markdown("![the plot](https://example.org/plot.png)")
    assert "<img" not in found
    assert '<a href="https://example.org/plot.png">the plot</a>' in found


def test_a_script_is_shown_as_text():
    assert clean("a<script>alert(1)</script>") == "a&lt;script&gt;alert(1)&lt;/script&gt;"
