"""What most carriers share: settings, charsets, cutting a file of lines into records, and making a record of fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO, ClassVar, Self

import msgspec

from bibld.errors import DamagedFileError, ReadError
from bibld.model.foreign_xml import ILLEGAL_CHARACTERS
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.protocols import Parsed, Raw
from bibld.read._charset import AUTO, Charsets, decode, is_beyond_ascii, settle_charsets

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

_NOT_XML_BUT_SEPARATORS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1d\ud800-\udfff\ufffe\uffff]")
_ILLEGAL_BYTES = bytes(code for code in range(0x1E) if code not in (0x09, 0x0A, 0x0D))


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


def to_raws(
    source: str, file: str, pieces: Iterable[Piece], fault_at_end: Callable[[], str] = str
) -> Iterator[Raw | ReadError]:
    """Yield the pieces of a file, numbered from 1; those with a fault as errors.

    ``fault_at_end`` is called after the last piece; it returns why the file is not complete (empty: it is).
    """
    position = offset = 0
    fault = ""
    for position, (offset, data, fault) in enumerate(pieces, 1):
        origin = Origin(source, file, position, offset)
        if not fault:
            yield Raw(origin, data)
        elif fault.startswith(BROKEN_OFF):
            yield DamagedFileError(origin, fault, data)
        else:
            yield ReadError(origin, fault, data)
    if not fault.startswith(BROKEN_OFF) and (incomplete := fault_at_end()):
        yield DamagedFileError(Origin(source, file, position + 1, offset), incomplete)


def sample_charsets(pieces: Iterable[Piece]) -> list[bytes]:
    """Return those of the first 200 records whose charset matters."""
    return [data for _, data, fault in islice(pieces, SAMPLES) if not fault and is_beyond_ascii(data)]


class LineCarrier(CharsetCarrier, frozen=True):
    """One file whose records are blocks of lines; a carrier adds :meth:`begins_record` and :meth:`fields`."""

    ends_at_blanks: ClassVar[bool] = True
    """Whether a blank line ends a record; otherwise blank lines are dropped."""

    comment: ClassVar[bytes] = b""
    """How lines begin that are dropped before a record; empty if there are none."""

    legacy: ClassVar[str]
    """The charset of files that are not UTF-8, unless their bytes show another one."""

    default: ClassVar[str] = ""
    """The charset of a file in which it does not matter; empty: ASCII."""

    example: ClassVar[str]
    """A line that is a field."""

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line begins another record than the one with this first line."""
        raise NotImplementedError

    def fields(self, text: str, warnings: list[str]) -> tuple[str | None, list[Field]]:
        """Return the leader (None: missing) and the fields of a record."""
        raise NotImplementedError

    @classmethod
    def examine(cls, stream: BinaryIO, name: str, source: str, settings: CharsetSettings) -> Self:
        """Find the charset by the first 200 records."""
        samples = sample_charsets(cls.cut(stream, settings.max_record_bytes))
        if cls.default and not samples:
            charsets = Charsets(None, cls.default)
        else:
            charsets = settle_charsets(settings.charset, None, cls.legacy, samples)
        return cls(source=source, file=name, charsets=charsets, max_record_bytes=settings.max_record_bytes)

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into records."""
        return to_raws(self.source, self.file, self.cut(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if no line is a field."""
        text, warnings = decode_text(raw.data, self.charsets)
        leader, fields = self.fields(text, warnings)
        if not fields:
            raise ReadError(raw.origin, f"no line of the text is a field such as {self.example}", raw.data)
        return to_parsed(raw, leader, fields, warnings)

    @classmethod
    def cut(cls, stream: BinaryIO, maximum: int) -> Iterator[Piece]:
        """Cut a stream into records; one of more than ``maximum`` bytes is yielded with a fault."""
        lines: list[bytes] = []
        begin = offset = size = 0

        def piece() -> Piece:
            data = b"".join(lines)
            if size <= maximum:
                return begin, data, ""
            fault = f"a record of {size} bytes, more than {maximum} (the first {EXCERPT} are kept)"
            return begin, data[:EXCERPT], fault

        for line in iter(lambda: stream.readline(maximum), b""):
            start, offset = offset, offset + len(line)
            if start == 0:
                line = line.removeprefix(BOM)
                start = offset - len(line)
            is_blank = not line.strip()
            if lines and ((is_blank and cls.ends_at_blanks) or (not is_blank and cls.begins_record(line, lines[0]))):
                yield piece()
                lines, size = [], 0
            if is_blank or (not lines and cls.comment and line.startswith(cls.comment)):
                continue
            if not lines:
                begin = start
            size += len(line)
            if size <= maximum or not lines:
                lines.append(line)
        if lines:
            yield piece()


def join_lines(text: str, begins_field: Callable[[str], object], begin: str, warnings: list[str]) -> list[str]:
    """Return the lines that begin a field, each with those that continue it; ``begin`` names what these lack."""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if begins_field(line):
            lines.append(line)
        elif line.strip() and lines:
            warnings.append(f"a line without {begin} taken as the rest of the line before")
            lines[-1] += f" {line.strip()}"
        elif line.strip():
            warnings.append(f"no tag in {line[:40]!r}")
    return lines


def split_subfields(tag: str, parts: Iterable[str], warnings: list[str]) -> list[Subfield]:
    """Return the subfields of texts that begin with their codes."""
    found = list(parts)
    warnings += [f"{tag}: a subfield without code and text dropped"] * found.count("")
    return [Subfield(part[0], part[1:]) for part in found if part]


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


def drop_illegal(text: str) -> tuple[str, int]:
    """Drop the characters that are illegal in XML 1.0 (2.2); returns the text and their number."""
    return ILLEGAL_CHARACTERS.subn("", text)


def drop_illegal_between_separators(text: str, data: bytes) -> tuple[str, int]:
    """Do the same for ISO 2709 fields, whose separators 1E and 1F stay; ``data`` are the bytes of the text."""
    if len(data.translate(None, _ILLEGAL_BYTES)) == len(data) and (
        text.isascii() or ("\ufffe" not in text and "\uffff" not in text)
    ):
        return text, 0
    return _NOT_XML_BUT_SEPARATORS.subn("", text)


def illegal_warning(count: int) -> str:
    """Return the warning for dropped characters."""
    return f"{count} character{'s' if count > 1 else ''} illegal in XML dropped"


def count_repeats(warnings: Iterable[str]) -> tuple[str, ...]:
    """Return each warning once, with how often it was given."""
    return tuple(text if count == 1 else f"{text} ({count} times)" for text, count in Counter(warnings).items())
