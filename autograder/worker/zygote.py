"""A warm process that forks workers: it has loaded all that they need and sees no student's byte.

The grader asks for a worker on a control socket and sends along the worker's connection and
output. The worker locks itself in and only then reads. One worker lives at a time, so that no
submission meets another one's files.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import site
import socket
import sys
import threading
import traceback
from typing import NoReturn

import numpy as np

from . import wire
from .child import limits
from .child.confine import Confiner
from .child.notebook import Notebook
from .child.serve import serve

NOT_CONFINED = 99
"""Exit status of a worker that could not lock itself in; the reason stands in its output."""
_CONTROL = 3
"""The lowest descriptor beside the standard ones, so that no other can stand in its place."""
_PACKET = 1 << 20
_PRELOAD = ("numpy.fft", "numpy.linalg", "numpy.random", "numpy.testing")
_WIPE_SECONDS = 2


def main(descriptor: str, parent: str) -> NoReturn:
    """Load everything, say so, then fork workers until the grader closes the control socket.

    Args:
        descriptor: the control socket.
        parent: the grader's process id; 0 where bubblewrap sees to it that we die with it.
    """
    if int(parent):
        limits.die_with(int(parent))
    os.dup2(int(descriptor), _CONTROL, inheritable=False)
    control = socket.socket(fileno=_CONTROL)
    try:
        orders = wire.decode_order(control.recv(_PACKET))
        if not isinstance(orders, wire.Confinement):
            raise wire.ProtocolError("the first order must say how to confine")
        confiner = Confiner(orders)
        notebook = _warm(orders.preload)
    except BaseException:  # the shell has taken sys.stderr
        traceback.print_exc(file=sys.__stderr__)
        os._exit(1)
    _wipe(orders.scratch)
    _hush()
    socket.send_fds(control, [wire.encode(wire.Warm())], [os.pidfd_open(os.getpid())])
    while True:
        order, descriptors = _next_order(control)
        _run_worker(control, order, descriptors, confiner, notebook)
        _wipe(orders.scratch)


# -- before the first worker -----------------------------------------------------------------------


def _warm(preload: list[str]) -> Notebook:
    """Import and run what every notebook needs, so that no worker does it again."""
    gc.disable()  # freed holes between what is kept would be written to by every worker
    site.setquit()
    site.sethelper()
    site.setcopyright()
    for name in (*_PRELOAD, *preload):
        importlib.import_module(name)
    matrix = np.ones((4, 4))
    np.linalg.svd(matrix @ matrix)
    notebook = Notebook()
    notebook.warm_up()
    if threading.active_count() != 1:
        raise RuntimeError("a warm process must have one thread, or its children may hang")
    gc.collect()
    gc.freeze()
    return notebook


def _hush() -> None:
    """What the warm process may still print is nobody's output."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def _wipe(scratch: str) -> None:
    """Remove what a submission left. The process ends, and all with it, if that takes long."""
    if not scratch:
        return
    signal.alarm(_WIPE_SECONDS)
    for entry in os.scandir(scratch):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    signal.alarm(0)


# -- workers ---------------------------------------------------------------------------------------


def _next_order(control: socket.socket) -> tuple[wire.Fork, list[int]]:
    data, descriptors, _, _ = socket.recv_fds(control, _PACKET, 2)
    if not data:
        os._exit(0)
    order = wire.decode_order(data)
    if not isinstance(order, wire.Fork) or len(descriptors) != 2:
        raise wire.ProtocolError("only a fork with two descriptors may be ordered now")
    return order, descriptors


def _run_worker(
    control: socket.socket,
    order: wire.Fork,
    descriptors: list[int],
    confiner: Confiner,
    notebook: Notebook,
) -> None:
    """Fork a worker, report it, wait for its end and report that."""
    pid = os.fork()
    if not pid:
        _become_worker(order, descriptors, confiner, notebook)
    for descriptor in descriptors:
        os.close(descriptor)
    worker = os.pidfd_open(pid)
    socket.send_fds(control, [wire.encode(wire.Forked())], [worker])
    _wait_for(worker, control)
    os.close(worker)
    _, status, usage = os.wait4(pid, 0)
    cpu_seconds = usage.ru_utime + usage.ru_stime
    control.send(wire.encode(wire.Reaped(os.waitstatus_to_exitcode(status), cpu_seconds)))


def _wait_for(worker: int, control: socket.socket) -> None:
    """Wait for the worker's end; without the grader there is nothing to wait for."""
    poll = select.poll()
    poll.register(worker, select.POLLIN)
    poll.register(control, 0)
    if worker not in dict(poll.poll()):
        os._exit(0)


def _become_worker(
    order: wire.Fork, descriptors: list[int], confiner: Confiner, notebook: Notebook
) -> NoReturn:
    connection, output = descriptors
    try:
        confiner.confine(connection, output)
        # Python reseeds its own generator after a fork; NumPy does not
        np.random.seed()  # noqa: NPY002 - the one that notebooks use
        gc.enable()
        worker = socket.socket(fileno=3)
    except BaseException:
        with contextlib.suppress(OSError):  # it may have become 2 already
            os.dup2(output, 2)
        traceback.print_exc(file=sys.__stderr__)
        os._exit(NOT_CONFINED)
    serve(worker, notebook, order.address_space)
