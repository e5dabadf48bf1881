"""Reads cards as its sibling does, but its code has faults: on a blank card, on a torn one, on a file of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from card_catalogue import cards
from card_catalogue.cards import CardsCarrier, Settings, sniffs

from bibld.errors import ReadError
from bibld.protocols import Parsed, Raw

__all__ = ["CarrierType", "Settings", "examine", "sniffs"]

PRIORITY = 1


class FragileCarrier(CardsCarrier, frozen=True):
    """One file of cards."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file, and fail at the word TORN."""
        for raw in super().raws(stream):
            if isinstance(raw, Raw) and b"TORN" in raw.data:
                raise KeyError("torn")
            yield raw

    def parse(self, raw: Raw) -> Parsed:
        """Read one card, and fail at the word SMUDGE."""
        if b"SMUDGE" in raw.data:
            raise IndexError("smudge")
        return super().parse(raw)


CarrierType = FragileCarrier


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> FragileCarrier:
    """Describe a file, and fail where its first card is EMPTY."""
    if b"EMPTY" in stream.read(100):
        raise ZeroDivisionError("nothing to divide")
    carrier = cards.examine(stream, name, source, settings)
    return FragileCarrier(carrier.source, carrier.file, carrier.separator)
