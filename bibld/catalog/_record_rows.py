"""What is written into the tables of records and read from that of rejects."""

from __future__ import annotations

import msgspec

from bibld.model.brief import brief
from bibld.model.origin import Origin, RecordId


class NewRecord(msgspec.Struct, frozen=True, gc=False):
    """A converted record to be stored.

    ``mods`` is the JSON of its ``Mods``, or for a flavour of authority records of its ``Authority``; ``made_by`` is a
    hash of what it was made from: bytes, carrier, versions, settings. ``findings`` are its faults and links as
    MessagePack, empty if there are none.
    """

    id: RecordId
    origin: Origin
    original: bytes
    carrier: int
    made_by: bytes
    flavour: str
    mods: bytes
    unmapped: tuple[str, ...]
    private: tuple[str, ...]
    warnings: tuple[str, ...]
    deleted: bool
    findings: bytes = b""


class LoadCounts(msgspec.Struct, frozen=True):
    """The counts of one complete reading of a source: ``read`` is the sum of the others."""

    source: str
    read: int
    converted: int
    superseded: int
    rejected: int
    deleted: int


class Superseded(msgspec.Struct, frozen=True):
    """How many records of this load were replaced by later ones: live ones, and ones deleted by their status."""

    live: int
    deleted: int


class Reject(msgspec.Struct, frozen=True):
    """A piece of a file that could not be used: its position, the kind of error, the reason, its bytes."""

    origin: Origin
    control_number: str | None
    kind: str
    reason: str
    original: bytes

    __repr__ = brief

    def __str__(self) -> str:
        number = f", 001 {self.control_number}" if self.control_number else ""
        return f"{self.origin}{number}: {self.reason}"
