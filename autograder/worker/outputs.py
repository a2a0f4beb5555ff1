"""Outputs of cells as a notebook file holds them.

Only plain text and raster images are kept: HTML, SVG and scripts of a submission have no place in
a page that a teaching assistant opens, and the plain text beside them says what they were.
"""

from __future__ import annotations

import re
from typing import Any, Final

from autograder.results import Status
from autograder.worker import wire
from autograder.worker.hygiene import clean_text

_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")
_IMAGES: Final = ("image/png", "image/jpeg")


def as_nbformat(output: wire.Output) -> dict[str, Any]:
    """One output in the form of nbformat 4."""
    if isinstance(output, wire.Stream):
        text = clean_text(output.text, wire.MAX_FRAME)
        return {"output_type": "stream", "name": output.name, "text": text}
    if isinstance(output, wire.Error):
        return {
            "output_type": "error",
            "ename": clean_text(output.type_name, wire.MAX_NAME),
            "evalue": clean_text(output.message, wire.MAX_MESSAGE),
            "traceback": [clean_text(line, wire.MAX_TEXT) for line in output.traceback],
        }
    shown = {"data": _safe_bundle(output.data), "metadata": {}}
    if isinstance(output, wire.Result):
        return {"output_type": "execute_result", "execution_count": output.count, **shown}
    return {"output_type": "display_data", **shown}


def death_output(status: Status, detail: str) -> dict[str, Any]:
    """The output of a cell that ended its worker."""
    return {
        "output_type": "error",
        "ename": status.value,
        "evalue": detail,
        "traceback": [f"{status.value}: {detail}"],
    }


def _safe_bundle(data: dict[str, str]) -> dict[str, str]:
    bundle = {kind: data[kind] for kind in _IMAGES if _BASE64.fullmatch(data.get(kind, "-"))}
    if "text/plain" in data:
        bundle["text/plain"] = clean_text(data["text/plain"], wire.MAX_TEXT)
    if not bundle:  # a page can't show an output of no kind at all
        kinds = clean_text(", ".join(data), wire.MAX_NAME)
        bundle["text/plain"] = f"[not shown here: {kinds}]"
    return bundle
