"""What in a course's `nbgrader_config.py` does not go with this grader."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_path
from nbgrader import preprocessors as stock
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from traitlets.config import Config
from traitlets.config.loader import LazyConfigValue, PyFileConfigLoader
from traitlets.utils.importstring import import_item

from autograder.course import CONFIG_NAME, UsageError, read_config
from autograder.nbgrader_plugin.assignment import CourseAssignment
from autograder.nbgrader_plugin.execute import PropertyGrader
from autograder.nbgrader_plugin.feedback import RedactFeedback
from autograder.nbgrader_plugin.rebuild import Rebuild
from autograder.nbgrader_plugin.save_grades import SaveGrades
from autograder.reporting.doctor import Finding, Level

_GUIDE = 'docs/instructors.md, "Take over an existing course"'


@dataclass(frozen=True, slots=True)
class _Steps:
    """A list of preprocessors: the steps of ours that belong into it, in this order, each with the
    steps that it takes the place of; and nbgrader's own that may only come after or before them."""

    section: str
    trait: str
    ours: dict[type, tuple[type, ...]]
    after: tuple[type, ...] = ()
    before: tuple[type, ...] = ()

    @property
    def where(self) -> str:
        return f"c.{self.section}.{self.trait}"


_LISTS = (
    _Steps(
        "Autograde",
        "sanitize_preprocessors",
        {Rebuild: (stock.DeduplicateIds,)},
        after=(stock.OverwriteCells, stock.CheckCellMetadata),
    ),
    _Steps(
        "Autograde",
        "autograde_preprocessors",
        {PropertyGrader: (stock.Execute,), SaveGrades: (stock.SaveAutoGrades,)},
        after=(stock.AssignLatePenalties,),
    ),
    _Steps("GenerateFeedback", "preprocessors", {RedactFeedback: ()}, before=(stock.GetGrades,)),
)

_WITHOUT_EFFECT = {
    "Execute": "c.PropertyGrader.time_limit, .cell_time_limit and .total_time_limit",
    "ExecutePreprocessor": "c.PropertyGrader.time_limit, .cell_time_limit and .total_time_limit",
    "DeduplicateIds": "nothing: repeated cells are repaired",
    "SaveAutoGrades": "nothing",
    "IgnorePattern": "nothing: what is printed to stderr costs no points",
}
_CONVERTERS = ("Autograde", "BaseConverter")
_HOOKS = ("pre_convert_hook", "post_convert_hook")


def config_findings(place: CourseAssignment) -> Iterator[Finding]:
    """All that the configuration alone shows."""
    config = place.config
    with _path_of_nbgrader(place.course.root):
        for steps in _LISTS:
            yield from _list_findings(config, steps)
    yield from _without_effect(config)
    yield from _converter_findings(config)
    yield from _database_findings(config, place)
    yield from _directory_findings(read_config(place.course.root))
    yield from _late_policy(place)
    yield from _machine_findings(place)


def redacts(config: Config) -> bool:
    """Whether feedback hides test sources: whether our step stands in its list and is switched on.

    A list that can't be read counts as one that lacks it.
    """
    steps = _LISTS[-1]
    classes = [_load(item) for item in _items(config.get(steps.section, {}).get(steps.trait))]
    on = config.get("RedactFeedback", {}).get("enabled", True)
    return bool(on) and any(isinstance(c, type) and issubclass(c, RedactFeedback) for c in classes)


@contextmanager
def _path_of_nbgrader(root: Path) -> Iterator[None]:
    """Import as nbgrader's own commands do: from where the configuration lets them."""
    before = list(sys.path)
    PyFileConfigLoader(CONFIG_NAME, path=str(root)).load_config()
    try:
        yield
    finally:
        sys.path[:] = before


# -- the lists of preprocessors --------------------------------------------------------------------


