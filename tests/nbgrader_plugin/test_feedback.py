"""What a student gets to see, made by stock `nbgrader generate_feedback`."""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.nbgrader_plugin.feedback import RedactFeedback
from autograder.nbgrader_plugin.secrets import MASK, Secrets, environment_values, hidden_lines
from tests.hostile.people import refusal
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
from tests.nbgrader_plugin.pages import acts, text_of

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
[six](javascript\\:{PAYLOAD}), [seven](<javascript:{PAYLOAD}>), <javascript:{PAYLOAD}>,
[kept](https://example.org/a?b=1&c=2)

> [eight](
> javascript:{PAYLOAD}) [nine][9]
>
> [9]:
> javascript:{PAYLOAD}

[ten](files/javascript:{PAYLOAD}) ![seen](https://evil.example/seen.png)

[3]: javascript:{PAYLOAD}
"""
PASTED = """![image.png](attachment:image.png) ![lost](attachment:lost.png)"""
RAISES = f'raise type("{SCRIPT}", (Exception,), {{}})("{IMAGE}")'
FAILS = f"""def softmax(z, axis=-1):
    raise ValueError("{SCRIPT}\\n\\n[x]: javascript:{PAYLOAD}\\n\\n[x]")"""


def why(text: str, nb: dict) -> dict:
    """Give the written question an answer with a pasted picture."""
    answer = cell(nb, "why-scale")
    answer["source"] = text
    answer["attachments"] = {"image.png": {"image/png": PNG}}
    return nb


def make_page(root: Path, student: str) -> str:
    """The page that nbgrader makes for a student."""
    done = nbgrader_api(root).generate_feedback(NAME, student)
    assert done["success"], done
    return page(root, student)


@pytest.fixture(scope="module")
def course(new_course: NewCourse) -> Path:
    root = new_course()
    nb = add_first(notebook(root, {"softmax": FAILS}), SHOWS)
    nb["cells"].insert(1, code(RAISES, "raises"))
    nb["cells"].insert(2, {**code(f"{SCRIPT}{IMAGE}", "text"), "cell_type": "markdown"})
    for key in ("outputs", "execution_count"):
        nb["cells"][2].pop(key)
    hand_in(root, "eve", why(f"Because {SCRIPT} {IMAGE} {LINKS} {PASTED}", nb))
    hand_in(root, "ada", notebook(root, {"softmax": mistake("softmax", "no_max_shift")}))
    grade(root)
    for student in ("eve", "ada"):
        make_page(root, student)
    return root


def page(course: Path, student: str) -> str:
    return (course / "feedback" / student / NAME / f"{NAME}.html").read_text()


def test_nothing_that_a_student_displayed_or_wrote_runs(course: Path) -> None:
    html = page(course, "eve")
    assert acts(html, inside="#notebook-container, #toc") == []
    assert PAYLOAD in text_of(html)  # it is there, as text
    assert 'href="https://example.org/a?b=1&amp;c=2"' in html


def test_a_page_fetches_nothing_for_a_student(course: Path) -> None:
    html = page(course, "eve")
    assert 'src="https://evil.example' not in html
    assert 'href="https://evil.example/seen.png"' in html


def test_the_same_notebook_would_act_without_the_redaction(course: Path) -> None:
    data = json.loads(autograded(course, "eve").read_text())
    source = "".join(cell(data, "why-scale")["source"])
    assert acts(f"<p>{SCRIPT}{IMAGE}<a href='javascript:{PAYLOAD}'>a</a></p>") != []
    assert SCRIPT not in source  # the autograded notebook, which a TA opens, is harmless by itself
    assert f"](javascript:{PAYLOAD}" not in source


def test_html_that_came_some_other_way_is_cleaned_too() -> None:
    data = {"text/html": f"<b>bold</b>{SCRIPT}{IMAGE}", "image/svg+xml": SCRIPT}
    shown = nbformat.v4.new_output("display_data", data=data)
    unseen = nbformat.v4.new_output("display_data", data={"application/javascript": PAYLOAD})
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=[shown, unseen])])
    redacted, _ = RedactFeedback().preprocess(nb, {})
    (output,) = redacted.cells[0].outputs
    assert list(output.data) == ["text/html"]
    assert output.data["text/html"].startswith("<b>bold</b>&lt;script&gt;")
    assert acts(output.data["text/html"]) == []


def test_images_that_a_student_made_are_kept(course: Path) -> None:
    assert f"data:image/png;base64,{PNG}" in page(course, "eve").replace("\n", "")


def test_a_picture_pasted_into_an_answer_is_shown_to_ta_and_student(course: Path) -> None:
    answer = cell(json.loads(autograded(course, "eve").read_text()), "why-scale")
    assert [list(kinds) for kinds in answer["attachments"].values()] == [["image/png"]]
    html = page(course, "eve")
    assert re.search(r'<img alt="image.png" src="data:image/png;base64,', html)


def test_the_report_and_its_comment_are_shown(course: Path) -> None:
    html = page(course, "ada")
    assert "survives_huge_scores" in html
    assert "Subtract the" in html
    assert "z = np.array([[1000.0]])" in html or "smallest failing input" in html
    assert html.count("softmax   7/10") == 2  # beneath the test cell, and as a comment


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
    assert make_page(course, "eve") == before


# -- secrets ---------------------------------------------------------------------------------------

SEED = 8123456789012345678
VALUE = "tok-5d41402abc4b2a76"
PRIVATE = "ada's private remark 7f3a"
HIDDEN = 'grade("softmax", softmax)'

SNOOP = """
import os, json
for where in ("/proc/self/environ", "/proc/1/environ", f"/proc/{{os.getppid()}}/environ"):
    try: print(open(where).read())
    except OSError: print("closed")
print(os.getcwd(), dict(os.environ))
root = "/".join({parts!r})
print(root)
wanted = [".autograder/seeds", "source/{name}/{name}.ipynb", "submitted/ada/{name}/{name}.ipynb"]
for path in wanted:
    try: text = open(os.path.join(root, path)).read()
    except OSError: print("closed"); continue
    if path.startswith("source"):
        sources = ["".join(c["source"]) for c in json.loads(text)["cells"]]
        text = "\\n".join(source for source in sources if "grade(" in source)
    print(text[:4000])
"""


def secretive(root: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A course with a secret of each kind, and a student who looks for them."""
    monkeypatch.setenv("COURSE_TOKEN", VALUE)
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.PropertyGrader.sandbox = {sandbox!r}\n")
        config.write("c.PropertyGrader.seed = None\n")
    (root / ".autograder" / "seeds").write_text(f"{SEED}\n")
    hand_in(root, "ada", add_first(notebook(root), f"# {PRIVATE}"))
    snoop = SNOOP.format(parts=str(root).split("/"), name=NAME)
    hand_in(root, "tom", add_first(notebook(root), snoop))
    grade(root)
    return [str(SEED), str(root), VALUE, HIDDEN, "reference.softmax"]


def isolating() -> str:
    """A backend that isolates here; skips where there is none."""
    reasons = {name: refusal(name, sys.executable, None) for name in ("bubblewrap", "landlock")}
    found = [name for name, reason in reasons.items() if not reason]
    if not found:
        pytest.skip(f"no backend isolates here: {reasons}")
    return found[0]


def test_a_sandboxed_student_learns_no_secret_and_no_others_work(
    new_course: NewCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_course()
    secrets = secretive(root, isolating(), monkeypatch)
    text = text_of(make_page(root, "tom"))
    assert "closed" in text
    for secret in (*secrets, PRIVATE):
        assert secret not in text
    # the notebook before redaction holds the path alone, which the student put together
    printed = autograded(root, "tom").read_text()
    for secret in (str(SEED), VALUE, PRIVATE):
        assert secret not in printed


@pytest.mark.extra
def test_what_a_weaker_sandbox_lets_out_is_masked(
    new_course: NewCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_course()
    secrets = secretive(root, "rlimit", monkeypatch)
    printed = autograded(root, "tom").read_text()
    assert str(SEED) in printed  # no limit of this kind hides files
    assert json.dumps(HIDDEN)[1:-1] in printed
    text = text_of(make_page(root, "tom"))
    assert MASK in text
    for secret in secrets:
        assert secret not in text


def test_secrets_are_masked_but_not_what_everybody_knows() -> None:
    secrets = Secrets.of(
        ["a-long-secret", "short", "self_attention"], known="def self_attention():"
    )
    assert secrets.hide("a-long-secret, short, self_attention") == f"{MASK}, short, self_attention"
    assert Secrets.of([]).hide("anything") == "anything"


def test_of_two_secrets_that_overlap_the_longer_is_masked() -> None:
    assert Secrets.of(["/srv/courses", "/srv/courses/ml"]).hide("/srv/courses/ml") == MASK


def test_each_entry_of_a_list_of_paths_is_a_value() -> None:
    found = environment_values({"PATH": "/opt/one:/opt/two"})
    assert found == ["/opt/one:/opt/two", "/opt/one", "/opt/two"]


def test_hidden_lines_are_those_between_the_marks() -> None:
    source = "assert a\n### BEGIN HIDDEN TESTS\n  assert b\n### END HIDDEN TESTS\nassert c"
    assert hidden_lines(source, "BEGIN HIDDEN TESTS", "END HIDDEN TESTS") == ["assert b"]
