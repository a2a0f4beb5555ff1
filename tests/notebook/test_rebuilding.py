from __future__ import annotations

import time

import pytest

from autograder.notebook import Skeleton, read, rebuild, without_skeleton, write
from tests.notebook.builders import (
    GRADE_IDS,
    SKELETON,
    STUB,
    WORK,
    code,
    copy_behind,
    data,
    extras,
    find,
    flags,
    markdown,
    namespace,
    notebook,
    release,
    repaired,
    solved,
    sources,
)

SOFTMAX = WORK["softmax"]
STUB_SOFTMAX = STUB.format(name="softmax", args="z, axis=-1")
OTHER_SOFTMAX = "def softmax(z):\n    return z"


def untouched(_):
    """An edit that changes nothing."""


def released_ids():
    return [slot.cell.id for slot in SKELETON.cells]


# -- honest work ---------------------------------------------------------------------------------


def test_honest_submission_comes_out_as_it_went_in_and_without_notes():
    found = repaired(untouched)
    assert found.notes == ()
    assert write(found.notebook) == write(read(data(solved())))
    assert found.numbers == tuple(range(1, 11))


def test_untouched_release_comes_out_as_it_went_in_and_without_notes():
    found = repaired(untouched, release())
    assert found.notes == ()
    assert write(found.notebook) == write(read(data(release())))


def test_extra_cells_keep_their_places_silently():
    def edit(cells):
        cells.insert(0, code("import math", "a"))
        cells.insert(4, markdown("My notes", "b"))
        cells.append(code("softmax([1.0])", "c"))

    found = repaired(edit)
    texts = [cell.source for cell in found.notebook.cells]
    assert found.notes == ()
    assert (texts[0], texts[4], texts[-1]) == ("import math", "My notes", "softmax([1.0])")
    assert found.numbers == tuple(range(1, 14))


def test_ordinary_cells_take_the_students_text():
    def edit(cells):
        find(cells, "generator")["source"] = "rng = np.random.default_rng(7)"
        find(cells, "title")["source"] = "# My attention"
        find(cells, "demonstration")["source"] = "print('mine')"

    found = repaired(edit)
    assert found.notes == ()
    texts = sources(found.notebook)
    assert texts["generator"] == "rng = np.random.default_rng(7)"
    assert texts["title"] == "# My attention"
    assert texts["demonstration"] == "print('mine')"


def test_ordinary_cell_may_change_its_type():
    def edit(cells):
        find(cells, "title").update(code("import math", "title"))

    (title, *_) = repaired(edit).notebook.cells
    assert (title.cell_type, title.source) == ("code", "import math")


def test_metadata_come_from_the_skeleton_alone():
    def edit(cells):
        find(cells, "softmax-solution")["metadata"] |= {"tags": ["demo", "skip-execution"]}
        find(cells, "demonstration")["metadata"] = {}
        find(cells, "why-scale")["attachments"] = {"x.png": {"image/png": "iVBO"}}
        cells.append(code("x = 1", "a", tags=["demo"], nbgrader={"points": 100}))

    document = solved()
    document["metadata"]["autograder"] = {"notes": ["I deserve full marks."]}
    found = repaired(edit, document)
    assert found.notebook.metadata == SKELETON.metadata
    by_id = {cell.id: cell for cell in found.notebook.cells}
    for slot in SKELETON.cells:
        assert by_id[slot.cell.id].metadata == slot.cell.metadata
        assert by_id[slot.cell.id].attachments == {}
    assert found.notebook.cells[-1].metadata == {}


def test_pictures_of_the_release_stay():
    document = release()
    picture = {"x.png": {"image/png": "iVBO"}}
    find(document["cells"], "title")["attachments"] = picture
    found = rebuild(read(data(solved())), Skeleton.from_release(data(document)))
    assert found.notebook.cells[0].attachments == picture


def test_rebuilt_notebooks_share_nothing():
    first, second = repaired(untouched), repaired(untouched)
    first.notebook.cells[3].metadata["nbgrader"]["points"] = 99
    first.notebook.metadata["x"] = 1
    assert "points" not in second.notebook.cells[3].metadata["nbgrader"]
    assert "x" not in repaired(untouched).notebook.metadata
    assert "points" not in SKELETON.cells[3].cell.metadata["nbgrader"]


# -- edits of locked cells -----------------------------------------------------------------------


