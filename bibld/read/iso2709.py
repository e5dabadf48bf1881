"""ISO 2709: MARC 21, RUSMARC and UNIMARC as libraries exchange them.

A file is cut at its record terminators, never by the lengths that it states; a damaged leader or directory is repaired
by the field terminators. Nothing stops the reader: a piece that is not a record is one reject.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import (
    SAMPLES,
    CharsetCarrier,
    CharsetSettings,
    Field,
    count_repeats,
    drop_illegal_between_separators,
    illegal_warning,
    to_raws,
)
from bibld.read._charset import ASCII, decode, is_beyond_ascii, settle_charsets
from bibld.read._iso2709_cut import FIELD_END, cut
from bibld.read._iso2709_layout import lay_out
from bibld.text.charsets import ISO5426, MARC8, UTF8

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
