"""ISO 2709: MARC 21, RUSMARC and UNIMARC as libraries exchange them.

A file is cut at its record terminators, never by the lengths that it states; a damaged leader or directory is repaired
by the field terminators. Nothing stops the reader: a piece that is not a record is one reject.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, islice, pairwise
from typing import BinaryIO

import msgspec

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import (
    BROKEN_OFF,
    EXCERPT,
    SAMPLES,
    CharsetCarrier,
    CharsetSettings,
    Field,
    Piece,
    count_repeats,
    drop_illegal_between_separators,
    illegal_warning,
    to_raws,
)
from bibld.read._charset import ASCII, decode, is_beyond_ascii, settle_charsets
from bibld.text.charsets import ISO5426, MARC8, UTF8

RECORD_END = b"\x1d"
FIELD_END = b"\x1e"

_CHUNK = 1024 * 1024
_JUNK = b"\r\n\0\x1a\xef\xbb\xbf"
_JUNK_BYTES = frozenset(_JUNK + b" ")
_LEADER = rb"[0-9]{5}[ -~]{5}22[0-9]{5}[ -~]{3}45[0 ][ -~]"
_LOST_END = re.compile(rb"\x1e[^\x1e\x1f]{0,3}?(?=" + _LEADER + rb")")
_LEADER_ANYWHERE = re.compile(_LEADER)
_LEADER_LENGTH = 24
_ENTRY_LENGTH = 12
_ENTRY = re.compile(rb"[ -~]{3}[0-9]{9}")
_NO_TAG_CHARACTER = re.compile(r"[^!-~\xa1-\xff]")


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
        number = len(last)
        fault = f"{BROKEN_OFF} ({number} of {int(stated)} bytes are there)"
    elif _LEADER_ANYWHERE.match(last) or (last.isdigit() and len(last) <= len(stated)):
        number = len(last)
        fault = f"{BROKEN_OFF} ({number} bytes are there)"
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


class Layout(msgspec.Struct, frozen=True):
    """A leader of 24 characters, a tag for each field, and the fields' bytes with 1E between them."""

    leader: str
    tags: list[str]
    body: bytes
    warnings: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True):
    """One directory entry; ``start`` is -1 if its numbers are not numbers."""

    tag: str
    start: int
    end: int


def lay_out(raw: Raw) -> Layout:
    """Take a record apart; raises ``ReadError`` if there is no field."""
    return _lay_out_exactly(raw.data) or _repair(raw)


def _lay_out_exactly(data: bytes) -> Layout | None:
    """Return the layout of a record without any fault; None if there is one."""
    try:
        base = int(data[12:17])
        fits = int(data[:5]) == len(data) and base > _LEADER_LENGTH + 1 and data[base - 1] == 0x1E
        fits = fits and data[-2:] == FIELD_END + RECORD_END and base < len(data) - 1
        fits = fits and (base - 1 - _LEADER_LENGTH) % _ENTRY_LENGTH == 0
        if not fits:
            return None
        head = data[: base - 1].decode("ascii")
        numbers = [int(head[start : start + 9]) for start in range(_LEADER_LENGTH + 3, base - 1, _ENTRY_LENGTH)]
    except (ValueError, IndexError):
        return None
    body = data[base:-2]
    lengths = [len(field) + 1 for field in body.split(FIELD_END)]
    starts = accumulate(lengths, initial=0)
    expected = [length * 100_000 + start for length, start in zip(lengths, starts, strict=False)]
    if numbers != expected or not head.isprintable():
        return None
    tags = [head[start : start + 3] for start in range(_LEADER_LENGTH, base - 1, _ENTRY_LENGTH)]
    return Layout(head[:_LEADER_LENGTH], tags, body)