@pytest.mark.parametrize("cell_id", ["softmax", "imports", "rules"])
def test_locked_cells_get_the_releases_text_back(cell_id):
    found = repaired(lambda cells: find(cells, cell_id).update(source="pass"))
    assert sources(found.notebook)[cell_id] == find(release()["cells"], cell_id)["source"]
    assert extras(found.notebook) == []
    (note,) = found.notes
    assert note.endswith(f"{cell_id!r}, differs from the release; restored.")
    assert note.startswith(f"Cell {released_ids().index(cell_id) + 1}, ")


def test_definition_in_a_test_cell_still_runs():
    def edit(cells):
        find(cells, "softmax")["source"] = SOFTMAX + "\n\nassert True"
        cells.remove(find(cells, "softmax-solution"))

    found = repaired(edit)
    texts = sources(found.notebook)
    assert texts["softmax"] == "assert softmax([0.0]) == 1"
    assert extras(found.notebook) == [SOFTMAX + "\n\nassert True"]
    assert "error" not in namespace(found.notebook)
    assert any("holds work that has no place there" in note for note in found.notes)


def test_import_added_to_a_locked_cell_still_runs():
    found = repaired(
        lambda cells: find(cells, "imports").update(source="import numpy as np\nimport math")
    )
    assert "math" in namespace(found.notebook)


def test_definition_in_a_demonstration_still_runs_and_the_demonstration_does_not():
    def edit(cells):
        find(cells, "demonstration")["source"] += "\ndef helper(): return 1\nshown = True"

    found = repaired(edit)
    bound = namespace(found.notebook)
    assert "helper" in bound
    demonstration = find(release()["cells"], "demonstration")["source"]
    assert sources(found.notebook)["demonstration"] == demonstration


def test_answer_merged_into_a_locked_question_is_kept():
    def edit(cells):
        find(cells, "rules")["source"] += "\n\nBecause of the variance."
        cells.remove(find(cells, "why-scale"))

    found = repaired(edit)
    assert extras(found.notebook) == ["Answer in your own words.\n\nBecause of the variance."]


def test_changed_flags_and_points_are_restored():
    def edit(cells):
        changed = find(cells, "softmax")["metadata"]["nbgrader"]
        changed.update(grade=False, solution=True, points=100)

    found = repaired(edit)
    assert write(found.notebook) == write(repaired(untouched).notebook)
    assert found.notes == ("Cell 5, the test 'softmax', had other flags or points; restored.",)


# -- missing cells -------------------------------------------------------------------------------


@pytest.mark.parametrize("cell_id", released_ids())
def test_deleted_cell_is_put_back_as_released(cell_id):
    found = repaired(lambda cells: cells.remove(find(cells, cell_id)))
    assert [cell.id for cell in found.notebook.cells] == released_ids()
    assert sources(found.notebook)[cell_id] == find(release()["cells"], cell_id)["source"]
    assert found.numbers.count(None) == 1
    expected = [] if cell_id == "title" else ["was missing; it was put back."]
    assert [note.partition(" was ")[1] + note.partition(" was ")[2] for note in found.notes] == [
        " " + end for end in expected
    ]


def test_notebook_without_any_known_cell_becomes_the_release_and_its_extras():
    found = rebuild(read(data(notebook(code("x = 1", "z"), markdown("hello", "y")))), SKELETON)
    assert extras(found.notebook) == ["x = 1", "hello"]
    assert sources(found.notebook) == {s.cell.id: s.released for s in SKELETON.cells}


def test_deleted_stub_never_replaces_a_definition_before_it():
    def edit(cells):
        cells.remove(find(cells, "softmax-solution"))
        find(cells, "generator")["source"] += "\n" + SOFTMAX

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == ""
    assert "error" not in namespace(found.notebook)
    assert namespace(found.notebook)["softmax"].__code__.co_varnames[1] == "axis"
    assert found.notes == (
        "The cell 'softmax-solution' was missing; it was left empty, as cell 3 defines its name.",
    )


def test_deleted_stub_never_replaces_a_definition_that_is_not_plain_to_see():
    def edit(cells):
        cells.remove(find(cells, "softmax-solution"))
        find(cells, "generator")["source"] += "\nexec('def softmax(z): return z')"

    assert sources(repaired(edit).notebook)["softmax-solution"] == ""


