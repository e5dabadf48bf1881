"""Cards: lines ``key: value`` in UTF-8, and a line ``--`` after each card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.protocols import Parsed, Raw

TAGS = {"number": "001", "title": "900", "author": "901", "year": "902", "price": "909"}
"""The keys of a card, and the fields that they become."""


class Settings(msgspec.Struct, frozen=True):
    """``separator``: the line after each card."""

    separator: str = "--"


class CardsCarrier(msgspec.Struct, frozen=True):
    """One file of cards."""

    source: str
    file: str
    separator: str

    @property
    def declared(self) -> str | None:
        """Return nothing, since a card states no charset."""
        return None

    @property
    def charset(self) -> str:
        """Return UTF-8, the charset of all cards."""
        return "utf-8"

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file at the separators."""
        position = offset = begin = 0
        lines: list[bytes] = []
        for line in stream:
            offset += len(line)
            if line.strip() != self.separator.encode():
                lines.append(line)
                continue
            position += 1
            yield Raw(Origin(self.source, self.file, position, begin), b"".join(lines))
            lines, begin = [], offset
        if lines:
            origin = Origin(self.source, self.file, position + 1, begin)
            yield ReadError(origin, f"no line {self.separator} after the card; add it", b"".join(lines))

    def parse(self, raw: Raw) -> Parsed:
        """Read one card; raises ``ReadError``."""
        fields: list[ControlField | DataField] = []
        warnings: list[str] = []
        try:
            lines = raw.data.decode().splitlines()
        except UnicodeDecodeError as error:
            raise ReadError(raw.origin, f"not UTF-8: {error}; recode the file", raw.data) from error
        for line in lines:
            key, _, value = line.partition(":")
            tag = TAGS.get(key.strip())
            if tag is None:
                warnings.append(f"unknown key {key!r} skipped")
            elif tag == "001":
                fields.append(ControlField(tag, value.strip()))
            else:
                fields.append(DataField(tag, " ", " ", (Subfield("a", value.strip()),)))
        if not fields:
            raise ReadError(raw.origin, "no line of the card is a known key", raw.data)
        return Parsed(MarcRecord(raw.origin, Leader("00000nam a2200000 i 4500"), tuple(fields)), tuple(warnings))


CarrierType = CardsCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file begins with the number of a card."""
    return head.startswith(b"number: ")


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> CardsCarrier:
    """Describe a file; nothing has to be found out."""
    return CardsCarrier(source, name, settings.separator)
