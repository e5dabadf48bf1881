"""The errors of bibld, and the consequence of each.

::

    BibldError
    ├ ConfigError        exit 2: nothing was started; lists every fault of the configuration at once
    ├ RecordError        the record is stored among the rejects, the run continues
    │ ├ ReadError          the bytes are not a record of their carrier
    │ │ └ DamagedFileError  the file is damaged here; the records after it are unknown
    │ └ CrosswalkError     the record is not a bibliographic description that the crosswalk can convert
    └ StageError         exit 1: a stage cannot continue
      ├ HarvestError
      ├ StoreError
      │ ├ StoreUnavailableError
      │ ├ BadQueryError
      │ ├ NotAcceptableError
      │ └ QueryTimeoutError
      └ CatalogError
        └ DamagedIndexError

The message of an error states what happened, where, and what to do. A stage converts the exceptions of its libraries.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Origin(msgspec.Struct, frozen=True, gc=False):
    """A place in a harvested file.

    ``file`` is the file's name as the configuration reaches it (relative, with ``/``), ``position`` counts the records
    of the file from 1, ``offset`` the bytes before the record (in the uncompressed file).
    """

    source: str
    file: str
    position: int
    offset: int

    def __str__(self) -> str:
        return f"{self.file} record {self.position} (byte {self.offset})"


class BibldError(Exception):
    """Anything that bibld reports to its user."""

    exit_code = 1


class ConfigError(BibldError):
    """The configuration cannot be used. ``faults`` contains one message for each fault."""

    exit_code = 2

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class RecordError(BibldError):
    """One record cannot be used; it is stored among the rejects.

    ``origin`` is its place, ``reason`` states why it cannot be used and what to do, ``original`` are its bytes,
    ``control_number`` is its identifier if one could be read.
    """

    def __init__(self, origin: Origin, reason: str, original: bytes = b"", control_number: str | None = None) -> None:
        self.origin = origin
        self.reason = reason
        self.original = original
        self.control_number = control_number
        named = f", 001 {control_number}" if control_number else ""
        super().__init__(f"{origin}{named}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.origin, self.reason, self.original, self.control_number)


class ReadError(RecordError):
    """The bytes are not a record of their carrier, even after repair."""


class DamagedFileError(ReadError):
    """The file is cut off or cannot be read at all; which records it contained is unknown."""


class CrosswalkError(RecordError):
    """The record is not a bibliographic description that the crosswalk can convert; for example a holdings record."""


class StageError(BibldError):
    """A stage cannot continue."""


class HarvestError(StageError):
    """A source could not be fetched."""


class CatalogError(StageError):
    """The catalog cannot be opened, has another format, or is used by another run."""


class DamagedIndexError(CatalogError):
    """Files of the index of matching are damaged or missing; the next run builds the index again."""


class StoreError(StageError):
    """The triple store refused the operation."""


class StoreUnavailableError(StoreError):
    """The triple store does not answer."""


class BadQueryError(StoreError):
    """The query is not SPARQL, or requests something that is not allowed here.

    ``line`` and ``column`` (from 1, in characters) are where it is wrong; 0 if that is not known.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        self.line = line
        self.column = column
        super().__init__(message)


class NotAcceptableError(StoreError):
    """The client accepts no format for this kind of result (table, boolean or graph)."""


class QueryTimeoutError(StoreError):
    """The query did not end before its deadline."""
