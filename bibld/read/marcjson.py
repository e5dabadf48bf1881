"""MARC as JSON: one record a line, arrays, records within other objects, in any of the usual dialects.

MARC-in-JSON is the one that most software writes. A file of any size is cut record by record; a malformed record is one
reject. UTF-16 is read as UTF-8; then offsets count the bytes of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import (
    BOM,
    CharsetCarrier,
    CharsetSettings,
    illegal_warning,
    sample_charsets,
    to_parsed,
    to_raws,
)
from bibld.read._charset import ASCII, AUTO, LATIN1, Charsets, decode, settle_charsets
from bibld.read._json_cut import cut
from bibld.read._json_dialects import Reading, decode_json
from bibld.read._stream import Ends, Rejoined, recode, recode_head, recoded_charset
from bibld.text.charsets import UTF8

_FIRST_CHARACTERS = b"{["
_FIELDS = re.compile(
    rb'[{,]\s*"?(?:leader|fields|controlfield|datafield)"?\s*:\s*["\[{]'
    rb'|"f"\s*:\s*\{\s*"[0-9A-Z]{3}"\s*:|"record"\s*:\s*\[\s*\[\s*"'
)


Settings = CharsetSettings


class MarcjsonCarrier(CharsetCarrier, frozen=True):
    """One file of MARC as JSON, which is UTF-8 (RFC 8259, 8.1) but for old and wrong software."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into the objects of its records; an array that is not closed is damage of the file."""
        ends = Ends(recode(stream, self.recoded))
        return to_raws(self.source, self.file, cut(ends, self.max_record_bytes), lambda: _missing_end(ends))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if it is not JSON, or has no field."""
        decoded = decode(raw.data, self.charsets)
        reading = Reading()
        try:
            value = decode_json(decoded.text)
            if isinstance(value, dict):
                reading.take(value)
        except ValueError as error:
            raise ReadError(raw.origin, str(error), raw.data) from error
        except RecursionError as error:
            raise ReadError(raw.origin, "nested too deeply", raw.data) from error
        if not reading.fields:
            raise ReadError(raw.origin, 'the object has no field of MARC, such as {"245": {"subfields": …}}', raw.data)
        warnings = [*decoded.warnings, *reading.warnings]
        if reading.illegal:
            warnings.append(illegal_warning(reading.illegal))
        return to_parsed(raw, reading.leader, reading.fields, warnings, may_be_short=False)


CarrierType = MarcjsonCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file is JSON, or nearly, and contains fields of MARC."""
    text = recode_head(head, _FIRST_CHARACTERS).removeprefix(BOM).lstrip(b" \t\r\n\x1e")
    return text.startswith((b"{", b"[")) and _FIELDS.search(text) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcjsonCarrier:
    """Find the charset by the first 200 records: UTF-8, as JSON must be, unless they are in another."""
    head = stream.read(2)
    recoded = recoded_charset(head, _FIRST_CHARACTERS)
    samples = sample_charsets(cut(recode(Rejoined(head, stream), recoded), settings.max_record_bytes))
    if recoded:
        charsets = Charsets(recoded, UTF8)
    elif settings.charset == AUTO and not samples:
        charsets = Charsets(None, ASCII)
    else:
        charsets = settle_charsets(settings.charset, None, LATIN1, samples)
    return MarcjsonCarrier(
        source=source, file=name, charsets=charsets, recoded=recoded, max_record_bytes=settings.max_record_bytes
    )


def _missing_end(ends: Ends) -> str:
    """Return the fault of a file that begins an array and does not close it; empty for every other file."""
    is_array = ends.head.removeprefix(BOM).lstrip().startswith(b"[")
    is_closed = ends.tail.rstrip(b" \t\r\n\0\x1a").endswith(b"]")
    return "the file ends before its array does, so it may be cut off; fetch it again" if is_array > is_closed else ""
