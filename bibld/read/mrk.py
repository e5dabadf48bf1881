r"""MARCMaker text: ``=245  10$aText``, a blank line between records, ``%`` before a comment.

``\`` is a blank in the leader, in 006 to 008 and as an indicator (an embedded field's too); elsewhere it is itself,
since control numbers and data really contain it. ``{dollar}``, ``{bsol}``, ``{lcub}``, ``{rcub}`` are ``$ \ { }``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import CharsetCarrier, CharsetSettings
from bibld.read._characters import counted, dropped, legal
from bibld.read._charset import UTF8, Charsets, decoded, is_beyond_ascii, settled
from bibld.read._pieces import as_raws

_BOM = b"\xef\xbb\xbf"
_BLANKS_SHOWN = ("006", "007", "008")
_LEADER_LENGTH = 24
_SAMPLES = 200
_KEPT_OF_OVERSIZE = 64 * 1024
_FIRST_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:(?:%[^\n]*|[ \t\r]*)\n)*=(?:LDR|LEADER|[0-9]{3})  ?\S")
_LEADER_LINE = re.compile(rb"=(?:LDR|LEADER|000)[ \t]")
_LINE = re.compile(r"=(LEADER|...) {0,2}(.*)", re.DOTALL)
_EMBEDDED = re.compile(r"[0-9]{3}[0-9A-Za-z\\#]{2}")
_MNEMONIC = re.compile(r"\{(dollar|bsol|lcub|rcub)\}")
_CHARACTER = {"dollar": "$", "bsol": "\\", "lcub": "{", "rcub": "}"}


Settings = CharsetSettings


class MrkCarrier(CharsetCarrier, frozen=True):
    """One file of MARCMaker text."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file at blank lines, and where a leader begins another record without one."""
        return as_raws(self.source, self.file, _cut(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` where no line is a field."""
        found = decoded(raw.data, self.charsets)
        warnings = list(found.warnings)
        text, illegal = legal(found.text)
        if illegal:
            warnings.append(dropped(illegal))
        leader: str | None = None
        fields: list[ControlField | DataField] = []
        for line in _lines(text, warnings):
            match = _LINE.fullmatch(line)
            if match is None:
                warnings.append(f"no tag in {line[:40]!r}")
            elif match[1] in ("LDR", "LEADER", "000"):
                leader = match[2].replace("\\", " ")
            else:
                fields.append(_field(match[1], match[2], warnings))
        if not fields:
            raise ReadError(raw.origin, "no line of the text is a field such as =245  10$aTitle", raw.data)
        if leader is None:
            warnings.append("no leader")
        elif len(leader.rstrip()) > _LEADER_LENGTH:
            warnings.append(f"leader of {len(leader)} characters")
        whole = Leader((leader or "").ljust(_LEADER_LENGTH)[:_LEADER_LENGTH])
        return Parsed(MarcRecord(raw.origin, whole, tuple(fields)), counted(warnings))


CarrierType = MrkCarrier


def sniffs(head: bytes) -> bool:
    """Whether the first line that is neither blank nor a comment is a leader or a field."""
    return _FIRST_LINE.match(head) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MrkCarrier:
    """Settle the charset from the first 200 records: UTF-8 unless they say otherwise."""
    samples = [
        data
        for _, data, fault in islice(_cut(stream, settings.max_record_bytes), _SAMPLES)
        if not fault and is_beyond_ascii(data)
    ]
    charsets = settled(settings.charset, None, "iso8859-1", samples) if samples else Charsets(None, UTF8)
    return MrkCarrier(source=source, file=name, charsets=charsets, max_record_bytes=settings.max_record_bytes)


def _cut(stream: BinaryIO, maximum: int) -> Iterator[tuple[int, bytes, str]]:
    """Offset, bytes and fault (empty: none) of each block of lines."""
    held: list[bytes] = []
    begin = offset = size = 0
    for line in iter(lambda: stream.readline(maximum), b""):
        start, offset = offset, offset + len(line)
        if start == 0:
            line = line.removeprefix(_BOM)
            start = offset - len(line)
        is_blank = not line.strip()
        if held and (is_blank or _LEADER_LINE.match(line)):
            yield _block(begin, held, size, maximum)
            held, size = [], 0
        if is_blank or (not held and line.startswith(b"%")):
            continue
        if not held:
            begin = start
        size += len(line)
        if size <= maximum:
            held.append(line)
    if held:
        yield _block(begin, held, size, maximum)


def _block(begin: int, lines: list[bytes], size: int, maximum: int) -> tuple[int, bytes, str]:
    data = b"".join(lines)
    if size <= maximum:
        return begin, data, ""
    fault = f"a record of {size} bytes, more than {maximum} (the first {_KEPT_OF_OVERSIZE} are kept)"
    return begin, data[:_KEPT_OF_OVERSIZE], fault


def _lines(text: str, warnings: list[str]) -> list[str]:
    """The lines without comments; one that does not begin with ``=`` goes on with the field before it."""
    lines: list[list[str]] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if line.startswith("="):
            lines.append([line])
        elif line.strip() and not line.startswith("%"):
            if lines:
                warnings.append("a line without = taken as the rest of the line before")
                lines[-1].append(line)
            else:
                lines.append([line])
    return [" ".join(parts) for parts in lines]


def _field(tag: str, body: str, warnings: list[str]) -> ControlField | DataField:
    if tag.startswith("00") or "$" not in body:
        if tag.isdigit() and not tag.startswith("00"):
            warnings.append(f"{tag}: no subfield")
            return DataField(tag, *_indicators(body[:2]), (Subfield("a", _plain(body[2:])),) if body[2:] else ())
        return ControlField(tag, _plain(body.replace("\\", " ") if tag in _BLANKS_SHOWN else body))
    before, *parts = body.split("$")
    if len(before) != 2:
        warnings.append(f"{tag}: {len(before)} characters before the first subfield, not 2 indicators")
    subfields = [Subfield("a", _plain(before[2:].strip()))] if before[2:].strip() else []
    for part in parts:
        if not part:
            warnings.append(f"{tag}: a subfield without code and text dropped")
            continue
        value = part[1:].replace("\\", " ") if part[0] == "1" and _EMBEDDED.fullmatch(part[1:]) else part[1:]
        subfields.append(Subfield(part[0], _plain(value)))
    return DataField(tag, *_indicators(before[:2]), tuple(subfields))


def _indicators(text: str) -> tuple[str, str]:
    blank = text.replace("\\", " ").ljust(2)
    return blank[0], blank[1]


def _plain(text: str) -> str:
    return _MNEMONIC.sub(lambda name: _CHARACTER[name[1]], text)
