"""The image is built from files that are here, holds no course, and does not grade as root."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTRUCTIONS = [
    line.split(maxsplit=1)
    for line in re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
    if line and not line.startswith("#")
]


def values_of(instruction: str) -> list[str]:
    return [value for name, value in INSTRUCTIONS if name == instruction]


def test_the_grader_is_an_ordinary_user() -> None:
    (user,) = values_of("USER")
    assert user not in ("root", "0")
    assert [name for name, _ in INSTRUCTIONS].index("USER") > max(
        number for number, (name, _) in enumerate(INSTRUCTIONS) if name == "RUN"
    )


def test_what_is_copied_is_here_and_nothing_else_is_sent() -> None:
    sources = {source for value in values_of("COPY") for source in value.split()[:-1]}
    assert all((ROOT / source).exists() for source in sources - {"README.md"})
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == sources


def test_it_runs_the_command_line() -> None:
    assert json.loads(values_of("ENTRYPOINT")[0]) == ["autograder"]


def test_the_documented_command_adds_no_privilege() -> None:
    page = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^docker run .*$", page, re.MULTILINE)
    assert "--privileged" not in command
    for option in ("--network none", "--cap-drop ALL", "no-new-privileges", "--user "):
        assert option in command