def _repair(raw: Raw) -> Layout:
    record = raw.data.removesuffix(RECORD_END)
    warnings: list[str] = []
    if len(record) == len(raw.data):
        warnings.append("record terminator missing")
    stated = raw.data[:5]
    if not stated.isdigit():
        warnings.append(f"record length {_shown(stated)} is not a number")
    elif int(stated) != len(record) + 1:
        warnings.append(f"record length {int(stated)} should be {len(record) + 1}")
    end = _directory_end(record, warnings)
    if end < 0:
        raise ReadError(raw.origin, "no directory: no field terminator behind a leader of 24 bytes", raw.data)
    entries = _read_entries(record[_LEADER_LENGTH:end], warnings)
    body = record[end + 1 :]
    tags, fields = _pair(entries, body, warnings)
    if not fields:
        raise ReadError(raw.origin, "the record has no field", raw.data)
    leader = record[:_LEADER_LENGTH].decode("latin-1")
    if not leader.isascii() or not leader.isprintable():
        warnings.append("characters in the leader that are not ASCII replaced by blanks")
        leader = re.sub("[^ -~]", " ", leader)
    joined = FIELD_END.join(field.replace(FIELD_END, b"") for field in fields)
    return Layout(leader, tags, joined, tuple(warnings))


def _shown(data: bytes) -> str:
    return repr(data.decode("latin-1"))


def _directory_end(record: bytes, warnings: list[str]) -> int:
    """Return the offset of the directory's field terminator, whatever leader 12-16 states; -1 if there is none."""
    first = record.find(FIELD_END, _LEADER_LENGTH)
    stated = int(record[12:17]) - 1 if record[12:17].isdigit() else -1
    if first < 0 or stated == first:
        return first
    if (
        (first - _LEADER_LENGTH) % _ENTRY_LENGTH
        and stated > first
        and (stated - _LEADER_LENGTH) % _ENTRY_LENGTH == 0
        and record[stated : stated + 1] == FIELD_END
    ):
        warnings.append("field terminator within the directory")
        return stated
    warnings.append(f"base address {_shown(record[12:17])} should be {first + 1:05d}")
    return first


def _read_entries(directory: bytes, warnings: list[str]) -> list[Entry]:
    surplus = len(directory) % _ENTRY_LENGTH
    if surplus:
        warnings.append(f"directory of {len(directory)} bytes, not a multiple of {_ENTRY_LENGTH}")
        aligned = (directory[: len(directory) - surplus], directory[surplus:])
        directory = max(aligned, key=lambda part: sum(map(bool, map(_ENTRY.fullmatch, _in_twelves(part)))))
    entries = []
    for data in _in_twelves(directory):
        tag = _NO_TAG_CHARACTER.sub("?", data[:3].decode("latin-1"))
        if data[3:].isdigit():
            entries.append(Entry(tag, int(data[7:]), int(data[7:]) + int(data[3:7])))
        else:
            entries.append(Entry(tag, -1, -1))
    return entries


def _in_twelves(data: bytes) -> list[bytes]:
    return [data[start : start + _ENTRY_LENGTH] for start in range(0, len(data), _ENTRY_LENGTH)]


def _pair(entries: list[Entry], body: bytes, warnings: list[str]) -> tuple[list[str], list[bytes]]:
    """Pair tags with fields: by the directory if it fits the field terminators, otherwise in order."""
    if not body.endswith(FIELD_END):
        warnings.append("the last field has no terminator")
        body += FIELD_END
    pieces = body[:-1].split(FIELD_END)
    ends = set(accumulate(len(piece) + 1 for piece in pieces))
    starts = {0} | ends
    fits = [entry.start in starts and entry.end in ends and entry.start < entry.end for entry in entries]
    spans = sorted((entry.start, entry.end) for entry in entries)
    if all(fits) and all(first[1] <= second[0] for first, second in pairwise(spans)):
        left = len(pieces) - sum(body.count(FIELD_END, entry.start, entry.end) for entry in entries)
        if left > 0:
            warnings.append(f"{left} field{'s' if left > 1 else ''} without a directory entry dropped")
        return [entry.tag for entry in entries], [body[entry.start : entry.end - 1] for entry in entries]
    warnings.append("directory does not fit the fields: tags paired with fields in order")
    if len(entries) != len(pieces):
        return _pair_by_anchors(entries, fits, body, pieces, warnings)
    return [entry.tag for entry in entries], pieces


