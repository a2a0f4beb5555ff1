"""Frames and typed messages between the grader and the process that runs student code.

A frame is a 4-byte big-endian length and that many bytes of MessagePack. Every message is a typed
struct; every list, text and block of bytes in it has a largest size. Both sides load this file, so
it imports nothing of ours. `ProtocolError` is the only exception that decoding raises, whatever
bytes arrive. Nothing is ever unpickled.
"""

from __future__ import annotations

import math
import struct
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

MAX_FRAME: Final = 8 << 20
"""The largest message in bytes, without its header."""
MAX_DIMS: Final = 8
MAX_DEPTH: Final = 8
"""How deep lists, tuples and mappings may be nested in a value."""
MAX_ITEMS: Final = 1 << 16
MAX_TEXT: Final = 1 << 16
MAX_MESSAGE: Final = 500
"""Characters kept of an exception's message."""
MAX_NAME: Final = 200
MAX_STEPS: Final = 64
MAX_CASES: Final = 100
"""The largest number of cases in one request."""
RELEASED_CELLS: Final = 1 << 16
"""Cells with an index from here on are the release's and have no number in the submission."""
HEADER: Final = struct.Struct(">I")


class ProtocolError(Exception):
    """The bytes are no message of this protocol, or not one that may come now."""


Dtype = Literal[
    "<f8", "<f4", "<f2", "<i8", "<i4", "<i2", "|i1",
    "<u8", "<u4", "<u2", "|u1", "|b1", "<c16", "<c8",
]  # fmt: skip
DTYPES: Final[dict[str, np.dtype[Any]]] = {name: np.dtype(name) for name in get_args(Dtype)}
Layout = Literal["C", "F", "strided", "reversed"]

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Index = Annotated[int, Meta(ge=-1, le=1 << 20)]
Name = Annotated[str, Meta(max_length=MAX_NAME)]
Text = Annotated[str, Meta(max_length=MAX_TEXT)]
LongText = Annotated[str, Meta(max_length=MAX_FRAME)]
Block = Annotated[bytes, Meta(max_length=MAX_FRAME)]
Texts = Annotated[list[Text], Meta(max_length=MAX_ITEMS)]


def cell_name(index: int) -> str:
    """What people call the cell with that index; they count from 1."""
    return f"cell {index + 1}" if index < RELEASED_CELLS else "a cell of the release"


class Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The form of all structs: arrays with a tag in front, and nothing that was not declared."""


# -- values ----------------------------------------------------------------------------------------


class Array(Message, frozen=True, tag="a"):
    """A plain array: dtype, shape, and its bytes in C order. Invalid ones cannot be built."""

    dtype: Dtype
    shape: Annotated[tuple[Count, ...], Meta(max_length=MAX_DIMS)]
    data: Block

    def __post_init__(self) -> None:
        entries = math.prod(self.shape)
        if entries * DTYPES[self.dtype].itemsize != len(self.data):
            raise ValueError("the shape does not fit the number of bytes")
        # NumPy refuses an empty array whose other dimensions are huge
        if not entries and math.prod(size for size in self.shape if size) > MAX_FRAME:
            raise ValueError("a dimension is too large")
        # a boolean byte above 1 makes NumPy answer True and False at once
        if self.dtype == "|b1" and self.data.translate(None, b"\0\1"):
            raise ValueError("a boolean is neither 0 nor 1")


class Complex(Message, frozen=True, tag="c"):
    """A complex number."""

    real: float
    imag: float


class Items(Message, frozen=True, tag="l"):
    """A list or a tuple."""

    kind: Literal["list", "tuple"]
    items: Annotated[list[Value], Meta(max_length=MAX_ITEMS)]


class Mapping(Message, frozen=True, tag="m"):
    """A dict with text keys."""

    items: Annotated[dict[Text, Value], Meta(max_length=MAX_ITEMS)]


class Pairs(Message, frozen=True, tag="d"):
    """A dict that has keys beside text: numbers, True, False or None."""

    keys: Annotated[list[Key], Meta(max_length=MAX_ITEMS)]
    values: Annotated[list[Value], Meta(max_length=MAX_ITEMS)]

    def __post_init__(self) -> None:
        if len(self.keys) != len(self.values):
            raise ValueError("the keys do not fit the number of values")


class Handle(Message, frozen=True, tag="h"):
    """An object that stays in the worker, made by that step of the case."""

    step: Annotated[int, Meta(ge=0, lt=MAX_STEPS)]


class Opaque(Message, frozen=True, tag="o"):
    """A result that is no plain data, by the name of its type."""

    type_name: Name


class Echo(Message, frozen=True, tag="e"):
    """A result together with the arguments as they were after the call."""

    result: Value
    args: Annotated[list[Value], Meta(max_length=MAX_STEPS)]
    kwargs: Annotated[dict[Name, Value], Meta(max_length=MAX_STEPS)]


class Image(Message, frozen=True, tag="i"):
    """An image or mesh of an Axes by rising y and x, with the tick label of each row and column."""

    values: Array
    row_labels: Texts
    column_labels: Texts


class Axes(Message, frozen=True, tag="x"):
    """What a Matplotlib Axes shows, and the type of what was returned in its place."""

    images: Annotated[list[Image], Meta(max_length=MAX_STEPS)]
    x_label: Text
    y_label: Text
    held_by: Name


Key: TypeAlias = Union[bool, int, float, Text, None]  # noqa: UP007 - as below
Value: TypeAlias = Union[  # noqa: UP007 - msgspec resolves the names when a decoder is made
    bool, int, float, Text, Array, Complex, Items, Mapping, Pairs, Handle, Opaque, Echo, Axes, None
]


class Arranged(Message, frozen=True, tag="r"):
    """An argument with a memory layout of its own."""

    value: Value
    layout: Layout
    writable: bool


Argument: TypeAlias = Union[Value, Arranged]  # noqa: UP007 - as above
Arguments = Annotated[list[Argument], Meta(max_length=MAX_STEPS)]
Keywords = Annotated[dict[Name, Argument], Meta(max_length=MAX_STEPS)]
Names = Annotated[list[Name], Meta(max_length=1000)]


# -- steps of a case -------------------------------------------------------------------------------


class Call(Message, frozen=True, tag="call"):
    """Call a function; keywords in `droppable` are left out where it does not take them."""

    to: Name
    args: Arguments
    kwargs: Keywords
    echo: bool
    droppable: Names


class Construct(Message, frozen=True, tag="construct"):
    """Call a class and keep the object under this step's number."""

    to: Name
    args: Arguments
    kwargs: Keywords
    droppable: Names


class SetAttribute(Message, frozen=True, tag="set"):
    """Set an attribute of a kept object."""

    target: Handle
    name: Name
    value: Argument


class CallMethod(Message, frozen=True, tag="method"):
    """Call a method of a kept object."""

    target: Handle
    name: Name
    args: Arguments
    kwargs: Keywords
    echo: bool
    droppable: Names


Step: TypeAlias = Call | Construct | SetAttribute | CallMethod
Case = Annotated[list[Step], Meta(max_length=MAX_STEPS)]


class Returned(Message, frozen=True, tag="returned"):
    """A step ended."""

    value: Value


class Raised(Message, frozen=True, tag="raised"):
    """A step or a cell raised; line and cell are 0 and -1 where unknown."""

    type_name: Name
    message: Annotated[str, Meta(max_length=MAX_MESSAGE)]
    line: Annotated[int, Meta(ge=0, le=1 << 30)]
    cell: Index


# -- outputs of a cell -----------------------------------------------------------------------------


class Stream(Message, frozen=True, tag="stream"):
    """Text a cell printed."""

    name: Literal["stdout", "stderr"]
    text: LongText


Bundle = Annotated[dict[Name, LongText], Meta(max_length=32)]


class Display(Message, frozen=True, tag="display"):
    """Something a cell displayed: media type -> text, or base64 of bytes."""

    data: Bundle


class Result(Message, frozen=True, tag="result"):
    """The value of a cell's last expression."""

    data: Bundle
    count: Count


class Error(Message, frozen=True, tag="error"):
    """An exception that ended a statement of a cell."""

    type_name: Name
    message: Annotated[str, Meta(max_length=MAX_MESSAGE)]
    traceback: Annotated[list[Text], Meta(max_length=100)]


