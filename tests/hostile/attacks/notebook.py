"""Attacks by the structure of the notebook file itself."""

from __future__ import annotations

import json
from typing import Any

from tests.hostile.attack import (
    HONEST_BESIDE,
    OTHERS,
    ZEROS,
    Attack,
    Json,
    cell,
    code_cell,
    edits,
)

_ALWAYS = "print('softmax: every check passed.')\n10.0"


def _every_test(change: Any) -> Any:
    def edit(made: Json) -> None:
        for name in ("softmax", *OTHERS):
            change(made, cell(made, name))

    return edit


def _set_source(made: Json, test: Json) -> None:
    test["source"] = _ALWAYS


def _delete(made: Json, test: Json) -> None:
    made["cells"].remove(test)


def _make_text(made: Json, test: Json) -> None:
    test["cell_type"] = "markdown"
    test.pop("outputs", None)
    test.pop("execution_count", None)


def _skip(made: Json, test: Json) -> None:
    test["metadata"]["tags"] = ["skip-execution", "demo", "raises-exception"]


def _raise_points(made: Json, test: Json) -> None:
    test["metadata"]["nbgrader"]["points"] = 1000


def _claim_to_be_solution(made: Json, test: Json) -> None:
    test["metadata"]["nbgrader"].update(grade=False, solution=True, locked=False)


def _odd_flags(made: Json, test: Json) -> None:
    test["metadata"]["nbgrader"].update(points="all", schema_version=99, checksum=None, grade=[1])


def _duplicate(made: Json, test: Json) -> None:
    copy: Json = json.loads(json.dumps(test))
    copy["source"], copy["id"] = _ALWAYS, copy["id"] + "2"
    made["cells"].append(copy)


def _saved_score(made: Json, test: Json) -> None:
    test["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "metadata": {},
            "data": {"text/plain": "10.0"},
        }
    ]


def _duplicate_solutions(made: Json) -> None:
    for name in ("softmax", *OTHERS):
        copy: Json = json.loads(json.dumps(cell(made, f"{name}-solution")))
        copy["id"] += "2"
        made["cells"].insert(0, copy)


def _cells_of_its_own(made: Json) -> None:
    for grade_id in ("softmax", "bonus", "why-scale", "x" * 5000, "../../gradebook"):
        flags = {
            "grade": True,
            "solution": False,
            "locked": True,
            "task": False,
            "schema_version": 3,
            "cell_type": "code",
            "points": 100,
            "grade_id": grade_id,
        }
        made["cells"].append(code_cell(f"own-{len(made['cells'])}", _ALWAYS, nbgrader=flags))


def _metadata_of_the_grader(made: Json) -> None:
    made["metadata"]["autograder"] = {"notes": ["PW" + "NED"], "score": 40.0, "grades": {}}
    made["metadata"]["nbgrader"] = {"extra_credit": 10}
    made["metadata"]["kernelspec"] = {"name": "evil", "argv": ["/bin/sh"], "display_name": "x"}
    made["metadata"]["widgets"] = {"x": "<script>" * 1000}
    for one in made["cells"]:
        one["metadata"]["extra_credit"] = one["metadata"]["comment"] = 10
        one["metadata"]["autograder"] = {"score": 10, "status": "passed"}


def _metadata_of_odd_types(made: Json) -> None:
    for number, one in enumerate(made["cells"]):
        odd: list[Any] = [{"nbgrader": 1}, {"nbgrader": [None]}, {"nbgrader": {"grade_id": 7}}]
        if not one["metadata"].get("nbgrader"):
            one["metadata"] = odd[number % 3]
    made["metadata"] = {"kernelspec": 3, "language_info": [], "authors": {"a": None}}


def _odd_ids(made: Json) -> None:
    for one in made["cells"]:
        one["id"] = "<script>../../x" * 9


def _cells_of_odd_types(made: Json) -> None:
    odd = ({}, {"cell_type": "evil", "source": "1"}, {"cell_type": "raw", "source": ["<script>"]})
    made["cells"] += [dict(one) for one in odd]
    made["cells"].append({"cell_type": "code", "source": {"a": 1}, "metadata": None})


def _attachments(made: Json) -> None:
    text = {
        "cell_type": "markdown",
        "id": "pic",
        "metadata": {},
        "source": "![x](attachment:x.svg)",
    }
    made["cells"].append({**text, "attachments": {"x.svg": {"image/svg+xml": "<script>"}}})


def _hostile_source(name: str, sentence: str, source: str, **more: Any) -> Attack:
    return Attack(name=name, sentence=sentence, cells=(source,), **{**HONEST_BESIDE, **more})