def _pair_by_anchors(
    entries: list[Entry], fits: list[bool], body: bytes, pieces: list[bytes], warnings: list[str]
) -> tuple[list[str], list[bytes]]:
    """Pair in order although the numbers of tags and fields differ, between the entries that do fit."""
    tags: list[str] = []
    fields: list[bytes] = []
    position = 0
    waiting: list[Entry] = []
    unpaired: list[str] = []
    orphans = 0
    for entry, is_anchor in [*zip(entries, fits, strict=True), (Entry("", len(body), len(body)), True)]:
        if not is_anchor or entry.start < position:
            waiting.append(entry)
            continue
        between = _fields_between(body, position, entry.start)
        exact = _slice(waiting, body, position, entry.start)
        found = exact if exact and len(exact) != len(between) else between
        tags += [waited.tag for waited, _ in zip(waiting, found, strict=False)]
        fields += found[: len(waiting)]
        unpaired += [waited.tag for waited in waiting[len(found) :]]
        orphans += max(len(found) - len(waiting), 0)
        waiting = []
        if entry.tag:
            tags.append(entry.tag)
            fields.append(body[entry.start : entry.end - 1])
            position = entry.end
    if unpaired:
        warnings.append(f"no field for the directory entries {' '.join(unpaired)}")
    if orphans:
        warnings.append(f"{orphans} field{'s' if orphans > 1 else ''} without a directory entry dropped")
    return tags, fields


def _fields_between(body: bytes, start: int, end: int) -> list[bytes]:
    if start >= end:
        return []
    return body[start:end].removesuffix(FIELD_END).split(FIELD_END)


def _slice(entries: list[Entry], body: bytes, start: int, end: int) -> list[bytes] | None:
    """Return the fields of entries that follow each other from start to end without a gap; None if they do not."""
    for entry in entries:
        if entry.start != start or entry.end <= start:
            return None
        start = entry.end
    return [body[entry.start : entry.end - 1] for entry in entries] if start == end else None


_LEADER_LIKE = re.compile(rb"[0-9]{5}[ -~]{19}[ -~]{3}[0-9]{9}|[ -~]{10}[0-9 ]{2}[0-9]{5}[ -~]{3}4[ -~]{3}")
_INDICATORS = re.compile(r"[0-9 #|]{2}")
_LOOKED_AT = 5000
_UNIMARC_CHARSETS = {"50": UTF8, "79": "cp866", "89": "cp1251", "99": "koi8-r"}
_UNIMARC_SECOND_SETS = {"02": "iso-ir-37", "03": ISO5426, "04": "iso5427"}


Settings = CharsetSettings


