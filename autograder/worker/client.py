"""The trusted side of one submission: load its cells, call its functions, survive its deaths.

Nothing that a submission does raises here: a case or cell that ends its worker gets a status, and
the rest goes on in a fresh one. What completes in no worker counts as the submission's own time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from types import TracebackType
from typing import Any, Final, Self

from autograder.exercise import Budgets, SetAttribute, Step
from autograder.results import CaseReply, Status
from autograder.worker import wire
from autograder.worker.channel import Budget, Died
from autograder.worker.codec import decode_raised, encode_case
from autograder.worker.hygiene import clean_text
from autograder.worker.imports import importable_modules
from autograder.worker.isolation import Launcher
from autograder.worker.outputs import as_nbformat, death_output
from autograder.worker.process import StandIns, WorkerError, WorkerProcess
from autograder.worker.records import Cell, CellRun, Loaded, sentence_start

__all__ = ["Cell", "CellRun", "Launcher", "Loaded", "Session", "WorkerError"]

MAX_DEATHS: Final = 3
"""How often a function may end its worker before it is called no more."""
MAX_STARTS: Final = 60
"""How many workers one submission may use up, over all its cells and functions."""
MAX_LOST_LOOK_UPS: Final = 2
"""How often a worker may end while its functions are looked up, after its cells have run."""
_BATCH_BYTES: Final = 4 << 20
_BATCH_CASES: Final = 64
_FILE_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class _EncodedCase:
    data: bytes
    steps: int
    invoking: tuple[bool, ...] = field(repr=False)


class Session:
    """One submission in one worker at a time; use it as a context manager.

    Args:
        launcher: starts the processes.
        cells: the code cells, in order.
        names: the functions and classes that will be called.
        budgets: what the submission may use. Only time that the grader waits for the submission
            counts, not the start of processes.
        allowed_imports: distributions that may be imported beside the standard library.
    """

    def __init__(
        self,
        launcher: Launcher,
        cells: Sequence[Cell],
        names: Sequence[str],
        *,
        budgets: Budgets,
        allowed_imports: Collection[str],
    ) -> None:
        self._launcher = launcher
        self._cells = tuple(cells)
        self._budgets = budgets
        self._budget = Budget(budgets.total_seconds)
        self._allowed = frozenset(allowed_imports)
        limited = launcher.limited
        self._load_message = wire.Load(
            memory_bytes=budgets.memory_bytes if limited else 0,
            cpu_seconds=ceil(budgets.total_seconds) if limited else 0,
            file_bytes=_FILE_BYTES if limited else 0,
            output_bytes=budgets.output_bytes,
            names=list(names),
            allowed_imports=list(importable_modules(self._allowed)),
        )
        self._worker: WorkerProcess | None = None
        self._runs: dict[int, CellRun] = {}
        self._left_out: set[int] = set()
        self._suspected: set[int] = set()
        self._functions: dict[str, int] = {}
        self._placeholders: list[str] = []
        self._deaths: Counter[str] = Counter()
        self._last_death: dict[str, Status] = {}
        self._starts = 0
        self._lost_look_ups = 0
        self.calls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, if one is running."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def private_memory_bytes(self) -> int:
        """Memory that only the running worker uses; 0 where none runs."""
        return self._worker.private_memory_bytes() if self._worker is not None else 0

    # -- loading -----------------------------------------------------------------------------------

    def load(self) -> Loaded:
        """Run all cells. One that loops or kills the worker is left out, all others count."""
        try:
            self._ready_worker()
        except Died as death:
            for cell in self._cells:
                name = sentence_start(wire.cell_name(cell.index))
                detail = f"{name} did not run: the notebook {death.detail}."
                self._runs.setdefault(cell.index, CellRun(cell.index, death.status, detail=detail))
        return Loaded(
            cell_runs=tuple(self._runs_in_order()),
            functions=dict(self._functions),
            placeholders=tuple(self._placeholders),
            notes=self.notes,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Whole sentences on the cells that ran so far, in their order."""
        notes = [note for run in self._runs_in_order() if (note := run.note())]
        if self._placeholders:
            notes.append(
                f"Not available when grading: {', '.join(self._placeholders)}. Available are the "
                f"standard library, {', '.join(sorted(self._allowed))}; code that uses anything "
                "else raises an exception."
            )
        return tuple(notes)

    def _runs_in_order(self) -> list[CellRun]:
        return [self._runs[cell.index] for cell in self._cells if cell.index in self._runs]

    def _ready_worker(self) -> WorkerProcess:
        """A worker in which every cell has run that can; raises Died when time is used up."""
        while self._worker is None:
            if self._budget.exhausted:
                raise Died(Status.TIMEOUT, self._out_of_time())
            if self._starts >= MAX_STARTS or self._lost_look_ups >= MAX_LOST_LOOK_UPS:
                raise Died(Status.CRASHED, "kept ending its process and was given up")
            self._starts += 1
            self._worker = WorkerProcess(self._launcher, self._load_message, self._budget)
            self._worker.start()
            self._run_cells(self._worker)
        return self._worker

    def _run_cells(self, worker: WorkerProcess) -> None:
        """Run the cells and find the functions; closes the worker where a cell ends it."""
        cell = None
        try:
            for cell in self._cells:
                if cell.index not in self._left_out:
                    done = worker.run_cell(cell.index, cell.source, self._budgets.cell_seconds)
                    self._runs.setdefault(cell.index, self._cell_run(cell.index, done))
            cell = None
            found = worker.resolve(self._budgets.cell_seconds)
        except Died as death:
            self.close()
            if cell is None:
                self._lost_look_ups += 1  # of no cell in particular
                if not self._cells:
                    raise WorkerError(f"a worker without cells {death.detail}") from None
            elif not self._budget.exhausted:
                self._blame(cell.index, death)
        else:
            self._functions = {f.name: f.cell for f in found if f.name in self._load_message.names}

    def _blame(self, index: int, death: Died) -> None:
        """Leave a cell out, unless this may be chance and is the first time."""
        if self._unlucky(death) and index not in self._suspected:
            self._suspected.add(index)
            return
        self._left_out.add(index)
        self._runs[index] = self._dead_run(index, death)

    def _unlucky(self, death: Died) -> bool:
        """Whether the machine may be the reason: it was loaded, or something killed the worker."""
        if death.killed:
            return True
        return death.status is Status.TIMEOUT and death.cpu_seconds < self._budgets.cell_seconds / 2

    def _dead_run(self, index: int, death: Died) -> CellRun:
        name = sentence_start(wire.cell_name(index))
        detail = self._sentence(name, death, self._budgets.cell_seconds)
        return CellRun(index, death.status, (death_output(death.status, detail),), detail)

    def _cell_run(self, index: int, done: wire.CellDone) -> CellRun:
        for name in done.placeholders:
            top = clean_text(name, wire.MAX_NAME)
            if top not in self._placeholders:
                self._placeholders.append(top)
        outputs = tuple(as_nbformat(output) for output in done.outputs)
        if done.error is None:
            return CellRun(index, Status.PASSED, outputs, tampered=done.tampered)
        error = decode_raised(done.error)
        detail = f"{error.type_name}: {error.message}" if error.message else error.type_name
        line = error.line if error.cell == index else 0
        return CellRun(index, Status.EXCEPTION, outputs, detail, line, done.tampered)

    # -- calling -----------------------------------------------------------------------------------

    def run(
        self,
        function: str,
        cases: Sequence[Sequence[Step]],
        *,
        defaults: Mapping[str, Any],
        stand_ins: StandIns | None = None,
    ) -> Iterator[CaseReply]:
        """Run cases and yield one reply for each, in order.

        A reply's `detail` is a whole sentence where there is something to say. A case that takes
        too long, or whose worker is killed, is run again in a fresh worker before that counts.

        Args:
            function: whom steps call that name nobody.
            cases: the steps of every case.
            defaults: the optional parameters of the function's signature.
            stand_ins: functions that answer in place of the student's own of those names; the
                cases then run in a fresh worker of their own.
        """
        encoded = [_encode(steps, function, defaults) for steps in cases]
        if stand_ins:
            self.close()
        try:
            yield from self._replies(function, encoded, stand_ins or {})
        finally:
            # a worker whose answers were not all fetched, or that has stand-ins, is of no more use
            if stand_ins or (self._worker is not None and not self._worker.idle):
                self.close()

    def _replies(
        self, function: str, cases: Sequence[_EncodedCase], stand_ins: StandIns
    ) -> Iterator[CaseReply]:
        done = 0
        tried_again = -1
        while done < len(cases):
            try:
                for reply in self._batch(function, cases[done:], stand_ins):
                    self.calls += _invocations(cases[done], reply)
                    done += 1
                    yield reply
            except Died as death:
                self.close()
                if not self._budget.exhausted:
                    self._deaths[function] += 1
                    self._last_death[function] = death.status
                    may_be_chance = death.killed or death.status is Status.TIMEOUT
                    first_time = may_be_chance and tried_again != done
                    if first_time and self._deaths[function] < MAX_DEATHS:
                        tried_again = done
                        continue
                self.calls += 1
                done += 1
                sentence = self._sentence(function, death, self._budgets.case_seconds)
                yield CaseReply(death.status, detail=sentence)

    def _ends(self, function: str) -> str:
        """How the function's runs ended, for a sentence."""
        return {
            Status.TIMEOUT: "it had taken too long",
            Status.MEMORY: "it had used too much memory",
        }.get(self._last_death[function], "it had ended its process")

    def _batch(
        self, function: str, cases: Sequence[_EncodedCase], stand_ins: StandIns
    ) -> Iterator[CaseReply]:
        """Replies to as many cases as fit into one request, or to one that is not run."""
        if self._deaths[function] >= MAX_DEATHS:
            yield CaseReply(
                self._last_death[function],
                detail=f"{function} was not run: {self._ends(function)} {MAX_DEATHS} times.",
            )
            return
        worker = self._ready_worker()
        if not worker.idle:
            raise RuntimeError("another run of this session has not been fetched to its end")
        if function not in self._functions and function not in stand_ins:
            yield CaseReply(Status.MISSING, detail=f"{function} is not defined.")
            return
        size = 0
        batch: list[tuple[bytes, int]] = []
        for case in cases[:_BATCH_CASES]:
            size += len(case.data)
            if batch and size > _BATCH_BYTES:
                break
            batch.append((case.data, case.steps))
        yield from worker.run_cases(function, batch, stand_ins, self._budgets.case_seconds)

    def run_cell(self, source: str, index: int = -1) -> CellRun:
        """Run an ordinary test cell after the student's own cells, in the same process."""
        for attempt in range(2):
            try:
                worker = self._ready_worker()
                done = worker.run_cell(index, source, self._budgets.cell_seconds)
            except Died as death:
                self.close()
                if self._budget.exhausted or attempt or not self._unlucky(death):
                    return self._dead_run(index, death)
            else:
                return self._cell_run(index, done)
        raise AssertionError("the second attempt returns")

    # -- words -------------------------------------------------------------------------------------

    def _sentence(self, subject: str, death: Died, seconds: float) -> str:
        if self._budget.exhausted:
            return f"{subject} {self._out_of_time()}."
        if death.status is Status.TIMEOUT:
            return f"{subject} took longer than {seconds:g} s."
        return f"{subject} {death.detail}."

    def _out_of_time(self) -> str:
        return f"was stopped, because the notebook had used up its {self._budget.seconds:g} s"


def _encode(steps: Sequence[Step], function: str, defaults: Mapping[str, Any]) -> _EncodedCase:
    data = wire.encode(encode_case(steps, function, defaults))
    invoking = tuple(not isinstance(step, SetAttribute) for step in steps)
    return _EncodedCase(data, len(steps), invoking)


def _invocations(case: _EncodedCase, reply: CaseReply) -> int:
    """How often student code was called for a case, as its outcomes tell."""
    if reply.status is Status.MISSING:
        return 0
    return sum(case.invoking[: len(reply.outcomes)]) if reply.outcomes else 1