def test_unchanged_stub_never_replaces_a_definition_before_it():
    document = release()
    document["cells"].insert(2, code(SOFTMAX, "a"))
    found = repaired(untouched, document)
    assert sources(found.notebook)["softmax-solution"] == ""
    assert found.notes == (
        "Cell 5 still holds the stub of the cell 'softmax-solution', which would replace the"
        " definition in cell 3; it was left empty.",
    )


def test_unchanged_stub_before_a_definition_stays():
    document = release()
    document["cells"].append(code(SOFTMAX, "a"))
    found = repaired(untouched, document)
    assert sources(found.notebook)["softmax-solution"] == STUB_SOFTMAX
    assert found.notes == ()


def test_deleted_ordinary_code_never_replaces_the_students_value():
    def edit(cells):
        cells.remove(find(cells, "generator"))
        cells.insert(0, code("rng = 'mine'\nother = 1", "a"))

    found = repaired(edit)
    assert namespace(found.notebook)["rng"] == "mine"
    assert sources(found.notebook)["generator"] == ""


# -- copies, split and merged cells --------------------------------------------------------------


def test_first_copy_with_work_stands_for_the_cell_and_the_last_one_counts():
    found = repaired(lambda cells: copy_behind(cells, "softmax-solution", OTHER_SOFTMAX))
    assert sources(found.notebook)["softmax-solution"] == SOFTMAX
    assert extras(found.notebook) == [OTHER_SOFTMAX]
    assert namespace(found.notebook)["softmax"].__code__.co_argcount == 1
    assert found.notes == (
        "Cell 5 repeats the cell 'softmax-solution'; it is kept as an extra cell.",
    )


@pytest.mark.parametrize("first", [True, False])
def test_copy_that_is_still_the_stub_is_left_out(first):
    document = solved()
    cells = document["cells"]
    copy_behind(cells, "softmax-solution", STUB_SOFTMAX)
    if first:
        cells[3], cells[4] = cells[4], cells[3]
    found = repaired(untouched, document)
    assert sources(found.notebook)["softmax-solution"] == SOFTMAX
    assert extras(found.notebook) == []
    number = 4 if first else 5
    assert found.notes == (
        f"Cell {number} is a copy of the cell 'softmax-solution' and was left out.",
    )


def test_stub_pasted_into_an_ordinary_cell_is_left_out():
    found = repaired(lambda cells: cells.append(code(STUB_SOFTMAX + "\n", "a")))
    assert extras(found.notebook) == []
    assert "error" not in namespace(found.notebook)


@pytest.mark.parametrize("cell_id", ["softmax", "imports", "rules", "why-scale"])
def test_unchanged_copies_of_other_cells_are_no_second_cells(cell_id):
    found = repaired(lambda cells: copy_behind(cells, cell_id))
    ids = [
        c.metadata["nbgrader"]["grade_id"]
        for c in found.notebook.cells
        if c.metadata.get("nbgrader")
    ]
    assert ids == GRADE_IDS
    assert len(found.notes) == 1


def test_changed_copy_of_a_test_is_left_out_unless_it_defines_something():
    found = repaired(lambda cells: copy_behind(cells, "softmax", "assert 1 == 1"))
    assert extras(found.notebook) == []
    found = repaired(lambda cells: copy_behind(cells, "softmax", "def helper(): ..."))
    assert extras(found.notebook) == ["def helper(): ..."]


def test_split_solution_keeps_both_halves_in_order():
    def edit(cells):
        find(cells, "softmax-solution")["source"] = "def helper(z):\n    return z"
        copy_behind(cells, "softmax-solution", SOFTMAX)

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == "def helper(z):\n    return z"
    assert extras(found.notebook) == [SOFTMAX]
    assert {"helper", "softmax"} <= namespace(found.notebook).keys()


def test_solutions_merged_into_one_cell_both_count():
    def edit(cells):
        find(cells, "softmax-solution")["source"] = SOFTMAX + "\n\n" + WORK["causal_mask"]
        cells.remove(find(cells, "causal_mask-solution"))

    found = repaired(edit)
    assert sources(found.notebook)["causal_mask-solution"] == ""
    bound = namespace(found.notebook)
    assert "error" not in bound
    assert bound["causal_mask"](2).tolist() == [[True, False], [True, True]]