class Iso2709Carrier(CharsetCarrier, frozen=True):
    """One file of ISO 2709."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file at its record terminators."""
        return to_raws(self.source, self.file, cut(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record, repairing what can be repaired; raises ``ReadError`` if no field is found."""
        layout = lay_out(raw)
        warnings = list(layout.warnings)
        if layout.body.isascii() and b"\x1b" not in layout.body:
            text = layout.body.decode("ascii")
        else:
            decoded = decode(layout.body, self.charsets)
            text = decoded.text
            warnings += decoded.warnings
        text, illegal = drop_illegal_between_separators(text, layout.body)
        if illegal:
            warnings.append(illegal_warning(illegal))
        texts = text.split("\x1e")
        if len(texts) != len(layout.tags):  # a charset of several bytes may swallow a terminator behind a broken one
            texts = [decode(field, self.charsets).text.replace("\x1e", "") for field in layout.body.split(FIELD_END)]
        fields = _fields(layout.tags, texts, warnings)
        return Parsed(MarcRecord(raw.origin, Leader(layout.leader), fields), count_repeats(warnings))


CarrierType = Iso2709Carrier


def sniffs(head: bytes) -> bool:
    """Return whether there are field terminators and something like a leader."""
    return FIELD_END in head and _LEADER_LIKE.search(head) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> Iso2709Carrier:
    """Find the charset by the first 200 records that are not plain ASCII (among the first 5,000)."""
    declarations: Counter[str] = Counter()
    unimarc = marc21 = 0
    samples: list[bytes] = []
    for _, data, fault in islice(cut(stream, settings.max_record_bytes), _LOOKED_AT):
        if fault:
            continue
        if _is_unimarc(data):
            unimarc += 1
            declaration = _unimarc_declaration(data)
        else:
            marc21 += 1
            declaration = UTF8 if data[9:10] == b"a" else MARC8
        if declaration:
            declarations[declaration] += 1
        if is_beyond_ascii(data):
            samples.append(data)
            if len(samples) == SAMPLES:
                break
    declared = declarations.most_common(1)[0][0] if declarations else None
    legacy = ISO5426 if unimarc > marc21 else MARC8
    return Iso2709Carrier(
        source=source,
        file=name,
        charsets=settle_charsets(settings.charset, declared, legacy, samples),
        max_record_bytes=settings.max_record_bytes,
    )


def _is_unimarc(data: bytes) -> bool:
    """Return whether a record is UNIMARC or RUSMARC: by the tag of its title, otherwise by leader 20-23."""
    directory = data[24 : data.find(FIELD_END) + 1]
    tags = {directory[start : start + 3] for start in range(0, len(directory) - 11, 12)}
    if (b"200" in tags) != (b"245" in tags):
        return b"200" in tags
    return data[20:24] == b"450 "


def _unimarc_declaration(data: bytes) -> str | None:
    found = re.search(rb"\x1e..\x1fa[0-9]{8}[ -~]{18}([0-9]{2})([0-9 ]{2})", data)
    if found is None:
        return None
    first, second = found[1].decode(), found[2].decode()
    return _UNIMARC_CHARSETS.get(first) or _UNIMARC_SECOND_SETS.get(second) or (ASCII if first == "01" else None)


def _fields(tags: list[str], texts: list[str], warnings: list[str]) -> tuple[Field, ...]:
    fields: list[Field] = []
    for tag, text in zip(tags, texts, strict=True):
        if tag < "010" and tag[:2] == "00":
            if "\x1f" in text:
                warnings.append(f"{tag}: subfield delimiters in a control field dropped")
                text = text.replace("\x1f", "")
            fields.append(ControlField(tag, text))
            continue
        parts = text.split("\x1f")
        indicators = parts[0]
        if len(indicators) == 2 and len(parts) > 1 and "" not in parts:
            subfields = tuple([Subfield(part[0], part[1:]) for part in parts[1:]])
            fields.append(DataField(tag, indicators[0], indicators[1], subfields))
        else:
            fields.append(_odd_field(tag, text, warnings))
    return tuple(fields)


def _odd_field(tag: str, text: str, warnings: list[str]) -> Field:
    """Read a field whose indicators or subfields are not where they should be; no text is lost."""
    before, delimiter, rest = text.partition("\x1f")
    if not delimiter:
        if not tag.isdigit():
            return ControlField(tag, text)
        warnings.append(f"{tag}: no subfield delimiter")
        indicators = before[:2] if _INDICATORS.fullmatch(before[:2]) else "  "
        stray = before.removeprefix(indicators)
    else:
        indicators, stray = before[:2].ljust(2), before[2:].strip()
        if len(before) != 2:
            warnings.append(f"{tag}: {len(before)} characters before the first subfield, not 2 indicators")
    subfields = [Subfield("a", stray)] if stray else []
    parts = rest.split("\x1f") if delimiter else []
    subfields += [Subfield(part[0], part[1:]) for part in parts if part]
    if empty := parts.count(""):
        warnings.append(f"{tag}: {empty} subfield{'s' if empty > 1 else ''} without code and text dropped")
    return DataField(tag, indicators[0], indicators[1], tuple(subfields))
