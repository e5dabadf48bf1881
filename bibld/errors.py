"""The errors of bibld, and what becomes of each.

::

    BibldError
    ├ ConfigError        exit 2: nothing was started; lists every fault of the configuration at once
    ├ RecordError        the record goes to the rejects, the run goes on
    │ ├ ReadError          the bytes are no record of their carrier
    │ │ └ DamagedFileError  the file breaks off here, so that what follows is unknown
    │ └ CrosswalkError     the record is no bibliographic description that the crosswalk knows
    └ StageError         exit 1: a stage cannot go on
      ├ HarvestError
      ├ StoreError
      │ ├ StoreUnavailableError
      │ ├ BadQueryError
      │ ├ NotAcceptableError
      │ └ QueryTimeoutError
      └ CatalogError

An error is complete when it is raised: it says what, where and what next. No exception of a library that a stage uses
leaves that stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bibld.model.origin import Origin


class BibldError(Exception):
    """Anything that bibld reports to its user."""

    exit_code = 1


class ConfigError(BibldError):
    """The configuration cannot be used. ``faults`` holds one message for each fault."""

    exit_code = 2

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class RecordError(BibldError):
    """One record cannot be used; it is kept among the rejects.

    ``origin`` says where it stands, ``reason`` why it cannot be used and what helps, ``original`` its bytes,
    ``control_number`` its identifier where one could be read.
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
    """The bytes are no record of their carrier, even after repair."""


class DamagedFileError(ReadError):
    """The file breaks off, or cannot be read at all: nobody knows which records it would have held."""


class CrosswalkError(RecordError):
    """The record is no bibliographic description that the crosswalk knows (an authority record, say)."""


class StageError(BibldError):
    """A stage cannot go on."""


class HarvestError(StageError):
    """A source could not be fetched."""


class CatalogError(StageError):
    """The catalog cannot be opened, is of another format, or is held by another run."""


class StoreError(StageError):
    """The triple store refused."""


class StoreUnavailableError(StoreError):
    """The triple store does not answer."""


class BadQueryError(StoreError):
    """The query is not SPARQL, or asks for something that is not allowed here."""


class NotAcceptableError(StoreError):
    """The client accepts no format for this kind of result (table, boolean or graph)."""


class QueryTimeoutError(StoreError):
    """The query did not end before its deadline."""