ATTACKS = (
    edits(
        "tests_are_edited",
        "Every test passes whatever comes.",
        _every_test(_set_source),
        quick=True,
    ),
    edits("tests_are_deleted", "No test is left.", _every_test(_delete), quick=True),
    edits("tests_become_text", "Every test is a text cell.", _every_test(_make_text)),
    edits("tests_are_to_be_skipped", "Tags ask not to run the tests.", _every_test(_skip)),
    edits(
        "points_are_raised", "1000 points for every test.", _every_test(_raise_points), quick=True
    ),
    edits(
        "tests_claim_to_be_solutions",
        "The flags of every test are turned.",
        _every_test(_claim_to_be_solution),
    ),
    edits("flags_of_odd_types", "Flags that are no flags.", _every_test(_odd_flags)),
    edits(
        "tests_are_duplicated",
        "A second test of each name, which passes.",
        _every_test(_duplicate),
        quick=True,
    ),
    edits(
        "scores_are_saved_in_outputs",
        "The full score stands in the saved outputs.",
        _every_test(_saved_score),
    ),
    edits("solutions_are_duplicated", "Every solution stands there twice.", _duplicate_solutions),
    edits(
        "graded_cells_of_its_own",
        "New graded cells worth 100 points each.",
        _cells_of_its_own,
        quick=True,
    ),
    edits(
        "metadata_of_the_grader",
        "Notes, scores and credits where the grader keeps its own.",
        _metadata_of_the_grader,
        quick=True,
    ),
    edits(
        "metadata_of_odd_types",
        "Numbers and lists where mappings should be.",
        _metadata_of_odd_types,
    ),
    edits("ids_are_hostile", "Cell ids that are markup and paths, all the same.", _odd_ids),
    edits("cells_of_odd_types", "Cells that are no cells.", _cells_of_odd_types, unreadable=True),
    edits("attachments", "A picture with a script, attached to a text cell.", _attachments),
    Attack(
        name="all_cells_removed",
        sentence="Only one cell is left, and it says that all is right.",
        sources={},
        worth=dict.fromkeys(("softmax", *OTHERS), 0.0),
        edit=lambda made: made.update(cells=[cell(made, "softmax")]),
        keeps=(),
    ),
    _hostile_source("a_hundred_thousand_parentheses", "A parser's nightmare.", "(" * 100_000),
    _hostile_source("closed_parentheses", "Deep but whole.", "x = " + "(" * 50_000 + ")" * 50_000),
    _hostile_source(
        "a_million_minus_signs",
        "Unary operators without end.",
        "x = " + "-" * 900_000 + "1",
        quick=True,
    ),
    _hostile_source("a_chain_of_attributes", "An attribute of an attribute.", "x" + ".a" * 200_000),
    _hostile_source("nested_lists", "Brackets in brackets.", "x = " + "[" * 90 + "1" + "]" * 90),
    _hostile_source(
        "nested_format_strings",
        "f-strings of f-strings.",
        "x = " + "f'{" * 3000 + "1" + "}'" * 3000,
    ),
    _hostile_source(
        "zero_bytes_in_a_source",
        "Characters that no source may hold.",
        "x = 1\0\ny = '\ud800'\n\x0c\x1b[31m",
    ),
    _hostile_source(
        "a_power_that_folds",
        "A constant that the compiler would compute.",
        "x = 'a' * (10 ** 9)\ny = (2 ** 10 ** 7,)",
    ),
    _hostile_source(
        "encoding_of_its_own", "A coding line that names a codec.", "# -*- coding: rot13 -*-\nx = 1"
    ),
    Attack(
        name="solution_in_a_hostile_source",
        sentence="The graded cell itself can't be parsed.",
        sources={"softmax": ZEROS + "x = " + "-" * 500_000 + "1\n"},
    ),
    Attack(
        name="sources_of_two_megabytes",
        sentence="More source than may be read.",
        cells=("# " + "x" * (2 << 20),),
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="three_thousand_cells",
        sentence="More cells than may be read.",
        cells=("1",) * 3000,
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="fifteen_hundred_cells",
        sentence="As many cells as may be read, each with an output.",
        cells=("print('x' * 10)",) * 1500,
        keeps=(),
    ),
    Attack(
        name="outputs_of_fifty_megabytes",
        sentence="Saved outputs that fill the memory of whoever reads them.",
        edit=lambda made: made["cells"][0]["outputs"].append(
            {"output_type": "stream", "name": "stdout", "text": "x" * (50 << 20)}
        ),
    ),
    Attack(
        name="json_nested_without_end",
        sentence="Metadata nested a million times.",
        raw=lambda data: data.replace(
            b'"metadata": {}', b'"metadata": {"x": ' + b"[" * 10**6 + b"]" * 10**6 + b"}", 1
        ),
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="half_a_file",
        sentence="The file ends in the middle.",
        raw=lambda data: data[: len(data) // 2],
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="numbers_that_are_none",
        sentence="NaN, Infinity and a number of 10000 digits in the JSON.",
        raw=lambda data: data.replace(
            b'"execution_count": null', b'"execution_count": ' + b"9" * 10_000, 1
        ).replace(b'"execution_count": null', b'"execution_count": NaN'),
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="byte_order_mark_and_rubbish",
        sentence="UTF-16, or what looks like it.",
        raw=lambda data: b"\xff\xfe" + data,
        keeps=(),
        unreadable=True,
    ),
    Attack(
        name="keys_twice",
        sentence="Every key stands twice: one reader takes the first, the other the last.",
        raw=lambda data: data.replace(b'"points": 10', b'"points": 10, "points": 900'),
    ),
)
