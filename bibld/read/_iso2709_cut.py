"""Cutting a stream of ISO 2709 into records, with bounded memory and exact offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

from bibld.read._carrier import BROKEN_OFF, EXCERPT, Piece

RECORD_END = b"\x1d"
FIELD_END = b"\x1e"

_CHUNK = 1024 * 1024
_JUNK = b"\r\n\0\x1a\xef\xbb\xbf"
_JUNK_BYTES = frozenset(_JUNK + b" ")
_LEADER = rb"[0-9]{5}[ -~]{5}22[0-9]{5}[ -~]{3}45[0 ][ -~]"
_LOST_END = re.compile(rb"\x1e[^\x1e\x1f]{0,3}?(?=" + _LEADER + rb")")
_LEADER_ANYWHERE = re.compile(_LEADER)


def cut(stream: BinaryIO, maximum: int) -> Iterator[Piece]:
    """Cut at record terminators; a record of more than ``maximum`` bytes is yielded with a fault.

    Line ends, NUL, blanks, 1A and a byte order mark between records belong to none.
    """
    fault = f"no record terminator within {maximum} bytes (the first {EXCERPT} are kept)"
    parts: list[bytes] = []
    size = offset = 0
    is_oversize = False
    while chunk := stream.read(_CHUNK):
        *ended, rest = chunk.split(RECORD_END)
        for piece in ended:
            if parts or is_oversize:
                parts.append(piece)
                piece = b"".join(parts)
                parts, size = [], 0
            length = len(piece) + 1
            if is_oversize:
                is_oversize = False
            elif len(piece) > maximum:
                yield offset, piece[:EXCERPT], fault
            else:
                yield from _records(piece, offset)
            offset += length
        parts.append(rest)
        size += len(rest)
        if size > maximum or is_oversize:
            if not is_oversize:
                yield offset, b"".join(parts)[:EXCERPT], fault
            is_oversize = True
            offset += size
            parts, size = [], 0
    if parts and not is_oversize:
        yield from _last(b"".join(parts), offset)


def _records(piece: bytes, offset: int) -> Iterator[Piece]:
    """Yield the record that ends with the terminator after the piece, preceded by those that lost theirs."""
    if piece[:1].isdigit() and piece[:5] == b"%05d" % (len(piece) + 1):
        yield offset, piece + RECORD_END, ""
        return
    *lost, last = _split(piece, offset)
    yield from lost
    if last[1]:
        yield last[0], last[1] + RECORD_END, ""


def _last(piece: bytes, offset: int) -> Iterator[Piece]:
    """Yield what follows the last terminator: nothing, a record that only lacks its terminator, or a part of one."""
    *lost, (begin, last, _) = _split(piece, offset)
    yield from lost
    stated = last[:5]
    if not last:
        return
    if stated.isdigit() and int(stated) == len(last) + 1 and last.endswith(FIELD_END):
        fault = ""
    elif stated.isdigit() and int(stated) > len(last):
        fault = f"{BROKEN_OFF} ({len(last)} of {int(stated)} bytes are there)"
    elif _LEADER_ANYWHERE.match(last) or (last.isdigit() and len(last) <= len(stated)):
        fault = f"{BROKEN_OFF} ({len(last)} bytes are there)"
    else:
        fault = f"the last {len(last)} bytes of the file have no record terminator"
    yield begin, last, fault


def _leader_start(piece: bytes) -> int:
    """Return how many bytes before the leader are junk: blanks too, unless the leader itself begins with blanks."""
    if not piece or piece[0] not in _JUNK_BYTES:
        return 0
    start = len(piece) - len(piece.lstrip(_JUNK))
    without_blanks = len(piece) - len(piece.lstrip(_JUNK + b" "))
    if without_blanks < len(piece) and piece[start + 20 : start + 22] == b"45":
        return start
    return without_blanks


def _split(piece: bytes, offset: int) -> list[Piece]:
    """Cut before each leader that follows a field terminator, because there a record terminator was lost.

    A piece that does not begin with a leader is cut before the first one. A piece of junk gives one of no bytes.
    """
    start = _leader_start(piece)
    if start == len(piece):
        return [(offset, b"", "")]
    cuts = [start]
    first = _LEADER_ANYWHERE.search(piece, start)
    if first is not None and first.start() > start and FIELD_END not in piece[start : first.start()]:
        cuts.append(first.start())
    cuts += [end.end() for end in _LOST_END.finditer(piece, cuts[-1])]
    parts = [(begin, piece[begin:end].rstrip(b"\r\n")) for begin, end in pairwise([*cuts, len(piece)])]
    return [
        (offset + begin, data, "" if FIELD_END in data else "bytes before a record that are not a record")
        for begin, data in parts
    ]