def test_stub_merged_below_a_definition_is_cut_out():
    document = release()
    find(document["cells"], "softmax-solution")["source"] = f"{SOFTMAX}\n\n{STUB_SOFTMAX}"
    found = repaired(untouched, document)
    assert namespace(found.notebook)["softmax"].__doc__ is None
    assert sources(found.notebook)["softmax-solution"] == SOFTMAX + "\n\n"
    assert found.notes == (
        "Cell 4 holds the stub of the cell 'softmax-solution', which would replace a definition;"
        " the stub was left out.",
    )


def test_stub_above_a_definition_in_one_cell_stays():
    document = release()
    find(document["cells"], "softmax-solution")["source"] = f"{STUB_SOFTMAX}\n\n{SOFTMAX}"
    found = repaired(untouched, document)
    assert sources(found.notebook)["softmax-solution"] == f"{STUB_SOFTMAX}\n\n{SOFTMAX}"
    assert found.notes == ()


# -- cells that changed type, place or name ------------------------------------------------------


def test_solution_turned_into_text_is_still_read_as_code():
    def edit(cells):
        cell = find(cells, "softmax-solution")
        cell.update(markdown(cell["source"], cell["id"], **cell["metadata"]))
        del cell["outputs"], cell["execution_count"]

    found = repaired(edit)
    assert write(found.notebook) == write(repaired(untouched).notebook)
    assert found.notes == (
        "Cell 4, the cell 'softmax-solution', was a markdown cell; it is read as code.",
    )


def test_draft_turned_into_text_does_not_replace_the_final_definition():
    def edit(cells):
        cell = find(cells, "softmax-solution")
        cell.update(markdown(OTHER_SOFTMAX, cell["id"], **cell["metadata"]))
        cells.insert(0, code(SOFTMAX, "final"))

    found = repaired(edit)
    assert namespace(found.notebook)["softmax"].__code__.co_varnames[1] == "axis"
    assert OTHER_SOFTMAX in [c.source for c in found.notebook.cells if c.cell_type == "markdown"]


def test_other_function_in_a_cell_turned_into_text_does_not_replace_code():
    def edit(cells):
        cell = find(cells, "causal_mask-solution")
        cell.update(markdown(OTHER_SOFTMAX, cell["id"], **cell["metadata"]))

    assert namespace(repaired(edit).notebook)["softmax"].__code__.co_argcount == 2


@pytest.mark.parametrize("recognised", [True, False])
def test_stub_of_another_function_in_a_solution_cell_is_no_work(recognised):
    def edit(cells):
        cell = find(cells, "causal_mask-solution")
        cell["source"] = STUB_SOFTMAX
        if not recognised:
            cell.update(id="a", metadata={})

    found = repaired(edit)
    assert namespace(found.notebook)["softmax"].__doc__ is None
    expected = find(release()["cells"], "causal_mask-solution")["source"]
    assert sources(found.notebook)["causal_mask-solution"] == expected


def test_answer_turned_into_code_is_still_an_answer():
    def edit(cells):
        cell = find(cells, "why-scale")
        cell.update(code(cell["source"], cell["id"], **cell["metadata"]))

    found = repaired(edit)
    assert write(found.notebook) == write(repaired(untouched).notebook)


def test_function_written_into_the_answer_cell_still_runs():
    def edit(cells):
        cell = find(cells, "why-scale")
        cell.update(code(SOFTMAX, cell["id"], **cell["metadata"]))
        cells.remove(find(cells, "softmax-solution"))

    found = repaired(edit)
    assert "error" not in namespace(found.notebook)
    assert sources(found.notebook)["why-scale"] == SOFTMAX


def test_moved_cells_are_put_back():
    def edit(cells):
        cells.insert(0, cells.pop(3))

    found = repaired(edit)
    assert write(found.notebook) == write(repaired(untouched).notebook)
    assert found.notes == ("Cell 1 had been moved; it was put back in its place.",)


def test_last_definition_stays_last_when_cells_were_moved():
    def edit(cells):
        cells.insert(0, cells.pop(3))  # the solution in front of everything
        cells.insert(2, code(OTHER_SOFTMAX, "final"))  # the final one behind the title

    found = repaired(edit)
    assert namespace(found.notebook)["softmax"].__code__.co_argcount == 1


def test_solution_moved_behind_a_draft_stays_behind_it():
    def edit(cells):
        cells.append(cells.pop(3))
        cells.insert(len(cells) - 1, code(OTHER_SOFTMAX, "draft"))

    found = repaired(edit)
    assert namespace(found.notebook)["softmax"].__code__.co_varnames[1] == "axis"


