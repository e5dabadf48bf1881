"""What most carriers share: settings, charsets, cutting a file of lines into records, and making a record of fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO

import msgspec

from bibld.errors import DamagedFileError, ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord
from bibld.model.origin import Origin
from bibld.protocols import Parsed, Raw
from bibld.read._characters import count_repeats, drop_illegal, illegal_warning
from bibld.read._charset import AUTO, Charsets, decode, is_beyond_ascii

BOM = b"\xef\xbb\xbf"

SAMPLES = 200
"""Records from which the charset of a file is found."""

LEADER_LENGTH = 24

BROKEN_OFF = "the file ends within this record; fetch it again"
"""Begins the fault of a last record that is only partly there."""

EXCERPT = 64 * 1024
"""Bytes that are kept of a record that is too long."""

Piece = tuple[int, bytes, str]
"""A piece of a file: its offset, its bytes, and why it is not a record; empty if it may be one."""

Field = ControlField | DataField


class CharsetSettings(msgspec.Struct, frozen=True, kw_only=True):
    """``charset``: ``auto``, or the charset of all records of the file, whatever they declare.

    ``max_record_bytes``: a longer record is rejected.
    """

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class CharsetCarrier(msgspec.Struct, frozen=True, kw_only=True):
    """One file of text in some charset; a carrier adds how it is cut and parsed.

    ``recoded`` names a charset that does not contain ASCII, such as UTF-16; then the records are in UTF-8.
    """

    source: str
    file: str
    charsets: Charsets
    max_record_bytes: int
    recoded: str = ""

    @property
    def declared(self) -> str | None:
        """The charset that the file declares; None if it declares none."""
        return self.charsets.declared

    @property
    def charset(self) -> str:
        """The charset that most records are in."""
        return self.recoded or self.charsets.main


def to_raws(source: str, file: str, pieces: Iterable[Piece]) -> Iterator[Raw | ReadError]:
    """Yield the pieces of a file, numbered from 1; those with a fault as errors."""
    for position, (offset, data, fault) in enumerate(pieces, 1):
        origin = Origin(source, file, position, offset)
        if not fault:
            yield Raw(origin, data)
        elif fault.startswith(BROKEN_OFF):
            yield DamagedFileError(origin, fault, data)
        else:
            yield ReadError(origin, fault, data)


def sample_charsets(pieces: Iterable[Piece]) -> list[bytes]:
    """Return those of the first 200 records whose charset matters."""
    return [data for _, data, fault in islice(pieces, SAMPLES) if not fault and is_beyond_ascii(data)]


def cut_lines(
    stream: BinaryIO,
    maximum: int,
    begins_record: Callable[[bytes, bytes], bool],
    *,
    at_blanks: bool,
    comment: bytes = b"",
) -> Iterator[Piece]:
    """Cut a file before each line for which ``begins_record`` is true, given it and the first line of the record.

    ``at_blanks``: a blank line ends a record too; otherwise blank lines are dropped. Lines before a record that begin
    with ``comment`` are dropped. A record of more than ``maximum`` bytes is yielded with a fault.
    """
    lines: list[bytes] = []
    begin = offset = size = 0

    def piece() -> Piece:
        data = b"".join(lines)
        if size <= maximum:
            return begin, data, ""
        return begin, data[:EXCERPT], f"a record of {size} bytes, more than {maximum} (the first {EXCERPT} are kept)"

    for line in iter(lambda: stream.readline(maximum), b""):
        start, offset = offset, offset + len(line)
        if start == 0:
            line = line.removeprefix(BOM)
            start = offset - len(line)
        is_blank = not line.strip()
        if lines and ((is_blank and at_blanks) or (not is_blank and begins_record(line, lines[0]))):
            yield piece()
            lines, size = [], 0
        if is_blank or (not lines and comment and line.startswith(comment)):
            continue
        if not lines:
            begin = start
        size += len(line)
        if size <= maximum or not lines:
            lines.append(line)
    if lines:
        yield piece()


def decode_text(data: bytes, charsets: Charsets) -> tuple[str, list[str]]:
    """Return the text of a record without characters that XML cannot contain, and the warnings."""
    decoded = decode(data, charsets)
    text, illegal = drop_illegal(decoded.text)
    return text, [*decoded.warnings, *([illegal_warning(illegal)] if illegal else [])]


def to_parsed(
    raw: Raw, leader: str | None, fields: Sequence[Field], warnings: list[str], *, may_be_short: bool = True
) -> Parsed:
    """Make a record of a leader (None: missing) and fields, with a warning for a leader of another length."""
    if leader is None:
        warnings.append("no leader")
    elif len(leader.rstrip()) > LEADER_LENGTH or (len(leader) != LEADER_LENGTH and not may_be_short):
        warnings.append(f"leader of {len(leader)} characters")
    padded = Leader((leader or "").ljust(LEADER_LENGTH)[:LEADER_LENGTH])
    return Parsed(MarcRecord(raw.origin, padded, tuple(fields)), count_repeats(warnings))
