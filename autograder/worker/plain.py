"""Runs steps on functions of this very process: for code that is trusted.

Known mistakes, references and an instructor's own functions go this way. It shares the child's
code and the wire's values, so an answer looks exactly as if it had crossed a process boundary.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from autograder.exercise import Step
from autograder.results import CaseReply, Status
from autograder.worker.child.calls import CaseRunner
from autograder.worker.codec import decode_outcome, encode_case


@contextmanager
def _without_windows() -> Iterator[None]:
    """Matplotlib, if it is loaded meanwhile, opens no window, unless it was told to before.

    What this process starts later, a Jupyter server say, must not inherit that.
    """
    told = "MPLBACKEND" in os.environ
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        yield
    finally:
        if not told:
            os.environ.pop("MPLBACKEND", None)


class PlainRunner:
    """Runs cases on trusted functions.

    Args:
        functions: name -> function or class.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._runner = CaseRunner(functions, caught=Exception)

    def run(
        self, function: str, cases: Sequence[Sequence[Step]], *, defaults: Mapping[str, Any]
    ) -> Iterator[CaseReply]:
        """Yield one reply per case, in order; what the functions print or warn of is dropped."""
        for steps in cases:
            dropped = io.StringIO()
            with (
                redirect_stdout(dropped),
                redirect_stderr(dropped),
                warnings.catch_warnings(),
                np.errstate(all="ignore"),
                _without_windows(),
            ):
                warnings.simplefilter("ignore")
                status, outcomes = self._runner.run(encode_case(steps, function, defaults))
            yield CaseReply(Status(status), tuple(decode_outcome(item) for item in outcomes))