def test_extra_cells_that_define_one_name_keep_their_order_when_cells_were_moved():
    def edit(cells):
        cells.insert(4, code("value = 1", "a"))
        cells.insert(6, code("value = 2", "b"))
        cells.insert(7, cells.pop(1))
        cells.insert(8, code("value = 3", "c"))

    assert namespace(repaired(edit).notebook)["value"] == 3


def strip(cells, *, ids=True):
    for number, cell in enumerate(cells):
        cell["metadata"] = {}
        if ids:
            cell["id"] = f"new-{number}"


def test_stripped_metadata_are_restored_by_cell_id():
    found = repaired(lambda cells: strip(cells, ids=False))
    assert write(found.notebook) == write(repaired(untouched).notebook)
    assert len(found.notes) == len(GRADE_IDS)
    assert all("by its cell id" in note for note in found.notes)


def test_stripped_metadata_and_ids_are_restored_by_text_function_and_place():
    found = repaired(strip)
    assert write(found.notebook) == write(repaired(untouched).notebook)
    told_by = [note.rpartition(" by ")[2] for note in found.notes]
    assert told_by == [
        "its text.",
        "the function that it defines.",
        "its text.",
        "the function that it defines.",
        "its text.",
        "its text.",
        "its place.",
    ]


def test_notebook_of_an_older_format_without_ids_is_rebuilt():
    document = solved()
    for cell in document["cells"]:
        del cell["id"]
    document["nbformat_minor"] = 4
    found = repaired(untouched, document)
    assert write(found.notebook) == write(repaired(untouched).notebook)
    assert found.notes == ()


def test_renamed_grade_id_is_recognised_by_the_function():
    def edit(cells):
        cell = find(cells, "softmax-solution")
        cell["metadata"]["nbgrader"]["grade_id"] = "my-softmax"
        cell["id"] = "a"

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == SOFTMAX
    assert extras(found.notebook) == []
    assert found.notes == (
        "Cell 4 carries no nbgrader data that fits; it was recognised as the cell"
        " 'softmax-solution' by the function that it defines.",
    )


def test_last_of_several_drafts_stands_for_a_deleted_solution():
    def edit(cells):
        cells[3] = code(OTHER_SOFTMAX, "draft")
        cells.insert(4, code(SOFTMAX, "final"))

    found = repaired(edit)
    assert sources(found.notebook)["softmax-solution"] == SOFTMAX
    assert extras(found.notebook) == [OTHER_SOFTMAX]
    assert namespace(found.notebook)["softmax"].__code__.co_varnames[1] == "axis"


def test_swapped_grade_ids_lose_no_function():
    def edit(cells):
        first, second = find(cells, "softmax-solution"), find(cells, "causal_mask-solution")
        first["metadata"], second["metadata"] = second["metadata"], first["metadata"]

    bound = namespace(repaired(edit).notebook)
    assert "error" not in bound
    assert bound["causal_mask"](1).tolist() == [[True]]


