"""Formgrader in a browser: its buttons grade by laws, and no student's script runs in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import hostile
from tests.browser.server import Server, jupyter
from tests.browser.watch import SAYS, Watch
from tests.nbgrader_plugin.classroom import (
    NAME,
    cell,
    gradebook,
    hand_in,
    mistake,
    nbgrader_api,
    notebook,
    outputs,
    recorded,
    run,
)
from tests.nbgrader_plugin.conftest import NewCourse
from tests.nbgrader_plugin.pages import acts
from tests.nbgrader_plugin.test_feedback import PNG

EVE = "eve o'neil"
Page = tuple[Any, Watch]
Keep = Callable[[Any, str], None]


@pytest.fixture(scope="module")
def course(new_course: NewCourse) -> Path:
    """A course with a student who made one mistake and one who plants scripts; nothing graded."""
    root = new_course()
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f"c.Exchange.root = {str(root / 'exchange')!r}\n")
    (root / "exchange").mkdir()
    (root / "exchange").chmod(0o777)
    hand_in(root, "ada", _ada(root), timestamp="2026-03-01 12:00:00 UTC")
    hand_in(root, EVE, hostile.submission(root))
    hand_in(root, hostile.UNFIT, notebook(root))
    return root


def _ada(root: Path) -> dict[str, Any]:
    nb = notebook(root, {"softmax": mistake("softmax", "no_max_shift")})
    answer = cell(nb, "why-scale")
    answer["source"] = "The scores grow with $\\sqrt{d_k}$, so $a<b$.\n\n![p](attachment:image.png)"
    answer["attachments"] = {"image.png": {"image/png": PNG}}
    return nb


@pytest.fixture(scope="module")
def server(course: Path) -> Iterator[Server]:
    """Jupyter in that course."""
    with jupyter(course) as running:
        yield running


@pytest.fixture
def seat(server: Server, browser_page: Page) -> Page:
    """A browser that the server has let in."""
    page, watch = browser_page
    page.goto(server.entrance)
    page.wait_for_load_state("load")
    return page, watch


def submissions(server: Server, page: Any) -> Any:
    """The page that lists the submissions, once it is complete."""
    page.goto(server.url(f"formgrader/manage_submissions/{NAME}"))
    page.wait_for_selector("td.student-id >> text=ada")
    return page


def press(page: Any, student: str, button: str) -> str:
    """Press a button in a student's row; return what the page says afterwards."""
    row = page.locator("tr", has=page.locator("td.student-id", has_text=student))
    row.locator(f"td.{button} a").click()
    modal = page.locator(".modal.in")
    modal.wait_for(timeout=180_000)
    said = modal.inner_text()
    modal.locator("button", has_text="OK").or_(modal.locator(".close")).first.click()
    page.locator(".modal-backdrop").wait_for(state="detached")
    return str(said)


def open_submission(server: Server, page: Any, student: str) -> Any:
    """The page on which a person grades a student's notebook."""
    with gradebook(server.root) as book:
        found = book.find_submission_notebook(NAME, NAME, student).id
    page.goto(server.url(f"formgrader/submissions/{found}/"))
    page.wait_for_selector(".score")
    page.wait_for_load_state("networkidle")
    return page


def test_the_assignment_is_listed(server: Server, seat: Page, keep: Keep) -> None:
    page, _ = seat
    page.goto(server.url("formgrader/manage_assignments"))
    row = page.locator("tr", has_text=NAME)
    row.wait_for()
    page.wait_for_load_state("networkidle")
    assert "3" in row.locator("td.num-submissions").inner_text()
    keep(page, "list")


def test_the_autograde_button_grades_by_laws(server: Server, seat: Page, keep: Keep) -> None:
    page, watch = seat
    said = press(submissions(server, page), "ada", "autograde")
    assert "Successfully autograded" in said
    keep(page, "graded")
    assert recorded(server.root, "ada").scores["softmax"] == 7.0
    assert "survives_huge_scores" in outputs(server.root, "ada", "softmax")
    row = page.locator("tr", has=page.locator("td.student-id", has_text="ada"))
    assert "37 / 45" in row.locator("td.score").inner_text()
    assert watch.seen(page) == []


def test_the_page_of_a_submission_shows_scores_and_reports(
    server: Server, seat: Page, keep: Keep
) -> None:
    page, watch = seat
    open_submission(server, page, "ada")
    assert page.locator("input.score#softmax").get_attribute("placeholder") == "7"
    text = page.locator("#notebook-container").first.inner_text()
    assert "softmax   7/10" in text
    assert "smallest failing input" in text
    assert "Subtract the" in (
        page.locator("#softmax-solution-comment").get_attribute("placeholder")
    )
    picture = page.locator("img[alt=p]")
    assert picture.evaluate("image => image.naturalWidth") == 1
    keep(page, "submission")
    assert watch.seen(page) == []


