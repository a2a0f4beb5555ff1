"""Bytes that are almost JSON in UTF-8 -> bytes that are. Only files that need it come here."""

from __future__ import annotations

import codecs
import json
import re

_STRING_OR_REST = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'  # possessive: linear, whatever the file holds
    rb'|[^"]++',
    re.DOTALL,
)
_NO_NUMBERS = (b"NaN", b"-Infinity", b"Infinity")
_BAD_IN_STRING = re.compile(rb"[\x00-\x1f]|\\u[dD][89a-fA-F]")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def to_utf8(data: bytes) -> bytes:
    """The file without its byte order mark, and in UTF-8 if the mark says that it is not."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        return data
    if encoding == "utf-8":
        return data[len(codecs.BOM_UTF8) :]
    return data.decode(encoding, "replace").encode("utf-8", "replace")


def mend(text: bytes) -> tuple[bytes, list[str]]:
    """Repair what is no UTF-8 or what only Python takes for JSON, with a note on each.

    The latter are control characters, lone surrogates, and NaN and infinities: these stand in
    saved outputs and become null without a word.
    """
    notes = []
    try:
        text.decode()
    except UnicodeDecodeError:
        text = text.decode("utf-8", "replace").encode()
        notes.append("The file holds bytes that are no UTF-8; they were replaced by \ufffd.")
    repaired = 0

    def repair(found: re.Match[bytes]) -> bytes:
        nonlocal repaired
        token = found[0]
        if not token.startswith(b'"'):
            for word in _NO_NUMBERS:
                token = token.replace(word, b"null")
            return token
        if not _BAD_IN_STRING.search(token):
            return token
        try:
            value = json.loads(token, strict=False)
        except ValueError:
            return token  # a bad escape: the decoder says where
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        new = json.dumps(whole, ensure_ascii=False).encode()
        repaired += new != token
        return new

    mended = _STRING_OR_REST.sub(repair, text)
    if repaired:
        notes.append("The file holds characters that JSON does not allow; they were mended.")
    return mended, notes
