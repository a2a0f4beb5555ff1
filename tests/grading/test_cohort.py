"""Many jobs in spawned processes: each is done once, and none takes the others down."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from autograder.grading import cohort
from tests.grading import cohort_work

JOBS = list(range(8))


def run(jobs, work, processes, start=cohort_work.start, start_args=("go",)):
    return list(cohort.run(jobs, work, processes=processes, start=start, start_args=start_args))


@pytest.fixture(autouse=True)
def _not_started_yet() -> None:
    cohort_work.started.clear()


@pytest.mark.parametrize("processes", [1, 2])
def test_every_job_is_done_once_whatever_the_order(processes):
    done = run(JOBS, cohort_work.double, processes)
    assert sorted(finished.job for finished in done) == JOBS
    assert all(finished.result[0] == 2 * finished.job for finished in done)
    assert all(finished.reason == "" for finished in done)


def test_one_process_is_this_one():
    assert {done.result[1] for done in run(JOBS, cohort_work.double, 1)} == {os.getpid()}


def test_several_processes_are_others():
    workers = {done.result[1] for done in run(JOBS, cohort_work.double, 2)}
    assert os.getpid() not in workers
    assert len(workers) <= 2


@pytest.mark.parametrize("processes", [1, 2])
def test_a_process_is_started_once_before_its_first_job(processes):
    done = run(JOBS, cohort_work.started_with, processes)
    assert [finished.result for finished in done] == [["go"]] * len(JOBS)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_job_that_raises_has_a_reason_and_the_others_go_on(processes):
    done = {finished.job: finished for finished in run(JOBS, cohort_work.refuse_odd, processes)}
    assert sorted(done) == JOBS
    for job, finished in done.items():
        expected = (None, f"ValueError: {job} is odd") if job % 2 else (job, "")
        assert (finished.result, finished.reason) == expected


def test_a_job_whose_process_dies_twice_is_given_up_and_the_others_go_on():
    done = {finished.job: finished for finished in run(JOBS, cohort_work.die_on_three, 2)}
    assert sorted(done) == JOBS
    assert done.pop(3).reason == "the grader process died twice on it"
    assert {job: finished.result for job, finished in done.items()} == {
        j: j for j in JOBS if j != 3
    }


def test_a_job_whose_process_dies_once_is_done_the_second_time(tmp_path):
    (done,) = run([str(tmp_path / "mark")], cohort_work.die_once, 2)
    assert (done.result, done.reason) == ("mark", "")


def test_a_process_that_can_not_start_leaves_every_job_with_a_reason():
    done = run([1, 2], cohort_work.double, 2, start=cohort_work.fail_to_start, start_args=())
    assert sorted(finished.job for finished in done) == [1, 2]
    assert all(finished.result is None and finished.reason for finished in done)


@pytest.mark.parametrize(("processes", "at_most"), [(1, 1), (2, 6)])
def test_jobs_are_taken_only_as_processes_become_free(processes, at_most):
    taken = []

    def endless() -> Iterator[int]:
        for job in range(1000):
            taken.append(job)
            yield job

    stream = cohort.run(
        endless(),
        cohort_work.double,
        processes=processes,
        start=cohort_work.start,
        start_args=("",),
    )
    next(stream)
    assert 1 <= len(taken) <= at_most
    stream.close()
    assert len(taken) <= at_most


def test_no_job_is_no_work():
    assert run([], cohort_work.double, 2) == []


def test_nothing_of_the_pool_is_left_when_the_last_job_is_done():
    # an executor still closing its pipes when Python ends makes Python print a traceback
    run(JOBS, cohort_work.double, 2)
    assert not [t for t in threading.enumerate() if "ExecutorManager" in type(t).__name__]
    assert multiprocessing.active_children() == []


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as Python starts with it: what ran before in this process may have changed it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_that_python_drops_in_a_callback_stops_before_the_next_job():
    stream = cohort.run(
        [1, 2], cohort_work.interrupted_in_a_finalizer, processes=1, start=cohort_work.start,
        start_args=("",),
    )  # fmt: skip
    assert next(stream).result == 1
    with pytest.raises(KeyboardInterrupt):
        next(stream)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
