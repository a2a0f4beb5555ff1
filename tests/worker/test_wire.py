"""Whatever bytes come, decoding gives a message or ProtocolError, and allocates little."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.worker import wire

FAST = settings(deadline=None, derandomize=True, max_examples=300)

ARRAY = wire.Array("<f8", (2, 1), np.array([[1.0], [2.0]]).tobytes())
VALUES = (
    None,
    True,
    -3,
    2**64 - 1,
    0.5,
    "text",
    ARRAY,
    wire.Array("|b1", (3,), b"\0\1\0"),
    wire.Array("<c16", (), bytes(16)),
    wire.Complex(1.0, -2.0),
    wire.Items("tuple", [1, wire.Items("list", [ARRAY])]),
    wire.Mapping({"a": None}),
    wire.Pairs([1, "a", None, True, 0.5], [ARRAY, 2, None, "b", wire.Mapping({})]),
    wire.Handle(3),
    wire.Opaque("set"),
    wire.Echo(None, [ARRAY], {"mask": None}),
    wire.Axes([wire.Image(ARRAY, ["a"], ["b"])], "key", "query", "Figure"),
)
STEPS = (
    wire.Call("f", [ARRAY, wire.Arranged(ARRAY, "F", False)], {"axis": -1}, True, ["axis"]),
    wire.Construct("Net", [3], {}, []),
    wire.SetAttribute(wire.Handle(0), "W", ARRAY),
    wire.CallMethod(wire.Handle(0), "forward", [], {}, False, []),
)
RAISED = wire.Raised("ValueError", "bad", 3, 1)
REQUESTS = (
    wire.Load(1, 2, 3, 4, ["f"], ["numpy"]),
    wire.RunCell(1, 0, "x = 1"),
    wire.ResolveNames(2),
    wire.StandInReply(3, ARRAY),
    wire.StandInReply(3, None, RAISED),
)
REPLIES = (
    wire.Ready(),
    wire.CellDone(
        1,
        [
            wire.Stream("stdout", "hello"),
            wire.Display({"text/plain": "x"}),
            wire.Result({"text/plain": "1"}, 1),
            wire.Error("ValueError", "bad", ["line"]),
        ],
        RAISED,
        ["torch"],
        False,
    ),
    wire.NamesResolved(1, [wire.Found("f", 0)]),
    wire.CaseDone(1, 0, "exception", [wire.Returned(ARRAY), RAISED]),
    wire.BatchDone(1),
    wire.StandInRequest(1, "softmax", [ARRAY], {"axis": -1}),
)


def test_values_come_back_as_they_were() -> None:
    for value in VALUES:
        assert wire.decode_value(wire.encode(value)) == value


def test_messages_come_back_as_they_were() -> None:
    for request in REQUESTS:
        assert wire.decode_request(wire.encode(request)) == request
    for reply in REPLIES:
        assert wire.decode_reply(wire.encode(reply)) == reply
    assert wire.decode_case(wire.encode(list(STEPS))) == list(STEPS)


def test_a_batch_carries_its_cases_undecoded() -> None:
    import msgspec

    batch = wire.RunBatch(1, "f", [msgspec.Raw(wire.encode([STEPS[0]]))], [])
    decoded = wire.decode_request(wire.encode(batch))
    assert isinstance(decoded, wire.RunBatch)
    assert wire.decode_case(memoryview(decoded.cases[0])) == [STEPS[0]]


@FAST
@given(st.binary(max_size=200))
def test_random_bytes_raise_protocol_error_only(data: bytes) -> None:
    for decode in (wire.decode_value, wire.decode_reply, wire.decode_request, wire.decode_case):
        try:
            decode(data)
        except wire.ProtocolError:
            continue


@FAST
@given(st.data())
def test_damaged_messages_raise_protocol_error_only(data: st.DataObject) -> None:
    whole = bytearray(wire.encode(data.draw(st.sampled_from(REPLIES + VALUES))))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    for damaged in (bytes(whole), cut):
        for decode in (wire.decode_reply, wire.decode_value):
            try:
                found = decode(damaged)
            except wire.ProtocolError:
                continue
            if isinstance(found, wire.Array):
                assert wire.array_from_wire(found).nbytes == len(found.data)


@pytest.mark.parametrize(
    "bad",
    [
        ["a", "<f8", [2], bytes(8)],
        ["a", "<f8", [-1], bytes(8)],
        ["a", "<f8", [2**62, 2**62, 0], b""],
        ["a", "<f8", [1] * 9, bytes(8)],
        ["a", "|O", [1], bytes(8)],
        ["a", "|b1", [1], b"\2"],
        ["a", "<f8", [1], bytes(8), "extra"],
        ["l", "set", []],
        ["d", [1], []],
        ["d", [[1]], [1]],
        ["d", [["c", 1.0, 1.0]], [1]],
        ["h", -1],
        ["nobody"],
        {"a": 1},
        "x" * (wire.MAX_TEXT + 1),
    ],
)
def test_what_was_not_declared_is_refused(bad: object) -> None:
    with pytest.raises(wire.ProtocolError):
        wire.decode_value(wire.encode(bad))


def test_a_value_nested_without_end_is_refused() -> None:
    with pytest.raises(wire.ProtocolError):
        wire.decode_value(b"\x93\xa1l\xa4list\x91" * 100_000)


def test_a_huge_length_is_refused_before_anything_is_read() -> None:
    reader = wire.FrameReader()
    reader.feed(struct.pack(">I", 2**32 - 1))
    with pytest.raises(wire.ProtocolError, match="4294967295 bytes"):
        reader.next()


def test_too_large_a_message_is_not_sent() -> None:
    with pytest.raises(wire.ProtocolError, match="at most"):
        wire.frame(wire.RunCell(1, 0, "x" * (wire.MAX_FRAME + 1)))


@FAST
@given(st.lists(st.integers(1, 9), max_size=20))
def test_frames_are_found_however_the_stream_is_cut(cuts: list[int]) -> None:
    stream = b"".join(wire.frame(reply) for reply in REPLIES)
    reader, found, start = wire.FrameReader(), [], 0
    for end in [*np.cumsum(cuts).tolist(), len(stream)]:
        reader.feed(stream[start:end])
        start = max(start, min(end, len(stream)))
        while (data := reader.next()) is not None:
            found.append(wire.decode_reply(data))
    assert tuple(found) == REPLIES
    assert not reader.pending


def test_arrays_of_any_byte_order_and_precision_are_sent_as_declared_dtypes() -> None:
    for given_dtype, sent in ((">f8", "<f8"), (np.longdouble, "<f8"), (">i2", "<i2"), ("?", "|b1")):
        array = np.array([0, 1, 1], given_dtype)
        dtype = wire.wire_dtype(array.dtype)
        assert dtype == sent
        assert wire.array_from_wire(wire.array_to_wire(array, dtype)).tolist() == [0, 1, 1]
    assert wire.wire_dtype(np.dtype(object)) is None
    assert wire.wire_dtype(np.dtype("U3")) is None
    assert wire.wire_dtype(np.dtype([("x", "f8")])) is None


def test_decoded_arrays_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        wire.array_from_wire(ARRAY)[0] = 1.0
