"""Sees what runs in a page, and lets no page reach the network."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

MARK = "OWNED"
"""What every planted script says, aloud, in the console and in the window's title."""
SAYS = f"alert('{MARK}');console.log('{MARK}');window.{MARK}=1"
LURE = "evil.example"
"""A host that only a student's content names."""


class Watch:
    """Collects dialogs, console marks and requests of all pages of a context."""

    def __init__(self, context: Any) -> None:
        self.fired: list[str] = []
        self.fetched: list[str] = []
        context.on("dialog", self._dialog)
        context.on("console", self._console)
        context.route("**/*", self._route)

    def _dialog(self, dialog: Any) -> None:
        if MARK in dialog.message:
            self.fired.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if MARK in message.text:
            self.fired.append(f"console {message.text}")

    def _route(self, route: Any) -> None:
        host = urlsplit(route.request.url).hostname
        if host in (None, "127.0.0.1", "localhost"):
            route.continue_()
            return
        self.fetched.append(route.request.url)
        route.abort()

    def seen(self, page: Any) -> list[str]:
        """What ran in the page or its frames of what was planted, and what was lured away."""
        marked = [frame.url for frame in page.frames if frame.evaluate(f"'{MARK}' in window")]
        return [*self.fired, *marked, *(url for url in self.fetched if LURE in url)]
