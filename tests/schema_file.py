"""Make `autograder/schema.json` from the records: `python -m tests.schema_file` writes it anew.

A result is always written whole, so in the schema every field is required, though in the code some
have defaults.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from autograder.nbgrader_plugin.grade import Summary
from autograder.results import FORMAT_VERSION, SubmissionResult

SCHEMA_FILE = Path(__file__).resolve().parents[1] / "autograder" / "schema.json"


def schema() -> dict[str, Any]:
    """The schema of a result, and of what `check --json` and `grade --json` print."""
    (result, summary), records = msgspec.json.schema_components(
        [SubmissionResult, Summary], ref_template="#/$defs/{name}"
    )
    for record in records.values():
        if "properties" in record:
            _require_all(record)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of attention-autograder",
        "description": (
            "What lies under .autograder/results and what `autograder check --json` prints for one "
            "notebook; for several, an array of these; and what `autograder grade --json` prints."
        ),
        "anyOf": [result, {"type": "array", "items": result}, summary],
        "$defs": records,
    }


def _require_all(record: dict[str, Any]) -> None:
    properties = record["properties"]
    record["required"] = list(properties)
    for definition in properties.values():
        definition.pop("default", None)
    if "format_version" in properties:
        properties["format_version"] = {"const": FORMAT_VERSION}


def text() -> str:
    """The schema as the file holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(text(), encoding="utf-8")
