"""Cutting a stream of ISO 2709 into records, with bounded memory and exact offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bibld.read._pieces import BROKEN_OFF, Piece

RECORD_END = b"\x1d"
FIELD_END = b"\x1e"

_CHUNK = 1024 * 1024
_KEPT_OF_OVERSIZE = 64 * 1024
_JUNK = b"\r\n\0\x1a\xef\xbb\xbf"
_JUNK_BYTES = frozenset(_JUNK + b" ")
_LEADER = rb"[0-9]{5}[ -~]{5}22[0-9]{5}[ -~]{3}45[0 ][ -~]"
_LOST_END = re.compile(rb"\x1e[^\x1e\x1f]{0,3}?(?=" + _LEADER + rb")")
_LEADER_ANYWHERE = re.compile(_LEADER)


def cut(stream: BinaryIO, maximum: int) -> Iterator[Piece]:
    """Cut at record terminators; what is longer than ``maximum`` bytes is given as one fault, then the next terminator
    is sought. Line ends, NUL, blanks, 1A and a byte order mark between records belong to none."""
    parts: list[bytes] = []
    held = offset = 0
    oversize = False
    while chunk := stream.read(_CHUNK):
        *ended, rest = chunk.split(RECORD_END)
        for piece in ended:
            if parts or oversize:
                parts.append(piece)
                piece = b"".join(parts)
                parts, held = [], 0
            length = len(piece) + 1
            if oversize:
                oversize = False
            elif len(piece) > maximum:
                yield offset, piece[:_KEPT_OF_OVERSIZE], _oversize(maximum)
            else:
                yield from _records(piece, offset)
            offset += length
        parts.append(rest)
        held += len(rest)
        if held > maximum or oversize:
            if not oversize:
                yield offset, b"".join(parts)[:_KEPT_OF_OVERSIZE], _oversize(maximum)
            oversize = True
            offset += held
            parts, held = [], 0
    if parts and not oversize:
        yield from _last(b"".join(parts), offset)


def _oversize(maximum: int) -> str:
    return f"no record terminator within {maximum} bytes (the first {_KEPT_OF_OVERSIZE} are kept)"


def _records(piece: bytes, offset: int) -> Iterator[Piece]:
    """The record that ends with the terminator behind the piece, and those before it that lost theirs."""
    if piece[:1].isdigit() and piece[:5] == b"%05d" % (len(piece) + 1):
        yield offset, piece + RECORD_END, ""
        return
    start = _leader_start(piece)
    if start == len(piece):
        return
    *lost, (begin, last) = _split(piece, start)
    for where, data in lost:
        yield (offset + where, data, "" if FIELD_END in data else "bytes before a record that are no record")
    yield offset + begin, last + RECORD_END, ""


def _last(piece: bytes, offset: int) -> Iterator[Piece]:
    """What stands behind the last terminator: nothing, a record that only lacks its own, or a part of one."""
    start = _leader_start(piece)
    if start == len(piece):
        return
    *lost, (begin, last) = _split(piece, start)
    for where, data in lost:
        yield (offset + where, data, "" if FIELD_END in data else "bytes before a record that are no record")
    stated = last[:5]
    if stated.isdigit() and int(stated) == len(last) + 1 and last.endswith(FIELD_END):
        fault = ""
    elif stated.isdigit() and int(stated) > len(last):
        fault = f"{BROKEN_OFF} ({len(last)} of {int(stated)} bytes are there)"
    else:
        fault = f"the last {len(last)} bytes of the file have no record terminator"
    yield offset + begin, last, fault


def _leader_start(piece: bytes) -> int:
    """How many bytes before the leader are junk. Blanks are, unless the leader itself begins with blanks."""
    if not piece or piece[0] not in _JUNK_BYTES:
        return 0
    start = len(piece) - len(piece.lstrip(_JUNK))
    without_blanks = len(piece) - len(piece.lstrip(_JUNK + b" "))
    if without_blanks < len(piece) and piece[start + 20 : start + 22] == b"45":
        return start
    return without_blanks


def _split(piece: bytes, start: int) -> list[tuple[int, bytes]]:
    """Cut where a leader follows a field terminator, which happens only when a record terminator was lost; and before
    the first leader where the piece does not begin with one."""
    cuts = [start]
    first = _LEADER_ANYWHERE.search(piece, start)
    if first is not None and first.start() > start and FIELD_END not in piece[start : first.start()]:
        cuts.append(first.start())
    cuts += [found.end() for found in _LOST_END.finditer(piece, cuts[-1])]
    return [(begin, piece[begin:end].rstrip(b"\r\n")) for begin, end in zip(cuts, [*cuts[1:], len(piece)], strict=True)]