def _list_findings(config: Config, steps: _Steps) -> Iterator[Finding]:
    value = config.get(steps.section, {}).get(steps.trait)
    names = " and ".join(step.__name__ for step in steps.ours)
    if value is None:
        yield _conflict(
            "preprocessors",
            steps.where,
            f"It is not set, so nbgrader's own steps run, without {names}.",
            f"Take the list of our nbgrader_config.py; see {_GUIDE}.",
        )
        return
    if isinstance(value, LazyConfigValue):
        yield _conflict(
            "preprocessors",
            steps.where,
            "It is appended to or changed in place. The configuration is loaded more than once in "
            "a process, so the change is made more than once, to a list that is not ours.",
            f"Assign the whole list, as our nbgrader_config.py does; see {_GUIDE}.",
        )
        return
    items = _items(value)
    classes = [_load(item) for item in items]
    for item, found in zip(items, classes, strict=True):
        if isinstance(found, str):
            yield _conflict(
                "preprocessors",
                steps.where,
                f"{_name(item)} can't be imported: {found}",
                "Correct the name, or put the module beside nbgrader_config.py and add that "
                "folder to sys.path there.",
            )
    yield from _order_findings(steps, [c for c in classes if isinstance(c, type)])


def _order_findings(steps: _Steps, classes: Sequence[type]) -> Iterator[Finding]:
    """Which of our steps are missing, doubled or out of place, and what they do not go with."""
    places: list[int] = []
    for ours, replaced in steps.ours.items():
        found = _places(classes, ours)
        if len(found) != 1:
            problem = f"{ours.__name__} is in it more than once." if found else ""
            yield _conflict(
                "preprocessors",
                steps.where,
                problem or f"{ours.__module__}.{ours.__name__} is missing.",
                f"Take the list of our nbgrader_config.py; see {_GUIDE}.",
            )
        for old in replaced:
            if _places(classes, old):
                yield _conflict(
                    "preprocessors",
                    steps.where,
                    f"nbgrader's {old.__name__} is in it, whose place {ours.__name__} takes; "
                    "both must not run.",
                    f"Take {old.__name__} out.",
                )
        places += found
    following = [place for step in steps.after for place in _places(classes, step)]
    leading = [place for step in steps.before for place in _places(classes, step)]
    wanted = [max(leading, default=-1), *places, min(following, default=len(classes))]
    if wanted != sorted(wanted):
        yield _conflict(
            "preprocessors",
            steps.where,
            "Its steps are in an order in which ours can't work.",
            f"Keep the order of the list in our nbgrader_config.py; see {_GUIDE}.",
        )
    for step in dict.fromkeys(classes):
        if not step.__module__.startswith(("nbgrader.", "nbconvert.", "autograder.")):
            yield _note(
                "preprocessors",
                steps.where,
                f"{step.__module__}.{step.__name__} is a step of the course. nbgrader's own "
                "commands and formgrader run it; autograder grade runs our steps alone.",
                "Grade with nbgrader autograde where that step matters.",
            )


def _places(classes: Sequence[type], wanted: type) -> list[int]:
    return [index for index, found in enumerate(classes) if issubclass(found, wanted)]


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _load(item: Any) -> type | str:
    """The class that an item of a list stands for, or why there is none."""
    if isinstance(item, type):
        return item
    try:
        found = import_item(str(item))
    except Exception as error:  # a module of the course: it may raise anything
        return f"{type(error).__name__}: {error}"
    return found if isinstance(found, type) else "it is no class"


def _name(item: Any) -> str:
    return item if isinstance(item, str) else repr(item)


# -- other settings --------------------------------------------------------------------------------


def _without_effect(config: Config) -> Iterator[Finding]:
    for section, instead in _WITHOUT_EFFECT.items():
        for trait in sorted(config.get(section, {})):
            if (section, trait) != ("Execute", "enabled"):
                yield _note(
                    "no-effect",
                    f"c.{section}.{trait}",
                    "It has no effect any more: the step that it is for does not run.",
                    f"Remove it. In its place: {instead}.",
                )
    if config.get("OverwriteCells", {}).get("add_missing_cells") is not None:
        yield _note(
            "no-effect",
            "c.OverwriteCells.add_missing_cells",
            "It has no effect any more: cells that a student deleted are always put back.",
            "Remove it.",
        )
    if config.get("Execute", {}).get("enabled") is False:
        yield _conflict(
            "no-effect",
            "c.Execute.enabled",
            "It is False, so nbgrader autograde runs nothing and leaves every score to a person.",
            "Remove it, or say --no-execute when you mean it.",
        )


