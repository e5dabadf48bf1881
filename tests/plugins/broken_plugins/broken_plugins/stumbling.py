"""Converts cards as its sibling does, but fails on some of them, and cannot recognise most records."""

from __future__ import annotations

from card_catalogue import cardfile
from card_catalogue.cardfile import Settings

from bibld.model.marc import MarcRecord
from bibld.protocols import Converted

__all__ = ["Settings", "convert", "sniffs"]

PRIORITY = 5


def sniffs(record: MarcRecord) -> bool:
    """Recognise a record by a field that few have."""
    return next(record.fields("950")).first("a") == "stumbling"


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one record, and fail on those without an author."""
    next(iter(record.fields("901")))
    return cardfile.convert(record, settings)
