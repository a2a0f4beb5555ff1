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
_LAST_COMMA = re.compile(rb",(?=\s*+[\]}])")
_BAD_IN_STRING = re.compile(rb"[\x00-\x1f]|\\u[dD][89a-fA-F]")


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that is no UTF-8 as the usual editors that know no UTF-8 write it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


codecs.register_error("autograder.windows-1252", _as_windows_1252)


def to_utf8(data: bytes) -> bytes:
    """The file in UTF-8 and without its byte order marks.

    The mark tells UTF-16 and UTF-32, and where there is none, the zeros in the first characters.
    """
    encoding = json.detect_encoding(data)
    if encoding.startswith(("utf-16", "utf-32")):
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data


def mend(text: bytes) -> tuple[bytes, list[str]]:
    """Repair what is no UTF-8 or what only some programs take for JSON, with a note on each.

    The latter are control characters, lone surrogates, commas behind a last item, and NaN and
    infinities: these stand in saved outputs and become null without a word.
    """
    notes = []
    try:
        text.decode()
    except UnicodeDecodeError:
        text = text.decode("utf-8", "autograder.windows-1252").encode()
        notes.append("The file holds bytes that are no UTF-8; they were read as Windows-1252.")
    repaired = 0

    def repair(found: re.Match[bytes]) -> bytes:
        nonlocal repaired
        token = found[0]
        if not token.startswith(b'"'):
            for word in _NO_NUMBERS:
                token = token.replace(word, b"null")
            token, commas = _LAST_COMMA.subn(b"", token)
            repaired += commas
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


def without_tail(text: bytes, end: int) -> tuple[bytes, list[str]]:
    """The text up to where its JSON ends, with a note if more than filling followed."""
    rest = text[end:].strip(b"\0 \t\r\n\x1a")
    note = "Something follows the end of the notebook in its file; it was left out."
    return text[:end], [note] if rest else []