def colab(document):
    """Format 4.0 without ids, which Colab keeps among the metadata, beside its own."""
    document["nbformat_minor"] = 0
    document["metadata"] = {"colab": {"provenance": [], "toc_visible": True}}
    document["metadata"] |= {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for cell in document["cells"]:
        cell["metadata"] = {"id": cell.pop("id"), "cellView": "form", "outputId": "f3-a"}


def kaggle(document):
    document["metadata"] = {"kaggle": {"accelerator": "none", "dataSources": []}}
    for number, cell in enumerate(document["cells"]):
        cell["id"] = f"{number:08x}"
        cell["metadata"] |= {"_uuid": "8f2839f25d", "execution": {"iopub.status.busy": "2024"}}
        cell["metadata"] |= {"trusted": True, "papermill": {"duration": 0.1}, "tags": []}


def vs_code(document):
    document["metadata"]["kernelspec"]["display_name"] = ".venv"
    document["metadata"]["language_info"] |= {"version": "3.12.1", "file_extension": ".py"}
    for cell in document["cells"]:
        cell["id"] = "f" + cell["id"][::-1][:7]
        cell["metadata"]["vscode"] = {"languageId": "python"}


def deepnote(document):
    """Deepnote drops what it does not know."""
    document["metadata"] = {"deepnote_notebook_id": "b7", "deepnote_execution_queue": []}
    for number, cell in enumerate(document["cells"]):
        cell["id"] = f"{number:032x}"
        kind = "code" if cell["cell_type"] == "code" else "text-cell-p"
        cell["metadata"] = {"cell_id": f"{number:032x}", "deepnote_cell_type": kind}


@pytest.mark.parametrize("editor", [colab, kaggle, vs_code, deepnote])
def test_what_other_editors_make_of_the_metadata_costs_nothing(editor):
    document = solved()
    editor(document)
    found = rebuild(read(data(document)), SKELETON)
    assert write(found.notebook) == write(read(data(solved())))
    stripped = editor in (colab, deepnote)
    assert any("carries no nbgrader data" in note for note in found.notes) is stripped


def test_colabs_ids_tell_cells_that_nothing_else_tells():
    document = solved()
    colab(document)
    for name in WORK:
        document["cells"] = [c for c in document["cells"] if c["source"] != WORK[name]]
        spoilt = {"id": f"{name}-solution"}
        document["cells"].insert(0, code("# nothing yet", "x", **spoilt))
        del document["cells"][0]["id"]
    found = rebuild(read(data(document)), SKELETON)
    assert [sources(found.notebook)[f"{name}-solution"] for name in WORK] == ["# nothing yet"] * 2
    assert any("by its cell id" in note for note in found.notes)


@pytest.mark.parametrize(
    "metadata",
    [
        {"nbgrader": []},
        {"nbgrader": {"grade_id": 3}},
        {"nbgrader": {"grade_id": ""}},
        {"nbgrader": {"grade_id": "softmax-solution", "grade": "yes", "points": "many"}},
        {"tags": 3},
    ],
)
def test_odd_metadata_cost_nothing(metadata):
    found = repaired(lambda cells: find(cells, "softmax-solution").update(metadata=metadata))
    assert write(found.notebook) == write(repaired(untouched).notebook)


def test_cell_ids_are_unique_valid_and_repeatable():
    def edit(cells):
        for cell in cells[2:5]:
            cell["id"] = "same"
        cells += [code("x = 1", "same"), code("x = 1", ""), code("x = 1", "not valid!")]

    found = repaired(edit)
    ids = [cell.id for cell in found.notebook.cells]
    assert len(set(ids)) == len(ids)
    assert write(found.notebook) == write(repaired(edit).notebook)


def test_notes_are_in_the_order_of_the_submission():
    def edit(cells):
        cells.remove(find(cells, "imports"))
        find(cells, "causal_mask")["source"] = "pass"
        copy_behind(cells, "softmax")

    numbers = [note.split()[1].strip(",") for note in repaired(edit).notes]
    assert numbers == ["5", "8", "cell"]


def test_notes_of_reading_come_first():
    document = data(solved()).replace(b"variance", b"\xffvariance")
    found = rebuild(read(document), SKELETON)
    assert "no UTF-8" in found.notes[0]


# -- without a release ---------------------------------------------------------------------------


def test_without_a_release_all_code_is_kept_and_the_note_says_so():
    document = solved()
    document["cells"].append(flags("x", code("def helper(): ...", "x"), grade=True))
    found = without_skeleton(read(data(document)))
    assert found.notes == (
        "There is no release notebook to compare with, so functions are graded by their names.",
    )
    assert [c.source for c in found.notebook.cells] == [c["source"] for c in document["cells"]]
    assert all("tags" not in cell.metadata for cell in found.notebook.cells)
    assert len({cell.id for cell in found.notebook.cells}) == len(document["cells"])


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def softmax(z): return {number}",
        "softmax = {number}; rng = softmax",
        "def softmax(z): raise NotImplementedError\n# {number}",
        "softmax {number} (",
    ],
)
def test_thousands_of_cells_take_no_more_than_seconds(source):
    document = release()
    document["cells"][:3] = [code(source.format(number=n), f"c{n}") for n in range(1900)]
    submitted = read(data(document))
    start = time.process_time()
    found = rebuild(submitted, SKELETON)
    assert time.process_time() - start < 5.0
    assert len(extras(found.notebook)) == 1900


@pytest.mark.parametrize("text", [" " * 30_000 + "x", "a " * 15_000, "(" * 30_000, "?x" * 15_000])
def test_lines_that_slow_patterns_choke_on_take_no_time(text):
    submitted = read(data(notebook(code(f"x = 1\n{text}\nx = (", "a"))))
    start = time.process_time()
    rebuild(submitted, SKELETON)
    assert time.process_time() - start < 1.0
