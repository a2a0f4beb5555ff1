"""Pictures that a student pasted into a text cell: the only attached files that are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

MAX_PICTURE_BYTES: Final = 8 << 20
"""How much the files attached to one cell may hold; those of a fuller cell are left out."""

RASTER: Final = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
"""The kinds of picture that no program can hide in, with the usual ends of their names."""

_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")

Bundle = dict[str, str]


def raster_pictures(attachments: Mapping[str, Any]) -> dict[str, Bundle]:
    """The attached files that are pictures by kind and content, each in one kind."""
    found = {name: _raster(bundle) for name, bundle in attachments.items()}
    return {name: bundle for name, bundle in found.items() if bundle}


def _raster(bundle: Any) -> Bundle:
    if not isinstance(bundle, Mapping):
        return {}
    for kind in RASTER:
        content = bundle.get(kind)
        if isinstance(content, str) and _BASE64.fullmatch(content):
            return {kind: "".join(content.split())}
    return {}