def _converter_findings(config: Config) -> Iterator[Finding]:
    if config.get("Autograde", {}).get("exclude_overwriting"):
        yield _conflict(
            "exclude-overwriting",
            "c.Autograde.exclude_overwriting",
            "It keeps a student's own version of a file of the course. Here a student's files "
            "never lie where anything is graded.",
            "Remove it, and let the test cells use the course's files or values of their own.",
        )
    for section in _CONVERTERS:
        values = config.get(section, {})
        exporter = values.get("exporter_class")
        if exporter is not None and "autograder." not in str(exporter):
            yield _conflict(
                "exporter",
                f"c.{section}.exporter_class",
                f"{_name(exporter)} is used by nbgrader's own commands alone; autograder grade "
                "writes notebooks itself, and the two ways would differ.",
                "Remove it.",
            )
        for hook in _HOOKS:
            if values.get(hook) is not None:
                yield _conflict(
                    "hook",
                    f"c.{section}.{hook}",
                    "It is called by nbgrader's own commands alone, not by autograder grade.",
                    "Remove it, and call what it does from a script before or after grading.",
                )


def _database_findings(config: Config, place: CourseAssignment) -> Iterator[Finding]:
    text = config.get("CourseDirectory", {}).get("db_url")
    if text is None:
        return
    try:
        url = make_url(text)
    except ArgumentError:
        return  # the gradebook can't be opened, which is said already
    relative = url.database and url.database != ":memory:" and not Path(url.database).is_absolute()
    if url.get_backend_name() == "sqlite" and relative:
        yield _conflict(
            "gradebook",
            "c.CourseDirectory.db_url",
            f"{url.database} is looked for in the folder where a command is started, which is "
            "another one for formgrader.",
            f"Write the whole path: sqlite:///{place.course.root / str(url.database)}",
        )


def _directory_findings(config: Mapping[str, Any]) -> Iterator[Finding]:
    values = config.get("CourseDirectory", {})
    if values.get("release_directory", "release") != "release":
        yield _conflict(
            "folders",
            "c.CourseDirectory.release_directory",
            "Release notebooks are looked for in release/ alone.",
            "Remove it, and rename the folder to release.",
        )
    standard = str(Path("{nbgrader_step}", "{student_id}", "{assignment_id}"))
    if values.get("directory_structure", standard) != standard:
        yield _conflict(
            "folders",
            "c.CourseDirectory.directory_structure",
            f"Submissions are looked for in {standard}.",
            "Remove it, and move the folders there.",
        )
    if "root" in values:
        yield _note(
            "folders",
            "c.CourseDirectory.root",
            "It has no effect on autograder: a course is the folder that holds its configuration.",
            "Remove it, unless it is that folder.",
        )


def _late_policy(place: CourseAssignment) -> Iterator[Finding]:
    try:
        place.refuse_broken_late_policy()
    except UsageError as error:
        yield _conflict(
            "late-penalty",
            "c.AssignLatePenalties.plugin_class",
            str(error),
            "Until then nothing is graded.",
        )


def _machine_findings(place: CourseAssignment) -> Iterator[Finding]:
    if shutil.which("alembic") is None:
        yield _conflict(
            "alembic",
            "PATH",
            "nbgrader starts a program alembic when it first makes a gradebook, and PATH does not "
            "lead to it.",
            "Put the folder of the environment's programs first on PATH; our nbgrader_config.py "
            "does so by itself.",
        )
    for folder in jupyter_config_path():
        for name in (CONFIG_NAME, "nbgrader_config.json"):
            path = Path(folder) / name
            if path.is_file() and path.resolve().parent != place.course.root.resolve():
                yield _note(
                    "other-configuration",
                    str(path),
                    "nbgrader reads it as well, autograder does not: they may disagree.",
                    "Move what concerns this course into its own nbgrader_config.py.",
                )


def _conflict(check: str, where: str, problem: str, remedy: str) -> Finding:
    return Finding(level=Level.CONFLICT, check=check, where=where, problem=problem, remedy=remedy)


def _note(check: str, where: str, problem: str, remedy: str) -> Finding:
    return Finding(level=Level.NOTE, check=check, where=where, problem=problem, remedy=remedy)
