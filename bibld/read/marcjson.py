"""MARC as JSON: one record a line, arrays, records within other objects, in any of the usual dialects.

MARC-in-JSON is the one that most software writes. A file of any size is cut record by record; a malformed record is one
reject. UTF-16 is read as UTF-8; then offsets count the bytes of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

import msgspec

from bibld.errors import ReadError
from bibld.model.marc import Leader, MarcRecord
from bibld.protocols import Parsed, Raw
from bibld.read._characters import counted, dropped
from bibld.read._charset import ASCII, AUTO, LATIN1, UTF8, Charsets, decoded, is_beyond_ascii, settled
from bibld.read._json_cut import cut
from bibld.read._json_dialects import Reading, value_of
from bibld.read._lines import BOM
from bibld.read._pieces import as_raws
from bibld.read._xml_cut import Recoded, Rejoined

_SAMPLES = 200
_LEADER_LENGTH = 24
_FIELDS = re.compile(
    rb'[{,]\s*"?(?:leader|fields|controlfield|datafield)"?\s*:\s*["\[{]'
    rb'|"f"\s*:\s*\{\s*"[0-9A-Z]{3}"\s*:|"record"\s*:\s*\[\s*\[\s*"'
)


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in. ``max_record_bytes``: a longer object is rejected."""

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class MarcjsonCarrier(msgspec.Struct, frozen=True):
    """One file of MARC as JSON; ``recoded`` names a charset that does not contain ASCII (records are UTF-8 then)."""

    source: str
    file: str
    charsets: Charsets
    recoded: str
    max_record_bytes: int

    @property
    def declared(self) -> str | None:
        """JSON is UTF-8 (RFC 8259, 8.1), but no file says so."""
        return self.charsets.declared

    @property
    def charset(self) -> str:
        """The charset of the file."""
        return self.recoded or self.charsets.main

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into the objects of its records."""
        readable = Recoded(stream, self.recoded) if self.recoded else stream
        return as_raws(self.source, self.file, cut(readable, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` where it is no JSON, or has no field."""
        found = decoded(raw.data, self.charsets)
        warnings = list(found.warnings)
        reading = Reading()
        try:
            value = value_of(found.text)
            if isinstance(value, dict):
                reading.take(value)
        except ValueError as error:
            raise ReadError(raw.origin, str(error), raw.data) from error
        except RecursionError as error:
            raise ReadError(raw.origin, "nested too deeply", raw.data) from error
        if not reading.fields:
            raise ReadError(raw.origin, 'the object has no field of MARC, such as {"245": {"subfields": …}}', raw.data)
        warnings += reading.warnings
        if reading.illegal:
            warnings.append(dropped(reading.illegal))
        leader = reading.leader
        if leader is None:
            warnings.append("no leader")
        elif len(leader) != _LEADER_LENGTH:
            warnings.append(f"leader of {len(leader)} characters")
        whole = Leader((leader or "").ljust(_LEADER_LENGTH)[:_LEADER_LENGTH])
        return Parsed(MarcRecord(raw.origin, whole, tuple(reading.fields)), counted(warnings))


CarrierType = MarcjsonCarrier


def sniffs(head: bytes) -> bool:
    """Whether the file is JSON, or nearly, and there are fields of MARC."""
    text = _readable(head).removeprefix(BOM).lstrip(b" \t\r\n\x1e")
    return text.startswith((b"{", b"[")) and _FIELDS.search(text) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcjsonCarrier:
    """Settle the charset from the first 200 records: UTF-8, as JSON must be, unless they say otherwise."""
    head = stream.read(2)
    recoded = _recoded(head)
    rejoined = Rejoined(head, stream)
    readable = Recoded(rejoined, recoded) if recoded else rejoined
    samples = [
        data
        for _, data, fault in islice(cut(readable, settings.max_record_bytes), _SAMPLES)
        if not fault and is_beyond_ascii(data)
    ]
    if recoded:
        charsets = Charsets(recoded, UTF8)
    elif settings.charset == AUTO and not samples:
        charsets = Charsets(None, ASCII)
    else:
        charsets = settled(settings.charset, None, LATIN1, samples)
    return MarcjsonCarrier(source, name, charsets, recoded, settings.max_record_bytes)


def _recoded(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head[:1] in b"{[" and head[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if head[:1] == b"\0" and head[1:2] in b"{[" else ""


def _readable(head: bytes) -> bytes:
    charset = _recoded(head[:2])
    return head.decode(charset, "replace").encode("utf-8", "replace") if charset else head
