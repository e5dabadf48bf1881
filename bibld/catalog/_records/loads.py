"""What the reading of a source brings into the catalog, and what it counts."""

from __future__ import annotations

import msgspec

from bibld.model.origin import Origin, RecordId


class NewRecord(msgspec.Struct, frozen=True, gc=False):
    """A converted record on its way into the catalog; ``mods`` is the JSON of its ``Mods``."""

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


class LoadCounts(msgspec.Struct, frozen=True):
    """What one complete reading of a source counted: ``read`` is the sum of the others."""

    source: str
    read: int
    converted: int
    superseded: int
    rejected: int
    deleted: int


class Superseded(msgspec.Struct, frozen=True):
    """How many records of this load were put over: living ones, and ones that were deleted by their status."""

    living: int
    deleted: int


class Reject(msgspec.Struct, frozen=True):
    """A piece of a file that could not be used: its place, the kind of error, the reason, its bytes."""

    origin: Origin
    control_number: str | None
    kind: str
    reason: str
    original: bytes

    def __str__(self) -> str:
        number = f", 001 {self.control_number}" if self.control_number else ""
        return f"{self.origin}{number}: {self.reason}"
