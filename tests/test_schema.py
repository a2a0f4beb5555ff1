"""The shipped JSON Schema describes what the commands print."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from autograder.nbgrader_plugin.grade import Summary, Ungraded
from autograder.results import SubmissionResult
from tests import schema_file

RELEASE = (
    Path(__file__).resolve().parents[1] / "release" / "self_attention" / "self_attention.ipynb"
)
SCHEMA: dict[str, Any] = json.loads(schema_file.SCHEMA_FILE.read_text(encoding="utf-8"))


def fits(document: Any, record: str | None = None) -> bool:
    """Whether a document fits the schema, or one record of it."""
    schema = {**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{record}"}]} if record else SCHEMA
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


@pytest.fixture(scope="module")
def printed() -> list[dict[str, Any]]:
    """What `check --json` prints for two notebooks: the untouched release, twice."""
    notebooks = [str(RELEASE), str(RELEASE)]
    options = ["--json", "--seed", "0", "--sandbox", "rlimit"]
    done = subprocess.run(
        [sys.executable, "-m", "autograder.cli", "check", *notebooks, *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_file_is_current() -> None:
    current = schema_file.text()
    assert schema_file.SCHEMA_FILE.read_text(encoding="utf-8") == current, (
        "run python -m tests.schema_file"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_what_check_prints_fits(printed: list[dict[str, Any]]) -> None:
    assert len(printed) == 2
    assert fits(printed)
    assert all(fits(result, "SubmissionResult") for result in printed)


def test_what_grade_prints_fits(printed: list[dict[str, Any]]) -> None:
    results = [msgspec.convert(result, SubmissionResult) for result in printed]
    summary = Summary(results=results, ungraded=[Ungraded("ada", "It is no notebook.")])
    document = json.loads(msgspec.json.encode(summary))
    assert fits(document)
    assert fits(document, "Summary")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format_version",), 2),
        (("score",), "40"),
        (("exercises", 0, "status"), "perfect"),
        (("exercises", 0, "properties", 0, "points"), None),
        (("timing", "load"), "fast"),
    ],
)
def test_what_no_command_prints_does_not_fit(
    path: tuple[str | int, ...], value: Any, printed: list[dict[str, Any]]
) -> None:
    changed: Any = copy.deepcopy(printed[0])
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert not fits(changed)


def test_a_result_without_one_of_its_fields_does_not_fit(printed: list[dict[str, Any]]) -> None:
    for name in printed[0]:
        assert not fits({key: value for key, value in printed[0].items() if key != name})
