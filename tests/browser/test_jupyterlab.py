"""The released notebook in JupyterLab, as a student opens it."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.server import Server, jupyter
from tests.browser.watch import Watch
from tests.nbgrader_plugin.classroom import NAME, REPOSITORY
from tests.nbgrader_plugin.conftest import NewCourse

PlaywrightTimeout = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed"
).TimeoutError

SOURCES = {path.stem: path for path in sorted((REPOSITORY / "source").glob("*/*.ipynb"))}
HEIGHT = 14_000
"""Of a window in which a whole notebook is shown: JupyterLab draws what can be seen alone."""

Page = tuple[Any, Watch]
Keep = Callable[[Any, str], None]


@pytest.fixture(scope="module")
def server(new_course: NewCourse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Jupyter in a folder with a release as students get it, and every instructor's notebook."""
    course, home = new_course(), tmp_path_factory.mktemp("home")
    shutil.copy(course / "release" / NAME / f"{NAME}.ipynb", home / "released.ipynb")
    for name, path in SOURCES.items():
        shutil.copy(path, home / f"{name}.ipynb")
    with jupyter(home) as running:
        yield running


def run_all(server: Server, page: Any, name: str) -> None:
    """Open a notebook and run all of its cells, as soon as the kernel has nothing to do."""
    page.goto(server.entrance)
    page.goto(server.url(f"lab/workspaces/{name}/tree/{name}.ipynb"))
    page.wait_for_selector(".jp-NotebookPanel .jp-RenderedMarkdown")
    page.locator(".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    started = page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[[*0-9]+\]"))
    for _ in range(5):
        page.locator(".lm-MenuBar-item", has_text="Run").first.click()
        page.locator(".lm-Menu-item[data-command='runmenu:run-all']").click()
        # a page that still connects to its kernel drops the first order without a word
        with contextlib.suppress(PlaywrightTimeout):
            started.first.wait_for(timeout=10_000)
            return
    raise AssertionError(f"{name}: no cell was started; {prompts(page)}")


def prompts(page: Any) -> str:
    """What stands before the cells, and any dialog: where the notebook has got to."""
    shown = page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    return f"prompts: {shown}, dialogs: {page.locator('.jp-Dialog').all_inner_texts()}"


def saved(server: Server, page: Any, name: str, done: Callable[[dict[str, Any]], bool]) -> Any:
    """The notebook's file, once it holds what the cells gave."""
    path = Path(server.root) / f"{name}.ipynb"
    for _ in range(180):
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1000)
        nb = json.loads(path.read_text())
        if done(nb):
            return nb
    raise AssertionError(f"{name} was not run to its end; {prompts(page)}")


def errors(nb: dict[str, Any]) -> list[dict[str, Any]]:
    """The errors that the cells of a notebook show."""
    shown = (output for cell in nb["cells"] for output in cell.get("outputs", ()))
    return [output for output in shown if output["output_type"] == "error"]


def test_the_first_stub_fails_as_it_should(server: Server, browser_page: Page, keep: Keep) -> None:
    page, watch = browser_page
    run_all(server, page, "released")
    nb = saved(server, page, "released", lambda nb: bool(errors(nb)))
    (error,) = errors(nb)
    assert error["ename"] == "NotImplementedError"
    assert "Replace this line by your own code." in error["evalue"]
    keep(page, "stub")
    assert watch.seen(page) == []


@pytest.mark.parametrize("name", SOURCES)
def test_the_instructors_notebook_runs_to_its_end_and_looks_right(
    server: Server, browser_page: Page, keep: Keep, name: str
) -> None:
    page, _ = browser_page
    page.set_viewport_size({"width": 1200, "height": HEIGHT})
    run_all(server, page, name)

    def complete(nb: dict[str, Any]) -> bool:
        code = [cell for cell in nb["cells"] if cell["cell_type"] == "code"]
        return bool(errors(nb) or code[-1]["execution_count"])

    nb = saved(server, page, name, complete)
    assert errors(nb) == []
    page.wait_for_timeout(1000)  # a picture is drawn a moment after its cell has ended
    keep(page, name)
    notebook = page.locator(".jp-NotebookPanel .jp-Notebook")
    assert notebook.locator("h1").count() == 1
    assert notebook.locator("mjx-container").count() >= 3
    assert notebook.locator("mjx-merror, [data-mjx-error]").count() == 0
    pictures = notebook.locator(".jp-OutputArea-output img")
    shown = sum(
        "image/png" in output.get("data", {})
        for cell in nb["cells"]
        for output in cell.get("outputs", ())
    )
    assert pictures.count() == shown >= 1
    for i in range(shown):
        assert pictures.nth(i).evaluate("image => image.naturalWidth") > 100
