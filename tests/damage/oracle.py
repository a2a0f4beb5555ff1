"""What plain tools still find in a notebook, so that what ours find can be held against it.

Nothing of ours takes part: the file is read by `json` and nbformat, its code cells run one after
the other as a kernel runs them, and the functions are compared with textbook formulas on inputs of
their own.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import nbformat
import numpy as np

_SECONDS = 5.0


def functions_found(data: bytes) -> set[str] | None:
    """The functions that can still be found and are right; None where no plain tool can read it."""
    cells = _code_cells(data)
    if cells is None:
        return None
    bound: dict[str, Any] = {}
    with _quietly():
        for source in cells:
            with contextlib.suppress(Exception, SystemExit):
                exec(compile(source, "<cell>", "exec"), bound)
        return {name for name, holds in _CHECKS.items() if _holds(holds, bound)}


def _code_cells(data: bytes) -> list[str] | None:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    if document.get("nbformat") in (1, 2, 3):
        try:
            document = nbformat.reads(json.dumps(document), as_version=4)
        except Exception:
            return None
    cells = document.get("cells")
    if not isinstance(cells, list) or not any(isinstance(cell, dict) for cell in cells):
        return None
    return [
        _text(cell.get("source"))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]


def _text(source: Any) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Without output and warnings, and not for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _holds(check: Callable[[dict[str, Any]], bool], bound: dict[str, Any]) -> bool:
    try:
        return bool(check(bound))
    except Exception:
        return False


# -- textbook formulas -----------------------------------------------------------------------------


def _softmax(z: Any) -> Any:
    shifted = np.exp(z - z.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def _attention(X: Any, W_Q: Any, W_K: Any, W_V: Any, mask: Any, divide: bool) -> tuple[Any, Any]:
    scores = (X @ W_Q) @ (X @ W_K).T
    scores = scores / np.sqrt(W_Q.shape[1]) if divide else scores
    weights = _softmax(np.where(mask, scores, -np.inf))
    return weights @ (X @ W_V), weights


def _softmax_is_right(bound: dict[str, Any]) -> bool:
    generator = np.random.default_rng(1)
    inputs = [generator.normal(size=shape) * 5 for shape in ((4,), (3, 4), (2, 3, 5))]
    inputs += [np.array([1e4, -1e4, 0.0]), np.array([[0.0, -np.inf], [1e4, 9e3]])]
    last = all(np.allclose(bound["softmax"](z), _softmax(z)) for z in inputs)
    z = inputs[1]
    kept = z.copy()
    first = np.allclose(bound["softmax"](z, axis=0), _softmax(z.T).T)
    return last and first and np.array_equal(z, kept) and _blocked_slice(bound["softmax"])


def _blocked_slice(softmax: Any) -> bool:
    found = softmax(np.array([[-np.inf, -np.inf], [0.0, 0.0]]))
    return bool(np.isnan(found[0]).all() and np.allclose(found[1], 0.5))


def _attends(name: str, *, scale: bool) -> Callable[[dict[str, Any]], bool]:
    def check(bound: dict[str, Any]) -> bool:
        generator = np.random.default_rng(2)
        X = generator.normal(size=(4, 5))
        W_Q, W_K, W_V = (generator.normal(size=(5, width)) for width in (3, 3, 2))
        everything, causal = np.ones((4, 4), dtype=bool), np.tri(4, dtype=bool)
        blocked = causal.copy()
        blocked[2] = False
        calls: list[tuple[dict[str, Any], Any, bool]] = [
            ({}, everything, True),
            *(({"mask": mask}, mask, True) for mask in (causal, blocked)),
        ]
        if scale:
            calls.append(({"scale": False}, everything, False))
        return all(
            np.allclose(ours, right, equal_nan=True)
            for options, mask, divide in calls
            for ours, right in zip(
                bound[name](X, W_Q, W_K, W_V, **options),
                _attention(X, W_Q, W_K, W_V, mask, divide),
                strict=True,
            )
        )

    return check


def _mask_is_right(bound: dict[str, Any]) -> bool:
    return all(np.array_equal(bound["causal_mask"](n), np.tri(n, dtype=bool)) for n in (1, 2, 7))


_CHECKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "softmax": _softmax_is_right,
    "self_attention_loop": _attends("self_attention_loop", scale=False),
    "self_attention": _attends("self_attention", scale=True),
    "causal_mask": _mask_is_right,
}
