"""`Notebook` -> bytes, equal to those of `nbformat.write` for the same content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autograder.notebook.model import Cell, Notebook

_TRANSIENT = ("orig_nbformat", "orig_nbformat_minor", "signature")
_SPLIT_BESIDE_TEXT = ("application/javascript", "image/svg+xml")


def write(nb: Notebook) -> bytes:
    """The notebook as a file: UTF-8, one blank of indent, keys sorted, texts as lists of lines."""
    document = {
        "cells": [_cell(cell, with_id=nb.nbformat_minor >= 5) for cell in nb.cells],
        "metadata": {key: value for key, value in nb.metadata.items() if key not in _TRANSIENT},
        "nbformat": nb.nbformat,
        "nbformat_minor": nb.nbformat_minor,
    }
    return written(document)


def written(document: Mapping[str, Any]) -> bytes:
    """A notebook's JSON as a file."""
    text = json.dumps(
        document, indent=1, sort_keys=True, separators=(",", ": "), ensure_ascii=False
    )
    return (text + "\n").encode("utf-8", "replace")


def _cell(cell: Cell, with_id: bool) -> dict[str, Any]:
    written: dict[str, Any] = {
        "cell_type": cell.cell_type,
        "metadata": {key: value for key, value in cell.metadata.items() if key != "trusted"},
        "source": cell.source.splitlines(keepends=True),
    }
    if with_id:
        written["id"] = cell.id
    if cell.is_code:
        written["execution_count"] = cell.execution_count
        written["outputs"] = [_output(output) for output in cell.outputs]
    elif cell.attachments:
        written["attachments"] = {
            name: _mime_bundle(bundle) for name, bundle in cell.attachments.items()
        }
    return written


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    written = dict(output)
    if isinstance(written.get("data"), dict):
        written["data"] = _mime_bundle(written["data"])
    if isinstance(written.get("text"), str):
        written["text"] = written["text"].splitlines(keepends=True)
    return written


def _mime_bundle(bundle: Mapping[str, Any]) -> dict[str, Any]:
    return {
        kind: value.splitlines(keepends=True)
        if isinstance(value, str) and (kind.startswith("text/") or kind in _SPLIT_BESIDE_TEXT)
        else value
        for kind, value in bundle.items()
    }
