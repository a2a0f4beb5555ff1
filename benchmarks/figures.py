"""What `make bench` measured, and how it reads: ratios first."""

from __future__ import annotations

import msgspec


class Pair(msgspec.Struct, frozen=True):
    """Seconds of stock nbgrader and of autograder for the same work."""

    stock: float
    autograder: float

    @property
    def ratio(self) -> float:
        """How many times as long stock nbgrader takes."""
        return self.stock / self.autograder


class Warm(msgspec.Struct, frozen=True, kw_only=True):
    """One submission in a grader that is running. Times are seconds (medians), memory bytes.

    Args:
        check_seconds: the whole check: worker, cells, calls, verdicts, score.
        direct_seconds: the same cells and calls in one plain process, and nothing else.
        calls: how many calls of student functions both make.
        worker_bytes: private memory of a worker that has run the cells.
        kernel_bytes: private memory of a Jupyter kernel that has run them.
    """

    check_seconds: float
    direct_seconds: float
    calls: int
    worker_bytes: int
    kernel_bytes: int

    @property
    def ratio(self) -> float:
        """How many times as long as its calls alone a check takes."""
        return self.check_seconds / self.direct_seconds


class Ungraded(msgspec.Struct, frozen=True):
    """How many submissions either side recorded nothing for."""

    stock: int
    autograder: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """All that a run of the benchmark measured.

    Args:
        submissions: how many there were.
        right: how many of them earned full points.
        batch: seconds per submission of the whole class.
        halves: the same for each half of the class, in the order they ran.
        ungraded: submissions without a grade.
        cold: seconds for one submission with a command that starts afresh (medians).
        warm: one submission in a running grader.
        median_calls: property calls per submission.
        least_calls_if_right: the fewest property calls of a submission with full points.
        machine: what it ran on.
    """

    submissions: int
    right: int
    batch: Pair
    halves: tuple[Pair, ...]
    ungraded: Ungraded
    cold: Pair
    warm: Warm
    median_calls: float
    least_calls_if_right: int
    machine: dict[str, str]


def report(figures: Figures) -> str:
    """The figures as lines of text."""
    batch, cold, warm = figures.batch, figures.cold, figures.warm
    machine = ", ".join(f"{name} {value}" for name, value in figures.machine.items())
    return f"""\
 ratio
{batch.ratio:6.2f}  times as fast as stock nbgrader on a class of {figures.submissions}, in seconds per submission:
        nbgrader autograde {batch.stock:.2f}, autograder grade {batch.autograder:.2f}
{cold.ratio:6.2f}  times as fast on one submission from a cold start, in seconds:
        nbgrader autograde {cold.stock:.2f}, autograder check {cold.autograder:.2f}
{warm.ratio:6.2f}  times the time of the same {warm.calls} calls in one plain process, for one submission in a
        running grader, in seconds: check {warm.check_seconds:.2f}, calls alone {warm.direct_seconds:.2f}
{warm.kernel_bytes / warm.worker_bytes:6.2f}  times as little private memory as a Jupyter kernel, in MiB:
        kernel {warm.kernel_bytes / (1 << 20):.1f}, worker {warm.worker_bytes / (1 << 20):.1f}

property calls per submission: {figures.median_calls:.0f} (median); of the {figures.right} with full points each had at least {figures.least_calls_if_right}
ratio in each half of the class: {", ".join(f"{half.ratio:.2f}" for half in figures.halves)}
not graded: {figures.ungraded.stock} by nbgrader autograde, {figures.ungraded.autograder} by autograder grade
machine: {machine}"""  # noqa: E501 - laid out as it prints