Output: TypeAlias = Stream | Display | Result | Error


# -- requests of the grader ------------------------------------------------------------------------


class Load(Message, frozen=True, tag="load"):
    """The first message: what the worker allows itself. A limit of 0 is none."""

    memory_bytes: Count
    cpu_seconds: Count
    file_bytes: Count
    output_bytes: Count
    names: Names
    allowed_imports: Names


class RunCell(Message, frozen=True, tag="cell"):
    """Run one code cell with IPython's semantics."""

    request: Count
    index: Index
    source: LongText


class ResolveNames(Message, frozen=True, tag="resolve"):
    """Look up what the names given to `Load` stand for, now that all cells have run."""

    request: Count


class RunBatch(Message, frozen=True, tag="batch"):
    """Run cases in order; each is an encoded `Case`, decoded when its turn comes."""

    request: Count
    function: Name
    cases: Annotated[list[msgspec.Raw], Meta(max_length=MAX_CASES)]
    stand_ins: Names


class StandInReply(Message, frozen=True, tag="stood_in"):
    """A stand-in's answer: a value, or the exception it raised where `error` is set."""

    request: Count
    value: Value
    error: Raised | None = None


# -- replies of the worker -------------------------------------------------------------------------


class Ready(Message, frozen=True, tag="ready"):
    """The limits are set; nothing of the submission has been read yet."""


class CellDone(Message, frozen=True, tag="cell_done"):
    """A cell has run: its outputs, its first error, and placeholders it imported.

    `tampered` is a hint: something that a test cell relies on has been replaced.
    """

    request: Count
    outputs: Annotated[list[Output], Meta(max_length=10_000)]
    error: Raised | None
    placeholders: Names
    tampered: bool


class Found(Message, frozen=True, tag="found"):
    """A name that stands for something callable, and the cell that defined it."""

    name: Name
    cell: Index


class NamesResolved(Message, frozen=True, tag="resolved"):
    """The names that were found."""

    request: Count
    found: Annotated[list[Found], Meta(max_length=1000)]


class CaseDone(Message, frozen=True, tag="case_done"):
    """The outcomes of one case, up to the first step that raised."""

    request: Count
    case: Annotated[int, Meta(ge=0, lt=MAX_CASES)]
    status: Literal["passed", "exception", "memory", "output_limit"]
    outcomes: Annotated[list[Returned | Raised], Meta(max_length=MAX_STEPS)]


class BatchDone(Message, frozen=True, tag="batch_done"):
    """All cases of the batch have been answered."""

    request: Count


class StandInRequest(Message, frozen=True, tag="stand_in"):
    """The student's code called a function that the grader answers for."""

    request: Count
    name: Name
    args: Annotated[list[Value], Meta(max_length=MAX_STEPS)]
    kwargs: Annotated[dict[Name, Value], Meta(max_length=MAX_STEPS)]


# -- between the grader and a warm process, which reads nothing of a submission --------------------


class Confinement(Message, frozen=True, tag="confinement"):
    """The first message to a warm process: how those that it forks lock themselves in.

    `readable` holds paths readable with all below them, `listed` folders of which only names are,
    `filter` the compiled seccomp filter in which `pid_mark` stands for the process id. `user` is
    whom to become, -1 for nobody else. Without a `scratch` folder nothing is writable.
    """

    readable: list[str]
    listed: list[str]
    scratch: str
    filter: bytes
    pid_mark: Count
    user: int
    preload: list[str]


class Fork(Message, frozen=True, tag="fork"):
    """Fork a worker. Its connection and its output travel along as file descriptors."""

    address_space: Count


class Warm(Message, frozen=True, tag="warm"):
    """All is loaded. A descriptor of the warm process itself travels along."""


class Forked(Message, frozen=True, tag="forked"):
    """A worker was forked. A descriptor of it travels along."""


class Reaped(Message, frozen=True, tag="reaped"):
    """The worker has ended."""

    status: int
    cpu_seconds: float


Order: TypeAlias = Confinement | Fork
Report: TypeAlias = Warm | Forked | Reaped