def test_a_grade_entered_by_hand_survives_a_regrade(server: Server, seat: Page, keep: Keep) -> None:
    page, _ = seat
    open_submission(server, page, "ada")
    field = page.locator("input.score#why-scale")
    assert "needs_manual_grade" in (field.get_attribute("class") or "")
    with page.expect_response(lambda answer: "/api/grade/" in answer.url):
        field.fill("4")
        field.press("Tab")
    note = page.locator("#why-scale-comment")
    with page.expect_response(lambda answer: "/api/comment/" in answer.url):
        note.fill("Good: the *variance* argument.")
        note.press("Tab")
    keep(page, "entered")

    done = run(server.root, "autograder", "grade", NAME, "--force", "--student", "ada")
    assert done.returncode == 0, done.stderr
    open_submission(server, page, "ada")
    assert page.locator("input.score#why-scale").input_value() == "4"
    assert page.locator("#why-scale-comment").input_value() == "Good: the *variance* argument."
    assert recorded(server.root, "ada").score == 41.0


def test_the_feedback_page_can_be_made_and_opened(server: Server, seat: Page, keep: Keep) -> None:
    page, watch = seat
    said = press(submissions(server, page), "ada", "generate-feedback")
    assert "Successfully generated feedback" in said
    page.goto((server.root / "feedback" / "ada" / NAME / f"{NAME}.html").as_uri())
    text = page.locator("body").inner_text()
    assert f"{NAME} (Score: 41.0 / 45.0)" in text
    assert "Good: the variance argument." in text
    assert "softmax   7/10" in text
    assert "The checks of this cell are not shown" in text
    assert page.locator("img[alt=p]").evaluate("image => image.naturalWidth") == 1
    keep(page, "feedback")
    assert watch.seen(page) == []


# -- scripts ---------------------------------------------------------------------------------------


def test_the_watch_sees_a_script_that_runs(browser_page: Page) -> None:
    page, watch = browser_page
    page.set_content(f"<script>{SAYS}</script>")
    assert [seen.split()[0] for seen in watch.seen(page)] == ["dialog", "console", "about:blank"]


def test_the_watch_sees_each_way_of_planting_one(browser_page: Page) -> None:
    page, watch = browser_page
    for planted in (hostile.SCRIPT, hostile.IMAGE, hostile.SVG, hostile.FRAME):
        watch.fired.clear()
        page.set_content(f"<p>{planted}</p>")
        page.wait_for_timeout(300)
        assert watch.seen(page), planted


def test_no_script_of_a_student_runs_in_any_page_of_formgrader(
    server: Server, seat: Page, keep: Keep
) -> None:
    page, watch = seat
    done = run(server.root, "autograder", "grade", NAME)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "could run a script in formgrader's pages" in done.stdout + done.stderr
    with gradebook(server.root) as book:
        assert {student.id for student in book.students} == {"ada", EVE}
        name = {"first_name": hostile.SCRIPT, "last_name": hostile.IMAGE}
        book.update_or_create_student(EVE, **name)
    for path in (
        "manage_assignments",
        f"manage_submissions/{NAME}",
        "gradebook",
        f"gradebook/{NAME}",
        f"gradebook/{NAME}/{NAME}",
        "manage_students",
    ):
        page.goto(server.url(f"formgrader/{path}"))
        page.wait_for_selector("tbody tr td")
        page.wait_for_load_state("networkidle")
        keep(page, path.replace("/", "-"))
        assert watch.seen(page) == [], path

    open_submission(server, page, EVE)
    keep(page, "submission")
    assert watch.seen(page) == []
    inside = page.locator("#notebook-container").first.inner_html()
    assert [found for found in acts(inside) if "OWNED" in found or "evil" in found] == []
    assert SAYS in page.locator("#notebook-container").first.inner_text()  # it is there, as text
    for link in page.locator("#notebook-container a").all():
        assert "javascript:" not in (link.get_attribute("href") or "").lower()


def test_no_script_of_a_student_runs_in_a_feedback_page(
    server: Server, seat: Page, keep: Keep
) -> None:
    page, watch = seat
    done = nbgrader_api(server.root).generate_feedback(NAME, EVE)
    assert done["success"], done
    folder = server.root / "feedback" / EVE / NAME
    assert [path.name for path in folder.iterdir()] == [f"{NAME}.html"]
    page.goto((folder / f"{NAME}.html").as_uri())
    page.wait_for_load_state("load")
    keep(page, "feedback")
    assert watch.seen(page) == []
    assert SAYS in page.locator("#notebook-container").first.inner_text()


def test_no_script_of_a_student_runs_where_a_ta_opens_the_notebook_in_jupyterlab(
    server: Server, seat: Page, keep: Keep
) -> None:
    page, watch = seat
    copied = server.root / "autograded" / "opened.ipynb"
    shutil.copy(server.root / "autograded" / EVE / NAME / f"{NAME}.ipynb", copied)
    page.goto(server.url("lab/tree/autograded/opened.ipynb"))
    page.wait_for_selector(".jp-Notebook .jp-RenderedMarkdown")
    page.wait_for_timeout(3000)
    keep(page, "opened")
    assert watch.seen(page) == []
    assert json.loads(copied.read_text())["cells"]
