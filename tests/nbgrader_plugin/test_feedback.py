"""What a student gets to see, made by stock `nbgrader generate_feedback`."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import nbformat
import pytest

from autograder.nbgrader_plugin.feedback import RedactFeedback
from tests.nbgrader_plugin.classroom import (
    NAME,
    REPOSITORY,
    add_first,
    autograde,
    autograded,
    cell,
    code,
    grade,
    hand_in,
    mistake,
    nbgrader_api,
    notebook,
)
from tests.nbgrader_plugin.conftest import NewCourse

pytestmark = pytest.mark.slow

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f"
    b"\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\xa1\xd1\xf1"
    b"\xb5\x00\x00\x00\x00IEND\xaeB`\x82"
).decode()
PAYLOAD = "window.stolen"
SCRIPT = f"<script>{PAYLOAD} = 1</script>"
IMAGE = f"<img src=x onerror='{PAYLOAD} = 2'>"

SHOWS = f'''
import base64
from IPython.display import HTML, SVG, Image, Javascript, Markdown, display
display(HTML("<b>bold</b>{SCRIPT}{IMAGE}"))
display(Markdown("{SCRIPT} [a](javascript:{PAYLOAD})"))
display(Javascript("{PAYLOAD} = 3"))
display({{"image/svg+xml": "<svg onload='{PAYLOAD} = 4'>{SCRIPT}</svg>"}}, raw=True)
display({{"text/latex": "{SCRIPT}", "application/javascript": "{PAYLOAD}"}}, raw=True)
display({{"image/png": '">{SCRIPT}'}}, raw=True)
display({{"image/png": "{PNG}"}}, raw=True, metadata={{"image/png": {{"width": '">{SCRIPT}'}}}})
display(Image(data=base64.b64decode("{PNG}"), format="png"))
print("printed {SCRIPT}")
'''
LINKS = f"""[one](javascript:{PAYLOAD}), [two]( JavaScript:{PAYLOAD}), [three][3],
[four](java&#115;cript:{PAYLOAD}), [five](javascript&colon;{PAYLOAD}),
[six](javascript\\:{PAYLOAD}), [seven](<javascript:{PAYLOAD}>), <javascript:{PAYLOAD}>, [kept](https://example.org/a?b=1&c=2)

[3]: javascript:{PAYLOAD}
"""
RAISES = f'raise type("{SCRIPT}", (Exception,), {{}})("{IMAGE}")'
FAILS = f'def softmax(z, axis=-1):\n    raise ValueError("{SCRIPT}")'


@pytest.fixture(scope="module")
def course(new_course: NewCourse) -> Path:
    root = new_course()
    nb = add_first(notebook(root, {"softmax": FAILS}), SHOWS)
    nb["cells"].insert(1, code(RAISES, "raises"))
    nb["cells"].insert(2, {**code(f"{SCRIPT}{IMAGE}", "text"), "cell_type": "markdown"})
    for key in ("outputs", "execution_count"):
        nb["cells"][2].pop(key)
    cell(nb, "why-scale")["source"] = f"Because {SCRIPT} {IMAGE} {LINKS}"
    hand_in(root, "eve", nb)
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "no_max_shift")}))
    grade(root)
    for student in ("eve", "ada"):
        done = nbgrader_api(root).generate_feedback(NAME, student)
        assert done["success"], done
    return root


def page(course: Path, student: str) -> str:
    return (course / "feedback" / student / NAME / f"{NAME}.html").read_text()


def active(html: str) -> list[str]:
    """Tags of the page that would run a student's payload."""
    scripts = re.findall(r"<script[^>]*>(.*?)</script", html, re.DOTALL | re.IGNORECASE)
    handlers = re.findall(r"<[a-z]+[^<>]*\son\w+\s*=[^<>]*>", html, re.IGNORECASE)
    links = re.findall(r"""<[a-z]+[^<>]*["']\s*javascript[^<>]*>""", html, re.IGNORECASE)
    return [found for found in [*scripts, *handlers, *links] if PAYLOAD in found]


def test_nothing_that_a_student_displayed_runs(course: Path) -> None:
    html = page(course, "eve")
    assert active(html) == []
    assert PAYLOAD in html  # it is there, as text
    assert 'href="https://example.org/a?b=1&amp;c=2"' in html


def test_the_test_for_active_content_finds_it() -> None:
    assert len(active(SCRIPT + IMAGE + f"<a href='javascript:{PAYLOAD}'>a</a>")) == 3


def test_html_that_came_some_other_way_is_cleaned_too() -> None:
    data = {"text/html": f"<b>bold</b>{SCRIPT}{IMAGE}", "image/svg+xml": SCRIPT}
    shown = nbformat.v4.new_output("display_data", data=data)
    unseen = nbformat.v4.new_output("display_data", data={"application/javascript": PAYLOAD})
    cell, _ = RedactFeedback().preprocess_cell(  # type: ignore[no-untyped-call]
        nbformat.v4.new_code_cell("", outputs=[shown, unseen]), {}, 0
    )
    (redacted,) = cell.outputs
    assert list(redacted.data) == ["text/html"]
    assert redacted.data["text/html"].startswith("<b>bold</b>&lt;script&gt;")
    assert active(redacted.data["text/html"]) == []


def test_images_that_a_student_made_are_kept(course: Path) -> None:
    assert f"data:image/png;base64,{PNG}" in page(course, "eve").replace("\n", "")


def test_the_report_and_its_comment_are_shown(course: Path) -> None:
    html = page(course, "ada")
    assert "survives_huge_scores" in html
    assert "Subtract the" in html
    assert html.count("softmax   7/10") == 2  # beneath the test cell, and as a comment


def text_of(html: str) -> str:
    """What a reader sees of a page."""
    return re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", "", html, flags=re.DOTALL)


def test_no_test_source_is_shown(course: Path) -> None:
    source = (REPOSITORY / "source" / NAME / f"{NAME}.ipynb").read_text()
    assert "BEGIN HIDDEN TESTS" in source
    for student in ("ada", "eve"):
        text = text_of(page(course, student))
        for secret in ("HIDDEN TESTS", "from autograder import", "grade(&quot;", 'grade("'):
            assert secret not in text
        assert "The checks of this cell are not shown" in text


def test_no_line_of_our_own_code_is_shown(course: Path) -> None:
    text = text_of(page(course, "eve"))
    assert "ValueError" in text
    for trace in ("Traceback", "site-packages", "autograder/", "worker", "reference."):
        assert trace not in text


def test_both_ways_give_the_same_page(course: Path) -> None:
    before = page(course, "eve")
    notebook = autograded(course, "eve").read_bytes()
    autograde(course, "eve")
    assert autograded(course, "eve").read_bytes() == notebook
    nbgrader_api(course).generate_feedback(NAME, "eve")
    assert page(course, "eve") == before
