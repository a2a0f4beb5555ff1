"""A headless Chromium, and a course served by Jupyter. Skips where there is no browser."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.watch import Watch
from tests.nbgrader_plugin.classroom import REPOSITORY
from tests.nbgrader_plugin.conftest import new_course, postgres, released

__all__ = ["new_course", "postgres", "released"]  # fixtures of the neighbouring folder

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs a browser."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.extra)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        # root can't use Chromium's own sandbox; the pages come from this machine alone
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=found, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def browser_page(chromium: Any) -> Iterator[tuple[Any, Watch]]:
    """A new page, and what is seen of anything that runs, asks or fetches in it."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    watch = Watch(context)
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page, watch
    context.close()


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> Callable[[Any, str], None]:
    """Keeps a picture of a page, named after the test."""
    folder = Path(os.environ.get("SCREENSHOTS", REPOSITORY / "reports" / "screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    test = re.sub(r"\W+", "_", request.node.name.removeprefix("test_"))

    def picture(page: Any, what: str) -> None:
        page.screenshot(path=folder / f"{test}-{what}.png", full_page=True)

    return picture