Request: TypeAlias = Load | RunCell | ResolveNames | RunBatch | StandInReply
Reply: TypeAlias = Ready | CellDone | NamesResolved | CaseDone | BatchDone | StandInRequest


# -- encoding and decoding -------------------------------------------------------------------------

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Request)
_replies = msgspec.msgpack.Decoder(Reply)
_cases: msgspec.msgpack.Decoder[list[Step]] = msgspec.msgpack.Decoder(Case)
_values: msgspec.msgpack.Decoder[Value] = msgspec.msgpack.Decoder(Value)
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_reports: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)

T = TypeVar("T")


def encode(message: Any) -> bytes:
    """Encode a message, case or value; raises ProtocolError where it is larger than a frame."""
    try:
        data = _encoder.encode(message)
    except (OverflowError, RecursionError, UnicodeEncodeError) as error:
        raise ProtocolError(f"this cannot be encoded: {error}") from None
    if len(data) > MAX_FRAME:
        raise ProtocolError(f"the message has {len(data)} bytes, but at most {MAX_FRAME} may pass")
    return data


def frame(message: Any) -> bytes:
    """Encode a message with its header."""
    data = encode(message)
    return HEADER.pack(len(data)) + data


def length_of(header: bytes | bytearray | memoryview) -> int:
    """Read a header; raises ProtocolError before anything is allocated for too large a frame."""
    length: int = HEADER.unpack(header)[0]
    if length > MAX_FRAME:
        raise ProtocolError(f"a frame announces {length} bytes, but at most {MAX_FRAME} may pass")
    return length


def _decode(decoder: msgspec.msgpack.Decoder[T], data: bytes | bytearray | memoryview) -> T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError) as error:
        raise ProtocolError(f"this is no message of the protocol: {error}"[:MAX_MESSAGE]) from None


def decode_request(data: bytes | bytearray) -> Request:
    """Decode what the grader sent."""
    return _decode(_requests, data)


def decode_reply(data: bytes | memoryview) -> Reply:
    """Decode what the worker sent."""
    return _decode(_replies, data)


def decode_order(data: bytes) -> Order:
    """Decode what the grader sent to a warm process."""
    return _decode(_orders, data)


def decode_report(data: bytes) -> Report:
    """Decode what a warm process sent."""
    return _decode(_reports, data)


def decode_case(data: bytes | memoryview) -> list[Step]:
    """Decode one case of a batch."""
    return _decode(_cases, data)


def decode_value(data: bytes | memoryview) -> Value:
    """Decode one value, as a stored corpus holds it."""
    return _decode(_values, data)


class FrameReader:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in what the socket gave."""
        self._bytes += data

    @property
    def pending(self) -> bool:
        """Whether bytes are left over."""
        return bool(self._bytes)

    def next(self) -> bytes | None:
        """The next complete frame without its header, or None; raises ProtocolError."""
        if len(self._bytes) < HEADER.size:
            return None
        end = HEADER.size + length_of(self._bytes[: HEADER.size])
        if len(self._bytes) < end:
            return None
        found = bytes(self._bytes[HEADER.size : end])
        del self._bytes[:end]
        return found


# -- arrays ----------------------------------------------------------------------------------------


_WIRE_DTYPES: Final[dict[np.dtype[Any], Dtype]] = {DTYPES[name]: name for name in get_args(Dtype)}


def wire_dtype(dtype: np.dtype[Any]) -> Dtype | None:
    """The dtype under which such an array is sent, or None where it cannot be sent.

    Big-endian becomes little-endian; extended precision is cut to 64-bit parts.
    """
    known = _WIRE_DTYPES.get(dtype)
    if known is not None:
        return known
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        return "<f8" if dtype.kind == "f" else "<c16"
    name = dtype.newbyteorder("<").str
    return name if name in DTYPES else None  # type: ignore[return-value]


def array_to_wire(array: NDArray[Any], dtype: Dtype) -> Array:
    """A plain array as a message; `dtype` is what `wire_dtype` says."""
    return Array(dtype, array.shape, array.astype(dtype, copy=False).tobytes())


def array_from_wire(array: Array) -> NDArray[Any]:
    """The array as a read-only view of the message's bytes."""
    return np.frombuffer(array.data, DTYPES[array.dtype]).reshape(array.shape)
