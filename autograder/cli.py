"""The command line: parse, call one function, render. No logic lives here.

Exit status: 0 done; 1 something needs a person; 2 wrong usage, with one line that says what is
wrong and what to do. With `--json`, standard output holds JSON alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import msgspec
import typer

if TYPE_CHECKING:
    from rich.console import Console

    from autograder.course import Course
    from autograder.nbgrader_plugin.grade import GradeRun, Request
    from autograder.nbgrader_plugin.regrade import RegradeRun
    from autograder.reporting.doctor import CourseReport, DoctorReport
    from autograder.settings import Settings

P = ParamSpec("P")

app = typer.Typer(
    name="autograder",
    help="Grades notebooks by the laws their functions must obey.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        from autograder import __version__

        typer.echo(f"autograder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Options of the command as a whole."""


class SandboxMode(StrEnum):
    """The backend that holds student code."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    RLIMIT = "rlimit"
    NONE = "none"


AssignmentArgument = Annotated[str, typer.Argument(metavar="ASSIGNMENT", show_default=False)]
SeedOption = Annotated[
    int | None, typer.Option(help="Use this seed instead of the course's secret one.", min=0)
]
SandboxOption = Annotated[SandboxMode | None, typer.Option(help="Where student code runs.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]


def main() -> None:
    """Run the command line; wrong options are one line on standard error and exit status 2."""
    # Typer brings its own Click and exports little of it
    usage_error: Any = typer.BadParameter.__bases__[0]
    try:
        status = app(prog_name="autograder", standalone_mode=False)
    except usage_error as error:
        if message := " ".join(error.format_message().split()).rstrip("."):
            command = error.ctx.command_path if error.ctx else "autograder"
            typer.echo(f"autograder: {message}. See {command} --help", err=True)
        status = 2
    sys.exit(status)


def _plainly(command: Callable[P, None]) -> Callable[P, None]:
    """Turn our own errors into one line and exit status 2, and Ctrl-C into a plain sentence."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        from autograder.course import UsageError
        from autograder.exercise import RecordError
        from autograder.grading.corpus import CorpusError
        from autograder.notebook import NotebookError
        from autograder.settings import SettingsError
        from autograder.worker.isolation import SandboxError

        ours = UsageError, NotebookError, SettingsError, SandboxError, RecordError, CorpusError
        try:
            command(*args, **kwargs)
        except ours as error:
            typer.echo(f"autograder: {error}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            kept = "; every finished submission is recorded" if command.__name__ == "grade" else ""
            typer.echo(f"autograder: stopped{kept}.", err=True)
            raise typer.Exit(130) from None

    return wrapped


@app.command()
@_plainly
def grade(
    assignment: AssignmentArgument,
    student: Annotated[list[str] | None, typer.Option(help="Only this student.")] = None,
    jobs: Annotated[int, typer.Option(help="Grader processes.", min=1)] = os.cpu_count() or 1,
    force: Annotated[bool, typer.Option("--force", help="Grade again what is graded.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Grade, but write nothing.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="With --dry-run: show which scores would change.")
    ] = False,
    exercise: Annotated[
        list[str] | None, typer.Option(help="Grade this exercise again and leave all others.")
    ] = None,
    raise_only: Annotated[
        bool, typer.Option("--raise-only", help="With --exercise: write only what goes up.")
    ] = False,
    seed: SeedOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Grade every submission of ASSIGNMENT into the gradebook."""
    from autograder.nbgrader_plugin.grade import GradeRun, Request
    from autograder.nbgrader_plugin.regrade import RegradeRun
    from autograder.reporting import terminal

    course = _course_here(seed, sandbox)
    request = Request(
        assignment=assignment,
        students=student or (),
        jobs=jobs,
        force=force,
        dry_run=dry_run,
        diff=diff,
        exercises=exercise or (),
        raise_only=raise_only,
    )
    errors = terminal.console(stderr=True)
    with RegradeRun(course, request) if request.exercises else GradeRun(course, request) as run:
        _print_banner(errors, course.settings)
        with terminal.progress(errors, total=run.steps, what=assignment) as advance:
            for name in run.grade():
                advance(name)
        if as_json:
            _print_json(msgspec.json.encode(run.summary))
        else:
            _print_run(terminal.console(), run)
    raise typer.Exit(1 if run.summary.needs_person else 0)


@app.command()
@_plainly
def check(
    notebooks: Annotated[list[Path], typer.Argument(metavar="NOTEBOOK ...", show_default=False)],
    assignment: Annotated[
        str | None, typer.Option(help="The notebook's assignment, where it does not say.")
    ] = None,
    seed: SeedOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check notebooks and show the reports. No gradebook is read or written."""
    from autograder.checking import check_notebooks
    from autograder.course import PRACTICE_SEED
    from autograder.reporting import terminal

    course = _course_near(notebooks[0].resolve().parent, seed, sandbox)
    checking = check_notebooks(notebooks, course, assignment)
    errors = terminal.console(stderr=True)
    _print_banner(errors, course.settings)
    if not course.has_seed:
        errors.print(
            f"There is no course seed here: the cases are those of practice seed {PRACTICE_SEED}."
        )
    results = list(checking)
    if as_json:
        _print_json(msgspec.json.encode(results[0] if len(results) == 1 else results))
    else:
        out = terminal.console()
        for path, result in zip(notebooks, results, strict=True):
            name = path.name if len(notebooks) == 1 else str(path)
            terminal.submission_report(out, name, result)
    raise typer.Exit(1 if any(result.needs_person for result in results) else 0)


@app.command()
@_plainly
def sample(
    assignment: AssignmentArgument,
    students: Annotated[int, typer.Option(help="How many submissions.", min=1, max=5000)],
    seed: Annotated[int, typer.Option(help="Which class.", min=0)] = 0,
) -> None:
    """Write a class of sample submissions of ASSIGNMENT into submitted/."""
    from autograder.checking import write_sample

    course = _course_here(None, None)
    for line in write_sample(course, assignment, students=students, seed=seed):
        typer.echo(line)


@app.command()
@_plainly
def audit(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ASSIGNMENT | EXERCISE] ...", show_default=False)
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = os.cpu_count() or 1,
    seed: SeedOption = None,
    page: Annotated[
        Path, typer.Option("--html", help="Where the page with the kill matrix goes.")
    ] = Path("reports/audit.html"),
    as_json: JsonOption = False,
) -> None:
    """Try every known mistake, right answer and mutant of the reference against every law."""
    from autograder.audit import Audit, exercises_named
    from autograder.reporting import terminal
    from autograder.reporting.audit import print_audit
    from autograder.reporting.html import audit_page, write_page

    course = _course_near(Path.cwd(), seed, None)
    auditing = Audit(
        exercises_named(names or ()),
        seed=course.seed(create=False),
        cases=course.settings.cases,
        jobs=jobs,
    )
    errors = terminal.console(stderr=True)
    with terminal.progress(errors, total=len(auditing.portions), what="audit") as advance:
        for name in auditing.run():
            advance(name)
    write_page(page, audit_page(auditing.report))
    if as_json:
        _print_json(msgspec.json.encode(auditing.report))
    else:
        print_audit(terminal.console(), auditing.report)
    raise typer.Exit(0 if auditing.report.clean else 1)


@app.command()
@_plainly
def new(
    exercise: Annotated[str, typer.Argument(metavar="EXERCISE", show_default=False)],
    signature: Annotated[
        str, typer.Option(help="The parameters of the function that students write.")
    ] = "(X)",
    package: Annotated[
        str | None, typer.Option(help="The package of a course of your own, made if missing.")
    ] = None,
    assignment: Annotated[
        str | None, typer.Option(help="Put the cells into this assignment's source notebook.")
    ] = None,
    points: Annotated[int, typer.Option(help="What the exercise is worth.", min=1)] = 10,
) -> None:
    """Scaffold EXERCISE: its files and notebook cells, with what is left to fill in marked."""
    from autograder.scaffold import new_exercise

    made = new_exercise(
        Path.cwd(),
        exercise,
        signature=signature,
        package=package,
        assignment=assignment,
        points=points,
    )
    typer.echo("\n".join(made.lines()))


# a score such as -1 is no option: it is refused as a score
@app.command(context_settings={"ignore_unknown_options": True})
@_plainly
def override(
    student: Annotated[str, typer.Argument(metavar="STUDENT", show_default=False)],
    assignment: AssignmentArgument,
    exercise: Annotated[str, typer.Argument(metavar="EXERCISE", show_default=False)],
    score: Annotated[str, typer.Argument(metavar="SCORE", show_default=False)],
    reason: Annotated[str, typer.Option(help="Why; the history keeps it.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Give STUDENT the points SCORE for EXERCISE by hand; `auto` takes that back."""
    from autograder.nbgrader_plugin import override as overriding
    from autograder.reporting import terminal
    from autograder.reporting.history import override_lines

    request = overriding.OverrideRequest(
        student=student, assignment=assignment, exercise=exercise, score=score, reason=reason
    )
    done = overriding.override(_course_here(None, None), request)
    if as_json:
        _print_json(msgspec.json.encode(done))
    else:
        terminal.console().print("\n".join(override_lines(done)), soft_wrap=True)


@app.command()
@_plainly
def history(
    student: Annotated[str, typer.Argument(metavar="STUDENT", show_default=False)],
    assignment: AssignmentArgument,
    as_json: JsonOption = False,
) -> None:
    """Show every change of the scores of STUDENT in ASSIGNMENT: who, when, what and why."""
    from autograder.nbgrader_plugin.override import history_of
    from autograder.reporting import terminal
    from autograder.reporting.history import print_history

    found = history_of(_course_here(None, None), student, assignment)
    if as_json:
        _print_json(msgspec.json.encode(found))
    else:
        print_history(terminal.console(), found)


@app.command()
@_plainly
def doctor(
    of_course: Annotated[
        bool, typer.Option("--course", help="Examine this course instead of this machine.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the sandboxes of this machine enforce, and how to mend what they do not."""
    from autograder.reporting import terminal
    from autograder.reporting.doctor import course_text, doctor_text

    report: CourseReport | DoctorReport
    if of_course:
        from autograder.nbgrader_plugin.adoption import examine_course

        report = examine_course(_course_here(None, None))
        text, fine = course_text(report), not report.conflicts
    else:
        from autograder.doctor import diagnose_machine

        report = diagnose_machine()
        text, fine = doctor_text(report), bool(report.backend)
    if as_json:
        _print_json(msgspec.json.encode(report))
    else:
        terminal.console().print(text, soft_wrap=True)
    raise typer.Exit(0 if fine else 1)


@app.command()
@_plainly
def replay(
    student: Annotated[str, typer.Argument(metavar="STUDENT", show_default=False)],
    assignment: AssignmentArgument,
    seed: SeedOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Grade what STUDENT handed in once more and compare with the stored result; write nothing."""
    from autograder.nbgrader_plugin.replay import replay as grade_again
    from autograder.reporting import terminal
    from autograder.reporting.replay import replay_lines

    course = _course_here(seed, sandbox)
    _print_banner(terminal.console(stderr=True), course.settings)
    done = grade_again(course, student, assignment, seed=seed)
    if as_json:
        _print_json(msgspec.json.encode(done[0] if len(done) == 1 else done))
    else:
        lines = [line for each in done for line in replay_lines(each)]
        terminal.console().print("\n".join(lines), soft_wrap=True)
    raise typer.Exit(0 if all(each.identical for each in done) else 1)


# -- helpers of the commands -----------------------------------------------------------------------


def _course_here(seed: int | None, sandbox: SandboxMode | None) -> Course:
    """The course that the working directory lies in; UsageError outside of any."""
    from autograder.course import CONFIG_NAME, Course, UsageError

    found = Course.find(Path.cwd())
    if found is None:
        raise UsageError(
            f"This is no course: there is no {CONFIG_NAME} here or above. Change into one."
        )
    return found.with_settings(seed=seed, sandbox=sandbox and sandbox.value)


def _course_near(folder: Path, seed: int | None, sandbox: SandboxMode | None) -> Course:
    """The course of a folder or of the working directory, else one with default settings."""
    from autograder.course import Course

    near = Course.find(folder) or Course.find(Path.cwd())
    return (near or Course.nowhere()).with_settings(seed=seed, sandbox=sandbox and sandbox.value)


def _print_banner(errors: Console, settings: Settings) -> None:
    """Warn of a weak sandbox that someone forced, before it runs anything."""
    from autograder.worker.isolation import choose

    banner = choose(settings.sandbox).banner
    if banner:
        errors.print(banner, style="bold red", markup=False, highlight=False, soft_wrap=True)


def _print_run(out: Console, run: GradeRun | RegradeRun) -> None:
    """What a run of `grade` did, for people."""
    from autograder.nbgrader_plugin.grade import GradeRun
    from autograder.reporting import terminal
    from autograder.reporting.changes import print_changes
    from autograder.reporting.history import print_marks

    request = run.request
    if not isinstance(run, GradeRun):
        print_changes(out, _title(request), run.compared)
        terminal.regrade_footer(out, run)
        return
    if request.diff:
        print_changes(out, _title(request), run.compared)
    else:
        terminal.class_tables(out, request.assignment, run.summary.results)
    terminal.ungraded(out, [(item.student, item.reason) for item in run.summary.ungraded])
    print_marks(out, run.summary.reopened, run.summary.overrides)
    terminal.run_footer(out, run)


def _title(request: Request) -> str:
    names = ", ".join(request.exercises)
    what = f"{request.assignment}: {names}" if names else request.assignment
    return f"{what} (what would change)" if request.dry_run else f"{what} (graded again)"


def _print_json(data: bytes) -> None:
    sys.stdout.buffer.write(msgspec.json.format(data, indent=2) + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
