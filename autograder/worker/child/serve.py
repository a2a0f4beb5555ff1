"""The worker's loop: take a message, do what it asks, answer."""

from __future__ import annotations

import builtins
import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from .. import wire
from . import limits, placeholders
from .calls import CaseRunner
from .notebook import Notebook
from .seal import Seal
from .values import Outbox, from_wire


class Link:
    """The connection to the grader; reading blocks, and its end ends the process."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._owner = os.getpid()

    def send(self, reply: wire.Reply) -> None:
        """Send a message; a forked copy of this process must not speak in its name."""
        if os.getpid() != self._owner:
            os._exit(0)
        self._connection.sendall(wire.frame(reply))

    def receive(self) -> wire.Request:
        """The next message; the process ends where the grader has gone."""
        header = self._read(wire.HEADER.size)
        return wire.decode_request(self._read(wire.length_of(header)))

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        view, have = memoryview(data), 0
        while have < size:
            got = self._connection.recv_into(view[have:])
            if not got:
                os._exit(0)
            have += got
        return data


class Server:
    """Answers the grader's messages about one notebook."""

    def __init__(self, link: Link, load: wire.Load, notebook: Notebook, address_space: int) -> None:
        self._link = link
        self._notebook = notebook
        self._notebook.expect(load)
        self._finder = placeholders.install(load.allowed_imports, self._notebook.shell.tree_of)
        self._seal = Seal(self._notebook.shell)
        self._functions: dict[str, Any] = {}
        limits.apply(load, address_space)
        link.send(wire.Ready())

    def serve(self) -> None:
        """Answer until the grader closes the connection."""
        while True:
            request = self._link.receive()
            if isinstance(request, wire.RunCell):
                self._run_cell(request)
            elif isinstance(request, wire.ResolveNames):
                self._resolve(request)
            elif isinstance(request, wire.RunBatch):
                self._run_batch(request)
            else:
                raise wire.ProtocolError(f"{type(request).__name__} may not come now")

    def _run_cell(self, request: wire.RunCell) -> None:
        outputs, error = self._notebook.run(request.index, request.source)
        used = self._finder.take_used()[:100]
        tampered = self._seal.broken()
        self._link.send(wire.CellDone(request.request, outputs, error, used, tampered))

    def _resolve(self, request: wire.ResolveNames) -> None:
        functions = self._notebook.functions()
        self._functions = {name: value for name, (value, _) in functions.items()}
        found = [wire.Found(name, cell) for name, (_, cell) in functions.items()]
        self._link.send(wire.NamesResolved(request.request, found))

    def _run_batch(self, request: wire.RunBatch) -> None:
        for name in request.stand_ins:
            self._functions[name] = self._notebook.names[name] = self._stand_in(request, name)
        runner = CaseRunner(self._functions)
        for number, case in enumerate(request.cases):
            status, outcomes = runner.run(wire.decode_case(memoryview(case)))
            self._link.send(wire.CaseDone(request.request, number, status, outcomes))
        self._link.send(wire.BatchDone(request.request))

    def _stand_in(self, batch: wire.RunBatch, name: str) -> Callable[..., Any]:
        """A function that lets the grader answer in place of the student's own."""

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            outbox = Outbox()
            self._link.send(
                wire.StandInRequest(
                    batch.request,
                    name,
                    [outbox.to_wire(value) for value in args],
                    {key: outbox.to_wire(value) for key, value in kwargs.items()},
                )
            )
            reply = self._link.receive()
            if not isinstance(reply, wire.StandInReply):
                raise wire.ProtocolError("no answer of a stand-in came")
            if reply.error is not None:
                raise _exception(reply.error)
            return from_wire(reply.value, {})

        stand_in.__name__ = name
        return stand_in


def _exception(raised: wire.Raised) -> Exception:
    """The exception a stand-in raised, if it is one of Python's own."""
    kind = getattr(builtins, raised.type_name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not UnicodeError:
        try:
            return kind(raised.message)
        except TypeError:
            pass
    return RuntimeError(raised.message)


def serve(connection: socket.socket, notebook: Notebook, address_space: int) -> NoReturn:
    """Serve the grader until it closes the connection.

    A fault ends the process at once: what student code left to be done at exit is not waited for.

    Args:
        connection: to the grader.
        notebook: a fresh one.
        address_space: bytes that are in use before the submission asks for any.
    """
    try:
        link = Link(connection)
        load = link.receive()
        if not isinstance(load, wire.Load):
            raise wire.ProtocolError("the first message must say what to load")
        Server(link, load, notebook, address_space).serve()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(1)


def main(descriptor: str, parent: str) -> NoReturn:
    """Serve the grader on that socket as a process of its own."""
    limits.die_with(int(parent))
    serve(socket.socket(fileno=int(descriptor)), Notebook(), limits.address_space())
